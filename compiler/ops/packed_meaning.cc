#include "compiler/ops/packed_meaning.h"

#include <algorithm>

#include "compiler/ir/constant.h"
#include "compiler/ir/packed.h"
#include "compiler/ops/convert.h"
#include "compiler/ops/extreme.h"

namespace compiler::ops {
namespace {

using ir::DType;

// Subnormals of the type of x to zero of the same sign.
float FlushIn(DType element, float x) {
  const float smallest_normal = element == DType::kF16 ? 0x1p-14f : 0x1p-126f;
  return std::fabs(x) < smallest_normal ? std::copysign(0.0f, x) : x;
}

// The bits of a double as a half of the type: rounded once, if it is exact or rounded to odd.
uint64_t RoundHalf(DType element, double value) {
  if (std::isnan(value)) return element == DType::kF32 ? 0x7fffffff : 0x7fff;
  return ir::EncodeFloat(element, ir::RoundTo(element, value));
}

// f(halves of the operands) gives the bits of the half of the result.
template <typename F>
std::string_view EachHalf(const MeaningArgs& args, F f) {
  const DType element = ir::ElementOf(args.operand_type);
  const int width = ir::ElementBits(args.operand_type);
  const uint64_t low = (uint64_t{1} << width) - 1;
  constexpr size_t kMostOperands = 3;
  const size_t operands = std::min(args.in.size(), kMostOperands);
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    uint64_t result = 0;
    for (int shift = 0; shift <= width; shift += width) {
      std::array<uint64_t, kMostOperands> half{};
      for (size_t i = 0; i < operands; ++i) half[i] = args.in[i]->bits[at] >> shift & low;
      result |= f(element, half) << shift;
    }
    args.out[0]->bits[at] = result;
    return {};
  });
}

// `numerics ftz` is a word of the f16 and f32 instructions; the bf16 ones have none (PTX ISA,
// half precision floating-point instructions).
bool Flushes(const MeaningArgs& args, DType element) { return args.ftz && element != DType::kBF16; }

// f of floats in double, exact or rounded to odd.
template <typename F>
std::string_view Arithmetic(const MeaningArgs& args, F f) {
  return EachHalf(args, [&](DType element, const auto& half) {
    const bool ftz = Flushes(args, element);
    std::array<double, 3> x{};
    for (size_t i = 0; i < x.size(); ++i) {
      const float value = Widen(half[i], element);
      x[i] = static_cast<double>(ftz ? FlushIn(element, value) : value);
    }
    const uint64_t bits = RoundHalf(element, f(x[0], x[1], x[2]));
    if (!ftz) return bits;
    const float rounded = Widen(bits, element);
    return std::isnan(rounded)
               ? bits
               : ir::EncodeFloat(element, static_cast<double>(FlushIn(element, rounded)));
  });
}

template <bool kMax>
std::string_view Extremes(const MeaningArgs& args) {
  const bool nan_wins = Has(args, "nan");
  return EachHalf(args, [&](DType element, const auto& half) {
    const float r = Extreme<kMax>(Widen(half[0], element), Widen(half[1], element), nan_wins);
    return RoundHalf(element, static_cast<double>(r));
  });
}

}  // namespace

uint64_t AddHalves(DType element, uint64_t a, uint64_t b) {
  return RoundHalf(element, FusedToOdd(static_cast<double>(Widen(a, element)), 1,
                                       static_cast<double>(Widen(b, element))));
}

std::string_view PackedAdd(const MeaningArgs& args) {
  return Arithmetic(args, [](double a, double b, double) { return FusedToOdd(a, 1, b); });
}
std::string_view PackedSubtract(const MeaningArgs& args) {
  return Arithmetic(args, [](double a, double b, double) { return FusedToOdd(a, 1, -b); });
}
std::string_view PackedMultiply(const MeaningArgs& args) {
  return Arithmetic(args, [](double a, double b, double) { return a * b; });
}
std::string_view PackedFma(const MeaningArgs& args) {
  return Arithmetic(args, [](double a, double b, double c) { return FusedToOdd(a, b, c); });
}
std::string_view PackedMin(const MeaningArgs& args) { return Extremes<false>(args); }
std::string_view PackedMax(const MeaningArgs& args) { return Extremes<true>(args); }

std::string_view PackedNegate(const MeaningArgs& args) {
  return EachHalf(args, [&](DType element, const auto& half) {
    return half[0] ^ uint64_t { 1 } << (ir::Info(element).bits - 1);
  });
}
std::string_view PackedAbsolute(const MeaningArgs& args) {
  return EachHalf(args, [&](DType element, const auto& half) {
    return half[0] & ~(uint64_t{1} << (ir::Info(element).bits - 1));
  });
}

std::string_view PackedApproximate(const MeaningArgs& args, double (*f)(double),
                                   bool flushes_bf16) {
  return EachHalf(args, [&](DType element, const auto& half) {
    const bool ftz = flushes_bf16 && element == DType::kBF16;
    const float x = Widen(half[0], element);
    const uint64_t bits = RoundHalf(element, f(static_cast<double>(ftz ? FlushIn(element, x) : x)));
    const float y = Widen(bits, element);
    if (!ftz || std::isnan(y)) return bits;
    return ir::EncodeFloat(element, static_cast<double>(FlushIn(element, y)));
  });
}

}  // namespace compiler::ops
