// cvt and bitcast.
#include <limits>

#include "compiler/ops/convert.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

using Wide = __int128;

constexpr std::string_view kOutOfRange = "conversion out of range";

bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// The integer of any integer or bool dtype.
Wide IntegerValue(uint64_t bits, DType dtype) {
  return ir::Info(dtype).is_signed ? static_cast<Wide>(static_cast<int64_t>(bits))
                                   : static_cast<Wide>(bits);
}

float IntegerToFloat(Wide value, Rounding rounding) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<uint64_t>(negative ? -value : value);
  float result = static_cast<float>(magnitude);  // to nearest even
  if (rounding == Rounding::kTowardsZero &&
      static_cast<Wide>(result) > static_cast<Wide>(magnitude)) {
    result = std::nextafter(result, 0.0f);
  }
  return negative ? -result : result;
}

// An integer to T. Signed targets must hold it; unsigned ones keep the low bits; `.sat` clamps.
template <typename T>
std::string_view FitInteger(Wide value, bool saturate, T* result) {
  constexpr Wide kLow = std::numeric_limits<T>::min();
  constexpr Wide kHigh = std::numeric_limits<T>::max();
  if (value < kLow || value > kHigh) {
    if (saturate)
      value = value < kLow ? kLow : kHigh;
    else if (std::is_signed_v<T>)
      return kOutOfRange;
  }
  *result = static_cast<T>(static_cast<uint64_t>(value));
  return {};
}

// A float to T. Without `.sat` it must fit after rounding; with it NaN is what the hardware gives
// (PTX ISA, cvt): 0, and the sign bit for 64-bit targets.
template <typename T>
std::string_view FitFloat(float x, Rounding rounding, bool saturate, T* result) {
  if (std::isnan(x)) {
    if (!saturate) return kOutOfRange;
    *result = sizeof(T) == 8 ? static_cast<T>(uint64_t{1} << 63) : T{0};
    return {};
  }
  const double whole =
      rounding == Rounding::kTowardsZero ? std::trunc(double{x}) : std::rint(double{x});
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);  // exclusive
  if (whole < kLow || whole >= high) {
    if (!saturate) return kOutOfRange;
    *result = whole < kLow ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return {};
  }
  *result = static_cast<T>(whole);
  return {};
}

struct Conversion {
  DType from, to;
  Rounding rounding;
  bool saturate;
};

std::string_view ConvertOne(const Conversion& c, uint64_t bits, LaneVector& out, int lane) {
  const bool from_float = ir::Info(c.from).is_float;
  float x = 0;
  if (c.from == DType::kF32) x = std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (IsHalf(c.from)) x = WidenHalf(bits, c.from);
  if (c.to == DType::kBool) {
    Set<bool>(out, lane, from_float ? x != 0 : bits != 0);
    return {};
  }
  if (ir::Info(c.to).is_float) {
    if (!from_float) x = IntegerToFloat(IntegerValue(bits, c.from), c.rounding);
    if (c.to == DType::kF32)
      Set<float>(out, lane, x);
    else
      Set<uint16_t>(out, lane, NarrowHalf(x, c.to, c.rounding, c.saturate));
    return {};
  }
  return WithInteger(c.to, [&]<typename T>() -> std::string_view {
    T result{};
    const std::string_view error =
        from_float ? FitFloat<T>(x, c.rounding, c.saturate, &result)
                   : FitInteger<T>(IntegerValue(bits, c.from), c.saturate, &result);
    if (error.empty()) Set<T>(out, lane, result);
    return error;
  });
}

std::string_view Convert(const MeaningArgs& args) {
  const Conversion conversion{args.operand_type, args.result_type,
                              Has(args, "rz") ? Rounding::kTowardsZero : Rounding::kNearestEven,
                              Has(args, "sat")};
  return EachLane(args, [&](int lane) -> std::string_view {
    const uint64_t bits = args.in[0]->bits[static_cast<size_t>(lane)];
    if (conversion.from == conversion.to) {
      args.out[0]->bits[static_cast<size_t>(lane)] = bits;
      return {};
    }
    return ConvertOne(conversion, bits, *args.out[0], lane);
  });
}

std::string_view Bitcast(const MeaningArgs& args) {
  if (ir::Info(args.operand_type).bits != ir::Info(args.result_type).bits) {
    return "bitcast between types of different sizes";
  }
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(args.in[0]->bits[at], args.result_type);
    return {};
  });
}

ModifierGroup DTypeWords() {
  return {
      {"bool", "i8",   "u8",   "i16",  "u16",   "i32",    "u32",   "i64",  "u64",  "f16",  "bf16",
       "f32",  "tf32", "e4m3", "e5m2", "f16x2", "bf16x2", "f32x2", "e2m1", "e3m2", "e2m3", "ue8m0"},
      true};
}

}  // namespace

std::vector<OpDef> Conversions() {
  return {
      {.name = "cvt",
       .form = Form::kFunction,
       .summary =
           "cvt.T(x): the value of x as a T, to nearest even, `.rz` towards zero. A signed target "
           "must hold it, an unsigned one keeps the low bits of an integer; `.sat` takes the "
           "nearest value that fits. An integer becomes a 16-bit float by way of f32.",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords(), {{"rn", "rz"}}, {{"sat"}}},
       .result = ResultRule::kFromModifier,
       .dtypes = kScalars,
       .cost = {.pipe = Pipe::kConvert, .issue_slots = 1},
       .meaning = Convert,
       .algebra = Algebra::kConvert,
       .lower = LowerConvert,
       .source = "PTX ISA, data movement and conversion: cvt",
       .example = ExampleOfExpression("in a: bf16[N]; out y: i32[N]",
                                      "cvt.i32.rz.sat(cvt.f32(ld a[i]) * 0.5)")},
      {.name = "bitcast",
       .form = Form::kFunction,
       .summary = "bitcast.T(x): the bits of x read as a T of the same size.",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords()},
       .result = ResultRule::kFromModifier,
       .dtypes = kScalars,
       .cost = {.pipe = Pipe::kNone, .issue_slots = 0},
       .meaning = Bitcast,
       .lower = LowerBitcast,
       .source = "PTX ISA, data movement and conversion: mov",
       .example = ExampleOfExpression("in a: f32[N]; out y: u32[N]", "bitcast.u32(ld a[i]) >> 23")},
  };
}

}  // namespace compiler::ops
