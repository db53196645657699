#include "compiler/machine/reduce.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/constant.h"

namespace compiler::machine {
namespace {

uint64_t ReducedFloat(std::string_view word, ir::DType type, uint64_t old, uint64_t value) {
  const double a = ir::DecodeFloat(type, old), b = ir::DecodeFloat(type, value);
  // Rounding the sum to double first changes nothing: it has more than twice the bits.
  if (word == "add") return ir::EncodeFloat(type, ir::RoundTo(type, a + b));
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? value : old;
  return (word == "min") == (b < a) ? value : old;
}

template <typename T>
uint64_t ReducedInteger(std::string_view word, uint64_t old_bits, uint64_t bits) {
  const auto old = static_cast<T>(old_bits), value = static_cast<T>(bits);
  const auto result = [&]() -> T {
    if (word == "add") return static_cast<T>(old_bits + bits);
    if (word == "min") return std::min(old, value);
    if (word == "max") return std::max(old, value);
    if (word == "and") return old & value;
    if (word == "or") return old | value;
    if (word == "xor") return old ^ value;
    // PTX ISA, atom: inc wraps to 0 behind the value, dec to the value behind 0.
    if (word == "inc") return old >= value ? T{0} : static_cast<T>(old + 1);
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  }();
  return static_cast<uint64_t>(result);
}

}  // namespace

uint64_t Reduced(std::string_view word, ir::DType type, uint64_t old, uint64_t value) {
  switch (type) {
    case ir::DType::kF16:
    case ir::DType::kBF16:
    case ir::DType::kF32: return ReducedFloat(word, type, old, value);
    case ir::DType::kI32: return ReducedInteger<int32_t>(word, old, value);
    case ir::DType::kU32: return ReducedInteger<uint32_t>(word, old, value);
    case ir::DType::kI64: return ReducedInteger<int64_t>(word, old, value);
    default: return ReducedInteger<uint64_t>(word, old, value);
  }
}

}  // namespace compiler::machine
