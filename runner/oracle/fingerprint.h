// A 64-bit fingerprint of memory under a key: a sum over its words, so that many threads can take
// it in any order, on a device too (runner/device/judge.cu computes the same). It tells apart what
// differs by accident, and by intent of whoever does not know the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace runner::oracle {

// What word number `index` adds to the sum.
inline uint64_t FingerprintTerm(uint64_t key, uint64_t index, uint64_t word) {
  // SplitMix64's finaliser; its step between indices is odd and has no pattern of bits.
  uint64_t z = word ^ (key + index * 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Of little-endian words of 8 bytes; zeros follow the last byte. `threads` 0: all CPUs.
uint64_t Fingerprint(uint64_t key, std::span<const std::byte> bytes, int threads);

}  // namespace runner::oracle
