// Whether the loops over rings, events and staged buffers ran as often as their mistakes need.
#pragma once

#include <string>
#include <vector>

#include "verifier/analysis.h"
#include "verifier/explore.h"

namespace verifier {

struct LoopSeen {
  compiler::diag::Span span;  // of the loop
  int64_t seen = 0, needed = 0;
  bool operator==(const LoopSeen&) const = default;
};

struct TripCoverage {
  std::vector<LoopSeen> bounded;   // some shape may repeat them more often than any run did
  std::vector<LoopSeen> complete;  // fewer trips than needed, but no shape has more
};

// Of the loops that ran, in source order; a body that is inlined several times is one loop.
TripCoverage CoverageOfTrips(const ir::Program& program, const std::vector<KernelAnalysis>& kernels,
                             const Selection& selection, const Exploration& exploration);

struct TripBound {
  int64_t ran = 0;   // trips, of the loop of the kernel that made most
  bool more = false; // some shape may repeat a loop more often than any run did
};

// Of the loops of one kernel that was launched.
TripBound BoundOfTrips(const ir::Program& program, const std::vector<KernelAnalysis>& kernels,
                       const Exploration& exploration, size_t kernel);

// Whether each loop of a kernel that was launched has run as often as it needs.
bool LoopsHaveRun(const ir::Program& program, const Exploration& exploration);

// "; loop in line 9: 3 trips run of 7 needed"; "" where there is nothing to say.
std::string TripWords(const ir::Program& program, const TripCoverage& coverage);

// An advice for each `while` whose end depends on how floats are rounded, which small shapes do not
// show.
compiler::diag::Report CountedInFloats(const ir::Program& program, const Exploration& exploration);

// An advice for each bounded loop.
compiler::diag::Report TripAdvice(const TripCoverage& coverage);

}  // namespace verifier
