// The judge's kernels and what they take, for whoever launches them. The structures are the ones of
// judge.cu, byte by byte; the fake device, which compiles both, compares their sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/ir/types.h"

namespace runner::device {

std::string_view Embedded(std::string_view name);
inline std::string_view JudgeSource() { return Embedded("judge.cu"); }
inline constexpr char kPartsKernel[] = "cake_judge_parts";
inline constexpr char kOutputKernel[] = "cake_judge_output";
inline constexpr char kPoisonKernel[] = "cake_judge_poison";

inline constexpr int kPartsMax = 32;  // of one launch
struct Part {
  uint64_t address = 0, bytes = 0;
};
struct Parts {
  Part part[kPartsMax];
};

struct Output {
  uint64_t data = 0, low = 0, high = 0, places = 0;  // addresses, and how many elements there
  uint64_t poison = 0;                               // where its sequence begins
  uint64_t poison_add = 0, poison_modulo = 0, poison_mask = 0;
  uint64_t key = 0;
  uint64_t largest = 0;  // magnitude of a float that is no NaN
  uint32_t width = 0;    // bytes of an element
  uint32_t order = 0;    // oracle::Order
};
// What is to be known of a dtype; the caller adds addresses and the key. nullopt: the kernel does
// not read it.
std::optional<Output> OutputOf(compiler::ir::DType dtype, uint64_t poison, int index);

// What a launch adds to, one word each.
enum Mark : int { kWrong, kBetween, kPoisoned, kOutputs, kAccepted, kMarks };

}  // namespace runner::device
