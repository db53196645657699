#include "verifier/trip_shapes.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/facts/launch.h"
#include "compiler/facts/walk.h"

namespace verifier {
namespace {

constexpr size_t kMaxLoopsSearched = 64;
constexpr size_t kMaxShapesPlanned = 256;  // by the whole search
constexpr int64_t kMaxFewerTrips = 16;     // smaller numbers of trips looked for, a loop
constexpr int64_t kMaxWork = 1'000'000;    // expressions evaluated by the whole search
constexpr int64_t kFewOuterTrips = 3;
constexpr double kMaxCost = 4'000'000;       // threads and bytes of a shape
constexpr int64_t kUnboundedHigh = 1 << 20;  // of a symbol without a range
// A persistent loop steps by the number of CTAs, which decides what comes round: an even and an odd
// number beside the one CTA of the cheapest shapes.
constexpr int64_t kSeveralSms[] = {2, 3};

class Searcher {
 public:
  Searcher(const TripSearch& search, Selection& selection)
      : search_(search), selection_(selection), needs_(LoopsToRepeat(search.program)) {
    for (const ir::Guard& guard : search.program.guards) Equation(guard.condition);
  }

  void Run() {
    for (size_t i = 0; i < needs_.size() && i < kMaxLoopsSearched; ++i) {
      // What is far away may be too much work.
      LoopNeed near = needs_[i];
      near.trips = near.near;
      Loop(near);
      if (needs_[i].trips > near.trips) Loop(needs_[i]);
    }
  }

 private:
  void Loop(const LoopNeed& need) {
    kernel_ = need.kernel;
    const TripCounter counter(search_.program, need);
    std::set<size_t> moved = counter.Symbols();
    for (const auto& [symbol, value] : given_) {
      if (!moved.contains(symbol)) continue;
      compiler::facts::ForEachExpr(search_.program, value, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.kind == ir::ExprKind::kSymbol) moved.insert(static_cast<size_t>(expr.symbol));
      });
    }
    if (moved.empty()) return;
    std::set<int64_t> seen;
    const auto note = [&](const Shape& shape) {
      if (const auto trips = TripsOf(counter, shape)) seen.insert(*trips);
    };
    for (const Shape& shape : selection_.shapes) note(shape);
    for (const Shape& shape : selection_.trips) note(shape);
    std::optional<Way> way = BestWay(counter, moved, need.trips, search_.bases);
    Nest(need, counter, moved, way);
    if (way) {
      seen.insert(way->trips);
      // What a shape that is chosen already shows as cheaply needs no further one; it goes into the
      // list, as not every chosen shape is run.
      const Shape* chosen = Chosen(counter, way->trips, 2 * way->shape.cost);
      Take(chosen != nullptr ? *chosen : way->shape, selection_.trips);
    }
    SeveralCtas(need, counter, moved);
    if (SkipsByData(need)) EachWay(need, counter, moved);
    for (int64_t t = std::min(need.trips - 1, kMaxFewerTrips); t >= 0; --t) {
      if (seen.contains(t)) continue;
      for (const Shape& shape : selection_.fewer_trips) note(shape);
      if (seen.contains(t)) continue;
      std::optional<Way> fewer = BestWay(counter, moved, t, search_.bases);
      if (fewer && fewer->trips == t) Take(fewer->shape, selection_.fewer_trips);
    }
    work_ += counter.work();
  }

  struct Way {
    Shape shape;
    int64_t trips = 0;
    std::vector<int64_t> values;
  };
  // Values that repeat a loop a few times, and as often as it needs.
  struct Turns {
    std::vector<int64_t> few, all;
  };

  // The same trips where the grid follows the number of SMs and that is above 1.
  void SeveralCtas(const LoopNeed& need, const TripCounter& counter,
                   const std::set<size_t>& moved) {
    const auto& symbols = search_.symbols;
    const auto sms = std::find_if(symbols.begin(), symbols.end(), [&](size_t symbol) {
      return search_.program.symbols[symbol].kind == ir::SymbolKind::kSms;
    });
    if (sms == symbols.end() || !moved.contains(*sms)) return;
    const auto at = static_cast<size_t>(sms - symbols.begin());
    for (const int64_t several : kSeveralSms) {
      // Of whole clusters, where the fewest SMs are those of one.
      const int64_t count = several * std::max<int64_t>(search_.program.symbols[*sms].low, 1);
      std::vector<std::vector<int64_t>> bases = search_.bases;
      for (std::vector<int64_t>& base : bases) base[at] = count;
      std::sort(bases.begin(), bases.end());
      bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
      const std::optional<Way> way = BestWay(counter, moved, need.trips, bases);
      if (way) Take(way->shape, selection_.trips);
    }
  }

  // Whether what the loop does stands under a condition on what memory holds: then not every trip
  // does it, and which symbol the trips come from makes a difference.
  bool SkipsByData(const LoopNeed& need) const {
    const ir::Kernel& kernel = search_.program.kernels[need.kernel];
    std::vector<bool> loaded(kernel.locals.size(), false);
    const auto reads = [&](ir::ExprId id) {
      bool found = false;
      compiler::facts::ForEachExpr(search_.program, id, [&](ir::ExprId, const ir::Expr& expr) {
        found = found || expr.kind == ir::ExprKind::kLoad ||
                (expr.kind == ir::ExprKind::kLocal && loaded[static_cast<size_t>(expr.local)]);
      });
      return found;
    };
    for (const ir::StmtId id : search_.program[need.loop].body) {
      const ir::Stmt& stmt = search_.program[id];
      if (stmt.kind == ir::StmtKind::kLet && stmt.value != ir::ExprId::kNone && reads(stmt.value)) {
        loaded[static_cast<size_t>(stmt.local)] = true;
      }
      if (stmt.kind == ir::StmtKind::kIf && reads(stmt.value)) return true;
    }
    return false;
  }

  void EachWay(const LoopNeed& need, const TripCounter& counter, const std::set<size_t>& moved) {
    for (size_t s = 0; s < search_.symbols.size(); ++s) {
      if (!moved.contains(search_.symbols[s]) || !Varies(s)) continue;
      for (std::vector<int64_t> base : search_.bases) {
        for (size_t i = 0; i < base.size(); ++i) {
          const ir::Symbol& symbol = search_.program.symbols[search_.symbols[i]];
          if (symbol.kind == ir::SymbolKind::kSms) base[i] = std::max<int64_t>(symbol.low, 1);
        }
        // The others alone must not make the trips.
        if (counter.At(LaunchOf(base)).value_or(0) > 1) continue;
        const std::optional<Way> way = Vary(counter, base, s, need.trips, false);
        if (!way || way->trips < need.trips) continue;
        Take(way->shape, selection_.trips);
        break;
      }
    }
  }

  // `where N == 64*M + 8` gives N once M is chosen.
  void Equation(ir::ExprId id) {
    const ir::Expr& expr = search_.program[id];
    if (expr.kind == ir::ExprKind::kAnd) {
      for (const ir::ExprId side : expr.args) Equation(side);
    }
    const bool equal = expr.kind == ir::ExprKind::kOp && expr.args.size() == 2 &&
                       expr.op->algebra == ir::Algebra::kEqual;
    for (size_t side = 0; equal && side < 2; ++side) {
      const ir::Expr& symbol = search_.program[expr.args[side]];
      if (symbol.kind != ir::ExprKind::kSymbol) continue;
      given_.emplace_back(static_cast<size_t>(symbol.symbol), expr.args[1 - side]);
    }
  }

  // The symbols that equations of the guard give, all but `s`.
  void Give(size_t s, std::vector<int64_t>& values) const {
    for (const auto& [symbol, expr] : given_) {
      const auto& symbols = search_.symbols;
      const auto at =
          static_cast<size_t>(std::find(symbols.begin(), symbols.end(), symbol) - symbols.begin());
      if (at == s || at == symbols.size()) continue;
      const auto value = compiler::facts::EvaluateLaunch(search_.program, expr, LaunchOf(values));
      if (value.ok()) values[at] = *value;
    }
  }

  // Nothing where the loop's kernel has no CTAs.
  std::optional<int64_t> TripsOf(const TripCounter& counter, const Shape& shape) const {
    if (shape.plan.kernels[kernel_].skipped) return std::nullopt;
    return counter.At(shape.values);
  }

  // A chosen shape with so many trips that costs no more than `cost`.
  const Shape* Chosen(const TripCounter& counter, int64_t trips, double cost) const {
    for (const std::vector<Shape>* shapes : {&selection_.trips, &selection_.shapes}) {
      for (const Shape& shape : *shapes) {
        if (shape.cost <= cost && TripsOf(counter, shape).value_or(-1) >= trips) return &shape;
      }
    }
    return nullptr;
  }

  void Take(const Shape& shape, std::vector<Shape>& to) {
    if (taken_.insert(shape.text).second) to.push_back(Shape(shape));
  }

  // Slots go round over all loops of a nest: the inner loop with its trips inside few of the outer
  // one's, or inside all where it has not enough of its own.
  void Nest(const LoopNeed& need, const TripCounter& counter, const std::set<size_t>& moved,
            const std::optional<Way>& alone) {
    const ir::StmtId outer_loop =
        need.outer < 0 ? ir::StmtId::kNone : needs_[static_cast<size_t>(need.outer)].loop;
    Turns& turns = turns_[need.loop];
    const bool enough = alone && alone->trips >= need.trips;
    std::vector<std::vector<int64_t>> bases = search_.bases;
    if (const auto outer = turns_.find(outer_loop); outer != turns_.end()) {
      const auto& values = enough ? outer->second.few : outer->second.all;
      if (!values.empty()) bases = {values};
      const std::optional<Way> both = BestWay(counter, moved, need.trips, bases);
      if (both && !values.empty()) Take(both->shape, selection_.trips);
    }
    const std::optional<Way> few = BestWay(counter, moved, kFewOuterTrips, bases);
    const std::optional<Way> all = BestWay(counter, moved, need.trips, bases);
    if (few) turns.few = few->values;
    if (all) turns.all = all->values;
  }

  // The cheapest shape with `trips` trips, or the one with most where none has so many: one symbol
  // is varied, or all dims together, the others as a base has them.
  std::optional<Way> BestWay(const TripCounter& counter, const std::set<size_t>& moved,
                             int64_t trips, const std::vector<std::vector<int64_t>>& bases) {
    std::optional<Way> best;
    for (const std::vector<int64_t>& base : bases) {
      for (size_t s = 0; s < search_.symbols.size(); ++s) {
        if (!moved.contains(search_.symbols[s]) || !Varies(s)) continue;
        for (const bool together : {false, true}) {
          if (together && best && best->trips >= trips) continue;
          std::optional<Way> way = Vary(counter, base, s, trips, together);
          if (!way) continue;
          const bool better = !best || (way->trips >= trips && best->trips >= trips
                                            ? way->shape.cost < best->shape.cost
                                            : way->trips > best->trips);
          if (better) best = std::move(way);
        }
      }
    }
    return best;
  }

  bool Varies(size_t s) const {
    const ir::Symbol& symbol = search_.program.symbols[search_.symbols[s]];
    return symbol.kind != ir::SymbolKind::kSms && symbol.elements == 0 &&
           ir::Info(symbol.dtype).is_integer && symbol.dtype != ir::DType::kBool;
  }

  // The smallest value of symbol `s` that gives `trips` trips, taken to grow with it; the largest
  // admitted value where none does.
  std::optional<Way> Vary(const TripCounter& counter, const std::vector<int64_t>& base, size_t s,
                          int64_t trips, bool together) {
    if (work_ + counter.work() > kMaxWork) return std::nullopt;
    work_ += static_cast<int64_t>(search_.program.symbols.size());
    const ir::Symbol& symbol = search_.program.symbols[search_.symbols[s]];
    const int64_t divisor = search_.divisors[s];
    int64_t low = symbol.has_range ? symbol.low : 0;
    int64_t high = symbol.has_range ? symbol.high : kUnboundedHigh;
    if (low < 0) low = 0;
    low = (low + divisor - 1) / divisor;
    high /= divisor;
    if (low > high) return std::nullopt;
    const auto at = [&](int64_t v) { return With(base, s, v * divisor, together); };
    const auto count = [&](int64_t v) { return counter.At(LaunchOf(at(v))); };
    const std::optional<int64_t> most = count(high);
    if (!most) return std::nullopt;
    const int64_t wanted = std::min(trips, *most);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const std::optional<int64_t> here = count(middle);
      if (!here) return std::nullopt;
      if (*here >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    std::optional<Shape> shape = Plan(at(low));
    if (!shape || !shape->runs || shape->cost > kMaxCost) return std::nullopt;
    const std::optional<int64_t> given = TripsOf(counter, *shape);
    if (!given) return std::nullopt;
    return Way{*std::move(shape), *given, at(low)};
  }

  std::vector<int64_t> With(std::vector<int64_t> values, size_t s, int64_t value,
                            bool together) const {
    values[s] = value;
    for (size_t i = 0; i < values.size() && together; ++i) {
      const ir::Symbol& symbol = search_.program.symbols[search_.symbols[i]];
      if (i == s || symbol.kind != ir::SymbolKind::kDim) continue;
      const int64_t divisor = search_.divisors[i];
      const int64_t rounded = (value + divisor - 1) / divisor * divisor;
      values[i] = symbol.has_range ? std::clamp(rounded, symbol.low, symbol.high) : rounded;
    }
    Give(s, values);
    return values;
  }

  // Enough of a launch to count trips: strides, which no bound of a loop depends on, are zero.
  ir::LaunchValues LaunchOf(const std::vector<int64_t>& values) const {
    ir::LaunchValues launch;
    launch.values.assign(search_.program.symbols.size(), 0);
    for (size_t i = 0; i < values.size(); ++i) launch.values[search_.symbols[i]] = values[i];
    return launch;
  }

  std::optional<Shape> Plan(const std::vector<int64_t>& values) {
    if (const auto known = plans_.find(values); known != plans_.end()) return known->second;
    if (plans_.size() >= kMaxShapesPlanned) return std::nullopt;
    return plans_[values] = search_.shape(values);
  }

  const TripSearch& search_;
  Selection& selection_;
  const std::vector<LoopNeed> needs_;
  std::vector<std::pair<size_t, ir::ExprId>> given_;  // number of a symbol, its value
  int64_t work_ = 0;
  size_t kernel_ = 0;  // of the loop looked at
  std::map<std::vector<int64_t>, std::optional<Shape>> plans_;
  std::map<ir::StmtId, Turns> turns_;
  std::set<std::string> taken_;
};

}  // namespace

void SelectTrips(const TripSearch& search, Selection& selection) {
  Searcher(search, selection).Run();
  // A loop that takes much work must not keep others from what little they need.
  for (std::vector<Shape>* shapes : {&selection.trips, &selection.fewer_trips}) {
    std::stable_sort(shapes->begin(), shapes->end(),
                     [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
  }
}

}  // namespace verifier
