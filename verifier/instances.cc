#include "verifier/instances.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/machine/machine.h"
#include "verifier/content_shapes.h"
#include "verifier/tiles.h"
#include "verifier/trip_shapes.h"

namespace verifier {
namespace {

constexpr size_t kMaxValuesPerSymbol = 24;
constexpr size_t kMaxCombinations = 2048;
constexpr size_t kMaxPlannedDeclarations = 12'000;
constexpr size_t kMaxBases = 6;  // from which numbers of trips are looked for
constexpr size_t kMaxGrownSymbols = 8;
constexpr size_t kMaxGrownCombinations = 12;
constexpr double kMaxGrownCost = 200'000;
constexpr int64_t kMaxBytes = int64_t{256} << 20;  // of all tensors of one shape
constexpr int64_t kSmsValues[] = {4, 1};
constexpr int64_t kStridePadding = 64;  // elements, keeps every vector alignment

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

// Counts combinations in mixed radix, at most kMaxCombinations of them.
class Combinations {
 public:
  // `limit`: how many at most; a program of many declarations is planned fewer times.
  Combinations(const std::vector<std::vector<int64_t>>& domains, size_t limit)
      : domains_(domains), limit_(std::min(limit, kMaxCombinations)) {
    for (const auto& domain : domains) {
      total_ *= domain.size();
      if (total_ > (size_t{1} << 40)) total_ = size_t{1} << 40;
    }
    // A stride that shares no factor with the sizes walks every domain.
    stride_ = total_ <= limit_ ? 1 : total_ / limit_ * 2 + 1;
  }
  size_t count() const { return std::min(total_, limit_); }
  bool all() const { return total_ <= limit_; }
  std::vector<int64_t> At(size_t i) const {
    size_t index = i * stride_ % std::max<size_t>(total_, 1);
    std::vector<int64_t> values;
    for (const auto& domain : domains_) {
      values.push_back(domain[index % domain.size()]);
      index /= domain.size();
    }
    return values;
  }

 private:
  const std::vector<std::vector<int64_t>>& domains_;
  size_t limit_, total_ = 1, stride_ = 1;
};

// What each symbol is given by name; arg arrays element by element.
std::map<std::string, int64_t> NamesOf(const ir::Program& program,
                                       const std::vector<size_t>& symbols,
                                       const std::vector<int64_t>& values) {
  std::map<std::string, int64_t> named;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[symbols[i]];
    named[symbol.name] = values[i];
    // The elements of an array differ: they count on from the first one inside their range.
    if (ir::Info(symbol.dtype).is_float) continue;
    const int64_t low = symbol.has_range ? symbol.low : 0;
    const int64_t span = symbol.has_range ? std::min(symbol.high - low, kLargestTile) + 1 : 8;
    for (int64_t k = 0; k < symbol.elements; ++k) {
      named[absl::StrCat(symbol.name, "[", k, "]")] = low + (values[i] - low + k) % span;
    }
  }
  return named;
}

// The row-major strides and the plan of one combination, without its text; nothing when the guard
// does not admit it.
std::optional<Shape> ShapeOf(const ir::Program& program, const compiler::facts::Facts& facts,
                             const std::vector<size_t>& symbols, const std::vector<int64_t>& values,
                             bool pad_strides) {
  const bool arrays = std::any_of(program.symbols.begin(), program.symbols.end(),
                                  [](const ir::Symbol& symbol) { return symbol.elements > 0; });
  absl::StatusOr<ir::LaunchValues> bound =
      arrays ? compiler::facts::BindLaunch(program, NamesOf(program, symbols, values))
             : compiler::facts::BindSymbols(program, symbols, values);
  if (!bound.ok()) return std::nullopt;
  if (pad_strides) {
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      if (program.symbols[i].kind == ir::SymbolKind::kStride && bound->values[i] > 1) {
        bound->values[i] += kStridePadding;
      }
    }
  }
  if (!compiler::facts::Admits(program, *bound)) return std::nullopt;
  absl::StatusOr<compiler::facts::LaunchPlan> plan =
      compiler::facts::PlanSizes(program, facts, *bound);
  if (!plan.ok()) return std::nullopt;
  Shape shape{.values = *std::move(bound), .plan = *std::move(plan)};
  shape.runs = std::any_of(shape.plan.kernels.begin(), shape.plan.kernels.end(),
                           [](const auto& kernel) { return !kernel.skipped; });
  int64_t bytes = 0;
  shape.works = shape.runs;
  for (const compiler::facts::TensorPlan& tensor : shape.plan.tensors) {
    bytes += std::min(tensor.bytes, kMaxBytes);
    // A workspace of the same size at every shape says nothing of the work.
    if (tensor.direction == ir::Direction::kWorkspace) continue;
    shape.cost += static_cast<double>(tensor.bytes);
    shape.works = shape.works && tensor.bytes != 0;
  }
  if (bytes > kMaxBytes) return std::nullopt;
  for (const compiler::facts::KernelLaunch& kernel : shape.plan.kernels) {
    if (kernel.skipped) continue;
    shape.cost += static_cast<double>(kernel.grid[0]) * static_cast<double>(kernel.grid[1]) *
                  static_cast<double>(kernel.grid[2]) * static_cast<double>(kernel.block);
  }
  return shape;
}

// Most shapes that are weighed are not chosen: those that are get their text.
Shape Named(const ir::Program& program, Shape shape) {
  if (shape.text.empty()) shape.text = compiler::facts::DescribeLaunch(program, shape.values);
  return shape;
}

std::optional<Shape> Named(const ir::Program& program, std::optional<Shape> shape) {
  if (shape) shape->text = compiler::facts::DescribeLaunch(program, shape->values);
  return shape;
}

// Shapes that the guard admits, and the values of the symbols that give them.
struct Admitted {
  std::vector<Shape> shapes;
  std::vector<std::vector<int64_t>> choices;

  void Add(Shape shape, const std::vector<int64_t>& values) {
    for (size_t s = 0; s < values.size() && shape.runs; ++s) shape.shows.emplace_back(s, values[s]);
    shapes.push_back(std::move(shape));
    choices.push_back(values);
  }
  // A launch without work shows of the values only those with which there never is any: of others
  // it would only seem to. Where no shape has work, those with CTAs have to do.
  void Settle() {
    std::set<std::pair<size_t, int64_t>> worked;
    for (const Shape& shape : shapes) {
      if (shape.works) worked.insert(shape.shows.begin(), shape.shows.end());
    }
    for (Shape& shape : shapes) {
      if (worked.empty()) shape.works = shape.runs;
      if (shape.works) continue;
      std::erase_if(shape.shows, [&](const auto& shown) { return worked.contains(shown); });
    }
  }
};

// Around the cheapest shape: each value of each symbol where the others stay as they are.
void AdmitNear(const ir::Program& program, const compiler::facts::Facts& facts,
               const std::vector<size_t>& symbols, const std::vector<std::vector<int64_t>>& domains,
               Admitted& admitted) {
  size_t cheapest = admitted.shapes.size();
  for (size_t i = 0; i < admitted.shapes.size(); ++i) {
    const Shape& shape = admitted.shapes[i];
    const bool first = cheapest == admitted.shapes.size();
    if (shape.works && (first || shape.cost < admitted.shapes[cheapest].cost)) cheapest = i;
  }
  if (cheapest == admitted.shapes.size()) return;
  const std::vector<int64_t> base = admitted.choices[cheapest];
  const std::set<std::vector<int64_t>> known(admitted.choices.begin(), admitted.choices.end());
  for (size_t s = 0; s < symbols.size(); ++s) {
    for (const int64_t value : domains[s]) {
      std::vector<int64_t> values = base;
      values[s] = value;
      if (known.contains(values)) continue;
      if (auto shape = ShapeOf(program, facts, symbols, values, false)) {
        admitted.Add(*std::move(shape), values);
      }
    }
  }
}

// What the guard admits of the combinations of `domains`: of all, or of at most `limit`.
Admitted Admit(const ir::Program& program, const compiler::facts::Facts& facts,
               const std::vector<size_t>& symbols, const std::vector<std::vector<int64_t>>& domains,
               size_t limit = kMaxCombinations) {
  Admitted admitted;
  const size_t declarations = program.symbols.size() + program.tensors.size() +
                              program.guards.size() + program.kernels.size() + 1;
  const Combinations combinations(domains,
                                  std::min(limit, kMaxPlannedDeclarations / declarations + 1));
  for (size_t i = 0; i < combinations.count(); ++i) {
    const std::vector<int64_t> values = combinations.At(i);
    std::optional<Shape> shape = ShapeOf(program, facts, symbols, values, false);
    if (shape) admitted.Add(*std::move(shape), values);
  }
  admitted.Settle();
  if (!combinations.all()) {
    AdmitNear(program, facts, symbols, domains, admitted);
    admitted.Settle();
  }
  return admitted;
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
      std::vector<Shape> admitted =
          Admit(program, facts, symbols, fewer, kMaxGrownCombinations).shapes;
      std::erase_if(admitted, [](const Shape& shape) { return !shape.works; });
      const auto cheapest =
          std::min_element(admitted.begin(), admitted.end(),
                           [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
      if (cheapest != admitted.end()) found.push_back(Named(program, *std::move(cheapest)));
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
                          const std::vector<std::vector<int64_t>>& choices,
                          const std::vector<size_t>& order) {
  std::vector<size_t> grown;
  size_t dims = 0;
  for (const size_t symbol : symbols) dims += program.symbols[symbol].kind == ir::SymbolKind::kDim;
  if (dims < 2) return grown;
  for (const size_t i : order) {
    bool all = true;
    for (size_t s = 0; s < symbols.size(); ++s) {
      const bool dim = program.symbols[symbols[s]].kind == ir::SymbolKind::kDim;
      all = all && (!dim || domains[s].size() < 3 || choices[i][s] > domains[s][1]);
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
                                        const std::vector<Shape>& admitted,
                                        const std::vector<std::vector<int64_t>>& choices,
                                        const std::vector<size_t>& order) {
  std::vector<std::vector<int64_t>> bases;
  std::set<std::vector<int64_t>> kinds;
  for (const size_t i : order) {
    if (!admitted[i].works || bases.size() >= kMaxBases) continue;
    std::vector<int64_t> kind;
    for (const auto& kernel : admitted[i].plan.kernels) kind.push_back(kernel.skipped);
    for (size_t s = 0; s < symbols.size(); ++s) {
      if (program.symbols[symbols[s]].kind == ir::SymbolKind::kSms) kind.push_back(choices[i][s]);
    }
    if (kinds.insert(kind).second) bases.push_back(choices[i]);
  }
  return bases;
}

// Shapes that show each value of each symbol: in the order of their cost first those that show
// something new of two symbols at once, unless showing it one by one costs less, then those that
// show anything new. A launch without any CTA shows nothing but itself: one of those is enough.
std::vector<size_t> Cover(const std::vector<Shape>& admitted, const std::vector<size_t>& order) {
  std::vector<size_t> chosen;
  std::map<std::pair<size_t, int64_t>, double> alone;  // cost of the cheapest shape, 0 if shown
  for (const size_t i : order) {
    for (const auto& shown : admitted[i].shows) alone.emplace(shown, admitted[i].cost);
  }
  bool empty_shown = false;
  for (const bool together : {true, false}) {
    for (const size_t i : order) {
      const Shape& shape = admitted[i];
      int adds = !shape.runs && !empty_shown ? 2 : 0;
      double one_by_one = 0;
      for (const auto& shown : shape.shows) {
        adds += alone[shown] > 0 ? 1 : 0;
        one_by_one += alone[shown];
      }
      if (adds == 0 || (together && (adds < 2 || (shape.runs && shape.cost > one_by_one))))
        continue;
      for (const auto& shown : shape.shows) alone[shown] = 0;
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
  if (declared.kind == ir::SymbolKind::kSms || !integer || declared.elements > 0) {
    return std::nullopt;
  }
  const int64_t rounded = (value + divisors[at] - 1) / divisors[at] * divisors[at];
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
  Admitted all = Admit(program, facts, symbols, domains);
  if (std::none_of(all.shapes.begin(), all.shapes.end(), [](const Shape& s) { return s.runs; })) {
    // The usual sizes are outside the guard: try those that it names.
    for (size_t s = 0; s < symbols.size(); ++s) AddBounds(tiles, symbols[s], domains[s], program);
    all = Admit(program, facts, symbols, domains);
  }
  const std::vector<Shape>& admitted = all.shapes;
  const std::vector<std::vector<int64_t>>& choices = all.choices;
  std::vector<size_t> order(admitted.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return admitted[a].cost < admitted[b].cost; });

  Selection selection;
  std::set<std::pair<size_t, int64_t>> wanted;
  for (const Shape& shape : admitted) wanted.insert(shape.shows.begin(), shape.shows.end());
  const auto room = [&] {
    return static_cast<int>(selection.shapes.size()) < policy.max_instances;
  };
  for (const size_t i : Cover(admitted, order)) {
    if (!room()) break;
    selection.shapes.push_back(Named(program, admitted[i]));
    if (!strides || !room() || !admitted[i].runs) continue;
    strides = false;  // one shape with rows further apart shows an index that forgets them
    if (auto padded = Named(program, ShapeOf(program, facts, symbols, choices[i], true))) {
      padded->text += ", strides wider than the rows";
      selection.shapes.push_back(*std::move(padded));
    }
  }
  // A program without dims has one shape, which shows no value.
  if (selection.shapes.empty() && !order.empty()) {
    selection.shapes.push_back(Named(program, admitted[order[0]]));
  }
  for (const size_t i : Grown(program, symbols, domains, choices, order)) {
    Shape grown = Named(program, admitted[i]);
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
  const std::vector<std::vector<int64_t>> bases = Bases(program, symbols, admitted, choices, order);
  selection.varied = [&program, &facts, symbols, divisors, bases](size_t symbol, int64_t value) {
    return Varied(program, facts, symbols, divisors, bases, symbol, value);
  };
  selection.larger = [&program, &facts, tiles, symbols, domains, divisors] {
    return Larger(program, facts, tiles, symbols, domains, divisors);
  };
  selection.wanted = static_cast<int64_t>(wanted.size());
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
