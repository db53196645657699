// Functions of numbers that every program uses.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

const ModifierGroup& DTypeWords() {
  static const ModifierGroup group{
      {"bool", "i8",   "u8",   "i16",  "u16",   "i32",    "u32",   "i64",  "u64",  "f16",  "bf16",
       "f32",  "tf32", "e4m3", "e5m2", "f16x2", "bf16x2", "f32x2", "e2m1", "e3m2", "e2m3", "ue8m0"},
      true};
  return group;
}

}  // namespace

std::vector<OpDef> Functions() {
  return {
      {.name = "fma",
       .form = Form::kFunction,
       .summary = "a*b + c with one rounding.",
       .args = {ArgKind::kF32, ArgKind::kF32, ArgKind::kF32},
       .result = ResultRule::kSameAsArgs,
       .dtypes = kF32Only},
      {.name = "min",
       .form = Form::kFunction,
       .summary = "The smaller; NaN loses against a number, with `.nan` it wins; -0 < +0.",
       .args = {ArgKind::kNumeric, ArgKind::kNumeric},
       .modifiers = {{{"nan"}}},
       .result = ResultRule::kSameAsArgs,
       .dtypes = kNumbers},
      {.name = "max",
       .form = Form::kFunction,
       .summary = "The larger; NaN loses against a number, with `.nan` it wins; -0 < +0.",
       .args = {ArgKind::kNumeric, ArgKind::kNumeric},
       .modifiers = {{{"nan"}}},
       .result = ResultRule::kSameAsArgs,
       .dtypes = kNumbers},
      {.name = "abs",
       .form = Form::kFunction,
       .summary = "Absolute value; the smallest signed integer has none, which is an error.",
       .args = {ArgKind::kNumeric},
       .result = ResultRule::kSameAsArgs,
       .dtypes = kSignedNumbers},
      {.name = "ceildiv",
       .form = Form::kFunction,
       .summary = "Quotient rounded up, of a value >= 0 by a value > 0.",
       .args = {ArgKind::kInteger, ArgKind::kInteger},
       .result = ResultRule::kSameAsArgs,
       .dtypes = kIntegers},
      {.name = "select",
       .form = Form::kFunction,
       .summary = "select(c, a, b): a where c, else b; both are evaluated.",
       .args = {ArgKind::kBool, ArgKind::kAny, ArgKind::kAny},
       .result = ResultRule::kSameAsArgs,
       .dtypes = {}},
      {.name = "cvt",
       .form = Form::kFunction,
       .summary =
           "cvt.T(x): the value of x in type T, rounded to nearest even (`.rz`: towards zero).",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords(), {{"rn", "rz"}}, {{"sat"}}},
       .result = ResultRule::kFromModifier,
       .dtypes = kScalars},
      {.name = "bitcast",
       .form = Form::kFunction,
       .summary = "bitcast.T(x): the bits of x read as type T of the same size.",
       .args = {ArgKind::kAny},
       .modifiers = {DTypeWords()},
       .result = ResultRule::kFromModifier,
       .dtypes = kScalars},
      {.name = "align",
       .form = Form::kFunction,
       .summary = "align(x): the address of tensor x in bytes, for `where align(x) % 128 == 0`.",
       .args = {ArgKind::kView},
       .result = ResultRule::kI32},
  };
}

}  // namespace compiler::ops
