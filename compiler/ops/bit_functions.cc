// Functions of bits.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Packed(std::string_view name, std::string_view summary) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .args = {ArgKind::kAny, ArgKind::kAny},
          .result = ResultRule::kSameAsArgs};
}

}  // namespace

std::vector<OpDef> BitFunctions() {
  return {
      {.name = "clz",
       .form = Form::kFunction,
       .summary = "Number of leading zero bits; the width for 0.",
       .args = {ArgKind::kInteger},
       .result = ResultRule::kI32,
       .dtypes = k32And64},
      {.name = "popc",
       .form = Form::kFunction,
       .summary = "Number of one bits.",
       .args = {ArgKind::kInteger},
       .result = ResultRule::kI32,
       .dtypes = k32And64},
      {.name = "brev",
       .form = Form::kFunction,
       .summary = "The bits in reverse order.",
       .args = {ArgKind::kInteger},
       .result = ResultRule::kSameAsArgs,
       .dtypes = k32And64},
      {.name = "lop3",
       .form = Form::kFunction,
       .summary =
           "lop3(a, b, c, table): bitwise function of three words; bit a*4 + b*2 + c of the table.",
       .args = {ArgKind::kInteger, ArgKind::kInteger, ArgKind::kInteger, ArgKind::kConstInteger},
       .result = ResultRule::kSameAsArgs,
       .dtypes = k32},
      {.name = "prmt",
       .form = Form::kFunction,
       .summary = "prmt(a, b, s): four bytes picked from the eight of (b, a) by the nibbles of s.",
       .args = {ArgKind::kInteger, ArgKind::kInteger, ArgKind::kInteger},
       .result = ResultRule::kSameAsArgs,
       .dtypes = k32},
      Packed("vmin", "Smaller of each half of two packed values, in one instruction."),
      Packed("vmax", "Larger of each half of two packed values, in one instruction."),
  };
}

}  // namespace compiler::ops
