#include "compiler/machine/shadow.h"

#include <utility>

namespace compiler::machine {
namespace {

constexpr Epoch kNeverKnown = ~Epoch{0};

// Verifier theory, two proxies: a write that is no TMA's comes before an access of TMA only where a
// proxy fence lies between them. Other pairs need no fence: completion of TMA implies one, and
// reads before a refill are ordered by the event alone.
bool Fenced(const Accessor& by, const WriteMark& write) {
  if (!by.async_proxy || write.async_proxy) return true;
  const auto covers = [&](const Clock* fenced) {
    return fenced != nullptr && write.agent < fenced->agents() &&
           fenced->Covers(write.agent, write.epoch, uint32_t{1} << write.lane);
  };
  // Of another CTA's write two fences are asked for: its own, and one here.
  return covers(by.fenced) && (write.serial == by.serial || covers(by.fenced_by_owner));
}

// The same of a read by a thread, where that is asked for.
bool FencedRead(const Accessor& by, const ReadMark& read) {
  if (!by.async_proxy || read.agent >= by.fenced_readers) return true;
  return by.fenced != nullptr && read.agent < by.fenced->agents() &&
         by.fenced->Covers(read.agent, read.epoch, read.lanes);
}

// Whether the accessor, an engine, comes after accesses that are over and pass no data on: a slot
// that other CTAs have released may be filled, though their release is none of the cluster's scope.
bool Over(const Accessor& by, AgentId agent, Epoch epoch, uint32_t lanes) {
  return by.async_proxy && by.ordered != nullptr && by.ordered->Covers(agent, epoch, lanes);
}

Conflict FromWrite(const WriteMark& mark, ConflictKind kind, int lane) {
  return {.kind = kind,
          .earlier_site = mark.site,
          .earlier_step = mark.step,
          .earlier_serial = mark.serial,
          .earlier_agent = mark.agent,
          .earlier_epoch = mark.epoch,
          .earlier_lanes = uint32_t{1} << mark.lane,
          .lane = lane};
}

Conflict FromRead(const ReadMark& mark, int lane) {
  return {.kind = ConflictKind::kReadWrite,
          .earlier_site = mark.site,
          .earlier_step = mark.step,
          .earlier_serial = mark.serial,
          .earlier_agent = mark.agent,
          .earlier_epoch = mark.epoch,
          .earlier_lanes = mark.lanes,
          .lane = lane};
}

}  // namespace

bool Ordered(const Accessor& by, int lane, AgentId agent, Epoch epoch, uint32_t lanes) {
  const uint32_t bit = uint32_t{1} << lane;
  const bool own_lane = (lanes & ~bit) == 0;
  if (agent == by.issuer) {
    // A lane is ordered after itself; after other lanes of its warp only through a convergence.
    if (epoch <= by.converged || own_lane) return true;
  } else if (by.clock->Covers(agent, epoch, lanes)) {
    return true;
  }
  for (size_t i = 0; i < by.owns && own_lane; ++i) {
    const Accessor::Own& own = by.own[i];
    if (own.agent == agent && (*own.known)[static_cast<size_t>(lane)] >= epoch) return true;
  }
  if (by.acquired == nullptr) return false;
  for (const LaneKnowledge& known : *by.acquired) {
    if ((known.lanes & bit) != 0 && known.clock.Covers(agent, epoch, lanes)) return true;
  }
  return false;
}

void ConflictList::AddUnfenced(Conflict conflict) {
  conflict.unfenced = true;
  Add(conflict);
}

void ConflictList::Add(Conflict conflict) {
  for (const Conflict& known : conflicts_) {
    if (known.earlier_site == conflict.earlier_site && known.kind == conflict.kind) return;
  }
  conflict.byte = byte_;
  conflict.later_strong = strong_;
  conflicts_.push_back(conflict);
}

void RaceRules::CheckRead(const Cell& cell, const Accessor& by, int lane,
                          ConflictList& conflicts) const {
  const WriteMark& write = cell.write;
  if (write.serial < by.launch_serial) return;
  if (write.serial < by.space_serial ||
      !Ordered(by, lane, write.agent, write.epoch, uint32_t{1} << write.lane)) {
    conflicts.Add(FromWrite(write, ConflictKind::kWriteRead, lane));
  } else if (!Fenced(by, write)) {
    conflicts.AddUnfenced(FromWrite(write, ConflictKind::kWriteRead, lane));
  }
}

void RaceRules::AddReader(Cell& cell, const Accessor& by, int lane) {
  ReadMark& head = cell.read;
  const ReadMark mine = MarkOf(by, lane);
  if (head.serial < by.space_serial) {
    if (head.serial >= by.launch_serial) {
      cell.other_serial = head.serial;
      cell.other_site = head.site;
      cell.other_agent = head.agent;
    }
    head = mine;
    return;
  }
  ReadMark* mark = &head;
  while (true) {
    if (mark->agent == by.agent) return Merge(*mark, by, lane);
    if (by.clock->Covers(mark->agent, mark->epoch, mark->lanes)) {
      const int32_t more = mark->more;
      *mark = mine;
      mark->more = more;
      return;
    }
    if (mark->more < 0) break;
    mark = &pool_[static_cast<size_t>(mark->more)];
  }
  mark->more = static_cast<int32_t>(pool_.size());
  pool_.push_back(mine);
}

Cell RaceRules::CopyOf(const Cell& cell) {
  Cell copy = cell;
  // Of an earlier CTA's marks the further readers are gone; nobody looks at them.
  const auto is_there = [&](int32_t more) {
    return more >= 0 && static_cast<size_t>(more) < pool_.size();
  };
  int32_t more = is_there(cell.read.more) ? cell.read.more : -1;
  copy.read.more = more < 0 ? -1 : static_cast<int32_t>(pool_.size());
  while (more >= 0) {
    ReadMark mark = pool_[static_cast<size_t>(more)];
    more = is_there(mark.more) ? mark.more : -1;
    mark.more = more < 0 ? -1 : static_cast<int32_t>(pool_.size()) + 1;
    pool_.push_back(mark);
  }
  return copy;
}

void RaceRules::CheckWrite(const Cell& cell, const Accessor& by, int lane,
                           ConflictList& conflicts) const {
  const WriteMark& write = cell.write;
  if (write.serial >= by.launch_serial) {
    const uint32_t bit = uint32_t{1} << write.lane;
    const bool ordered = write.serial >= by.space_serial &&
                         (Ordered(by, lane, write.agent, write.epoch, bit) ||
                          (write.async_proxy && Over(by, write.agent, write.epoch, bit)));
    if (!ordered && !(write.reduces && by.reduces)) {
      conflicts.Add(FromWrite(write, ConflictKind::kWriteWrite, lane));
    } else if (ordered && !Fenced(by, write)) {
      conflicts.AddUnfenced(FromWrite(write, ConflictKind::kWriteWrite, lane));
    }
  }
  if (cell.read.serial < by.launch_serial) return;
  if (cell.read.serial < by.space_serial) {
    conflicts.Add(FromRead(cell.read, lane));
    return;
  }
  for (const ReadMark* mark = &cell.read;; mark = &pool_[static_cast<size_t>(mark->more)]) {
    if (!Ordered(by, lane, mark->agent, mark->epoch, mark->lanes) &&
        !Over(by, mark->agent, mark->epoch, mark->lanes)) {
      conflicts.Add(FromRead(*mark, lane));
    } else if (!FencedRead(by, *mark)) {
      conflicts.AddUnfenced(FromRead(*mark, lane));
    }
    if (mark->more < 0) break;
  }
  if (cell.other_serial >= by.launch_serial && cell.other_serial < by.space_serial) {
    ReadMark other;
    other.serial = cell.other_serial;
    other.site = cell.other_site;
    other.agent = cell.other_agent;
    conflicts.Add(FromRead(other, lane));
  }
}

void RaceRules::WriteAfter(Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) {
  CheckWrite(cell, by, lane, conflicts);
  // Two reductions that nothing orders are both in: no later access can know of the two by what it
  // knows of one.
  const WriteMark& old = cell.write;
  const bool merged = old.reduces && by.reduces && old.serial >= by.launch_serial &&
                      (old.serial < by.space_serial ||
                       !Ordered(by, lane, old.agent, old.epoch, uint32_t{1} << old.lane));
  Mark(cell, by, lane, merged ? kNeverKnown : by.epoch);
}

bool ShadowMemory::Allocate(std::vector<Cell>& page, int64_t& budget_bytes) {
  budget_bytes -= static_cast<int64_t>(kPageCells * sizeof(Cell));
  if (budget_bytes < 0) return false;
  if (left_.empty()) {
    page.resize(kPageCells);
    return true;
  }
  page = std::move(left_.back());
  left_.pop_back();
  return true;
}

ShadowMemory::~ShadowMemory() {
  for (std::vector<Cell>& page : pages_) {
    if (!page.empty()) left_.push_back(std::move(page));
  }
}

}  // namespace compiler::machine
