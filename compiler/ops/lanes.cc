// Exchange among the lanes of one warp.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Lanes(std::string_view name, std::string_view summary, ArgKind kind, DTypes dtypes,
            ResultRule result = ResultRule::kSameAsArgs, LevelRule level = LevelRule::kByWidth) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .scope = Scope::kWarp,
          .args = {kind, ArgKind::kConstInteger},
          .optional_args = 1,
          .width_arg = true,
          .result = result,
          .level = level,
          .dtypes = dtypes,
          .effects = {.collective = true}};
}

OpDef Arg(std::string_view name, std::string_view summary) {
  OpDef op = Lanes(name, summary, ArgKind::kNumeric, kWide, ResultRule::kPair);
  op.args = {ArgKind::kNumeric, ArgKind::kInteger, ArgKind::kConstInteger};
  op.one_type = false;
  return op;
}

OpDef Shuffle(std::string_view name, std::string_view summary) {
  OpDef op =
      Lanes(name, summary, ArgKind::kAny, kScalars, ResultRule::kSameAsArgs, LevelRule::kLane);
  op.args = {ArgKind::kAny, ArgKind::kInteger, ArgKind::kConstInteger};
  op.one_type = false;
  return op;
}

OpDef Redux(std::string_view name, std::string_view summary) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .scope = Scope::kWarp,
          .args = {ArgKind::kInteger},
          .result = ResultRule::kSameAsArgs,
          .level = LevelRule::kWarp,
          .dtypes = k32};
}

}  // namespace

std::vector<OpDef> Lanes() {
  return {
      Lanes("lanes.sum",
            "Sum over aligned groups of `width` lanes, combined with lane xor 1, 2, 4, ..",
            ArgKind::kNumeric, kWide),
      Lanes("lanes.max", "Maximum over aligned groups of `width` lanes; NaN never wins.",
            ArgKind::kNumeric, kWide),
      Lanes("lanes.min", "Minimum over aligned groups of `width` lanes; NaN never wins.",
            ArgKind::kNumeric, kWide),
      Arg("lanes.argmax",
          "(largest value, its index) over groups of `width` lanes; ties: lowest index; NaN never "
          "wins."),
      Arg("lanes.argmin",
          "(smallest value, its index) over groups of `width` lanes; ties: lowest index; NaN never "
          "wins."),
      Lanes("lanes.any", "Whether the condition holds in any lane of the group.", ArgKind::kBool,
            kBoolOnly, ResultRule::kBool),
      Lanes("lanes.all", "Whether the condition holds in every lane of the group.", ArgKind::kBool,
            kBoolOnly, ResultRule::kBool),
      {.name = "lanes.ballot",
       .form = Form::kFunction,
       .summary = "Bit i says whether the condition holds in lane i of the warp.",
       .scope = Scope::kWarp,
       .args = {ArgKind::kBool},
       .result = ResultRule::kU32,
       .level = LevelRule::kWarp,
       .dtypes = kBoolOnly,
       .effects = {.collective = true}},
      Lanes("lanes.first", "The value of the first lane of the group.", ArgKind::kAny, kScalars),
      Lanes("lanes.scan_sum", "Sum over the lanes of the group up to and including this one.",
            ArgKind::kNumeric, kWide, ResultRule::kSameAsArgs, LevelRule::kLane),
      Lanes("lanes.exscan_sum", "Sum over the lanes of the group before this one; 0 in the first.",
            ArgKind::kNumeric, kWide, ResultRule::kSameAsArgs, LevelRule::kLane),
      Shuffle("shfl.idx", "The value of lane `i` of the group, i taken modulo the width."),
      Shuffle("shfl.up", "The value of the lane `d` below; a lane without a source keeps its own."),
      Shuffle("shfl.down",
              "The value of the lane `d` above; a lane without a source keeps its own."),
      Shuffle("shfl.xor",
              "The value of the lane whose number differs by xor `d`; without a source its own."),
      Redux("redux.add", "Sum over the warp in one instruction; wraps."),
      Redux("redux.min", "Minimum over the warp in one instruction."),
      Redux("redux.max", "Maximum over the warp in one instruction."),
      Redux("redux.and", "Bitwise and over the warp in one instruction."),
      Redux("redux.or", "Bitwise or over the warp in one instruction."),
      Redux("redux.xor", "Bitwise exclusive or over the warp in one instruction."),
      {.name = "match.any",
       .form = Form::kFunction,
       .summary = "Bit i says whether lane i has the same value as this lane.",
       .scope = Scope::kWarp,
       .args = {ArgKind::kAny},
       .result = ResultRule::kU32,
       .level = LevelRule::kLane,
       .dtypes = k32And64},
      {.name = "match.all",
       .form = Form::kFunction,
       .summary = "Whether all lanes of the warp have the same value.",
       .scope = Scope::kWarp,
       .args = {ArgKind::kAny},
       .result = ResultRule::kBool,
       .level = LevelRule::kWarp,
       .dtypes = k32And64},
  };
}

}  // namespace compiler::ops
