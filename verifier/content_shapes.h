// Shapes for what threads read: a ragged tensor says by its contents how far they go.
#pragma once

#include <vector>

#include "verifier/tiles.h"
#include "verifier/trip_shapes.h"

namespace verifier {

// Small dims keep the contents that they bound small. For each tensor with contracts the symbols
// that bound it are as large as the largest tile that control compares its contents with, of those
// that are cheap to run.
std::vector<Shape> ContentShapes(const TileFinder& tiles, const TripSearch& search);

// The same at multiples of tiles, of so many trips as the loops of the program need: for loops
// whose number of trips contents decide. The cheapest first; run without data.
std::vector<Shape> RaggedShapes(const TileFinder& tiles, const TripSearch& search);

}  // namespace verifier
