// Whether the logs of two runs are equal, and where they part: the sequences of every (kernel, CTA,
// role, warp, lane), record by record.
//
// A lane's sequence is made of the records whose mask has the lane, in the order of its warp's log.
// The lanes of a warp may come apart, and then each part leaves its own record of what the machine
// does at once; how it comes apart is no difference, nor is who of two parts is first. But each
// lane has to do all that the machine's lane does, once, and in that order. What takes the whole
// warp (waits, elected arrivals, barriers) is in the sequences of all lanes, so that nothing of any
// lane can move across it unnoticed. Records that the machine has of one thread, such as loads,
// name that thread on both sides.
//
// Which CTA gets which work may depend on the order of their atomics: what an atomic on global
// memory gives is a ticket. Tickets are permuted between runs, so a log with tickets is compared
// with that of a machine that draws, warp by warp and lane by lane, what the device drew
// (machine::Options::replay). The tickets are records too: one more or one less is a difference.
// So are the answers of launch control: CTAs whose place others took on the device do not begin.
#pragma once

#include <string>
#include <vector>

#include "tests/device/events/record.h"

namespace device::events {

inline constexpr size_t kMismatchesToldMax = 8;

struct Mismatch {
  std::string kernel, role;
  int64_t cta = 0, warp = 0;
  int lane = 0;                 // the first of those that part soonest
  int64_t index = 0;            // in the lane's sequence
  std::string machine, device;  // the two records; "nothing" where a sequence has ended
  int64_t line = 0;             // of the source
};
std::string Text(const Mismatch& mismatch);

struct Comparison {
  int64_t warps = 0, records = 0;  // of the machine
  int64_t mismatches = 0;          // warps whose sequences part
  int64_t missing = 0;             // records of the device that had no room
  std::vector<Mismatch> told;      // the first kMismatchesToldMax
};

bool HasTickets(const compiler::ir::Program& program, const compiler::ir::Kernel& kernel);

// Both sorted by kernel, CTA, role and warp, as record.h gives them.
Comparison Compare(const compiler::ir::Program& program, const std::vector<WarpLog>& machine,
                   const std::vector<WarpLog>& device);

}  // namespace device::events
