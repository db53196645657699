#include "tests/mutation/axioms.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

namespace mutation {
namespace {

constexpr size_t kMostEvents = 256;

// An event is a step, or the end of a copy; a wait's event is its return, what comes before it its
// start.
struct Node {
  int agent = 0, step = 0;
  bool end = false;
  Op op = Op::kWrite;
};

using Set = std::bitset<kMostEvents>;

struct Generation {
  std::vector<size_t> contributions;  // arrivals, ends of loads
  std::vector<size_t> issues;         // of loads
  std::vector<size_t> waits;
  int arrivals = 0, expected = 0, complete = 0;
};

class Relation {
 public:
  explicit Relation(const Protocol& protocol) : protocol_(protocol) {
    for (size_t a = 0; a < protocol.agents.size(); ++a) AddAgent(static_cast<int>(a));
    AddNamed();
    for (const auto& [at, generation] : generations_) {
      for (const size_t from : generation.contributions) {
        for (const size_t to : generation.waits) before_[to].set(from);
      }
    }
    Close();
  }

  std::string Breach() const {
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (before_[n].test(n)) return "events wait for each other";
    }
    for (const auto& check : {&Relation::Counts, &Relation::Recycling, &Relation::Window,
                              &Relation::Accesses, &Relation::Written, &Relation::Ends}) {
      if (std::string breach = (this->*check)(); !breach.empty()) return breach;
    }
    return breach_;
  }

 private:
  using Key = std::pair<int, int>;  // barrier, generation

  const Step& At(size_t node) const {
    return protocol_
        .agents[static_cast<size_t>(nodes_[node].agent)][static_cast<size_t>(nodes_[node].step)];
  }
  // x happens before y.
  bool Before(size_t x, size_t y) const { return before_[y].test(x); }

  size_t Add(const Node& node) {
    nodes_.push_back(node);
    before_.emplace_back();
    return nodes_.size() - 1;
  }

  Key KeyOf(const Step& step) const {
    int first = 0;
    for (int e = 0; e < step.event; ++e) first += protocol_.events[static_cast<size_t>(e)].stages;
    const int stages = protocol_.events[static_cast<size_t>(step.event)].stages;
    return {first + step.use % stages, step.use / stages};
  }

  void AddAgent(int agent) {
    const auto& steps = protocol_.agents[static_cast<size_t>(agent)];
    std::vector<size_t> stores, open;
    std::vector<std::vector<size_t>> groups;
    size_t last = kMostEvents;
    for (size_t s = 0; s < steps.size(); ++s) {
      const Step& step = steps[s];
      const size_t node = Add({agent, static_cast<int>(s), false, step.op});
      if (last != kMostEvents) before_[node].set(last);
      last = node;
      size_t end = node;
      if (step.op == Op::kLoad || step.op == Op::kStore || step.op == Op::kCopy) {
        end = Add({agent, static_cast<int>(s), true, step.op});
        before_[end].set(node);
        ends_[node] = end;
      }
      if (step.op == Op::kStore) stores.push_back(end);
      if (step.op == Op::kCopy) open.push_back(end);
      if (step.op == Op::kCopyCommit) groups.push_back(std::exchange(open, {}));
      for (size_t i = 0; step.op == Op::kStoreWait && i + step.n < stores.size(); ++i) {
        before_[node].set(stores[i]);
      }
      for (size_t i = 0; step.op == Op::kCopyWait && i + step.n < groups.size(); ++i) {
        for (const size_t copy : groups[i]) before_[node].set(copy);
      }
      Contribute(step, node, end);
    }
  }

  void Contribute(const Step& step, size_t node, size_t end) {
    if (step.op == Op::kSync || step.op == Op::kNamedArrive) {
      named_[step.event][static_cast<size_t>(nodes_[node].agent)].push_back(node);
      return;
    }
    const bool of_event = step.op == Op::kLoad || step.op == Op::kExpect ||
                          step.op == Op::kArrive || step.op == Op::kWait;
    if (!of_event) return;
    Generation& generation = generations_[KeyOf(step)];
    if (step.op == Op::kWait) {
      generation.waits.push_back(node);
    } else if (step.op == Op::kLoad) {
      generation.issues.push_back(node);
      generation.contributions.push_back(end);
      generation.complete += step.bytes;
    } else {
      generation.contributions.push_back(node);
      ++generation.arrivals;
      if (step.op == Op::kExpect) generation.expected += step.bytes;
    }
    counts_[KeyOf(step).first] = protocol_.events[static_cast<size_t>(step.event)].count;
  }

  // The n-th contribution of each agent is to generation n: all of a barrier's agents have one.
  void AddNamed() {
    for (const auto& [barrier, agents] : named_) {
      const int needed = protocol_.named[static_cast<size_t>(barrier)];
      size_t rounds = 0;
      for (const auto& [agent, nodes] : agents) rounds = std::max(rounds, nodes.size());
      for (size_t round = 0; round < rounds; ++round) {
        std::vector<size_t> members;
        for (const auto& [agent, nodes] : agents) {
          if (round < nodes.size()) members.push_back(nodes[round]);
        }
        if (static_cast<int>(members.size()) != needed) breach_ = "a barrier without its threads";
        for (const size_t to : members) {
          for (const size_t from : members) {
            if (from != to && nodes_[to].op == Op::kSync) meets_.emplace_back(from, to);
          }
          if (round > 0) {
            for (const auto& [agent, nodes] : agents) {
              if (round - 1 < nodes.size()) recycles_.emplace_back(nodes[round - 1], to);
            }
          }
        }
      }
    }
    // A contribution comes before the return of others, not before their contribution.
    for (const auto& [from, to] : meets_) {
      for (size_t next = 0; next < nodes_.size(); ++next) {
        const Node &a = nodes_[next], &b = nodes_[to];
        if (a.agent == b.agent && a.step > b.step) before_[next].set(from);
      }
    }
  }

  void Close() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Set& set : before_) {
        const Set old = set;
        for (size_t n = 0; n < nodes_.size(); ++n) {
          if (old.test(n)) set |= before_[n];
        }
        changed = changed || set != old;
      }
    }
  }

  std::string Counts() const {
    for (const auto& [at, generation] : generations_) {
      const int count = counts_.at(at.first);
      const bool touched = !generation.contributions.empty();
      const bool whole = generation.arrivals == count;
      if (touched && generation.arrivals != 0 && !whole) return "a generation without its arrivals";
      if (!generation.waits.empty() && !whole) return "a wait for what never completes";
      if (touched && generation.expected != generation.complete) return "bytes that do not match";
      const auto previous = generations_.find({at.first, at.second - 1});
      if (at.second > 0 && touched &&
          (previous == generations_.end() || previous->second.arrivals != count)) {
        return "a generation before the one it follows";
      }
    }
    return "";
  }

  bool AllBefore(const std::vector<size_t>& events, size_t node) const {
    return std::all_of(events.begin(), events.end(),
                       [&](size_t event) { return event == node || Before(event, node); });
  }

  // Whether all of the generation before this one is over for the event.
  bool Knows(const Key& at, size_t node) const {
    if (at.second == 0) return true;
    const auto previous = generations_.find({at.first, at.second - 1});
    return previous != generations_.end() && !previous->second.contributions.empty() &&
           AllBefore(previous->second.contributions, node);
  }

  std::string Recycling() const {
    for (const auto& [at, generation] : generations_) {
      for (const size_t node : generation.contributions) {
        if (!nodes_[node].end && !Knows(at, node)) return "an arrival at a recycled barrier";
      }
      for (const size_t node : generation.issues) {
        if (!Knows(at, node)) return "a load at a recycled barrier";
      }
    }
    for (const auto& [from, to] : recycles_) {
      if (!Before(from, to)) return "a named barrier that is recycled";
    }
    return "";
  }

  std::string Window() const {
    for (const auto& [at, generation] : generations_) {
      const auto next = generations_.find({at.first, at.second + 1});
      for (const size_t wait : generation.waits) {
        if (!Knows(at, wait)) return "a wait too early";
        if (next == generations_.end() || next->second.arrivals == 0) continue;
        const auto& later = next->second.contributions;
        const bool over = std::any_of(later.begin(), later.end(), [&](size_t contribution) {
          return Before(wait, contribution);
        });
        if (!over) return "a wait that is lapped";
      }
    }
    return "";
  }

  static bool Writes(Op op) { return op == Op::kWrite || op == Op::kLoad || op == Op::kCopy; }
  static bool Touches(Op op) { return Writes(op) || op == Op::kRead || op == Op::kStore; }
  static bool Engine(Op op) { return op == Op::kLoad || op == Op::kStore; }
  size_t EndOf(size_t node) const {
    const auto end = ends_.find(node);
    return end == ends_.end() ? node : end->second;
  }

  bool Fenced(size_t x, size_t y) const {
    if (nodes_[x].op != Op::kWrite && nodes_[x].op != Op::kCopy) return true;
    if (!Engine(nodes_[y].op)) return true;
    for (size_t f = 0; f < nodes_.size(); ++f) {
      if (nodes_[f].op == Op::kFence && Before(EndOf(x), f) && Before(f, y)) return true;
    }
    return false;
  }

  std::string Accesses() const {
    for (size_t x = 0; x < nodes_.size(); ++x) {
      for (size_t y = 0; y < x; ++y) {
        const bool both = !nodes_[x].end && !nodes_[y].end && Touches(nodes_[x].op) &&
                          Touches(nodes_[y].op) && At(x).slot == At(y).slot &&
                          (Writes(nodes_[x].op) || Writes(nodes_[y].op));
        if (!both) continue;
        const bool forwards = Before(EndOf(x), y), backwards = Before(EndOf(y), x);
        if (!forwards && !backwards) return "a race";
        if (!(forwards ? Fenced(x, y) : Fenced(y, x))) return "a copy without a fence";
      }
    }
    return "";
  }

  std::string Written() const {
    for (size_t y = 0; y < nodes_.size(); ++y) {
      if (nodes_[y].end || (nodes_[y].op != Op::kRead && nodes_[y].op != Op::kStore)) continue;
      bool written = false;
      for (size_t x = 0; x < nodes_.size(); ++x) {
        written = written || (!nodes_[x].end && Writes(nodes_[x].op) && At(x).slot == At(y).slot &&
                              Before(EndOf(x), y));
      }
      if (!written) return "a read of what nobody wrote";
    }
    return "";
  }

  // The engines' copies are over when the last agent ends.
  std::string Ends() const {
    for (const auto& [node, end] : ends_) {
      if (!Engine(nodes_[node].op)) continue;
      bool known = false;
      for (size_t n = 0; n < nodes_.size(); ++n) known = known || (n != end && Before(end, n));
      if (!known) return "a copy that nobody waits for";
    }
    return "";
  }

  const Protocol& protocol_;
  std::vector<Node> nodes_;
  std::vector<Set> before_;
  std::map<size_t, size_t> ends_;
  std::map<Key, Generation> generations_;
  std::map<int, int> counts_;                                   // by barrier
  std::map<int, std::map<size_t, std::vector<size_t>>> named_;  // by barrier and agent
  std::vector<std::pair<size_t, size_t>> meets_, recycles_;
  std::string breach_;
};

}  // namespace

std::string Breach(const Protocol& protocol) { return Relation(protocol).Breach(); }

}  // namespace mutation
