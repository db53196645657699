// One result of all lanes of a warp, by one instruction: redux and match.
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

constexpr uint32_t kAllLanes = 0xffffffff;
constexpr std::string_view kPartial = "not all lanes of the warp take part";
constexpr std::string_view kReduxSource = "PTX ISA, parallel synchronization: redux.sync";
constexpr std::string_view kMatchSource = "PTX ISA, parallel synchronization: match.sync";

struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
};
struct Smaller {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct And {
  template <typename T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <typename T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

// Marks every lane undefined if one operand is; then nothing remains to be computed.
bool Undefined(const MeaningArgs& args) {
  const uint32_t undefined = UndefinedOperands(args) == 0 ? 0 : kAllLanes;
  return Begin(args, undefined, *args.out[0]) == 0;
}

template <typename Combine>
std::string_view Redux(const MeaningArgs& args) {
  if (args.mask != kAllLanes) return kPartial;
  if (Undefined(args)) return {};
  return WithInteger(args.operand_type, [&]<typename T>() -> std::string_view {
    T result = Get<T>(*args.in[0], 0);
    for (int lane = 1; lane < kLanes; ++lane) {
      result = Combine()(result, Get<T>(*args.in[0], lane));
    }
    for (int lane = 0; lane < kLanes; ++lane) Set<T>(*args.out[0], lane, result);
    return {};
  });
}

std::string_view MatchAny(const MeaningArgs& args) {
  if (args.mask != kAllLanes) return kPartial;
  if (Undefined(args)) return {};
  const LaneVector value = *args.in[0];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    uint64_t same = 0;
    for (size_t other = 0; other < kLanes; ++other) {
      if (value.bits[other] == value.bits[lane]) same |= uint64_t{1} << other;
    }
    args.out[0]->bits[lane] = same;
  }
  return {};
}

std::string_view MatchAll(const MeaningArgs& args) {
  if (args.mask != kAllLanes) return kPartial;
  if (Undefined(args)) return {};
  const LaneVector value = *args.in[0];
  bool same = true;
  for (const uint64_t bits : value.bits) same = same && bits == value.bits[0];
  args.out[0]->bits.fill(same ? 1 : 0);
  return {};
}

// __reduce_add_sync of the whole warp.
std::string LowerRedux(const ir::LowerArgs& args) {
  const std::string_view word = args.name.substr(args.name.find('.') + 1);
  const bool bitwise = word == "and" || word == "or" || word == "xor";
  const bool cast = bitwise && args.operand_type == DType::kI32;  // CUDA has the unsigned form
  const std::string operand = cast ? Cast(DType::kU32, args.args[0]) : args.args[0];
  const std::string text = absl::StrCat("__reduce_", absl::string_view(word.data(), word.size()),
                                        "_sync(0xffffffffu, ", operand, ")");
  return cast ? Cast(DType::kI32, text) : text;
}

std::string LowerMatchAny(const ir::LowerArgs& args) {
  return absl::StrCat("__match_any_sync(0xffffffffu, ", args.args[0], ")");
}
std::string LowerMatchAll(const ir::LowerArgs& args) { return CallText("cake::match_all", args); }

OpDef OfWarp(std::string_view name, std::string_view summary, DTypes dtypes, ir::Meaning meaning,
             ir::Lower lower) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .scope = Scope::kWarp,
          .args = {ArgKind::kInteger},
          .result = ResultRule::kSameAsArgs,
          .level = LevelRule::kWarp,
          .dtypes = dtypes,
          .effects = {.collective = true},
          .cost = {.pipe = Pipe::kShuffle, .issue_slots = 2},
          .meaning = meaning,
          .lower = lower,
          .source = kReduxSource};
}

OpDef ReduxEntry(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = OfWarp(name, summary, k32, meaning, LowerRedux);
  op.example =
      Example("in x: u32[N]; out y: u32[N]", std::string("let v = ld x[i] else 0\nlet r = ")
                                                 .append(name)
                                                 .append("(v)\nif i < N { st y[i] <- r }"));
  return op;
}

}  // namespace

std::vector<OpDef> WholeWarp() {
  OpDef any = OfWarp("match.any", "Bit i says whether lane i has the same value as this lane.",
                     k32And64, MatchAny, LowerMatchAny);
  any.result = ResultRule::kU32;
  any.level = LevelRule::kLane;
  any.source = kMatchSource;
  any.example = Example("in x: i32[N]; out y: i32[N]",
                        "let v = ld x[i] else -1\nlet r = popc(match.any(v))\nif i < N { st y[i] "
                        "<- r }");
  OpDef all = OfWarp("match.all", "Whether all lanes of the warp have the same value.", k32And64,
                     MatchAll, LowerMatchAll);
  all.result = ResultRule::kBool;
  all.source = kMatchSource;
  all.example = Example("in x: i32[N]; out y: i32[N]",
                        "let v = ld x[i] else -1\nlet r = select(match.all(v), v, 0)\nif i < N { "
                        "st y[i] <- r }");
  return {
      ReduxEntry("redux.add", "Sum over the warp in one instruction; wraps.", Redux<Sum>),
      ReduxEntry("redux.min", "Minimum over the warp in one instruction.", Redux<Smaller>),
      ReduxEntry("redux.max", "Maximum over the warp in one instruction.", Redux<Larger>),
      ReduxEntry("redux.and", "Bitwise and over the warp in one instruction.", Redux<And>),
      ReduxEntry("redux.or", "Bitwise or over the warp in one instruction.", Redux<Or>),
      ReduxEntry("redux.xor", "Bitwise exclusive or over the warp in one instruction.", Redux<Xor>),
      any,
      all,
  };
}

}  // namespace compiler::ops
