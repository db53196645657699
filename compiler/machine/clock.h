// Vector clocks with lane refinement (the happens-before observer's notion of time).
//
// An agent is anything that performs memory accesses in an order of its own: today the warps of a
// CTA, later also the queues of asynchronous engines, whose operations get epochs of their slot.
// That is why agents are plain numbers and accesses are not tied to a warp's state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/ir/op_def.h"

namespace compiler::machine {

using AgentId = uint16_t;
using Epoch = uint32_t;  // 1, 2, ..; 0 is before everything

// What lanes of one agent are known to have done beyond what all of them have: an elected release
// without a warp sync publishes only its own lane, which a clock of whole warps cannot say.
struct LanePart {
  AgentId agent = 0;
  uint32_t lanes = 0;
  Epoch epoch = 0;
  bool operator==(const LanePart&) const = default;
};

// A clock of no agents is not kept: it learns nothing, and finds everything in order.
class Clock {
 public:
  Clock() = default;
  explicit Clock(size_t agents) : all_(agents) {}

  bool operator==(const Clock&) const = default;
  size_t agents() const { return all_.size(); }
  const Epoch* epochs() const { return all_.data(); }  // by agent, of all its lanes
  // All lanes of `agent` are known up to here.
  Epoch All(AgentId agent) const { return all_.empty() ? 0 : all_[agent]; }

  // True when everything that `lanes` of `agent` did up to `epoch` is known.
  bool Covers(AgentId agent, Epoch epoch, uint32_t lanes) const {
    if (all_.empty() || all_[agent] >= epoch) return true;
    return !parts_.empty() && CoversLanes(agent, epoch, lanes);
  }
  // Learns that all lanes of `agent` have done everything up to `epoch`.
  void Learn(AgentId agent, Epoch epoch) {
    if (all_.empty() || epoch <= all_[agent]) return;
    all_[agent] = epoch;
    if (!parts_.empty()) DropUpTo(agent, epoch);
  }
  // Learns the same of the given lanes only.
  void LearnLanes(AgentId agent, uint32_t lanes, Epoch epoch);
  void Join(const Clock& other);
  // True when `other` knows everything that this clock knows, the entry of `except` aside.
  bool CoveredBy(const Clock& other, AgentId except) const;
  // Knows of no agent.
  void Clear();
  // Knows of these agents, and nothing of any.
  void Reset(size_t agents);
  // What is known of one lane, and whether of some lane more is than of all.
  Epoch LaneEpoch(AgentId agent, int lane) const;
  bool KnowsSomeLanes(AgentId agent) const;

 private:
  bool CoversLanes(AgentId agent, Epoch epoch, uint32_t lanes) const;
  void DropUpTo(AgentId agent, Epoch epoch);
  size_t FirstOf(AgentId agent) const;  // of its parts
  void LearnPart(size_t first, LanePart learned);

  std::vector<Epoch> all_;
  // By agent. Of one agent each lane is in one part at most, with an epoch beyond `all_`.
  std::vector<LanePart> parts_;
};

// What some lanes of a warp have learned by themselves and the others have not yet.
struct LaneKnowledge {
  uint32_t lanes = 0;
  bool foreign = false;  // of another CTA
  Clock clock;
};

// The clocks of one lane group. `happened` is generic causality; `fenced` is the part of it that a
// proxy fence on the causality path covers, `fenced_by_owner` only what the accessing thread fenced
// itself. The last two stay empty (know nothing) until a kernel has a proxy fence: then every
// release publishes all three and every acquire joins all three.
// `ordered` is kept where CTAs share a cluster: what comes before in any case, also where no scope
// makes it visible. It has all of `happened`, and decides on generations and on reads that are
// over.
struct Clocks {
  Clock happened, fenced, fenced_by_owner, ordered;

  const Clock& Order() const { return ordered.agents() != 0 ? ordered : happened; }
  void Learn(AgentId agent, Epoch epoch) {
    happened.Learn(agent, epoch);
    if (ordered.agents() != 0) ordered.Learn(agent, epoch);
  }
  void LearnLanes(AgentId agent, uint32_t lanes, Epoch epoch) {
    happened.LearnLanes(agent, lanes, epoch);
    if (ordered.agents() != 0) ordered.LearnLanes(agent, lanes, epoch);
  }
  void JoinHappened(const Clock& other) {
    happened.Join(other);
    if (ordered.agents() != 0) ordered.Join(other);
  }
  // What comes from another CTA: its proxy fences count only where the thread fences again.
  void JoinFar(const Clocks& other) {
    happened.Join(other.happened);
    if (other.fenced_by_owner.agents() != 0) fenced_by_owner.Join(other.fenced_by_owner);
    if (other.ordered.agents() != 0) ordered.Join(other.ordered);
  }

  void Join(const Clocks& other) {
    happened.Join(other.happened);
    if (other.fenced.agents() != 0) fenced.Join(other.fenced);
    if (other.fenced_by_owner.agents() != 0) fenced_by_owner.Join(other.fenced_by_owner);
    if (other.ordered.agents() != 0) ordered.Join(other.ordered);
  }
  void Reset(size_t agents) {
    Clear();
    happened.Reset(agents);
  }
  void Clear() {
    happened.Clear();
    fenced.Clear();
    fenced_by_owner.Clear();
    ordered.Clear();
  }
};

}  // namespace compiler::machine
