// Words that several families of the table share. Only compiler/ops includes this.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "compiler/ir/op_def.h"

namespace compiler::ops {

using ir::Algebra;
using ir::ArgKind;
using ir::DType;
using ir::Form;
using ir::LevelRule;
using ir::ModifierGroup;
using ir::OpDef;
using ir::Pipe;
using ir::ResultRule;
using ir::Scope;
using ir::SyncEffect;
using ir::SyncOperand;

using DTypes = std::initializer_list<DType>;

// Operand types of the entries. 16-bit floats are in none that computes: they convert and move.
inline constexpr DTypes kIntegers = {DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                                     DType::kI32, DType::kU32, DType::kI64, DType::kU64};
inline constexpr DTypes kNumbers = {DType::kI8,  DType::kU8,  DType::kI16, DType::kU16, DType::kI32,
                                    DType::kU32, DType::kI64, DType::kU64, DType::kF32};
inline constexpr DTypes kSignedNumbers = {DType::kI8, DType::kI16, DType::kI32, DType::kI64,
                                          DType::kF32};
inline constexpr DTypes kBits = {DType::kBool, DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                                 DType::kI32,  DType::kU32, DType::kI64, DType::kU64};
inline constexpr DTypes kScalars = {DType::kBool, DType::kI8,  DType::kU8,   DType::kI16,
                                    DType::kU16,  DType::kI32, DType::kU32,  DType::kI64,
                                    DType::kU64,  DType::kF16, DType::kBF16, DType::kF32};
// What a shuffle moves whole and a reduction adds up.
inline constexpr DTypes kWide = {DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kF32};
inline constexpr DTypes kF32Only = {DType::kF32};
inline constexpr DTypes kBoolOnly = {DType::kBool};
inline constexpr DTypes k32 = {DType::kI32, DType::kU32};
inline constexpr DTypes k32And64 = {DType::kI32, DType::kU32, DType::kI64, DType::kU64};

inline ModifierGroup MemoryScope() { return {{"cta", "cluster", "gpu", "sys"}, true}; }
inline ModifierGroup CacheHint() {
  return {{"cached", "streaming", "last_use", "evict_first", "evict_last"}};
}

}  // namespace compiler::ops
