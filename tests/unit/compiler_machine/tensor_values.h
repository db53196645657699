// Operands of products whose results are exact.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/constant.h"
#include "compiler/ir/types.h"

namespace compiler::machine {

inline std::string Name(ir::DType dtype) { return std::string(ir::ToString(dtype)); }

// Small integers, whose products and sums are exact in every type here.
inline std::vector<int> SmallIntegers(int64_t count, bool with_sign, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(static_cast<size_t>(count));
  for (int& value : values) value = static_cast<int>(random() % 7) - (with_sign ? 3 : 0);
  return values;
}

inline std::vector<std::byte> Encoded(ir::DType dtype, const std::vector<int>& values) {
  const auto size = static_cast<size_t>(ir::Info(dtype).bits / 8);
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = ir::Info(dtype).is_float ? ir::EncodeFloat(dtype, values[i])
                                                   : static_cast<uint64_t>(values[i]);
    std::memcpy(&bytes[i * size], &bits, size);  // the low bytes: little-endian
  }
  return bytes;
}

}  // namespace compiler::machine
