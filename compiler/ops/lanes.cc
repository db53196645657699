// Exchange among the lanes of one warp.
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lane_meaning.h"
#include "compiler/ops/lowering.h"

namespace compiler::ops {
namespace {

constexpr std::string_view kShuffleSource = "PTX ISA, data movement and conversion: shfl.sync";
constexpr std::string_view kVoteSource = "PTX ISA, parallel synchronization: vote.sync";
constexpr std::string_view kF32Items = "in x: f32[N]; out y: f32[N]";
constexpr std::string_view kI32Items = "in x: i32[N]; out y: i32[N]";

// cake::lanes_sum<width>(args)
std::string LowerLanes(const ir::LowerArgs& args) {
  std::string function(args.name);
  for (char& c : function) c = c == '.' ? '_' : c;
  return CallText(absl::StrCat("cake::", function, "<", args.width, ">"), args);
}

std::string LowerBallot(const ir::LowerArgs& args) {
  return absl::StrCat("__ballot_sync(0xffffffffu, ", args.args[0], ")");
}

// An example that loads v, with a neutral value past the end, and stores `expression`.
std::string_view ExampleOfLanes(std::string_view items, std::string_view neutral,
                                std::string_view expression) {
  return Example(items, std::string("let v = ld x[i] else ")
                            .append(neutral)
                            .append("\nlet r = ")
                            .append(expression)
                            .append("\nif i < N { st y[i] <- r }"));
}

OpDef OverGroup(std::string_view name, std::string_view summary, ArgKind kind, DTypes dtypes,
                ir::Meaning meaning) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .scope = Scope::kWarp,
          .args = {kind, ArgKind::kConstInteger},
          .optional_args = 1,
          .width_arg = true,
          .result = ResultRule::kSameAsArgs,
          .level = LevelRule::kByWidth,
          .dtypes = dtypes,
          .effects = {.collective = true},
          .cost = {.pipe = Pipe::kShuffle, .issue_slots = 10, .flops_per_lane = 5},
          .meaning = meaning,
          .lower = LowerLanes,
          .source = kShuffleSource};
}

// cake::lanes_sum_f16x2<width>(x) of packed values: each half by itself.
std::string LowerReduction(const ir::LowerArgs& args) {
  const std::string text = LowerLanes(args);
  if (!ir::IsPacked(args.operand_type)) return text;
  const std::string_view type = ir::ToString(args.operand_type);
  std::string named = text;
  return named.insert(text.find('<'),
                      absl::StrCat("_", absl::string_view(type.data(), type.size())));
}

OpDef Reduction(std::string_view name, std::string_view summary, ir::Meaning meaning,
                DTypes dtypes = kWideAndHalves) {
  OpDef op = OverGroup(name, summary, ArgKind::kNumeric, dtypes, meaning);
  op.lower = LowerReduction;
  op.example = ExampleOfLanes(kF32Items, "0.0", std::string(name).append("(v, 8)"));
  return op;
}

OpDef ArgReduction(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = OverGroup(name, summary, ArgKind::kNumeric, kWide, meaning);
  op.args = {ArgKind::kNumeric, ArgKind::kInteger, ArgKind::kConstInteger};
  op.one_type = false;
  op.result = ResultRule::kPair;
  op.cost.issue_slots = 25;
  op.example =
      Example("in x: f32[N]; out y: i32[N]",
              std::string("let v = ld x[i] else 0.0\nlet (best, at) = ")
                  .append(name)
                  .append("(v, i, 32)\nif i < N { st y[i] <- select(best > 1.0, at, -1) }"));
  return op;
}

OpDef VoteEntry(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = OverGroup(name, summary, ArgKind::kBool, kBoolOnly, meaning);
  op.result = ResultRule::kBool;
  op.cost = {.pipe = Pipe::kShuffle, .issue_slots = 2};
  op.source = kVoteSource;
  op.example = ExampleOfLanes(kI32Items, "0",
                              std::string("select(").append(name).append("(v > 0, 16), 1, 0)"));
  return op;
}

OpDef ScanEntry(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = Reduction(name, summary, meaning, kWide);
  op.level = LevelRule::kLane;
  op.cost.issue_slots = 15;
  return op;
}

OpDef ShuffleEntry(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = OverGroup(name, summary, ArgKind::kAny, kValues, meaning);
  op.args = {ArgKind::kAny, ArgKind::kInteger, ArgKind::kConstInteger};
  op.one_type = false;
  op.level = LevelRule::kLane;
  op.cost = {.pipe = Pipe::kShuffle, .issue_slots = 1};
  op.example = ExampleOfLanes(kF32Items, "0.0", std::string(name).append("(v, 1, 32)"));
  return op;
}

std::vector<OpDef> Votes() {
  OpDef ballot =
      VoteEntry("lanes.ballot", "Bit i says whether the condition holds in lane i.", LanesBallot);
  ballot.args = {ArgKind::kBool};
  ballot.optional_args = 0;
  ballot.width_arg = false;
  ballot.result = ResultRule::kU32;
  ballot.level = LevelRule::kWarp;
  ballot.cost.issue_slots = 1;
  ballot.lower = LowerBallot;
  ballot.example = ExampleOfLanes("in x: i32[N]; out y: u32[N]", "0", "lanes.ballot(v > 0)");
  return {
      VoteEntry("lanes.any", "Whether the condition holds in any lane of the group.", LanesAny),
      VoteEntry("lanes.all", "Whether the condition holds in every lane of the group.", LanesAll),
      ballot};
}

std::vector<OpDef> Shuffles() {
  OpDef first = OverGroup("lanes.first", "The value of the first lane of the group.", ArgKind::kAny,
                          kValues, LanesFirst);
  first.cost = {.pipe = Pipe::kShuffle, .issue_slots = 1};
  first.example = ExampleOfLanes(kF32Items, "0.0", "lanes.first(v)");
  return {
      first,
      ShuffleEntry("shfl.idx", "shfl.idx(x, i, w): x of lane i of the group, i modulo the width.",
                   ShuffleIndex),
      ShuffleEntry("shfl.up", "shfl.up(x, d, w): x of the lane d below; without one, the own x.",
                   ShuffleUp),
      ShuffleEntry("shfl.down",
                   "shfl.down(x, d, w): x of the lane d above; without one, the own x.",
                   ShuffleDown),
      ShuffleEntry("shfl.xor",
                   "shfl.xor(x, d, w): x of lane xor d, not of a higher group; else the own x.",
                   ShuffleXor),
  };
}

}  // namespace

std::vector<OpDef> Lanes() {
  std::vector<OpDef> all = {
      Reduction("lanes.sum", "Sum over aligned groups of lanes, combined with lane xor 1, 2, 4, ..",
                LanesSum),
      Reduction("lanes.max", "Maximum over aligned groups of lanes; NaN never wins.", LanesMax),
      Reduction("lanes.min", "Minimum over aligned groups of lanes; NaN never wins.", LanesMin),
      ArgReduction("lanes.argmax",
                   "lanes.argmax(v, i, w): (largest v, its i) of the group; ties: lowest i; NaN "
                   "never wins.",
                   LanesArgMax),
      ArgReduction("lanes.argmin",
                   "lanes.argmin(v, i, w): (smallest v, its i) of the group; ties: lowest i; NaN "
                   "never wins.",
                   LanesArgMin),
      ScanEntry("lanes.scan_sum", "Sum over the lanes of the group up to and including this one.",
                LanesScanSum),
      ScanEntry("lanes.exscan_sum",
                "Sum over the lanes of the group before this one; 0 in the first.",
                LanesExclusiveScanSum),
  };
  for (auto part : {Votes(), Shuffles(), WholeWarp()}) {
    for (OpDef& op : part) all.push_back(std::move(op));
  }
  return all;
}

}  // namespace compiler::ops
