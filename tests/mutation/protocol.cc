#include "tests/mutation/protocol.h"

#include <algorithm>
#include <string_view>

namespace mutation {
namespace {

constexpr std::string_view kNames[] = {"write",       "read",      "fence", "load",        "expect",
                                       "arrive",      "wait",      "store", "store wait",  "copy",
                                       "copy commit", "copy wait", "sync",  "named arrive"};

bool OfEvent(Op op) {
  return op == Op::kLoad || op == Op::kExpect || op == Op::kArrive || op == Op::kWait;
}
bool OfSlot(Op op) {
  return op == Op::kWrite || op == Op::kRead || op == Op::kLoad || op == Op::kStore ||
         op == Op::kCopy;
}
bool OfNamed(Op op) { return op == Op::kSync || op == Op::kNamedArrive; }
bool IsCopy(Op op) { return op == Op::kLoad || op == Op::kStore || op == Op::kCopy; }

}  // namespace

std::string ToString(const Protocol& protocol) {
  std::string text = "slots " + std::to_string(protocol.slots) + "\n";
  for (size_t e = 0; e < protocol.events.size(); ++e) {
    text += "event " + std::to_string(e) + ": stages " + std::to_string(protocol.events[e].stages) +
            ", count " + std::to_string(protocol.events[e].count) + "\n";
  }
  for (size_t b = 0; b < protocol.named.size(); ++b) {
    text += "named " + std::to_string(b) + ": " + std::to_string(protocol.named[b]) + " agents\n";
  }
  for (size_t a = 0; a < protocol.agents.size(); ++a) {
    for (size_t s = 0; s < protocol.agents[a].size(); ++s) {
      const Step& step = protocol.agents[a][s];
      text += std::to_string(a) + ":" + std::to_string(s) + " ";
      text += kNames[static_cast<size_t>(step.op)];
      if (OfSlot(step.op)) text += " slot " + std::to_string(step.slot);
      if (OfEvent(step.op)) {
        text += " event " + std::to_string(step.event) + "@" + std::to_string(step.use);
      }
      if (OfNamed(step.op)) text += " " + std::to_string(step.event);
      if (step.op == Op::kExpect) text += " bytes " + std::to_string(step.bytes);
      if (step.op == Op::kStoreWait || step.op == Op::kCopyWait) {
        text += " " + std::to_string(step.n);
      }
      text += "\n";
    }
  }
  return text;
}

bool WellFormed(const Protocol& protocol) {
  int barriers = 0, copies = 0, steps = 0;
  for (const Event& event : protocol.events) {
    if (event.stages < 1 || event.count < 1) return false;
    barriers += event.stages;
  }
  for (const auto& agent : protocol.agents) {
    for (const Step& step : agent) {
      copies += IsCopy(step.op) ? 1 : 0;
      ++steps;
      const auto event = static_cast<size_t>(step.event);
      if (OfEvent(step.op) && (step.use < 0 || event >= protocol.events.size())) return false;
      if (OfNamed(step.op) && event >= protocol.named.size()) return false;
      if (OfSlot(step.op) && (step.slot < 0 || step.slot >= protocol.slots)) return false;
    }
  }
  const bool meets = std::all_of(protocol.named.begin(), protocol.named.end(), [&](int agents) {
    return agents >= 1 && agents <= static_cast<int>(protocol.agents.size());
  });
  return meets && protocol.agents.size() <= kMaxAgents && barriers <= kMaxBarriers &&
         protocol.named.size() <= kMaxNamed && protocol.slots <= kMaxSlots &&
         copies <= kMaxCopies && steps < 250;
}

}  // namespace mutation
