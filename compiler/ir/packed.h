// Packed data types: two numbers of one type in one register, the first in the low half. They live
// in registers only; memory holds their elements.
#pragma once

#include "compiler/ir/types.h"

namespace compiler::ir {

// The type of each half; the type itself where it is not packed.
constexpr DType ElementOf(DType dtype) {
  switch (dtype) {
    case DType::kF16x2: return DType::kF16;
    case DType::kBF16x2: return DType::kBF16;
    case DType::kF32x2: return DType::kF32;
    default: return dtype;
  }
}

constexpr bool IsPacked(DType dtype) { return ElementOf(dtype) != dtype; }

// Numbers in one register: 1 or 2.
constexpr int HalvesOf(DType dtype) { return IsPacked(dtype) ? 2 : 1; }

// Bits of one of the numbers of a register, 8 to 64.
inline int ElementBits(DType dtype) { return Info(ElementOf(dtype)).bits; }

}  // namespace compiler::ir
