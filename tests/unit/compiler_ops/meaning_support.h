// Calls a meaning of the table on plain numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/ops/table.h"

namespace compiler::ops {

using ir::DType;
using ir::LaneVector;

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kU64;
  return DType::kF32;
}

template <typename T>
uint64_t Bits(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(value);
  if constexpr (std::is_same_v<T, bool>) return value ? 1 : 0;
  if constexpr (std::is_signed_v<T>) return static_cast<uint64_t>(static_cast<int64_t>(value));
  return static_cast<uint64_t>(value);
}

// Lanes in and out of one call; `error` as the meaning returned it.
struct Call {
  std::string_view op;
  DType operand_type = DType::kI32;
  DType result_type = DType::kI32;
  std::vector<std::string_view> modifiers = {};
  int width = 32;
  uint32_t mask = 0xffffffff;
  bool ftz = false;
};

struct Outcome {
  LaneVector value, second;
  std::string error;
};

inline const ir::OpDef* Entry(std::string_view name, size_t arity) {
  const ir::OpDef* op = Table().FindOperator(name, static_cast<int>(arity));
  return op != nullptr ? op : Table().Find(name);
}

inline Outcome CallMeaning(const Call& call, const std::vector<LaneVector>& operands) {
  Outcome outcome;
  std::vector<const LaneVector*> in;
  for (const LaneVector& operand : operands) in.push_back(&operand);
  LaneVector* out[] = {&outcome.value, &outcome.second};
  outcome.error = Entry(call.op, operands.size())
                      ->meaning({.in = in,
                                 .out = out,
                                 .operand_type = call.operand_type,
                                 .result_type = call.result_type,
                                 .modifiers = call.modifiers,
                                 .width = call.width,
                                 .mask = call.mask,
                                 .ftz = call.ftz});
  return outcome;
}

// One lane: the bits of the result, or the error.
struct Scalar {
  uint64_t bits = 0;
  std::string error;
};

inline Scalar RunScalar(Call call, const std::vector<uint64_t>& operands) {
  call.mask = 1;
  std::vector<LaneVector> lanes(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) lanes[i].bits[0] = operands[i];
  const Outcome outcome = CallMeaning(call, lanes);
  return {outcome.value.bits[0], outcome.error};
}

// Edges and random values of an integer type; the same sequence in every run.
template <typename T>
std::vector<T> IntegerSamples(size_t random) {
  constexpr T kLow = std::numeric_limits<T>::min();
  constexpr T kHigh = std::numeric_limits<T>::max();
  std::vector<T> samples = {T{0},
                            T{1},
                            T{2},
                            T{7},
                            kLow,
                            static_cast<T>(kLow + 1),
                            kHigh,
                            static_cast<T>(kHigh - 1),
                            static_cast<T>(~T{0}),
                            static_cast<T>(kHigh / 2 + 1)};
  std::mt19937_64 generator(sizeof(T) * 2 + (std::is_signed_v<T> ? 1 : 0));
  for (size_t i = 0; i < random; ++i) samples.push_back(static_cast<T>(generator()));
  return samples;
}

inline std::vector<float> FloatSamples(size_t random) {
  std::vector<float> samples = {0.0f,
                                -0.0f,
                                1.0f,
                                -1.0f,
                                0.5f,
                                3.0f,
                                1e30f,
                                -1e30f,
                                1e-30f,
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::min(),
                                std::numeric_limits<float>::denorm_min(),
                                65504.0f,
                                65520.0f,
                                2147483648.0f,
                                -2147483648.0f,
                                0.49999997f,
                                2.5f,
                                16777216.0f};
  std::mt19937_64 generator(11);
  for (size_t i = 0; i < random; ++i) {
    samples.push_back(std::bit_cast<float>(static_cast<uint32_t>(generator())));
  }
  return samples;
}

}  // namespace compiler::ops
