#include "compiler/facts/contents.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/launch_eval.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

using ir::ContentContract;
using Kind = ContentContract::Kind;

constexpr int64_t kMaxElements = int64_t{1} << 22;  // of one tensor that contracts speak of
// Where a conditional contract promises nothing: a number that no index should be.
constexpr int64_t kUnpromised = 0x3fffff0f;

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// One tensor's integers by index.
struct Contents {
  const TensorPlan* plan = nullptr;
  std::span<std::byte> bytes;

  int64_t count() const {
    int64_t all = 1;
    for (const int64_t extent : plan->shape) all *= extent;
    return all;
  }
  std::vector<int64_t> IndexOf(int64_t element) const {
    std::vector<int64_t> index(plan->shape.size());
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = element % plan->shape[d];
      element /= plan->shape[d];
    }
    return index;
  }
  // Bytes from the start; nothing outside the tensor.
  std::optional<size_t> At(const std::vector<int64_t>& index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] < 0 || index[d] >= plan->shape[d]) return std::nullopt;
      offset += index[d] * plan->strides[d];
    }
    return static_cast<size_t>(offset) * width();
  }
  size_t width() const { return static_cast<size_t>(std::max(1, ir::Info(plan->dtype).bits / 8)); }
  int64_t Get(size_t at) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], width());
    const int unused = 64 - static_cast<int>(width()) * 8;
    if (!ir::Info(plan->dtype).is_signed) return static_cast<int64_t>(bits);
    return static_cast<int64_t>(bits << unused) >> unused;
  }
  void Set(size_t at, int64_t value) { std::memcpy(&bytes[at], &value, width()); }
};

struct Bounds {
  int64_t low = 0, high = 0;
};

class Generator {
 public:
  Generator(const ir::Program& program, const LaunchPlan& plan, const ir::LaunchValues& values,
            const TensorBytes& tensors, Choice choice = Choice::kSpread,
            std::span<const int64_t> preferred = {})
      : program_(program), values_(values), choice_(choice), preferred_(preferred) {
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      Contents contents{.bytes = tensors[i]};
      for (const TensorPlan& tensor : plan.tensors) {
        if (tensor.name == program.tensors[i].name) contents.plan = &tensor;
      }
      contents_.push_back(contents);
    }
  }

  // Tensors whose contracts name no unfinished tensor first.
  absl::Status Fill(uint64_t seed) {
    std::set<size_t> open;
    for (const ContentContract& contract : program_.contracts) {
      open.insert(static_cast<size_t>(contract.tensor));
    }
    while (!open.empty()) {
      const auto next = std::find_if(open.begin(), open.end(), [&](size_t tensor) {
        const std::set<size_t> named = Named(tensor);
        return std::none_of(named.begin(), named.end(),
                            [&](size_t other) { return other != tensor && open.contains(other); });
      });
      if (next == open.end()) return absl::FailedPreconditionError("contracts name each other");
      const size_t tensor = *next;
      open.erase(next);
      if (absl::Status status = FillTensor(tensor, Mix(seed + tensor)); !status.ok()) return status;
    }
    return Check();
  }

  absl::Status Check() {
    for (const ContentContract& contract : program_.contracts) {
      if (absl::Status status = CheckContract(contract); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status CheckContract(const ContentContract& contract) {
    const Contents& contents = contents_[static_cast<size_t>(contract.tensor)];
    std::set<int64_t> seen;
    std::optional<int64_t> before;
    if (contract.kind == Kind::kOpaque) return absl::OkStatus();
    for (int64_t e = 0; e < contents.count(); ++e) {
      const std::vector<int64_t> index = contents.IndexOf(e);
      const int64_t value = contents.Get(*contents.At(index));
      bool holds = true;
      if (contract.kind == Kind::kDistinct) {
        holds = value < 0 || seen.insert(value).second;
      } else if (contract.kind == Kind::kSteps ? before.has_value() : Speaks(contract, index)) {
        const absl::StatusOr<Bounds> bounds = BoundsOf(contract, index);
        if (!bounds.ok()) return bounds.status();
        const int64_t judged = contract.kind == Kind::kSteps ? value - *before : value;
        holds = judged >= bounds->low && judged <= bounds->high;
      }
      if (!holds) return Broken(contract, e, value);
      before = value;
    }
    return absl::OkStatus();
  }

 private:
  std::set<size_t> Named(size_t tensor) const {
    std::set<size_t> named;
    for (const ContentContract& contract : program_.contracts) {
      if (static_cast<size_t>(contract.tensor) != tensor) continue;
      std::vector<ir::ExprId> roots = contract.index;
      roots.insert(roots.end(), {contract.low, contract.high, contract.condition});
      for (const ir::ExprId root : roots) {
        ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
          if (expr.view == ir::ViewId::kNone) return;
          named.insert(static_cast<size_t>(program_[expr.view].tensor));
        });
      }
    }
    return named;
  }

  // A value under the bound indices; an element outside its tensor is an error.
  absl::StatusOr<int64_t> Value(ir::ExprId id, const std::vector<int64_t>& bound) {
    const ir::Expr& expr = program_[id];
    switch (expr.kind) {
      case ir::ExprKind::kInt: return expr.int_value;
      case ir::ExprKind::kSymbol: return values_.values[static_cast<size_t>(expr.symbol)];
      case ir::ExprKind::kLocal: return bound[static_cast<size_t>(expr.local)];
      case ir::ExprKind::kLoad: return Element(expr, bound);
      case ir::ExprKind::kAnd:
      case ir::ExprKind::kOr: {
        const absl::StatusOr<int64_t> left = Value(expr.args[0], bound);
        if (!left.ok()) return left;
        if ((*left != 0) == (expr.kind == ir::ExprKind::kOr)) return *left != 0;
        return Value(expr.args[1], bound);
      }
      case ir::ExprKind::kOp: {
        std::vector<int64_t> args;
        for (const ir::ExprId arg : expr.args) {
          const absl::StatusOr<int64_t> value = Value(arg, bound);
          if (!value.ok()) return value;
          args.push_back(*value);
        }
        return EvaluateOp(program_, expr, args);
      }
      default: return EvaluateLaunch(program_, id, values_);
    }
  }

  absl::StatusOr<int64_t> Element(const ir::Expr& load, const std::vector<int64_t>& bound) {
    const ir::View& view = program_[load.view];
    std::vector<int64_t> index;
    for (const ir::ViewIndex& at : view.index) {
      const absl::StatusOr<int64_t> value = Value(at.offset, bound);
      if (!value.ok()) return value;
      index.push_back(*value);
    }
    const Contents& contents = contents_[static_cast<size_t>(view.tensor)];
    const std::optional<size_t> at = contents.At(index);
    if (!at) return absl::OutOfRangeError("a contract names an element outside its tensor");
    return contents.Get(*at);
  }

  // Whether the contract speaks of the element; a condition without value does not hold.
  bool Speaks(const ContentContract& contract, const std::vector<int64_t>& index) {
    for (size_t d = 0; d < index.size() && d < contract.index.size(); ++d) {
      if (contract.index[d] == ir::ExprId::kNone) continue;
      const absl::StatusOr<int64_t> at = Value(contract.index[d], index);
      if (!at.ok() || *at != index[d]) return false;
    }
    if (contract.condition == ir::ExprId::kNone) return true;
    const absl::StatusOr<int64_t> holds = Value(contract.condition, index);
    return holds.ok() && *holds != 0;
  }

  absl::StatusOr<Bounds> BoundsOf(const ContentContract& contract,
                                  const std::vector<int64_t>& index) {
    Bounds bounds{-(int64_t{1} << 30), int64_t{1} << 30};
    for (const auto& [id, bound] :
         {std::pair{contract.low, &bounds.low}, std::pair{contract.high, &bounds.high}}) {
      if (id == ir::ExprId::kNone) continue;
      const absl::StatusOr<int64_t> value = Value(id, index);
      if (!value.ok()) return value.status();
      *bound = *value;
    }
    return bounds;
  }

  std::vector<const ContentContract*> Of(size_t tensor, Kind kind) const {
    std::vector<const ContentContract*> found;
    for (const ContentContract& contract : program_.contracts) {
      if (static_cast<size_t>(contract.tensor) == tensor && contract.kind == kind) {
        found.push_back(&contract);
      }
    }
    return found;
  }

  // What the range contracts leave each element, by element number; nothing: unpromised.
  absl::StatusOr<std::vector<std::optional<Bounds>>> Ranges(size_t tensor) {
    const Contents& contents = contents_[tensor];
    std::vector<std::optional<Bounds>> all(static_cast<size_t>(contents.count()));
    for (const ContentContract* contract : Of(tensor, Kind::kRange)) {
      for (int64_t e = 0; e < contents.count(); ++e) {
        const std::vector<int64_t> index = contents.IndexOf(e);
        if (!Speaks(*contract, index)) continue;
        const absl::StatusOr<Bounds> bounds = BoundsOf(*contract, index);
        if (!bounds.ok()) return bounds.status();
        std::optional<Bounds>& at = all[static_cast<size_t>(e)];
        if (!at) at = *bounds;
        *at = {std::max(at->low, bounds->low), std::min(at->high, bounds->high)};
        if (at->low > at->high) return Impossible(*contract);
      }
    }
    return all;
  }

  absl::Status Impossible(const ContentContract& contract) const {
    return absl::FailedPreconditionError(absl::StrCat("no contents satisfy `", contract.text, "`"));
  }

  absl::Status FillTensor(size_t tensor, uint64_t seed) {
    Contents& contents = contents_[tensor];
    if (contents.plan == nullptr || contents.count() > kMaxElements) {
      return absl::FailedPreconditionError("the tensor of a contract is too large to be made");
    }
    const auto ranges = Ranges(tensor);
    if (!ranges.ok()) return ranges.status();
    const auto steps = Of(tensor, Kind::kSteps);
    if (!steps.empty()) return FillSteps(contents, *ranges, *steps[0], seed);
    if (!Of(tensor, Kind::kDistinct).empty()) return FillDistinct(contents, *ranges, seed);
    const bool conditional = std::any_of(program_.contracts.begin(), program_.contracts.end(),
                                         [&](const ContentContract& contract) {
                                           return static_cast<size_t>(contract.tensor) == tensor &&
                                                  contract.condition != ir::ExprId::kNone;
                                         });
    for (int64_t e = 0; e < contents.count(); ++e) {
      const std::optional<Bounds>& at = (*ranges)[static_cast<size_t>(e)];
      const size_t place = *contents.At(contents.IndexOf(e));
      if (at) {
        contents.Set(place, Drawn(*at, static_cast<size_t>(e), seed));
      } else if (conditional) {
        contents.Set(place, kUnpromised);
      }
    }
    return absl::OkStatus();
  }

  // The preferred values in turn, and one other.
  int64_t Drawn(const Bounds& bounds, size_t element, uint64_t seed) const {
    if (choice_ == Choice::kHighest) return bounds.high;
    const size_t turn = element % (preferred_.size() + 1);
    if (turn < preferred_.size()) {
      const int64_t value = preferred_[turn];
      if (value >= bounds.low && value <= bounds.high) return value;
    }
    const auto span = static_cast<uint64_t>(bounds.high - bounds.low) + 1;
    return bounds.low + static_cast<int64_t>(Mix(seed ^ Mix(element)) % span);
  }

  // Each element so that the later ones can still meet their ranges: first the values that leave
  // them possible, from the end, then a choice among them, from the start.
  absl::Status FillSteps(Contents& contents, const std::vector<std::optional<Bounds>>& ranges,
                         const ContentContract& steps, uint64_t seed) {
    const absl::StatusOr<Bounds> step = BoundsOf(steps, {0});
    if (!step.ok()) return step.status();
    std::vector<Bounds> possible(ranges.size());
    for (size_t e = ranges.size(); e-- > 0;) {
      Bounds at = ranges[e].value_or(Bounds{0, int64_t{1} << 30});
      if (e + 1 < ranges.size()) {
        at.low = std::max(at.low, possible[e + 1].low - step->high);
        at.high = std::min(at.high, possible[e + 1].high - step->low);
      }
      if (at.low > at.high) return Impossible(steps);
      possible[e] = at;
    }
    int64_t value = 0;
    for (size_t e = 0; e < possible.size(); ++e) {
      Bounds at = possible[e];
      if (e > 0) at = {std::max(at.low, value + step->low), std::min(at.high, value + step->high)};
      if (at.low > at.high) return Impossible(steps);
      // About evenly to the end, so that no element takes all the room; also what is before the
      // first one, unless that is said to be at the low end.
      const auto rest = static_cast<int64_t>(possible.size() - e);
      const int64_t room = e == 0 ? (at.high - at.low) / rest : (at.high - at.low) * 2 / rest;
      const auto choices =
          static_cast<uint64_t>(std::clamp<int64_t>(room, 0, at.high - at.low)) + 1;
      value = at.low + static_cast<int64_t>(Mix(seed + e) % choices);
      if (e == 0) value = at.low + static_cast<int64_t>(choices) - 1;
      if (choice_ == Choice::kHighest) value = e > 0 ? at.high : at.low;
      contents.Set(*contents.At({static_cast<int64_t>(e)}), value);
    }
    return absl::OkStatus();
  }

  // A shuffled run of the range; what does not fit, and half of them where equal ones are looked
  // for, is negative: such elements may repeat.
  absl::Status FillDistinct(Contents& contents, const std::vector<std::optional<Bounds>>& ranges,
                            uint64_t seed) {
    Bounds all{0, std::max<int64_t>(contents.count(), 1) - 1};
    if (!ranges.empty() && ranges[0]) all = *ranges[0];
    const bool negatives =
        ir::Info(contents.plan->dtype).is_signed && (ranges.empty() || !ranges[0] || all.low < 0);
    all.low = std::max<int64_t>(all.low, 0);
    const bool repeat = negatives && choice_ == Choice::kHighest;
    const int64_t most = repeat ? contents.count() / 2 : contents.count();
    const int64_t wanted = std::clamp<int64_t>(all.high - all.low + 1, 0, most);
    std::vector<int64_t> chosen;
    for (int64_t k = 0; k < wanted; ++k) chosen.push_back(all.low + k);
    if (wanted < contents.count() && !negatives) {
      return absl::FailedPreconditionError("distinct elements do not fit into their range");
    }
    const int64_t negative =
        ranges.empty() || !ranges[0] ? -1 : std::min<int64_t>(ranges[0]->high, -1);
    chosen.resize(static_cast<size_t>(contents.count()), negative);
    for (size_t k = chosen.size(); k > 1; --k) {
      std::swap(chosen[k - 1], chosen[Mix(seed + k) % k]);
    }
    for (int64_t e = 0; e < contents.count(); ++e) {
      contents.Set(*contents.At(contents.IndexOf(e)), chosen[static_cast<size_t>(e)]);
    }
    return absl::OkStatus();
  }

  absl::Status Broken(const ContentContract& contract, int64_t element, int64_t value) const {
    return absl::FailedPreconditionError(
        absl::StrCat("`", contract.text, "` does not hold: element ", element, " of `",
                     program_[contract.tensor].name, "` is ", value));
  }

  const ir::Program& program_;
  const ir::LaunchValues& values_;
  const Choice choice_;
  const std::span<const int64_t> preferred_;
  std::vector<Contents> contents_;
};

}  // namespace

absl::Status FillContents(const ir::Program& program, const LaunchPlan& plan,
                          const ir::LaunchValues& values, const TensorBytes& tensors, uint64_t seed,
                          Choice choice, std::span<const int64_t> preferred) {
  return Generator(program, plan, values, tensors, choice, preferred).Fill(seed);
}

absl::Status CheckContents(const ir::Program& program, const LaunchPlan& plan,
                           const ir::LaunchValues& values, const TensorBytes& tensors) {
  return Generator(program, plan, values, tensors).Check();
}

absl::Status CheckContents(const ir::Program& program, const LaunchPlan& plan,
                           const ir::LaunchValues& values, const TensorBytes& tensors,
                           const ContentContract& contract) {
  return Generator(program, plan, values, tensors).CheckContract(contract);
}

}  // namespace compiler::facts
