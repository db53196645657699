// Groups of asynchronous copies. A thread's copies complete by groups, in the order in which it has
// closed them (PTX ISA, cp.async.commit_group, cp.async.bulk.commit_group): epochs of the warp's
// queue count closed groups, a lane each, and only the thread that waits learns of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/clock.h"

namespace compiler::machine {

// The groups of the 32 lanes of one warp, of one kind of copy.
struct LaneGroups {
  std::array<Epoch, ir::kLanes> open{};      // epoch of the copies that are issued now
  std::array<Epoch, ir::kLanes> complete{};  // up to here this lane knows its copies are complete
  std::array<Epoch, ir::kLanes> read{};      // .. their sources read
  std::array<Epoch, ir::kLanes> issued{};    // of the last copy, 0: none
  std::array<ir::StmtId, ir::kLanes> last{};
  std::array<std::vector<Epoch>, ir::kLanes> closed;  // the newest last

  void Restart() {
    open.fill(1);
    complete.fill(0);
    read.fill(0);
    issued.fill(0);
    last.fill(ir::StmtId::kNone);
    for (std::vector<Epoch>& groups : closed) groups.clear();
  }
  void Issue(int lane, ir::StmtId stmt) {
    issued[static_cast<size_t>(lane)] = open[static_cast<size_t>(lane)];
    last[static_cast<size_t>(lane)] = stmt;
  }
  // What the lane issues from here on is another epoch, whether or not a group ends.
  void Advance(int lane) { ++open[static_cast<size_t>(lane)]; }
  void Close(int lane) {
    std::vector<Epoch>& groups = closed[static_cast<size_t>(lane)];
    // More pending groups than this are not followed: a wait for fewer learns nothing of them.
    constexpr size_t kMaxGroupsKept = 1024;
    if (groups.size() == 2 * kMaxGroupsKept) {
      groups.erase(groups.begin(), groups.begin() + kMaxGroupsKept);
    }
    groups.push_back(open[static_cast<size_t>(lane)]);
    Advance(lane);
  }
  // The epoch up to which all but the newest `pending` groups go, 0 where there are no more.
  Epoch UpTo(int lane, int64_t pending) const {
    const std::vector<Epoch>& groups = closed[static_cast<size_t>(lane)];
    const auto size = static_cast<int64_t>(groups.size());
    return pending >= size ? 0 : groups[static_cast<size_t>(size - 1 - pending)];
  }
};

// When a warp issued the first product of a group, in its own epochs.
struct ProductIssue {
  Epoch group = 0, warp_epoch = 0;
};
constexpr size_t kProductIssuesKept = 64;

struct WarpGroups {
  LaneGroups copies;  // cp.async
  LaneGroups bulk;    // bulk stores and reductions
  // Products of the warpgroup as this warp knows them: the warp acts as one, in lane 0.
  LaneGroups products;
  std::vector<ProductIssue> issues;  // the newest last

  void IssueProduct(ir::StmtId stmt, Epoch warp_epoch) {
    products.Issue(0, stmt);
    if (!issues.empty() && issues.back().group == products.open[0]) return;
    if (issues.size() == kProductIssuesKept) issues.erase(issues.begin());
    issues.push_back({products.open[0], warp_epoch});
  }
};

}  // namespace compiler::machine
