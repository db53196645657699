#include "compiler/machine/clock.h"

#include <algorithm>
#include <cstddef>

namespace compiler::machine {

size_t Clock::FirstOf(AgentId agent) const {
  const auto first =
      std::lower_bound(parts_.begin(), parts_.end(), agent,
                       [](const LanePart& part, AgentId of) { return part.agent < of; });
  return static_cast<size_t>(first - parts_.begin());
}

void Clock::DropUpTo(AgentId agent, Epoch epoch) {
  for (size_t i = FirstOf(agent); i < parts_.size() && parts_[i].agent == agent;) {
    if (parts_[i].epoch > epoch) {
      ++i;
    } else {
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void Clock::LearnLanes(AgentId agent, uint32_t lanes, Epoch epoch) {
  if (all_.empty() || epoch <= all_[agent] || lanes == 0) return;
  LearnPart(FirstOf(agent), {.agent = agent, .lanes = lanes, .epoch = epoch});
}

// `first`: where the agent's parts are, or would be.
void Clock::LearnPart(size_t first, LanePart learned) {
  if (learned.lanes == ~uint32_t{0}) return Learn(learned.agent, learned.epoch);
  constexpr size_t kNone = ~size_t{0};
  size_t same = kNone, end = first;  // the part of lanes that are known up to just there
  for (; end < parts_.size() && parts_[end].agent == learned.agent; ++end) {
    if (parts_[end].epoch == learned.epoch) same = end;
    if (parts_[end].epoch >= learned.epoch) learned.lanes &= ~parts_[end].lanes;
  }
  if (learned.lanes == 0) return;
  if (same != kNone) {
    parts_[same].lanes |= learned.lanes;
    if (parts_[same].lanes == ~uint32_t{0}) return Learn(learned.agent, learned.epoch);
  }
  // Lanes that were known up to an earlier epoch leave their part; one that nobody is left in takes
  // the new ones.
  for (size_t i = end; i-- > first;) {
    LanePart& part = parts_[i];
    if (part.epoch >= learned.epoch) continue;
    part.lanes &= ~learned.lanes;
    if (part.lanes != 0) continue;
    if (same == kNone) {
      part = learned;
      same = i;
    } else {
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (same == kNone) parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(first), learned);
}

void Clock::Join(const Clock& other) {
  const size_t count = other.all_.size();
  if (all_.size() < count) all_.resize(count);
  Epoch* const mine = all_.data();
  const Epoch* const theirs = other.all_.data();
  for (size_t i = 0; i < count; ++i) mine[i] = std::max(mine[i], theirs[i]);
  if (!parts_.empty()) {
    std::erase_if(parts_, [&](const LanePart& part) { return part.epoch <= all_[part.agent]; });
  }
  size_t at = 0;
  for (const LanePart& part : other.parts_) {
    if (part.epoch <= all_[part.agent]) continue;
    while (at < parts_.size() && parts_[at].agent < part.agent) ++at;
    LearnPart(at, part);
  }
}

bool Clock::CoveredBy(const Clock& other, AgentId except) const {
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i] <= other.all_[i] || i == except) continue;
    if (!other.Covers(static_cast<AgentId>(i), all_[i], ~uint32_t{0})) return false;
  }
  return std::all_of(parts_.begin(), parts_.end(), [&](const LanePart& part) {
    return part.agent == except || other.Covers(part.agent, part.epoch, part.lanes);
  });
}

void Clock::Clear() {
  all_.clear();
  parts_.clear();
}

void Clock::Reset(size_t agents) {
  all_.assign(agents, 0);
  parts_.clear();
}

bool Clock::CoversLanes(AgentId agent, Epoch epoch, uint32_t lanes) const {
  for (size_t i = FirstOf(agent); i < parts_.size() && parts_[i].agent == agent; ++i) {
    if (parts_[i].epoch >= epoch) lanes &= ~parts_[i].lanes;
  }
  return lanes == 0;
}

Epoch Clock::LaneEpoch(AgentId agent, int lane) const {
  for (size_t i = FirstOf(agent); i < parts_.size() && parts_[i].agent == agent; ++i) {
    if ((parts_[i].lanes >> lane & 1) != 0) return parts_[i].epoch;
  }
  return all_[agent];
}

bool Clock::KnowsSomeLanes(AgentId agent) const {
  const size_t first = FirstOf(agent);
  return first < parts_.size() && parts_[first].agent == agent;
}

}  // namespace compiler::machine
