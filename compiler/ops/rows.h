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
// Values that packed instructions compute on; see ir/packed.h.
inline constexpr DTypes kNumbersAndHalves = {DType::kI8,  DType::kU8,    DType::kI16,   DType::kU16,
                                             DType::kI32, DType::kU32,   DType::kI64,   DType::kU64,
                                             DType::kF32, DType::kF16x2, DType::kBF16x2};
inline constexpr DTypes kNumbersAndPacked = {
    DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,   DType::kI32,    DType::kU32,
    DType::kI64, DType::kU64, DType::kF32, DType::kF16x2, DType::kBF16x2, DType::kF32x2};
inline constexpr DTypes kSignedNumbersAndHalves = {
    DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kF32, DType::kF16x2, DType::kBF16x2};
inline constexpr DTypes kF32AndPacked = {DType::kF32, DType::kF16x2, DType::kBF16x2, DType::kF32x2};
inline constexpr DTypes kF32AndHalves = {DType::kF32, DType::kF16x2, DType::kBF16x2};
// What memory holds, and what registers hold.
inline constexpr DTypes kMemoryTypes = {DType::kBool, DType::kI8,   DType::kU8,   DType::kI16,
                                        DType::kU16,  DType::kI32,  DType::kU32,  DType::kI64,
                                        DType::kU64,  DType::kF16,  DType::kBF16, DType::kF32,
                                        DType::kTF32, DType::kE4M3, DType::kE5M2};
inline constexpr DTypes kValues = {
    DType::kBool, DType::kI8,   DType::kU8,   DType::kI16,   DType::kU16,    DType::kI32,
    DType::kU32,  DType::kI64,  DType::kU64,  DType::kF16,   DType::kBF16,   DType::kF32,
    DType::kTF32, DType::kE4M3, DType::kE5M2, DType::kF16x2, DType::kBF16x2, DType::kF32x2};
// What a shuffle moves whole and a reduction adds up.
inline constexpr DTypes kWide = {DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kF32};
inline constexpr DTypes kWideAndHalves = {DType::kI32, DType::kU32,   DType::kI64,   DType::kU64,
                                          DType::kF32, DType::kF16x2, DType::kBF16x2};
inline constexpr DTypes kF32Only = {DType::kF32};
inline constexpr DTypes kBoolOnly = {DType::kBool};
inline constexpr DTypes k32 = {DType::kI32, DType::kU32};
inline constexpr DTypes k32And64 = {DType::kI32, DType::kU32, DType::kI64, DType::kU64};

// f32x2 arithmetic (PTX ISA, floating-point add, sub, mul, fma: `.f32x2` from sm_100 on).
inline ir::Needs PackedNeeds(const ir::UseArgs& use) {
  if (use.operand_type == DType::kF32x2) return {.min_arch = "sm_100"};
  return {};
}

inline ModifierGroup MemoryScope() { return {{"cta", "cluster", "gpu", "sys"}, true}; }
inline ModifierGroup CacheHint() {
  return {{"cached", "streaming", "last_use", "evict_first", "evict_last"}};
}

}  // namespace compiler::ops
