// Cuts: moments at which every warp of a CTA stands at the head of its loop after the same number
// of trips. Where two cuts leave the same state behind, up to numbers that count trips, what comes
// after them is the same too, so that one run speaks for all trip counts.
//
// The state is who knows what: program counters, generations and arrivals of barriers, clocks, the
// marks of shared memory, groups of copies. Epochs count as their order only, uses and generations
// relative to the uses of a trip. Registers are left out: whoever plans cuts must know that nothing
// but the number of the trip decides there (verifier/closure.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::machine {

// Of one kernel whose CTAs run one after the other, without tensor memory.
struct CutPlan {
  size_t kernel = 0;
  std::vector<ir::StmtId> loops;  // by role: a loop of its own; kNone: the role has none
  std::vector<int64_t> ring_uses, event_uses;  // by RingId and EventId: uses of one trip
  int64_t most_cuts = 256;                     // of one CTA
};

// Of one CTA. Cuts of different versions are not comparable: the roles stand differently far apart.
struct Cut {
  int64_t cta = 0;
  int64_t trips = 0;
  int64_t version = 0;
  int64_t ahead = 0;           // trips that the foremost role is ahead
  uint64_t low = 0, high = 0;  // of the state
};

class Cta;
struct Warp;

// Of one CTA that runs (cuts.cc).
struct Cuts {
  const CutPlan* plan = nullptr;
  int64_t trips = 1;         // of the next cut
  std::vector<int64_t> lag;  // by role: trips that it has to be ahead
  int64_t version = 0;
  int64_t recorded = 0;
  bool over = false;

  // Null where nobody asks for cuts of this CTA.
  static std::unique_ptr<Cuts> Start(const Cta& cta);
  // The warp begins a trip of the loop at its statement.
  void Hold(Warp& warp) const;
  // With nothing left to run: goes on behind a cut, or lets roles get ahead that others wait for.
  // False: it is neither.
  bool Pass(Cta& cta);
  // The warp has waited: Result::order_hash.
  static void NoteOrder(Warp& warp);

 private:
  class Writer;
  void Record(Cta& cta);
};

}  // namespace compiler::machine
