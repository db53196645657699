#include "tests/mutation/generate.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

namespace mutation {
namespace {

constexpr int kMaxSteps = 12;  // of one agent
constexpr const char* kHow[] = {"fenced writes", "loads", "copies", "writes"};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Protocol Make() {
    for (;;) {
      out_ = Protocol();
      const int pattern = Below(10);
      pattern < 9 ? Pattern(pattern) : Anything();
      const int mutations = Below(4);
      for (int i = 0; i < mutations; ++i) Mutate();
      if (WellFormed(out_) && Small()) return out_;
    }
  }

  // The base is right by construction, which the tests check.
  Mutant MakeMutant() {
    for (;;) {
      out_ = Protocol();
      Pattern(Below(9));
      Mutant made{.family = family_, .base = out_};
      Mutate();
      made.change = change_;
      made.agent = agent_;
      made.step = step_;
      made.mutant = out_;
      const bool same = made.base.agents == made.mutant.agents && change_ != "count";
      if (!same && WellFormed(out_) && Small()) return made;
    }
  }

 private:
  void Pattern(int pattern) {
    if (pattern < 5) return Ring();
    if (pattern < 7) return Chain();
    Meetings();
  }

  using Agent = std::vector<Step>;

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

  bool Small() const {
    return std::all_of(out_.agents.begin(), out_.agents.end(), [](const Agent& agent) {
      return !agent.empty() && agent.size() <= kMaxSteps;
    });
  }

  // Brings use `k` into its slot and arrives at its full event, as one of three ways does.
  void Fill(Agent& agent, int how, int slot, int full, int k) {
    if (how == 0) {
      agent.push_back({.op = Op::kWrite, .slot = slot});
      agent.push_back({.op = Op::kFence});
      agent.push_back({.op = Op::kArrive, .event = full, .use = k});
    } else if (how == 1) {
      agent.push_back({.op = Op::kLoad, .slot = slot, .event = full, .use = k, .bytes = kRowBytes});
      agent.push_back({.op = Op::kExpect, .event = full, .use = k, .bytes = kRowBytes});
    } else if (how == 2) {
      agent.push_back({.op = Op::kCopy, .slot = slot});
      agent.push_back({.op = Op::kCopyCommit});
      agent.push_back({.op = Op::kCopyWait});
      agent.push_back({.op = Op::kArrive, .event = full, .use = k});
    } else {
      agent.push_back({.op = Op::kWrite, .slot = slot});
      agent.push_back({.op = Op::kArrive, .event = full, .use = k});
    }
  }

  void Drain(Agent& agent, bool stores, int slot) {
    if (!stores) return agent.push_back({.op = Op::kRead, .slot = slot});
    agent.push_back({.op = Op::kStore, .slot = slot});
    agent.push_back({.op = Op::kStoreWait});
  }

  // One producer, perhaps a second that only arrives, one or two consumers, some uses.
  void Ring() {
    const int stages = 1 + Below(3), uses = 1 + Below(4), consumers = 1 + Below(2);
    const int how = Below(4), producers = 1 + (OneIn(3) ? 1 : 0);
    const bool stores = how < 2 && OneIn(2);
    family_ = std::string("ring of ") + kHow[how] + (stores ? " and stores" : "") +
              (producers > 1 ? ", two producers" : "") + (consumers > 1 ? ", two consumers" : "");
    out_.slots = stages;
    out_.events = {{stages, producers}, {stages, consumers}};
    out_.agents.resize(static_cast<size_t>(producers + consumers));
    for (int k = 0; k < uses; ++k) {
      for (int p = 0; p < producers; ++p) {
        Agent& agent = out_.agents[static_cast<size_t>(p)];
        if (k >= stages) agent.push_back({.op = Op::kWait, .event = 1, .use = k - stages});
        if (p == 0) Fill(agent, how, k % stages, 0, k);
        if (p == 1) agent.push_back({.op = Op::kArrive, .event = 0, .use = k});
      }
      for (int c = 0; c < consumers; ++c) {
        Agent& agent = out_.agents[static_cast<size_t>(producers + c)];
        agent.push_back({.op = Op::kWait, .event = 0, .use = k});
        Drain(agent, stores, k % stages);
        if (k + stages < uses) agent.push_back({.op = Op::kArrive, .event = 1, .use = k});
      }
    }
  }

  // A ring behind a ring: the one in the middle is consumer and producer.
  void Chain() {
    const int stages = 1 + Below(2), uses = 1 + Below(2) + stages / 2;
    const int how = Below(4);
    family_ = std::string("chain behind ") + kHow[how];
    out_.slots = 2 * stages;
    out_.events = {{stages, 1}, {stages, 1}, {stages, 1}};
    out_.agents.resize(3);
    const bool back = uses > stages;
    for (int k = 0; k < uses; ++k) {
      const int slot = k % stages;
      Agent &first = out_.agents[0], &middle = out_.agents[1], &last = out_.agents[2];
      if (back && k >= stages) first.push_back({.op = Op::kWait, .event = 2, .use = k - stages});
      Fill(first, how, slot, 0, k);
      middle.push_back({.op = Op::kWait, .event = 0, .use = k});
      middle.push_back({.op = Op::kRead, .slot = slot});
      middle.push_back({.op = Op::kWrite, .slot = stages + slot});
      middle.push_back({.op = Op::kArrive, .event = 1, .use = k});
      last.push_back({.op = Op::kWait, .event = 1, .use = k});
      last.push_back({.op = Op::kRead, .slot = stages + slot});
      if (back && k + stages < uses) last.push_back({.op = Op::kArrive, .event = 2, .use = k});
    }
  }

  // Agents exchange slots at named barriers, or hand one over: one only arrives.
  void Meetings() {
    const int agents = 2 + Below(2), rounds = 1 + Below(2);
    out_.slots = agents;
    out_.named = {agents, agents};
    out_.agents.resize(static_cast<size_t>(agents));
    const bool exchange = OneIn(2);
    family_ = exchange ? "exchange at barriers" : "hand over at barriers";
    const int back = Below(2);
    for (int r = 0; r < rounds; ++r) {
      for (int a = 0; a < agents; ++a) {
        Agent& agent = out_.agents[static_cast<size_t>(a)];
        const bool first = a == 0;
        if (exchange || first) agent.push_back({.op = Op::kWrite, .slot = a});
        agent.push_back({.op = exchange || !first ? Op::kSync : Op::kNamedArrive, .event = 0});
        if (exchange || !first) {
          agent.push_back({.op = Op::kRead, .slot = exchange ? (a + 1) % agents : 0});
        }
        if (r + 1 == rounds) continue;
        agent.push_back({.op = exchange || first ? Op::kSync : Op::kNamedArrive, .event = back});
      }
    }
  }

  Step AnyStep() {
    constexpr Op kOps[] = {Op::kWrite,      Op::kRead,     Op::kFence, Op::kLoad,       Op::kExpect,
                           Op::kArrive,     Op::kWait,     Op::kStore, Op::kStoreWait,  Op::kCopy,
                           Op::kCopyCommit, Op::kCopyWait, Op::kSync,  Op::kNamedArrive};
    Step step{.op = kOps[Below(14)], .slot = Below(out_.slots), .n = Below(2)};
    const bool named = step.op == Op::kSync || step.op == Op::kNamedArrive;
    const size_t limit = named ? out_.named.size() : out_.events.size();
    step.event = limit == 0 ? 0 : Below(static_cast<int>(limit));
    step.use = Below(3);
    if (step.op == Op::kLoad || step.op == Op::kExpect) step.bytes = kRowBytes;
    return step;
  }

  void Anything() {
    out_.slots = 1 + Below(2);
    out_.events = {{1 + Below(2), 1 + Below(2)}, {1, 1 + Below(2)}};
    out_.named = {2};
    out_.agents.resize(static_cast<size_t>(2 + Below(2)));
    for (Agent& agent : out_.agents) {
      const int steps = 1 + Below(5);
      for (int i = 0; i < steps; ++i) agent.push_back(AnyStep());
    }
  }

  void Mutate() {
    agent_ = Below(static_cast<int>(out_.agents.size()));
    Agent& agent = out_.agents[static_cast<size_t>(agent_)];
    if (agent.empty()) return;
    step_ = Below(static_cast<int>(agent.size()));
    const auto here = agent.begin() + step_;
    switch (Below(12)) {
      case 0:
        change_ = "drop";
        agent.erase(here);
        break;
      case 1: {
        change_ = "double";
        const Step copy = *here;
        agent.insert(here, copy);
        break;
      }
      case 2:
        change_ = "swap with the next";
        if (std::next(here) != agent.end()) std::iter_swap(here, std::next(here));
        break;
      case 3:
        change_ = "use by one";
        here->use = std::max(0, here->use + 1 - 2 * Below(2));
        break;
      case 4:
        change_ = "use by a round";
        here->use = std::max(0, here->use + Stages(*here) * (1 - 2 * Below(2)));
        break;
      case 5:
        change_ = "slot";
        here->slot = Below(out_.slots);
        break;
      case 6:
        change_ = "insert";
        agent.insert(here, AnyStep());
        break;
      case 7: Move(agent, here); break;
      case 8: MutateCount(); break;
      case 9: MutateNumber(*here); break;
      case 10:
        change_ = "arrive for sync";
        if (here->op == Op::kSync) {
          here->op = Op::kNamedArrive;
        } else if (here->op == Op::kNamedArrive) {
          here->op = Op::kSync;
        }
        break;
      default:
        change_ = "swap";
        std::iter_swap(here, agent.begin() + Below(static_cast<int>(agent.size())));
    }
  }

  void Move(Agent& agent, Agent::iterator here) {
    change_ = "move to another agent";
    Agent& other = out_.agents[static_cast<size_t>(Below(static_cast<int>(out_.agents.size())))];
    const Step moved = *here;
    agent.erase(here);
    other.insert(other.begin() + Below(static_cast<int>(other.size()) + 1), moved);
  }

  int Stages(const Step& step) const {
    const auto event = static_cast<size_t>(step.event);
    return event < out_.events.size() ? out_.events[event].stages : 1;
  }

  void MutateCount() {
    change_ = "count";
    step_ = -1;
    if (!out_.named.empty() && OneIn(2)) {
      int& agents = out_.named[static_cast<size_t>(Below(static_cast<int>(out_.named.size())))];
      agents = std::max(1, agents + 1 - 2 * Below(2));
    } else if (!out_.events.empty()) {
      Event& event = out_.events[static_cast<size_t>(Below(static_cast<int>(out_.events.size())))];
      event.count = std::max(1, event.count + 1 - 2 * Below(2));
    }
  }

  void MutateNumber(Step& step) {
    change_ = step.op == Op::kExpect ? "bytes" : "event or barrier";
    if (step.op == Op::kExpect) {
      step.bytes = Below(3) * kRowBytes;
    } else if (step.op == Op::kStoreWait || step.op == Op::kCopyWait) {
      change_ = "pending groups";
      step.n += 1;
    } else {
      const size_t limit = step.op == Op::kSync || step.op == Op::kNamedArrive ? out_.named.size()
                                                                               : out_.events.size();
      if (limit > 0) step.event = Below(static_cast<int>(limit));
    }
  }

  std::mt19937_64 random_;
  Protocol out_;
  std::string family_, change_;
  int agent_ = 0, step_ = 0;
};

}  // namespace

Protocol Generate(uint64_t seed) { return Generator(seed).Make(); }
Mutant GenerateMutant(uint64_t seed) { return Generator(seed).MakeMutant(); }

}  // namespace mutation
