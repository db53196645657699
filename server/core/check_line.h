// Whose check is next: callers share the gate children by the CPU time that their checks take, each
// by its weight. A caller that had nothing to ask comes back level with the least served of those
// who wait, or where nobody waits with the most served: idling saves nothing up, nobody waits for
// another's arrears, and what was served while nobody else asked is held against nobody.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace server::core {

class CheckLine {
 public:
  // A check of the caller waits. `weight`: 1 or more; twice the weight is twice the time.
  void Push(int64_t caller, int64_t weight, uint64_t check);
  // The next one to start; it costs what the caller's checks cost so far until Ended says what it
  // did cost.
  std::optional<uint64_t> Pop();
  // A check that was popped ended.
  void Ended(int64_t caller, int64_t cpu_ns);
  // It was not started after all: nothing is known of what it costs.
  void Dropped(int64_t caller) { --rows_.at(caller).running; }

  size_t waiting() const { return waiting_; }
  int64_t served_ns(int64_t caller) const;

 private:
  struct Row {
    std::deque<uint64_t> waiting;
    int64_t weight = 1, running = 0;
    int64_t served_ns = 0, ended = 0;
    double turn = 0;  // time served over weight, raised when the caller comes back
    int64_t ExpectedNs() const;
  };
  std::map<int64_t, Row> rows_;  // by caller; as many as there are principals
  double latest_ = 0;            // the furthest turn that anybody was served to
  size_t waiting_ = 0;
};

}  // namespace server::core
