// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011):
// a counter and a key give four 32-bit words. There is no state to keep in order, so any element
// can be drawn alone.
#pragma once

#include <array>
#include <cstdint>

namespace runner::oracle {

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// One 64-bit word of stream `key` at `index`.
uint64_t PhiloxWord(uint64_t key, uint64_t index);

// A key for a named purpose derived from a seed: equal names and seeds give equal keys on every
// machine.
uint64_t DeriveKey(uint64_t seed, const char* purpose, uint64_t index);

}  // namespace runner::oracle
