#include "compiler/machine/shadow.h"

#include <utility>

namespace compiler::machine {
namespace {

constexpr Epoch kNeverKnown = ~Epoch{0};

// Verifier theory, two proxies: a write that is no TMA's comes before an access of TMA only where a
// proxy fence lies between them. Other pairs need no fence: completion of TMA implies one, and
// reads before a refill are ordered by the event alone.
bool Fenced(const Accessor& by, const AccessRecord& write, uint8_t lane) {
  if (!by.async_proxy || write.async_proxy) return true;
  const auto covers = [&](const Clock* fenced) {
    return fenced != nullptr && write.agent < fenced->agents() &&
           fenced->Covers(write.agent, write.epoch, uint32_t{1} << lane);
  };
  // Of another CTA's write two fences are asked for: its own, and one here.
  return covers(by.fenced) && (write.serial == by.serial || covers(by.fenced_by_owner));
}

// The same of a read by a thread, where that is asked for.
bool FencedRead(const Accessor& by, const AccessRecord& read, uint32_t lanes) {
  if (!by.async_proxy || read.agent >= by.fenced_readers) return true;
  return by.fenced != nullptr && read.agent < by.fenced->agents() &&
         by.fenced->Covers(read.agent, read.epoch, lanes);
}

// Whether the accessor, an engine, comes after accesses that are over and pass no data on: a slot
// that other CTAs have released may be filled, though their release is none of the cluster's scope.
bool Over(const Accessor& by, AgentId agent, Epoch epoch, uint32_t lanes) {
  return by.async_proxy && by.ordered != nullptr && by.ordered->Covers(agent, epoch, lanes);
}

bool Covered(const Accessor& by, const AccessRecord& read, const ReadMark& mark) {
  Accessor::Uncovered& known = by.uncovered[mark.id % by.uncovered.size()];
  if (known.id == mark.id && known.lanes == mark.lanes) return false;
  if (by.clock->Covers(read.agent, read.epoch, mark.lanes)) return true;
  known = {mark.id, mark.lanes};
  return false;
}

// With what `lanes` have done.
Conflict With(const AccessRecord& earlier, uint32_t lanes, ConflictKind kind, int lane) {
  return {.kind = kind,
          .earlier_site = earlier.site,
          .earlier_step = earlier.step,
          .earlier_serial = earlier.serial,
          .earlier_agent = earlier.agent,
          .earlier_epoch = earlier.epoch,
          .earlier_lanes = lanes,
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
  const AccessRecord& write = (*by.records)[cell.write];
  if (write.serial < by.launch_serial) return;
  const uint32_t bit = uint32_t{1} << cell.write_lane;
  if (write.serial < by.space_serial || !Ordered(by, lane, write.agent, write.epoch, bit)) {
    conflicts.Add(With(write, bit, ConflictKind::kWriteRead, lane));
  } else if (!Fenced(by, write, cell.write_lane)) {
    conflicts.AddUnfenced(With(write, bit, ConflictKind::kWriteRead, lane));
  }
}

void RaceRules::AddReader(Cell& cell, const Accessor& by, uint32_t lanes) {
  ReadMark& head = cell.read;
  const ReadMark mine{.id = by.Id(), .lanes = lanes};
  const AccessRecords& records = *by.records;
  const uint32_t serial = records[head.id].serial;
  if (serial < by.space_serial) {
    if (serial >= by.launch_serial) cell.other = head.id;
    head = mine;
    return;
  }
  ReadMark* mark = &head;
  while (true) {
    const AccessRecord& read = records[mark->id];
    if (read.agent == by.agent) {
      if (!by.asynchronous && read.epoch <= by.converged) mark->lanes = 0;
      mark->lanes |= lanes;
      mark->id = mine.id;
      return;
    }
    if (Covered(by, read, *mark)) {
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
  const AccessRecords& records = *by.records;
  const AccessRecord& write = records[cell.write];
  if (write.serial >= by.launch_serial) {
    const uint32_t bit = uint32_t{1} << cell.write_lane;
    const bool ordered = write.serial >= by.space_serial &&
                         (Ordered(by, lane, write.agent, write.epoch, bit) ||
                          (write.async_proxy && Over(by, write.agent, write.epoch, bit)));
    if (!ordered && !(write.reduces && by.reduces)) {
      conflicts.Add(With(write, bit, ConflictKind::kWriteWrite, lane));
    } else if (ordered && !Fenced(by, write, cell.write_lane)) {
      conflicts.AddUnfenced(With(write, bit, ConflictKind::kWriteWrite, lane));
    }
  }
  const AccessRecord& head = records[cell.read.id];
  if (head.serial < by.launch_serial) return;
  if (head.serial < by.space_serial) {
    conflicts.Add(With(head, cell.read.lanes, ConflictKind::kReadWrite, lane));
    return;
  }
  for (const ReadMark* mark = &cell.read;; mark = &pool_[static_cast<size_t>(mark->more)]) {
    const AccessRecord& read = records[mark->id];
    if (!Ordered(by, lane, read.agent, read.epoch, mark->lanes) &&
        !Over(by, read.agent, read.epoch, mark->lanes)) {
      conflicts.Add(With(read, mark->lanes, ConflictKind::kReadWrite, lane));
    } else if (!FencedRead(by, read, mark->lanes)) {
      conflicts.AddUnfenced(With(read, mark->lanes, ConflictKind::kReadWrite, lane));
    }
    if (mark->more < 0) break;
  }
  const AccessRecord& other = records[cell.other];
  if (other.serial < by.launch_serial || other.serial >= by.space_serial) return;
  AccessRecord elsewhere{.serial = other.serial, .site = other.site, .agent = other.agent};
  conflicts.Add(With(elsewhere, 0, ConflictKind::kReadWrite, lane));
}

void RaceRules::WriteAfter(Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) {
  CheckWrite(cell, by, lane, conflicts);
  // Two reductions that nothing orders are both in: no later access can know of the two by what it
  // knows of one.
  const AccessRecord& old = (*by.records)[cell.write];
  const bool merged = old.reduces && by.reduces && old.serial >= by.launch_serial &&
                      (old.serial < by.space_serial ||
                       !Ordered(by, lane, old.agent, old.epoch, uint32_t{1} << cell.write_lane));
  Mark(cell, merged ? by.records->Add(by.Record(kNeverKnown)) : by.Id(), lane);
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
