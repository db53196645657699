// cvt and bitcast.
#include <limits>

#include "compiler/ir/packed.h"
#include "compiler/ops/convert.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

using Wide = __int128;

constexpr std::string_view kOutOfRange = "conversion out of range";

// The integer of any integer or bool dtype.
Wide IntegerValue(uint64_t bits, DType dtype) {
  return ir::Info(dtype).is_signed ? static_cast<Wide>(static_cast<int64_t>(bits))
                                   : static_cast<Wide>(bits);
}

// The f32 neighbour that directed rounding asks for, of the nearest one.
float Directed(float nearest, Wide exact, Rounding rounding) {
  const Wide value = static_cast<Wide>(nearest);
  if (rounding == Rounding::kUp && value < exact) return std::nextafter(nearest, HUGE_VALF);
  if (rounding == Rounding::kDown && value > exact) return std::nextafter(nearest, -HUGE_VALF);
  if (rounding == Rounding::kTowardsZero && (exact < 0 ? value < exact : value > exact)) {
    return std::nextafter(nearest, 0.0f);
  }
  return nearest;
}

float IntegerToFloat(Wide value, Rounding rounding) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<uint64_t>(negative ? -value : value);
  const auto nearest = static_cast<float>(magnitude);  // ties to even
  return Directed(negative ? -nearest : nearest, value, rounding);
}

double ToWhole(float x, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardsZero: return std::trunc(double{x});
    case Rounding::kDown: return std::floor(double{x});
    case Rounding::kUp: return std::ceil(double{x});
    default: return std::rint(double{x});
  }
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
  const double whole = ToWhole(x, rounding);
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

uint64_t Ones(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

struct Conversion {
  DType from, to;
  Rounding rounding;
  bool saturate;
};

// One number, as register bits of unpacked types.
std::string_view ConvertOne(const Conversion& c, uint64_t bits, uint64_t* out) {
  if (c.from == c.to) {
    *out = bits;
    return {};
  }
  const bool from_float = ir::Info(c.from).is_float;
  float x = from_float ? Widen(bits, c.from) : 0;
  if (c.to == DType::kBool) {
    *out = (from_float ? x != 0 : bits != 0) ? 1 : 0;
    return {};
  }
  if (ir::Info(c.to).is_float) {
    if (!from_float) x = IntegerToFloat(IntegerValue(bits, c.from), c.rounding);
    // Widening is exact; tf32 is a subset of f32 in f32's own layout.
    *out =
        c.to == DType::kF32 ? std::bit_cast<uint32_t>(x) : Narrow(x, c.to, c.rounding, c.saturate);
    return {};
  }
  return WithInteger(c.to, [&]<typename T>() -> std::string_view {
    T result{};
    const std::string_view error =
        from_float ? FitFloat<T>(x, c.rounding, c.saturate, &result)
                   : FitInteger<T>(IntegerValue(bits, c.from), c.saturate, &result);
    *out = static_cast<uint64_t>(result);
    if (std::is_signed_v<T>) *out = static_cast<uint64_t>(static_cast<int64_t>(result));
    return error;
  });
}

Rounding RoundingOf(const MeaningArgs& args) {
  if (Has(args, "rz")) return Rounding::kTowardsZero;
  if (Has(args, "rm")) return Rounding::kDown;
  if (Has(args, "rp")) return Rounding::kUp;
  return Has(args, "rna") ? Rounding::kNearestAway : Rounding::kNearestEven;
}

// Registers of a group of numbers: its first `count` results, undefined where an operand is.
uint32_t BeginGroup(const MeaningArgs& args, size_t count) {
  const uint32_t undefined = UndefinedOperands(args);
  for (size_t i = 1; i < count; ++i) Begin(args, undefined, *args.out[i]);
  return Begin(args, undefined, *args.out[0]);
}

// A group of registers holds the same numbers before and after: [low, high] becomes one packed
// value, a packed value two numbers.
std::string_view Convert(const MeaningArgs& args) {
  const Conversion c{ir::ElementOf(args.operand_type), ir::ElementOf(args.result_type),
                     RoundingOf(args), Has(args, "sat")};
  const auto in_halves = static_cast<size_t>(ir::HalvesOf(args.operand_type));
  const auto out_halves = static_cast<size_t>(ir::HalvesOf(args.result_type));
  const size_t numbers = args.in.size() * in_halves;
  if (numbers % out_halves != 0) return "half of a packed value is missing";
  const size_t results = numbers / out_halves;
  const int in_bits = ir::ElementBits(args.operand_type);
  const int out_bits = ir::ElementBits(args.result_type);
  for (uint32_t rest = BeginGroup(args, results); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    for (size_t r = 0; r < results; ++r) {
      uint64_t packed = 0;
      for (size_t h = 0; h < out_halves; ++h) {
        const size_t n = r * out_halves + h;
        uint64_t bits = args.in[n / in_halves]->bits[at];
        if (in_halves > 1) bits = bits >> (in_bits * static_cast<int>(n % 2)) & Ones(in_bits);
        uint64_t number = 0;
        const std::string_view error = ConvertOne(c, bits, &number);
        if (!error.empty()) return error;
        packed |= number << (out_bits * static_cast<int>(h));
      }
      args.out[r]->bits[at] = packed;
    }
  }
  return {};
}

// The bits of a group of registers, the first lowest, cut anew.
std::string_view Bitcast(const MeaningArgs& args) {
  const int in_bits = ir::Info(args.operand_type).bits;
  const int out_bits = ir::Info(args.result_type).bits;
  const int bits = in_bits * static_cast<int>(args.in.size());
  if (bits % out_bits != 0 || bits > 64) return "bitcast between types of different sizes";
  const auto results = static_cast<size_t>(bits / out_bits);
  for (uint32_t rest = BeginGroup(args, results); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    uint64_t whole = 0;
    for (size_t i = 0; i < args.in.size(); ++i) {
      whole |= (args.in[i]->bits[at] & Ones(in_bits)) << (in_bits * static_cast<int>(i));
    }
    for (size_t r = 0; r < results; ++r) {
      args.out[r]->bits[at] = Extend(whole >> (out_bits * static_cast<int>(r)), args.result_type);
    }
  }
  return {};
}

bool IsFloat8(DType dtype) { return dtype == DType::kE4M3 || dtype == DType::kE5M2; }

std::string_view RoundingWord(const ir::UseArgs& use) {
  for (const std::string_view word : use.modifiers) {
    if (word == "rn" || word == "rz" || word == "rm" || word == "rp" || word == "rna") return word;
  }
  return "rn";
}

// Why no instruction rounds this way; empty where one does.
std::string_view RefusedRounding(DType to, bool packed, std::string_view word) {
  const bool directed = word == "rm" || word == "rp";
  if (word == "rna" && to != DType::kTF32) return "`.rna` rounds to tf32 only";
  if (IsFloat8(to) && word != "rn") return "8-bit floats are rounded to nearest even only";
  if ((to == DType::kBF16 || to == DType::kTF32) && directed) {
    return "bf16 and tf32 are rounded to nearest or towards zero";
  }
  if (packed && directed) return "packed values are rounded to nearest or towards zero";
  return {};
}

// PTX ISA, cvt: target notes.
ir::Needs ConvertNeeds(const ir::UseArgs& use) {
  const DType from = ir::ElementOf(use.operand_type);
  const DType to = ir::ElementOf(use.result_type);
  const int64_t numbers = use.elements * ir::HalvesOf(use.operand_type);
  if (numbers % ir::HalvesOf(use.result_type) != 0) {
    return {.refused = "a packed value holds two numbers: convert `[low, high]`"};
  }
  const std::string_view word = RoundingWord(use);
  const std::string_view refused = RefusedRounding(to, ir::IsPacked(use.result_type), word);
  if (!refused.empty()) return {.refused = refused};
  if (from == to) return {};
  if (to == DType::kTF32 && word != "rna") return {.min_arch = "sm_90"};
  if (IsFloat8(from) || IsFloat8(to)) return {.min_arch = "sm_89"};
  return {};
}

ir::Needs BitcastNeeds(const ir::UseArgs& use) {
  // A bool is 0 or 1, everywhere; bits that are neither would be a third value.
  if (use.result_type == DType::kBool && use.operand_type != DType::kBool) {
    return {.refused = "a bool is 0 or 1; compare with 0 instead"};
  }
  const int64_t bits = use.elements * ir::Info(use.operand_type).bits;
  const int64_t each = ir::Info(use.result_type).bits;
  if (bits % each != 0) return {.refused = "the bits do not fill whole registers of that type"};
  return {};
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
           "cvt.T(x): the value of x as a T, to nearest even; `.rz` towards zero, `.rm` down, "
           "`.rp` "
           "up, `.rna` ties away from zero. A signed target must hold it, an unsigned one keeps "
           "the "
           "low bits of an integer; `.sat` takes the nearest value that fits, as 8-bit floats "
           "always do. An integer becomes a narrower float by way of f32. Two numbers `[low, "
           "high]` "
           "become one packed value and back.",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords(), {{"rn", "rz", "rm", "rp", "rna"}}, {{"sat"}}},
       .result = ResultRule::kFromModifier,
       .dtypes = kValues,
       .capability = ConvertNeeds,
       .cost = {.pipe = Pipe::kConvert, .issue_slots = 1},
       .meaning = Convert,
       .algebra = Algebra::kConvert,
       .lower = LowerConvert,
       .source = "PTX ISA, data movement and conversion: cvt",
       .example = ExampleOfExpression("in a: bf16[N]; out y: i32[N]",
                                      "cvt.i32.rz.sat(cvt.f32(ld a[i]) * 0.5)")},
      {.name = "bitcast",
       .form = Form::kFunction,
       .summary = "bitcast.T(x): the bits of x read as T: of a register array, the first element "
                  "lowest, as "
                  "many T as they fill.",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords()},
       .result = ResultRule::kFromModifier,
       .dtypes = kValues,
       .capability = BitcastNeeds,
       .cost = {.pipe = Pipe::kNone, .issue_slots = 0},
       .meaning = Bitcast,
       .lower = LowerBitcast,
       .source = "PTX ISA, data movement and conversion: mov",
       .example = ExampleOfExpression("in a: f32[N]; out y: u32[N]", "bitcast.u32(ld a[i]) >> 23")},
  };
}

}  // namespace compiler::ops
