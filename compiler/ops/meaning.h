// How the meanings of the table read and write lanes. Only compiler/ops includes this.
//
// Rules that hold for every meaning: a lane with an undefined operand gets an undefined result and
// never an error; inactive lanes keep what they had; NaN results are the one NaN that the hardware
// makes (PTX ISA, floating-point instructions: 0x7fffffff), so results compare bit by bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "compiler/ir/op_def.h"

namespace compiler::ops {

using ir::kLanes;
using ir::LaneVector;
using ir::MeaningArgs;

constexpr std::string_view kOverflow = "signed overflow";
constexpr std::string_view kDivisionByZero = "division by zero";

inline float CanonicalNan() { return std::bit_cast<float>(uint32_t{0x7fffffff}); }
inline float Canonical(float x) { return std::isnan(x) ? CanonicalNan() : x; }
// Subnormals to zero of the same sign.
inline float Flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

// Raw bits to a C++ value and back; the layout is LaneVector's.
template <typename T>
T Get(const LaneVector& vector, int lane) {
  const uint64_t bits = vector.bits[static_cast<size_t>(lane)];
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else {
    return static_cast<T>(bits);
  }
}

template <typename T>
void Set(LaneVector& vector, int lane, T value) {
  uint64_t bits = 0;
  if constexpr (std::is_same_v<T, float>) {
    bits = std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_signed_v<T>) {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    bits = value;
  }
  vector.bits[static_cast<size_t>(lane)] = bits;
}

// The bits of `dtype` in LaneVector's layout: low bits kept, sign- or zero-extended.
inline uint64_t Extend(uint64_t bits, ir::DType dtype) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  if (dtype == ir::DType::kBool) return bits & 1;
  if (info.bits >= 64) return bits;
  const uint64_t low = bits & ((uint64_t{1} << info.bits) - 1);
  const bool negative = info.is_integer && info.is_signed && (low >> (info.bits - 1)) != 0;
  return negative ? low | ~((uint64_t{1} << info.bits) - 1) : low;
}

// Calls f.operator()<T>() with the C++ type of an integer dtype.
template <typename F>
std::string_view WithInteger(ir::DType dtype, F f) {
  switch (dtype) {
    case ir::DType::kI8: return f.template operator()<int8_t>();
    case ir::DType::kU8: return f.template operator()<uint8_t>();
    case ir::DType::kI16: return f.template operator()<int16_t>();
    case ir::DType::kU16: return f.template operator()<uint16_t>();
    case ir::DType::kI32: return f.template operator()<int32_t>();
    case ir::DType::kU32: return f.template operator()<uint32_t>();
    case ir::DType::kI64: return f.template operator()<int64_t>();
    case ir::DType::kU64: return f.template operator()<uint64_t>();
    default: return "no meaning for this operand type";
  }
}

template <typename F>
std::string_view WithNumber(ir::DType dtype, F f) {
  if (dtype == ir::DType::kF32) return f.template operator()<float>();
  return WithInteger(dtype, f);
}

// Operands or results that move as bits: bool, integers, 16-bit floats, f32.
template <typename F>
std::string_view WithScalar(ir::DType dtype, F f) {
  if (dtype == ir::DType::kBool) return f.template operator()<bool>();
  if (dtype == ir::DType::kF16 || dtype == ir::DType::kBF16)
    return f.template operator()<uint16_t>();
  return WithNumber(dtype, f);
}

// Marks the results of lanes in `undefined`; returns the active lanes that remain to be computed.
inline uint32_t Begin(const MeaningArgs& args, uint32_t undefined, LaneVector& out) {
  const uint32_t dead = args.mask & undefined;
  out.undefined = (out.undefined & ~args.mask) | dead;
  for (uint32_t rest = dead; rest != 0; rest &= rest - 1) {
    out.bits[static_cast<size_t>(std::countr_zero(rest))] = 0;
  }
  return args.mask & ~undefined;
}

inline uint32_t UndefinedOperands(const MeaningArgs& args) {
  uint32_t undefined = 0;
  for (const LaneVector* operand : args.in) undefined |= operand->undefined;
  return undefined;
}

// Calls f(lane), which returns "" or an error, for every active lane whose operands are defined.
template <typename F>
std::string_view EachLane(const MeaningArgs& args, F f) {
  for (uint32_t rest = Begin(args, UndefinedOperands(args), *args.out[0]); rest != 0;
       rest &= rest - 1) {
    const std::string_view error = f(std::countr_zero(rest));
    if (!error.empty()) return error;
  }
  return {};
}

// An f32 operand or result under the kernel's `numerics`.
inline float Operand(const MeaningArgs& args, float x) { return args.ftz ? Flush(x) : x; }
inline float Rounded(const MeaningArgs& args, float x) {
  return Canonical(args.ftz ? Flush(x) : x);
}

inline bool Has(const MeaningArgs& args, std::string_view word) {
  for (std::string_view modifier : args.modifiers) {
    if (modifier == word) return true;
  }
  return false;
}

}  // namespace compiler::ops
