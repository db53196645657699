// What a device says of runs whose memory it keeps: sums of what no right run changes, and counts
// and sums of the outputs (runner/device/judge.cu). Whoever asks says what they should be; where
// they are not, the memory itself comes along and is judged as ever.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "runner/contract/workload.h"
#include "runner/launch/image.h"

namespace runner::launch {

// A piece of a run's image that it has to leave alone.
struct Part {
  int slot = 0, side = 0;  // side 0: the canary before the data, 1: after it, 2: the data itself
  int64_t offset = 0, bytes = 0;
};
// Canaries and inputs, in the order of their addresses.
std::vector<Part> ConstantParts(const Layout& layout, const contract::Workload& workload);
// The slots that hold outputs, by number.
std::vector<int> OutputSlots(const Layout& layout, const contract::Workload& workload);

// The slots that begin with something else than a kept input: outputs, which hold poison or what a
// program is to change, and workspaces. By number.
std::vector<int> StartSlots(const Layout& layout, const contract::Workload& workload);
// Whether a slot begins with poison.
bool BeginsPoisoned(const Slot& slot, const contract::Workload& workload);

struct OutputMarks {
  uint64_t wrong = 0, between = 0, poisoned = 0;  // counts
  uint64_t outputs = 0, accepted = 0;             // fingerprints: of the elements, of the bounds
};
struct RunMarks {
  std::vector<uint64_t> before, after;  // of ConstantParts, before the launch and after it
  // Of StartSlots before the launch: how many places are not poison, or the fingerprint of contents
  // that are to be changed.
  std::vector<uint64_t> starts;
  std::vector<OutputMarks> outputs;  // of OutputSlots
};

struct MarksOrder {
  uint64_t key = 0;     // of every fingerprint
  bool images = false;  // the memory comes along in any case
  bool timed = false;   // of the image that was timed, which has no `before`
  struct Run {
    std::string known;                         // the name under which bounds were kept
    std::map<std::string, uint64_t> inputs;    // fingerprint of all that is read
    std::map<std::string, uint64_t> accepted;  // of each output's bounds
  };
  std::vector<Run> runs;  // in the order of the case's
  // How many bytes of each output of run 0 come along: what needs more than bounds looks at these.
  std::map<std::string, int64_t> heads;
};

// Fingerprints of canaries, which are asked for again with every program.
class CanarySums {
 public:
  uint64_t Of(uint64_t key, uint64_t poison, int slot, int side);

 private:
  std::map<std::tuple<uint64_t, uint64_t, int, int>, uint64_t> sums_;
};

// The first thing that is not as ordered.
struct MarksFault {
  enum class Kind : uint8_t {
    kNone,
    kProgram,  // what the program left
    kKept      // what the device keeps from one program to the next: its images or bounds
  };
  Kind kind = Kind::kNone;
  std::string what;
};
// `layout` is that of the case, `runs` say how each was run.
MarksFault FaultOf(const MarksOrder& order, const contract::Workload& workload,
                   const Layout& layout, const std::vector<RunSpec>& runs,
                   const std::vector<RunMarks>& marks, CanarySums& canaries);

}  // namespace runner::launch
