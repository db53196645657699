#include "verifier/instances.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "compiler/machine/machine.h"
#include "verifier/admitted.h"
#include "verifier/content_shapes.h"
#include "verifier/tiles.h"
#include "verifier/trip_shapes.h"

namespace verifier {
namespace {

constexpr size_t kMaxValuesPerSymbol = 24;
constexpr size_t kMaxBases = 6;  // from which numbers of trips are looked for
constexpr size_t kMaxGrownSymbols = 8;
constexpr size_t kMaxGrownCombinations = 12;
constexpr double kMaxGrownCost = 200'000;
constexpr int64_t kSmsValues[] = {4, 1};
constexpr int64_t kMostSms = 1024;  // that the launcher is asked for

// Values of one symbol, each a multiple of `divisor` and inside its range; smaller ones first.
std::vector<int64_t> ValuesOf(const ir::Symbol& symbol, int64_t divisor,
                              const std::vector<int64_t>& tiles) {
  if (symbol.kind == ir::SymbolKind::kSms) {
    // Two clusters and SMs that fill none, and a single cluster.
    if (symbol.low > 1) return {2 * symbol.low + 1, symbol.low};
    return {std::begin(kSmsValues), std::end(kSmsValues)};
  }
  const ir::DTypeInfo& info = ir::Info(symbol.dtype);
  if (info.is_float) return {std::bit_cast<uint32_t>(0.5f)};
  if (symbol.dtype == ir::DType::kBool) return {0, 1};
  int64_t low = symbol.has_range ? symbol.low : 0;
  const int64_t high = symbol.has_range ? symbol.high : (int64_t{1} << 20);
  low = (low + divisor - 1) / divisor * divisor;
  std::set<int64_t> values;
  const auto add = [&](int64_t value) {
    for (const int64_t v : {value / divisor * divisor, (value + divisor - 1) / divisor * divisor}) {
      if (v >= low && v <= high) values.insert(v);
    }
  };
  for (const int64_t few : {0, 1, 2, 5}) add(low + few * divisor);
  if (!tiles.empty()) add(2 * tiles.back() + 1);
  for (const int64_t tile : tiles) {
    for (const int64_t value : {tile - 1, tile, tile + 1}) add(value);
  }
  std::vector<int64_t> sorted(values.begin(), values.end());
  if (sorted.size() > kMaxValuesPerSymbol) sorted.resize(kMaxValuesPerSymbol);
  return sorted;
}

std::optional<Shape> Named(const ir::Program& program, std::optional<Shape> shape) {
  if (shape) shape->text = compiler::facts::DescribeLaunch(program, shape->values);
  return shape;
}

void AddBounds(const TileFinder& tiles, size_t symbol, std::vector<int64_t>& domain,
               const ir::Program& program) {
  const ir::Symbol& of = program.symbols[symbol];
  if (of.kind == ir::SymbolKind::kSms || ir::Info(of.dtype).is_float) return;
  for (const int64_t value : tiles.BoundsOf(symbol)) {
    const bool inside = !of.has_range || (value >= of.low && value <= of.high);
    if (inside && std::find(domain.begin(), domain.end(), value) == domain.end()) {
      domain.push_back(value);
    }
  }
}

// For each dim the cheapest shape with CTAs at small multiples of its tile sizes.
std::vector<Shape> Larger(const ir::Program& program, const compiler::facts::Facts& facts,
                          const TileFinder& tiles, const std::vector<size_t>& symbols,
                          const std::vector<std::vector<int64_t>>& domains,
                          const std::vector<int64_t>& divisors) {
  std::vector<Shape> found;
  for (size_t s = 0; s < symbols.size() && s < kMaxGrownSymbols; ++s) {
    const ir::Symbol& symbol = program.symbols[symbols[s]];
    const std::vector<int64_t> of = tiles.Of(symbols[s]);
    if (symbol.kind != ir::SymbolKind::kDim) continue;
    std::set<int64_t> values;
    for (const int64_t tile : of) values.insert({2 * tile, 4 * tile, 4 * tile + 1});
    for (const int64_t value : values) {
      std::vector<std::vector<int64_t>> fewer = domains;
      for (std::vector<int64_t>& domain : fewer) domain.resize(std::min<size_t>(domain.size(), 3));
      fewer[s] = {(value + divisors[s] - 1) / divisors[s] * divisors[s]};
      if (symbol.has_range && fewer[s][0] > symbol.high) continue;
      const Admitted admitted = Admit(program, facts, symbols, fewer, kMaxGrownCombinations);
      const std::optional<size_t> cheapest = admitted.CheapestThatWorks();
      if (cheapest) found.push_back(admitted.ShapeAt(*cheapest));
    }
  }
  std::erase_if(found, [](const Shape& shape) { return shape.cost > kMaxGrownCost; });
  std::stable_sort(found.begin(), found.end(),
                   [](const Shape& a, const Shape& b) { return a.cost > b.cost; });
  return found;
}

// Shapes in which every dim and arg is above its smallest value, so that tails of several dims
// meet: the cheapest of them and the one in the middle.
std::vector<size_t> Grown(const ir::Program& program, const std::vector<size_t>& symbols,
                          const std::vector<std::vector<int64_t>>& domains,
                          const Admitted& admitted, const std::vector<size_t>& order) {
  std::vector<size_t> grown;
  size_t dims = 0;
  for (const size_t symbol : symbols) dims += program.symbols[symbol].kind == ir::SymbolKind::kDim;
  if (dims < 2) return grown;
  for (const size_t i : order) {
    bool all = true;
    for (size_t s = 0; s < symbols.size(); ++s) {
      const bool dim = program.symbols[symbols[s]].kind == ir::SymbolKind::kDim;
      all = all && (!dim || domains[s].size() < 3 || admitted.ValuesOf(i)[s] > domains[s][1]);
    }
    if (all) grown.push_back(i);
  }
  if (grown.size() > 2) grown = {grown.front(), grown[grown.size() / 2]};
  return grown;
}

// The cheapest shapes with work for each set of kernels that have CTAs and each number of SMs,
// which a loop over the grid depends on.
std::vector<std::vector<int64_t>> Bases(const ir::Program& program,
                                        const std::vector<size_t>& symbols,
                                        const Admitted& admitted,
                                        const std::vector<size_t>& order) {
  std::vector<std::vector<int64_t>> bases;
  std::set<std::vector<int64_t>> kinds;
  for (const size_t i : order) {
    if (!admitted[i].works || bases.size() >= kMaxBases) continue;
    std::vector<int64_t> kind;
    for (size_t k = 0; k < program.kernels.size(); ++k) kind.push_back(admitted.Skips(i, k));
    for (size_t s = 0; s < symbols.size(); ++s) {
      if (program.symbols[symbols[s]].kind == ir::SymbolKind::kSms) {
        kind.push_back(admitted.ValuesOf(i)[s]);
      }
    }
    if (kinds.insert(kind).second) bases.push_back(admitted.ValuesOf(i));
  }
  return bases;
}

// Shapes that show each value of each symbol: in the order of their cost first those that show
// something new of two symbols at once, unless showing it one by one costs less, then those that
// show anything new. A launch without any CTA shows nothing but itself: one of those is enough.
std::vector<size_t> Cover(const Admitted& admitted, const std::vector<size_t>& order,
                          size_t symbols, int64_t* wanted) {
  std::vector<size_t> chosen;
  // By symbol and value: the cost of the cheapest shape, 0 if it is shown.
  std::vector<std::map<int64_t, double>> alone(symbols);
  std::vector<std::vector<double*>> shows(admitted.size());
  for (const size_t i : order) {
    for (size_t s = 0; s < symbols; ++s) {
      if (!admitted.Shows(i, s)) continue;
      const auto [at, added] = alone[s].emplace(admitted.ValuesOf(i)[s], admitted[i].cost);
      shows[i].push_back(&at->second);
      *wanted += added ? 1 : 0;
    }
  }
  bool empty_shown = false;
  for (const bool together : {true, false}) {
    for (const size_t i : order) {
      const Weight& shape = admitted[i];
      int adds = !shape.runs && !empty_shown ? 2 : 0;
      double one_by_one = 0;
      for (const double* shown : shows[i]) {
        adds += *shown > 0 ? 1 : 0;
        one_by_one += *shown;
      }
      if (adds == 0 || (together && (adds < 2 || (shape.runs && shape.cost > one_by_one))))
        continue;
      for (double* shown : shows[i]) *shown = 0;
      empty_shown |= !shape.runs;
      chosen.push_back(i);
    }
  }
  return chosen;
}

// The same shape on several SMs; nothing where the program does not ask for their number.
std::optional<Shape> OnSeveralSms(const ir::Program& program, const compiler::facts::Facts& facts,
                                  const std::vector<size_t>& symbols, const Shape& shape) {
  bool asked = false;
  std::vector<int64_t> values;
  for (const size_t symbol : symbols) {
    const bool sms = program.symbols[symbol].kind == ir::SymbolKind::kSms;
    asked |= sms;
    values.push_back(sms ? kSmsValues[0] : shape.values.values[symbol]);
  }
  if (!asked) return std::nullopt;
  std::optional<Shape> shared = Named(program, ShapeOf(program, facts, symbols, values, false));
  if (!shared || !shared->runs || shared->text == shape.text) return std::nullopt;
  return shared;
}

// Tickets and flags show little where one CTA takes them all: the most work that is chosen for one
// SM, on several.
void AddSharedWork(const ir::Program& program, Selection& selection) {
  const bool learn = std::any_of(
      program.kernels.begin(), program.kernels.end(),
      [&](const ir::Kernel& kernel) { return compiler::machine::OrdersCtas(program, kernel); });
  const Shape* most = nullptr;
  for (const Shape& shape : selection.shapes) {
    if (!learn || !shape.runs || shape.cost > kMaxGrownCost) continue;
    if (most == nullptr || shape.cost > most->cost) most = &shape;
  }
  std::optional<Shape> shared = most != nullptr ? selection.on_several(*most) : std::nullopt;
  if (shared) selection.shapes.push_back(*std::move(shared));
}

std::optional<Shape> Varied(const ir::Program& program, const compiler::facts::Facts& facts,
                            const std::vector<size_t>& symbols,
                            const std::vector<int64_t>& divisors,
                            const std::vector<std::vector<int64_t>>& bases, size_t symbol,
                            int64_t value) {
  const auto at =
      static_cast<size_t>(std::find(symbols.begin(), symbols.end(), symbol) - symbols.begin());
  if (at == symbols.size()) return std::nullopt;
  const ir::Symbol& declared = program.symbols[symbol];
  const bool integer = ir::Info(declared.dtype).is_integer && declared.dtype != ir::DType::kBool;
  if (!integer || declared.elements > 0) return std::nullopt;
  const int64_t rounded = (value + divisors[at] - 1) / divisors[at] * divisors[at];
  const bool sms = declared.kind == ir::SymbolKind::kSms;
  if (sms && (rounded < declared.low || rounded > kMostSms)) return std::nullopt;
  if (declared.has_range && (rounded < declared.low || rounded > declared.high)) {
    return std::nullopt;
  }
  for (std::vector<int64_t> values : bases) {
    values[at] = rounded;
    std::optional<Shape> shape = ShapeOf(program, facts, symbols, values, false);
    if (shape && shape->runs) return Named(program, std::move(shape));
  }
  return std::nullopt;
}

}  // namespace

Selection SelectShapes(const ir::Program& program, const compiler::facts::Facts& facts,
                       const std::vector<KernelAnalysis>& kernels, const Policy& policy) {
  const TileFinder tiles(program);
  std::vector<size_t> symbols;
  std::vector<int64_t> divisors;
  std::vector<std::vector<int64_t>> domains;
  bool strides = false;
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    if (program.symbols[i].kind == ir::SymbolKind::kStride) {
      strides = true;
      continue;
    }
    int64_t divisor = 1;
    if (!kernels.empty()) divisor = kernels[0].atoms[static_cast<AtomId>(i)].divisor;
    symbols.push_back(i);
    divisors.push_back(divisor);
    domains.push_back(ValuesOf(program.symbols[i], divisor, tiles.Of(i)));
    if (domains.back().empty()) return {};
  }
  Admitted admitted = Admit(program, facts, symbols, domains);
  if (!admitted.AnyRuns()) {
    // The usual sizes are outside the guard: try those that it names.
    for (size_t s = 0; s < symbols.size(); ++s) AddBounds(tiles, symbols[s], domains[s], program);
    admitted = Admit(program, facts, symbols, domains);
  }
  std::vector<size_t> order(admitted.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return admitted[a].cost < admitted[b].cost; });

  Selection selection;
  const auto room = [&] {
    return static_cast<int>(selection.shapes.size()) < policy.max_instances;
  };
  for (const size_t i : Cover(admitted, order, symbols.size(), &selection.wanted)) {
    if (!room()) break;
    selection.shapes.push_back(admitted.ShapeAt(i));
    if (!strides || !room() || !admitted[i].runs) continue;
    strides = false;  // one shape with rows further apart shows an index that forgets them
    if (auto padded =
            Named(program, ShapeOf(program, facts, symbols, admitted.ValuesOf(i), true))) {
      padded->text += ", strides wider than the rows";
      selection.shapes.push_back(*std::move(padded));
    }
  }
  // A program without dims has one shape, which shows no value.
  if (selection.shapes.empty() && !order.empty()) {
    selection.shapes.push_back(admitted.ShapeAt(order[0]));
  }
  for (const size_t i : Grown(program, symbols, domains, admitted, order)) {
    Shape grown = admitted.ShapeAt(i);
    const bool chosen = std::any_of(selection.shapes.begin(), selection.shapes.end(),
                                    [&](const Shape& shape) { return shape.text == grown.text; });
    if (room() && grown.runs && !chosen) selection.shapes.push_back(std::move(grown));
  }
  selection.on_several = [&program, &facts, symbols](const Shape& shape) {
    return OnSeveralSms(program, facts, symbols, shape);
  };
  if (room()) AddSharedWork(program, selection);
  std::stable_sort(selection.shapes.begin(), selection.shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
  const std::vector<std::vector<int64_t>> bases = Bases(program, symbols, admitted, order);
  selection.varied = [&program, &facts, symbols, divisors, bases](size_t symbol, int64_t value) {
    return Varied(program, facts, symbols, divisors, bases, symbol, value);
  };
  selection.larger = [&program, &facts, tiles, symbols, domains, divisors] {
    return Larger(program, facts, tiles, symbols, domains, divisors);
  };
  const TripSearch search{.program = program,
                          .symbols = symbols,
                          .divisors = divisors,
                          .bases = bases,
                          .shape = [&](const std::vector<int64_t>& values) {
                            return Named(program, ShapeOf(program, facts, symbols, values, false));
                          }};
  SelectTrips(search, selection);
  selection.contents = ContentShapes(tiles, search);
  selection.ragged = RaggedShapes(tiles, search);
  return selection;
}

}  // namespace verifier
