// Small protocols: a few threads that hand slots of memory to each other by mbarriers, named
// barriers, asynchronous copies and proxy fences. They say what the hardware does, as the PTX ISA
// has it (mbarrier: phases told apart by parity, arrivals and bytes of the current phase; bar:
// arrivals of a number of threads). Nothing here or in explorer.cc knows the compiler or the
// verifier: the judge must not share their beliefs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mutation {

constexpr int kMaxAgents = 4, kMaxBarriers = 8, kMaxNamed = 2, kMaxSlots = 6, kMaxCopies = 16;
constexpr int kRowBytes = 128;  // of a slot

enum class Op : uint8_t {
  kWrite,       // slot
  kRead,        // slot
  kFence,       // proxy fence: what was written by threads reaches asynchronous copies
  kLoad,        // slot <- memory, bytes on use `use` of `event`
  kExpect,      // arrival at a use that expects `bytes`
  kArrive,      // arrival at a use
  kWait,        // for a use
  kStore,       // memory <- slot; a group of its own
  kStoreWait,   // until all but the newest `n` stores of this agent have read their slots
  kCopy,        // slot <- memory by the thread's own copies
  kCopyCommit,  // closes a group of them
  kCopyWait,    // until all but the newest `n` groups of this agent are complete
  kSync,        // named barrier `event`: arrives and waits
  kNamedArrive  // named barrier `event`: arrives
};

struct Step {
  Op op = Op::kWrite;
  int slot = 0;
  int event = 0;
  int use = 0;
  int bytes = 0;
  int n = 0;
  bool operator==(const Step&) const = default;
};

// Use k is phase k / stages of barrier k % stages.
struct Event {
  int stages = 1, count = 1;
};

struct Protocol {
  std::vector<std::vector<Step>> agents;
  std::vector<Event> events;
  std::vector<int> named;  // agents that meet at each named barrier
  int slots = 1;
};

// One step a line, agent by agent.
std::string ToString(const Protocol& protocol);

// Whether indices are inside their ranges and the limits above hold; the generator makes no others.
bool WellFormed(const Protocol& protocol);

}  // namespace mutation
