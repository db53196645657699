// The reference machine: executes an elaborated program on the CPU at warp granularity (32 lanes
// and a mask), deterministically. One run, several observers: values (real arithmetic),
// happens-before (byte-exact shadow memory, lane-exact clocks) and time (counts per statement; the
// cost model's clock later).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/facts/launch.h"
#include "compiler/ir/program.h"
#include "compiler/machine/cuts.h"
#include "compiler/machine/event_log.h"
#include "compiler/machine/premises.h"

namespace compiler::machine {

struct Values;
class Scratch;
struct FreeScratch {
  void operator()(Scratch* scratch) const;
};
// Memory for runs one after the other, of one program with the same facts, Options::values and
// checks.
using ScratchPtr = std::unique_ptr<Scratch, FreeScratch>;
ScratchPtr MakeScratch();

struct Options {
  // Happens-before observer: races, and the clocks that say what each warp knows of every other.
  // Without clocks there can be no `check_races`, `hash_order` and `cuts`, arrivals and waits are
  // judged by counts alone, and nothing grows with the square of how many warps run side by side.
  bool check_races = true;
  bool clocks = true;
  bool check_definedness =
      true;  // reads of unwritten bytes, undefined values at branches, addresses, global stores
  bool count = true;                            // bytes of each statement; executions always are
  int64_t max_lane_statements = 20'000'000;     // over all CTAs; then kLimit
  int64_t max_shadow_bytes = int64_t{1} << 29;  // of global tensors, with check_races; then kLimit
  // Of CTAs side by side: each agent's clock has an entry for every other one; then kLimit.
  int64_t max_clock_bytes = int64_t{1} << 27;
  double max_seconds = 0;                       // wall guard for interactive use; 0: none
  uint64_t schedule_seed =
      0;  // 0: the canonical schedule (warps in order); else a seeded permutation
  std::vector<int64_t> ctas;  // linear ids to run; empty: all
  // CTAs that are resident together in kernels whose CTAs wait for each other; 0: as many as the
  // device surely holds.
  int64_t resident_ctas = 0;
  const std::vector<WarpTickets>* replay = nullptr;  // with log_events: whose tickets to draw
  bool log_events = false;                           // Result::events
  int64_t max_event_records = 4'000'000;             // over all warps; then kLimit
  // What has to be computed (values.h); null: everything. With less, outputs have any values.
  const Values* values = nullptr;
  bool record_written = true;  // Result::written
  // Between a thread's read and the write of an engine behind it a proxy fence has to lie.
  bool strict_proxies = false;
  bool hash_order = false;        // Result::order_hash
  const CutPlan* cuts = nullptr;  // Result::cuts
  PremiseMask unchecked = 0;      // only tests of the checks leave any out
  bool zeroed = false;            // the memory of tensors that begin as zeros is zero already
  Scratch* scratch = nullptr;     // what earlier runs have left; null: the run allocates its own
};

// Host bytes of every tensor in LaunchPlan::tensors order; outputs are written in place.
struct Memory {
  std::vector<std::span<std::byte>> tensors;
};

struct StatementCount {
  int64_t warp_executions = 0, lane_executions = 0;
  int64_t global_bytes_read = 0, global_bytes_written = 0, shared_bytes_read = 0,
          shared_bytes_written = 0;
  int64_t most_trips = 0;  // loops: iterations that one warp began after entering it once
  bool left_out = false;   // counted loops: some thread came to it and made no iteration
};

enum class Outcome : uint8_t { kFinished, kFault /* findings say what */, kDeadlock, kLimit };

// Of a watched truth, false and true; of a watched order, of the left operand to the right one.
inline constexpr uint8_t kOutcomeBelow = 1, kOutcomeEqual = 2, kOutcomeAbove = 4;
inline constexpr uint8_t kOutcomeFalse = kOutcomeBelow, kOutcomeTrue = kOutcomeAbove;

struct Result {
  Outcome outcome = Outcome::kFinished;
  diag::Report report;                     // CK2xxx findings of this run, deterministic order
  std::vector<StatementCount> statements;  // by StmtId, over the run
  int64_t lane_statements = 0;
  // By ExprId, where Options::values watches any: which of kOutcomeBelow (false), kOutcomeEqual and
  // kOutcomeAbove (true) some thread had.
  std::vector<uint8_t> outcomes;
  // Per tensor of the plan, by offset in elements (strides included): stored to by this run. Empty
  // for inputs that no statement stores to, and without Options::record_written.
  std::vector<std::vector<bool>> written;
  // Per tensor of the plan: the offset of the first element of an `out` that this run has not
  // stored to; -1: there is none, the run did not finish, or not all CTAs ran.
  std::vector<int64_t> unwritten;
  // With log_events: every warp of every CTA that ran, in the order in which the CTAs started.
  std::vector<WarpEvents> events;
  // Of what every warp knew whenever it had waited, by CTA and warp: equal for every schedule where
  // one decides for all.
  uint64_t order_hash = 0;
  std::vector<Cut> cuts;  // of every CTA that ran, as Options::cuts says
  PremiseChecks checks;
  bool event_log_full = false;  // the run was stopped at max_event_records
  // With Values::open_picks: the run was stopped where what a `select` picks decides what is
  // undefined, and tells nothing. One without open picks does.
  bool open_pick = false;
};

// Whether the order of one kernel's CTAs has to be followed: it has `grid.sync`, polls global
// memory, or releases and acquires beyond the CTA. Such CTAs run side by side. Relaxed atomics
// alone commute: those kernels run CTA after CTA, like all others.
bool OrdersCtas(const ir::Program& program, const ir::Kernel& kernel);

// Whether the statement is a loop that does nothing but ask whether an event is complete: that is a
// wait. Of any other use of a test both answers matter.
bool SpinsOnTest(const ir::Program& program, const ir::Stmt& stmt);

// A run that ends in a fault or a deadlock names an error. Internal: this one does not, so nothing
// is known of the program, and silence must not pass for correctness.
absl::Status CheckExplained(const Result& result);

// Runs every kernel of the plan in order. What is wrong with the program is in the report; a status
// says that the caller is: InvalidArgument for a plan, facts, values or memory of another program,
// Unimplemented for an instruction without a meaning, which elaboration does not let through;
// Internal for what CheckExplained finds.
absl::StatusOr<Result> Run(const ir::Program& program, const facts::Facts& facts,
                           const facts::LaunchPlan& plan, const ir::LaunchValues& values,
                           const Memory& memory, const Options& options);

}  // namespace compiler::machine
