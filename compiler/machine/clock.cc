#include "compiler/machine/clock.h"

#include <algorithm>

namespace compiler::machine {

void Clock::Learn(AgentId agent, Epoch epoch) {
  ClockEntry& entry = entries_[agent];
  entry.all = std::max(entry.all, epoch);
  // Lanes that are not ahead of the rest any more need no refinement.
  if (entry.inflated < 0 && entry.lanes_epoch <= entry.all) {
    entry.lanes = 0;
    entry.lanes_epoch = 0;
  }
}

void Clock::LearnLanes(AgentId agent, uint32_t lanes, Epoch epoch) {
  ClockEntry& entry = entries_[agent];
  if (epoch <= entry.all || lanes == 0) return;
  if (lanes == ~uint32_t{0}) return Learn(agent, epoch);
  if (entry.inflated < 0 && (entry.lanes_epoch == 0 || entry.lanes == lanes)) {
    entry.lanes = lanes;
    entry.lanes_epoch = std::max(entry.lanes_epoch, epoch);
    return;
  }
  Inflate(entry);
  LaneRow& row = rows_[static_cast<size_t>(entry.inflated)];
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((lanes >> lane & 1) != 0) row[lane] = std::max(row[lane], epoch);
  }
  entry.lanes |= lanes;
  entry.lanes_epoch = std::max(entry.lanes_epoch, epoch);
}

void Clock::Join(const Clock& other) {
  if (entries_.size() < other.entries_.size()) entries_.resize(other.entries_.size());
  for (size_t i = 0; i < other.entries_.size(); ++i) {
    const ClockEntry& theirs = other.entries_[i];
    const auto agent = static_cast<AgentId>(i);
    if (theirs.all != 0) Learn(agent, theirs.all);
    if (theirs.lanes_epoch == 0) continue;
    if (theirs.inflated < 0) {
      LearnLanes(agent, theirs.lanes, theirs.lanes_epoch);
      continue;
    }
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      LearnLanes(agent, uint32_t{1} << lane, other.LaneEpoch(theirs, lane));
    }
  }
}

bool Clock::CoveredBy(const Clock& other, AgentId except) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i == except) continue;
    const auto agent = static_cast<AgentId>(i);
    const ClockEntry& mine = entries_[i];
    if (mine.all != 0 && !other.Covers(agent, mine.all, ~uint32_t{0})) return false;
    if (mine.lanes_epoch == 0) continue;
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      const Epoch epoch = LaneEpoch(mine, lane);
      if (epoch != 0 && !other.Covers(agent, epoch, uint32_t{1} << lane)) return false;
    }
  }
  return true;
}

void Clock::Clear() {
  entries_.clear();
  rows_.clear();
}

bool Clock::CoversLanes(const ClockEntry& entry, Epoch epoch, uint32_t lanes) const {
  if (entry.inflated < 0) return entry.lanes_epoch >= epoch && (lanes & ~entry.lanes) == 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((lanes >> lane & 1) != 0 && LaneEpoch(entry, lane) < epoch) return false;
  }
  return true;
}

Epoch Clock::LaneEpoch(const ClockEntry& entry, int lane) const {
  Epoch epoch = entry.all;
  if (entry.inflated >= 0) {
    epoch = std::max(epoch, rows_[static_cast<size_t>(entry.inflated)][static_cast<size_t>(lane)]);
  } else if ((entry.lanes >> lane & 1) != 0) {
    epoch = std::max(epoch, entry.lanes_epoch);
  }
  return epoch;
}

void Clock::Inflate(ClockEntry& entry) {
  if (entry.inflated >= 0) return;
  LaneRow row{};
  for (int lane = 0; lane < ir::kLanes; ++lane) row[lane] = LaneEpoch(entry, lane);
  entry.inflated = static_cast<int32_t>(rows_.size());
  rows_.push_back(row);
}

}  // namespace compiler::machine
