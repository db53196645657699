#include "verifier/closure_search.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "verifier/protocol.h"
#include "verifier/run_shape.h"
#include "verifier/trips.h"

namespace verifier {
namespace {

constexpr size_t kShapesTried = 2;              // of those that ran anyway
constexpr size_t kLargerTried = 2;              // made for the purpose
constexpr size_t kMissingTried = 16;            // trip counts that no shape has shown yet
constexpr int64_t kLargestMade = int64_t{1} << 40;
constexpr int64_t kLaneStatements = 1'000'000;  // of one run

// Nothing where the machine did not come to its end.
using RunSlim = std::function<std::optional<compiler::machine::Result>(
    const Shape& shape, const compiler::machine::CutPlan* cuts)>;

class Search {
 public:
  Search(const ir::Program& program, const Selection& selection, const RunSlim& run,
         KernelClosure& closure)
      : program_(program),
        selection_(selection),
        run_(run),
        closure_(closure),
        counter_(program, {.kernel = closure.plan.cuts.kernel, .loop = closure.plan.loop}) {}

  void Run() {
    for (const auto* list : {&selection_.shapes, &selection_.trips, &selection_.fewer_trips}) {
      for (const Shape& shape : *list) Note(shape);
    }
    size_t tried = 0;
    for (auto at = cheapest_.rbegin(); at != cheapest_.rend() && tried < kShapesTried; ++at) {
      if (Try(*at->second)) break;
      ++tried;
    }
    if (!closure_.found) TryLarger();
    if (closure_.found) RunMissing();
  }

 private:
  std::optional<int64_t> TripsOf(const Shape& shape) const {
    if (shape.plan.kernels[closure_.plan.cuts.kernel].skipped) return std::nullopt;
    return counter_.At(shape.values);
  }

  void Note(const Shape& shape) {
    const std::optional<int64_t> trips = TripsOf(shape);
    if (!trips) return;
    const Shape*& best = cheapest_[*trips];
    if (best == nullptr || shape.cost < best->cost) best = &shape;
  }

  bool Try(const Shape& shape) {
    const auto result = run_(shape, &closure_.plan.cuts);
    if (!result) return false;
    closure_.cuts = std::max(closure_.cuts, static_cast<int64_t>(result->cuts.size()));
    closure_.found = FindClosure(closure_.plan, result->cuts);
    return closure_.found.has_value();
  }

  // One number of the launch, the smallest with which the loop makes `trips` trips; the others as
  // in the shape with most of them.
  std::optional<Shape> Made(size_t symbol, int64_t trips) const {
    const Shape* const shape = cheapest_.rbegin()->second;
    // More SMs make fewer trips.
    if (program_.symbols[symbol].kind == ir::SymbolKind::kSms) return std::nullopt;
    ir::LaunchValues values = shape->values;
    const int64_t value = values.values[symbol];
    const auto enough = [&](int64_t at) {
      values.values[symbol] = at;
      return counter_.At(values).value_or(0) >= trips;
    };
    int64_t low = 0, high = std::max<int64_t>(value, 1);
    while (high < kLargestMade && !enough(high)) {
      low = high;
      high *= 2;
    }
    while (low + 1 < high) {
      const int64_t middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return selection_.varied(symbol, high);
  }

  void TryLarger() {
    size_t tried = 0;
    if (cheapest_.empty() || !selection_.varied) return;
    const int64_t most = cheapest_.rbegin()->first;
    for (const int64_t wanted : {2 * most + 2, 4 * most + 4}) {
      for (const size_t symbol : counter_.Symbols()) {
        const std::optional<Shape> larger = Made(symbol, wanted);
        if (!larger || TripsOf(*larger).value_or(0) <= most) continue;
        if (Try(*larger) || ++tried == kLargerTried) return;
      }
    }
  }

  void RunMissing() {
    size_t tried = 0;
    for (int64_t trips = closure_.always_runs ? 1 : 0; trips <= closure_.found->needed; ++trips) {
      if (closure_.ran.contains(trips)) continue;
      if (++tried > kMissingTried) return;
      const auto known = cheapest_.find(trips);
      if (known != cheapest_.end() ? RunOne(*known->second, trips) : RunMade(trips)) continue;
      return;
    }
  }

  bool RunMade(int64_t trips) {
    if (cheapest_.empty() || !selection_.varied) return false;
    for (const size_t symbol : counter_.Symbols()) {
      const std::optional<Shape> made = Made(symbol, trips);
      if (made && TripsOf(*made) == trips && RunOne(*made, trips)) return true;
    }
    return false;
  }

  bool RunOne(const Shape& shape, int64_t trips) {
    const auto result = run_(shape, nullptr);
    if (!result) return false;
    closure_.ran.insert(trips);
    return true;
  }

  const ir::Program& program_;
  const Selection& selection_;
  const RunSlim& run_;
  KernelClosure& closure_;
  const TripCounter counter_;
  std::map<int64_t, const Shape*> cheapest_;  // by trips
};

}  // namespace

void SearchClosures(const ir::Program& program, const compiler::facts::Facts& facts,
                    const Selection& selection, const Policy& policy,
                    const std::function<void(const compiler::diag::Report&)>& note,
                    std::vector<KernelClosure>& closures) {
  if (closures.empty()) return;
  const ir::Program slim = WithoutData(program);
  const RunValues values(slim, {});
  SharedRuns shared;
  const RunSlim run =
      [&](const Shape& shape,
          const compiler::machine::CutPlan* cuts) -> std::optional<compiler::machine::Result> {
    auto result = RunShape(slim, facts, values, shape, kLaneStatements,
                           {.protocol = true, .cuts = cuts}, policy, shared);
    if (!result.ok() || result->outcome == compiler::machine::Outcome::kLimit) return {};
    note(result->report);
    if (result->report.has_errors()) return {};
    return *std::move(result);
  };
  for (KernelClosure& closure : closures) {
    if (closure.plan.why_not.empty()) Search(program, selection, run, closure).Run();
  }
}

}  // namespace verifier
