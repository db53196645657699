#include "verifier/content_shapes.h"

#include <algorithm>
#include <set>

#include "verifier/trips.h"

namespace verifier {
namespace {

constexpr double kMaxCost = 500'000;           // threads and bytes of a shape
constexpr double kMaxCostOfTrips = 4'000'000;  // the same, where values are left out
constexpr size_t kMaxRagged = 8;
constexpr int64_t kLeastTile = 8;  // smaller numbers are of other things

// The symbols `bounds` at `size`, the others as `values` has them.
std::vector<int64_t> WithBounds(const TripSearch& search, const std::set<size_t>& bounds,
                                int64_t size, std::vector<int64_t> values) {
  for (size_t s = 0; s < search.symbols.size(); ++s) {
    const ir::Symbol& symbol = search.program.symbols[search.symbols[s]];
    if (!bounds.contains(search.symbols[s]) || symbol.elements > 0) continue;
    const int64_t unit = search.divisors[s];
    const int64_t wanted = (size + unit - 1) / unit * unit;
    values[s] = symbol.has_range ? std::clamp(wanted, symbol.low, symbol.high) : wanted;
  }
  return values;
}

// visit(bounds, tiles) for each tensor whose contents other bounds limit: the symbols, and the
// tiles that its contents are compared with.
template <typename Visit>
void ForEachContent(const TileFinder& tiles, const TripSearch& search, const Visit& visit) {
  std::set<std::set<size_t>> seen;
  for (size_t t = 0; t < search.program.tensors.size() && !search.bases.empty(); ++t) {
    const std::set<size_t> bounds = tiles.SymbolsOfContents(static_cast<ir::TensorId>(t));
    if (!seen.insert(bounds).second) continue;
    std::set<int64_t> sizes;
    for (const size_t symbol : bounds) {
      const std::set<int64_t>& of = tiles.OfContents(symbol);
      sizes.insert(of.begin(), of.end());
    }
    visit(bounds, sizes);
  }
}

}  // namespace

std::vector<Shape> ContentShapes(const TileFinder& tiles, const TripSearch& search) {
  std::vector<Shape> found;
  ForEachContent(tiles, search, [&](const std::set<size_t>& bounds, const std::set<int64_t>& of) {
    for (auto size = of.rbegin(); size != of.rend(); ++size) {
      std::optional<Shape> shape =
          search.shape(WithBounds(search, bounds, *size, search.bases.front()));
      if (!shape || !shape->works || shape->cost > kMaxCost) continue;
      found.push_back(*std::move(shape));
      return;
    }
  });
  return found;
}

std::vector<Shape> RaggedShapes(const TileFinder& tiles, const TripSearch& search) {
  int64_t trips = 0;
  for (const LoopNeed& need : LoopsToRepeat(search.program)) trips = std::max(trips, need.near);
  std::vector<Shape> found;
  if (trips == 0) return found;
  ForEachContent(tiles, search, [&](const std::set<size_t>& bounds, const std::set<int64_t>& of) {
    for (const int64_t tile : of) {
      if (tile < kLeastTile) continue;
      std::optional<Shape> shape =
          search.shape(WithBounds(search, bounds, tile * trips, search.bases.front()));
      if (shape && shape->cost > kMaxCostOfTrips) return;
      if (shape && shape->works) found.push_back(*std::move(shape));
    }
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
  if (found.size() > kMaxRagged) found.resize(kMaxRagged);
  return found;
}

}  // namespace verifier
