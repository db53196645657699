#include "tests/mutation/explorer.h"

#include <array>
#include <cstring>
#include <unordered_set>

namespace mutation {
namespace {

// Small unsigned numbers only, so that equal states are equal bytes.
struct State {
  std::array<uint8_t, kMaxAgents> pc{};
  std::array<uint8_t, kMaxSlots> tag{};         // who wrote last: a step's number, 0 nobody
  std::array<uint8_t, kMaxBarriers> parity{};   // of the current phase
  std::array<uint8_t, kMaxBarriers> pending{};  // arrivals that are missing
  std::array<int16_t, kMaxBarriers> bytes{};    // expected minus complete
  std::array<uint8_t, kMaxNamed> arrived{};
  std::array<uint8_t, kMaxNamed> blocked{};  // agents that wait there
  uint16_t done = 0;                         // copies
  uint16_t unfenced = 0;                     // slots
  bool operator==(const State&) const = default;
};

struct HashState {
  size_t operator()(const State& state) const {
    uint64_t words[sizeof(State) / 8 + 1] = {};
    std::memcpy(words, &state, sizeof(State));
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (const uint64_t word : words) {
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }
};
static_assert(std::has_unique_object_representations_v<State>);

// A copy that runs beside its issuer, from its step on until it is done.
struct Copy {
  int agent = 0, step = 0, slot = 0, barrier = -1, bytes = 0;
  bool writes = false;
  uint8_t tag = 0;
};

class Explorer {
 public:
  // `sites`: goes on with other interleavings where one goes wrong; null: stops there.
  Explorer(const Protocol& protocol, int64_t max_states, std::set<Site>* sites)
      : protocol_(protocol), max_states_(max_states), sites_(sites) {
    int first = 0;
    for (const Event& event : protocol.events) {
      first_.push_back(first);
      for (int s = 0; s < event.stages; ++s) count_.push_back(event.count);
      first += event.stages;
    }
    uint8_t tag = 0;
    for (size_t a = 0; a < protocol.agents.size(); ++a) {
      for (size_t s = 0; s < protocol.agents[a].size(); ++s) {
        tags_[a].push_back(++tag);
        AddCopy(static_cast<int>(a), static_cast<int>(s), tag);
      }
      seen_[a].assign(protocol.agents[a].size(), -1);
      NeedsOf(a);
    }
  }

  Explored Run() {
    State start;
    for (size_t b = 0; b < count_.size(); ++b) start.pending[b] = static_cast<uint8_t>(count_[b]);
    Visit(start);
    result_.states = static_cast<int64_t>(visited_.size());
    return std::move(result_);
  }

 private:
  const Step& At(int agent, int step) const {
    return protocol_.agents[static_cast<size_t>(agent)][static_cast<size_t>(step)];
  }
  bool Ended(const State& s, int agent) const {
    return s.pc[static_cast<size_t>(agent)] == protocol_.agents[static_cast<size_t>(agent)].size();
  }
  int Agents() const { return static_cast<int>(protocol_.agents.size()); }
  size_t BarrierOf(int event, int use) const {
    const auto e = static_cast<size_t>(event);
    return static_cast<size_t>(first_[e] + use % protocol_.events[e].stages);
  }

  void AddCopy(int agent, int step, uint8_t tag) {
    const Step& s = At(agent, step);
    if (s.op != Op::kLoad && s.op != Op::kCopy && s.op != Op::kStore) return;
    copies_.push_back(
        {.agent = agent,
         .step = step,
         .slot = s.slot,
         .barrier = s.op == Op::kLoad ? static_cast<int>(BarrierOf(s.event, s.use)) : -1,
         .bytes = s.bytes,
         .writes = s.op != Op::kStore,
         .tag = tag});
  }

  // By step: the copies that must be done before it is over.
  void NeedsOf(size_t agent) {
    std::vector<uint16_t> stores, groups;
    uint16_t open = 0;
    needs_[agent].assign(protocol_.agents[agent].size(), 0);
    const auto all_but = [](const std::vector<uint16_t>& list, int newest) {
      uint16_t mask = 0;
      for (size_t i = 0; i + static_cast<size_t>(newest) < list.size(); ++i) mask |= list[i];
      return mask;
    };
    for (size_t s = 0; s < protocol_.agents[agent].size(); ++s) {
      const Step& step = protocol_.agents[agent][s];
      uint16_t bit = 0;
      for (size_t c = 0; c < copies_.size(); ++c) {
        if (copies_[c].agent == static_cast<int>(agent) && copies_[c].step == static_cast<int>(s)) {
          bit = static_cast<uint16_t>(1u << c);
        }
      }
      if (step.op == Op::kStore) stores.push_back(bit);
      if (step.op == Op::kCopy) open |= bit;
      if (step.op == Op::kCopyCommit) {
        groups.push_back(open);
        open = 0;
      }
      if (step.op == Op::kStoreWait) needs_[agent][s] = all_but(stores, step.n);
      if (step.op == Op::kCopyWait) needs_[agent][s] = all_but(groups, step.n);
    }
  }

  bool Issued(const State& s, const Copy& copy) const {
    return s.pc[static_cast<size_t>(copy.agent)] > copy.step;
  }
  bool InFlight(const State& s, size_t copy) const {
    return Issued(s, copies_[copy]) && (s.done >> copy & 1) == 0;
  }

  // The slot that the next step of an agent touches; -1: none.
  int Touches(const State& s, int agent, bool* writes) const {
    if (Ended(s, agent)) return -1;
    const Step& step = At(agent, s.pc[static_cast<size_t>(agent)]);
    *writes = step.op == Op::kWrite || step.op == Op::kLoad || step.op == Op::kCopy;
    const bool reads = step.op == Op::kRead || step.op == Op::kStore;
    return *writes || reads ? step.slot : -1;
  }

  void Blame(Fate fate, int agent, int step) const {
    if (sites_ != nullptr) sites_->insert({fate, agent, step});
  }

  bool Races(const State& s) const {
    bool races = false;
    const auto next = [&](int agent) { return s.pc[static_cast<size_t>(agent)]; };
    const auto pair = [&](int a, int step_a, int b, int step_b) {
      races = true;
      Blame(Fate::kRace, a, step_a);
      Blame(Fate::kRace, b, step_b);
    };
    for (int a = 0; a < Agents(); ++a) {
      bool writes = false;
      const int slot = Touches(s, a, &writes);
      if (slot < 0) continue;
      for (int b = 0; b < a; ++b) {
        bool others = false;
        if (Touches(s, b, &others) == slot && (writes || others)) pair(a, next(a), b, next(b));
      }
      for (size_t c = 0; c < copies_.size(); ++c) {
        if (copies_[c].slot == slot && (writes || copies_[c].writes) && InFlight(s, c)) {
          pair(a, next(a), copies_[c].agent, copies_[c].step);
        }
      }
    }
    return races;
  }

  void TakePart(State& s, size_t barrier) const {
    if (s.pending[barrier] != 0 || s.bytes[barrier] != 0) return;
    s.parity[barrier] ^= 1;
    s.pending[barrier] = static_cast<uint8_t>(count_[barrier]);
  }

  Fate Arrive(State& s, const Step& step) const {
    const size_t b = BarrierOf(step.event, step.use);
    if (s.pending[b] == 0) return Fate::kStepError;
    if (step.op == Op::kExpect) s.bytes[b] = static_cast<int16_t>(s.bytes[b] + step.bytes);
    --s.pending[b];
    TakePart(s, b);
    return Fate::kOk;
  }

  void Meet(State& s, int agent, const Step& step) const {
    const auto e = static_cast<size_t>(step.event);
    ++s.arrived[e];
    if (step.op == Op::kSync) s.blocked[e] = static_cast<uint8_t>(s.blocked[e] | 1u << agent);
    if (s.arrived[e] < protocol_.named[e]) return;
    for (int a = 0; a < Agents(); ++a) {
      if (s.blocked[e] >> a & 1) ++s.pc[static_cast<size_t>(a)];
    }
    s.arrived[e] = 0;
    s.blocked[e] = 0;
  }

  Fate Read(const State& s, int agent, const Step& step) {
    const uint8_t tag = s.tag[static_cast<size_t>(step.slot)];
    if (tag == 0) return Fate::kUnwritten;
    if (step.op == Op::kStore && (s.unfenced >> step.slot & 1)) return Fate::kUnfenced;
    int& seen = seen_[static_cast<size_t>(agent)][s.pc[static_cast<size_t>(agent)]];
    if (seen >= 0 && seen != tag) return Fate::kOrder;
    seen = tag;
    return Fate::kOk;
  }

  bool Enabled(const State& s, int agent) const {
    if (Ended(s, agent)) return false;
    for (const uint8_t blocked : s.blocked) {
      if (blocked >> agent & 1) return false;
    }
    const auto a = static_cast<size_t>(agent);
    const Step& step = At(agent, s.pc[a]);
    if (step.op == Op::kWait) {
      const size_t b = BarrierOf(step.event, step.use);
      const int phase = step.use / protocol_.events[static_cast<size_t>(step.event)].stages;
      return s.parity[b] != (phase & 1);
    }
    const uint16_t needs = needs_[a][s.pc[a]];
    return (s.done & needs) == needs;
  }

  // The agent's next step; what it does wrong is the fate.
  Fate Take(State& s, int agent) {
    const auto a = static_cast<size_t>(agent);
    const Step& step = At(agent, s.pc[a]);
    const auto slot = static_cast<size_t>(step.slot);
    Fate fate = Fate::kOk;
    switch (step.op) {
      case Op::kWrite:
        s.tag[slot] = tags_[a][s.pc[a]];
        s.unfenced = static_cast<uint16_t>(s.unfenced | 1u << slot);
        break;
      case Op::kRead:
      case Op::kStore: fate = Read(s, agent, step); break;
      case Op::kFence: s.unfenced = 0; break;
      case Op::kLoad:
        if (s.unfenced >> slot & 1) fate = Fate::kUnfenced;
        break;
      case Op::kExpect:
      case Op::kArrive: fate = Arrive(s, step); break;
      case Op::kSync: Meet(s, agent, step); return Fate::kOk;  // it goes on when all have met
      case Op::kNamedArrive: Meet(s, agent, step); break;
      case Op::kWait:
      case Op::kStoreWait:
      case Op::kCopy:
      case Op::kCopyCommit:
      case Op::kCopyWait: break;
    }
    ++s.pc[a];
    return fate;
  }

  void Complete(State& s, size_t index) const {
    const Copy& copy = copies_[index];
    s.done = static_cast<uint16_t>(s.done | 1u << index);
    if (!copy.writes) return;
    s.tag[static_cast<size_t>(copy.slot)] = copy.tag;
    if (copy.barrier < 0) return;
    const auto b = static_cast<size_t>(copy.barrier);
    s.bytes[b] = static_cast<int16_t>(s.bytes[b] - copy.bytes);
    TakePart(s, b);
  }

  Fate AtRest(const State& s) const {
    Fate fate = Fate::kOk;
    for (int a = 0; a < Agents(); ++a) {
      if (Ended(s, a)) continue;
      fate = Fate::kDeadlock;
      Blame(fate, a, s.pc[static_cast<size_t>(a)]);
    }
    return fate;
  }

  Fate Judge(const State& s) const {
    if (Races(s)) return Fate::kRace;
    bool ended = true, flying = false;
    for (int a = 0; a < Agents(); ++a) ended = ended && Ended(s, a);
    // A thread's own copies keep it alive; those of the engines do not.
    for (size_t c = 0; c < copies_.size(); ++c) {
      const bool own = At(copies_[c].agent, copies_[c].step).op == Op::kCopy;
      if (own || !InFlight(s, c)) continue;
      flying = true;
      if (ended) Blame(Fate::kExit, copies_[c].agent, copies_[c].step);
    }
    return ended && flying ? Fate::kExit : Fate::kOk;
  }

  bool Fail(Fate fate) {
    result_.fate = fate;
    return sites_ != nullptr && fate != Fate::kTooLarge;
  }

  // False: something went wrong from here on; the trace grows on the way back.
  bool Visit(const State& s) {
    if (!visited_.insert(s).second) return true;
    if (static_cast<int64_t>(visited_.size()) > max_states_) return Fail(Fate::kTooLarge);
    if (const Fate fate = Judge(s); fate != Fate::kOk) return Fail(fate);
    bool moved = false;
    for (int a = 0; a < Agents(); ++a) {
      if (!Enabled(s, a)) continue;
      moved = true;
      State next = s;
      const Fate fate = Take(next, a);
      if (fate != Fate::kOk) Blame(fate, a, s.pc[static_cast<size_t>(a)]);
      if (fate == Fate::kOk ? Visit(next) : Fail(fate)) continue;
      result_.trace.insert(result_.trace.begin(),
                           std::to_string(a) + ":" + std::to_string(s.pc[static_cast<size_t>(a)]));
      return false;
    }
    for (size_t c = 0; c < copies_.size(); ++c) {
      if (!InFlight(s, c)) continue;
      moved = true;
      State next = s;
      Complete(next, c);
      if (Visit(next)) continue;
      result_.trace.insert(result_.trace.begin(), "copy " + std::to_string(copies_[c].agent) + ":" +
                                                      std::to_string(copies_[c].step));
      return false;
    }
    if (moved) return true;
    const Fate fate = AtRest(s);
    return fate == Fate::kOk ? true : Fail(fate);
  }

  const Protocol& protocol_;
  const int64_t max_states_;
  std::set<Site>* const sites_;
  std::vector<int> first_, count_;  // by event; by barrier
  std::vector<Copy> copies_;
  std::array<std::vector<uint8_t>, kMaxAgents> tags_;
  std::array<std::vector<uint16_t>, kMaxAgents> needs_;
  std::array<std::vector<int>, kMaxAgents> seen_;  // the write that each read has seen
  std::unordered_set<State, HashState> visited_;
  Explored result_;
};

}  // namespace

std::string_view ToString(Fate fate) {
  constexpr std::string_view kNames[] = {"ok",       "race",  "deadlock", "step error", "unwritten",
                                         "unfenced", "order", "exit",     "too large"};
  return kNames[static_cast<size_t>(fate)];
}

Explored Explore(const Protocol& protocol, int64_t max_states) {
  return Explorer(protocol, max_states, nullptr).Run();
}

std::optional<std::set<Site>> AllSites(const Protocol& protocol, int64_t max_states) {
  std::set<Site> sites;
  const Explored explored = Explorer(protocol, max_states, &sites).Run();
  if (explored.fate == Fate::kTooLarge) return std::nullopt;
  return sites;
}

}  // namespace mutation
