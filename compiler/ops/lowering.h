// C++ text of expression entries. `cake::` names are those of compiler/device/*.cuh.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/op_def.h"

namespace compiler::ops {

// C++ type of a value in emitted code: "float", "cake::bf16".
std::string_view CudaType(ir::DType dtype);

// a op b, op a: casts back what C++ promotes to int.
std::string LowerOperator(const ir::LowerArgs& args);

// name(args), joined.
std::string CallText(std::string_view function, const ir::LowerArgs& args);

// (T)value, with parentheses where the value is no name.
std::string Cast(ir::DType dtype, std::string_view value);

// cake::f16x2_add(..) of packed operands, with `_ftz` under `numerics ftz` where the type has it.
std::string LowerPacked(std::string_view function, const ir::LowerArgs& args);

// One number of an unpacked type; or two operands, which become a pair: a packed value, or two
// 8-bit or 16-bit floats side by side. Empty where no instruction converts two such numbers at
// once.
std::string LowerConvert(const ir::LowerArgs& args);
std::string LowerBitcast(const ir::LowerArgs& args);

inline bool HasModifier(const ir::LowerArgs& args, std::string_view word) {
  for (std::string_view modifier : args.modifiers) {
    if (modifier == word) return true;
  }
  return false;
}

}  // namespace compiler::ops
