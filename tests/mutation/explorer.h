// Every interleaving of a protocol, under the hardware's own rules: what can go wrong does.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/mutation/protocol.h"

namespace mutation {

enum class Fate : uint8_t {
  kOk,         // no interleaving goes wrong
  kRace,       // two accesses of one slot can happen at once, one of them a write
  kDeadlock,   // nothing can move and somebody has not ended
  kStepError,  // an arrival beyond the count of a phase
  kUnwritten,  // a slot is read before anything was written
  kUnfenced,   // a copy meets what a thread wrote and no proxy fence has covered
  kOrder,      // a read sees different writes in different interleavings
  kExit,       // all have ended and a copy is still under way
  kTooLarge    // more states than allowed
};
std::string_view ToString(Fate fate);

struct Explored {
  Fate fate = Fate::kOk;
  int64_t states = 0;
  std::vector<std::string> trace;  // of a bad one: the steps that lead there
};

// A step that has part in something going wrong.
struct Site {
  Fate fate = Fate::kOk;
  int agent = 0, step = 0;
  auto operator<=>(const Site&) const = default;
};
// All of them, over all interleavings up to where something goes wrong; nothing where there are too
// many states.
std::optional<std::set<Site>> AllSites(const Protocol& protocol, int64_t max_states);

Explored Explore(const Protocol& protocol, int64_t max_states);

}  // namespace mutation
