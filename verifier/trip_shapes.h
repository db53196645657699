// Shapes at which loops over rings, events and staged buffers run as often as they must.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "verifier/instances.h"
#include "verifier/trips.h"

namespace verifier {

// What can be varied.
struct TripSearch {
  const ir::Program& program;
  const std::vector<size_t>& symbols;       // numbers of those that a shape is made of
  const std::vector<int64_t>& divisors;     // of each
  std::vector<std::vector<int64_t>> bases;  // values of small shapes that the guard admits
  // The shape of given values; nothing when the guard does not admit it.
  std::function<std::optional<Shape>(const std::vector<int64_t>&)> shape;
};

// Adds to `selection.trips` the cheapest shapes found that give each loop its trips, where no shape
// of `selection.shapes` does, and to `selection.fewer_trips` those that give it each smaller
// number.
void SelectTrips(const TripSearch& search, Selection& selection);

}  // namespace verifier
