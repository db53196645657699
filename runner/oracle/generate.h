// Contents of buffers: inputs drawn from the contract's generators, the poison that outputs and
// workspaces start with, and the canaries around each buffer. Everything is a function of a seed
// and a position, so the judge makes it again instead of trusting a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "runner/contract/workload.h"

namespace runner::oracle {

// Bytes of canary before and after each buffer; keeps the buffer's base as aligned as the
// allocation's.
inline constexpr int64_t kGuardBytes = 4096;

// Input sets from here on are set 0 with a few elements of each input drawn again, at places that
// only the seed tells: whoever recognises inputs by a sample of them takes them for the old ones.
inline constexpr int kPerturbedSets = 1 << 16;
inline constexpr int kPerturbedElementsMax = 4;

// Draws an input: the key depends on (seed unless the generator is fixed, case name, tensor name,
// input_set). What lies between strided elements is NaN in floats and 0 in integers. `memory` has
// CaseTensor::bytes bytes.
absl::Status FillInput(const contract::Workload& workload, const contract::Case& at,
                       const contract::CaseTensor& tensor, uint64_t seed, int input_set,
                       std::span<std::byte> memory, int threads);

// Poison of run `poison` for buffer `index`: signalling NaNs for floats, random bits for the rest.
void FillPoison(compiler::ir::DType dtype, uint64_t poison, int index, std::span<std::byte> memory,
                int threads);
// The poison of one element alone (up to 8 bytes), for comparing.
uint64_t PoisonElement(compiler::ir::DType dtype, uint64_t poison, int index, int64_t element);
// The same in numbers, for a device: add + (modulo > 0 ? z % modulo : z & mask), where z is
// SplitMix64's output at PoisonStart + element * its step. nullopt: this dtype's has another form.
struct PoisonForm {
  uint64_t add = 0, modulo = 0, mask = 0;
};
std::optional<PoisonForm> PoisonFormOf(compiler::ir::DType dtype);
uint64_t PoisonStart(uint64_t poison, int index);

// Canary bytes of one side (0: before, 1: after) of buffer `index`; `guard` has kGuardBytes bytes.
void FillGuard(uint64_t poison, int index, int side, std::span<std::byte> guard);
// First byte that differs from the canary, or -1.
int64_t FirstBrokenGuardByte(uint64_t poison, int index, int side,
                             std::span<const std::byte> guard);

}  // namespace runner::oracle
