// Which bytes of an output pass, as two bounds for each place of its memory: what compares them
// needs no arithmetic but comparing integers, so a device can do it and nothing of its rounding has
// to be trusted. The bounds are found by asking the comparison itself (compare.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runner/oracle/compare.h"

namespace runner::oracle {

// How bits of a dtype become an unsigned number in the order of their values.
enum class Order : uint8_t { kUnsigned, kSigned, kFloat };
Order OrderOf(compiler::ir::DType dtype);
uint64_t CodeOf(compiler::ir::DType dtype, uint64_t bits);
uint64_t BitsOf(compiler::ir::DType dtype, uint64_t code);
// The largest magnitude of a float that is no NaN, as bits; of others all bits.
uint64_t LargestMagnitude(compiler::ir::DType dtype);

// Where low is above high, low says what is there instead of bounds.
inline constexpr uint64_t kBetweenElements = 1;  // the poison stays
inline constexpr uint64_t kAnyNan = 2;
inline constexpr uint64_t kNothingPasses = 3;

// Codes of the element's width, low of every place of the tensor's memory, then high of every one.
struct Accepted {
  int64_t places = 0, width = 0;
  reference::Room<std::byte> bounds;  // 2 * places * width bytes
};

// nullopt: no two bounds say what passes (an index that is judged by its regret; a format that a
// comparison by codes does not fit). `want` and `scale` hold every element of `output`, whose
// memory is not looked at.
std::optional<Accepted> AcceptedOf(const OutputView& output, std::span<const double> want,
                                   std::span<const double> scale, int threads);

// What a device sums of the bounds while it reads them, under a key.
uint64_t FingerprintOf(const Accepted& accepted, uint64_t key, int threads);

}  // namespace runner::oracle
