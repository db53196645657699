// The active time of runs: the measure of the union of their open spans. A span is a piece of gate
// work, a lease on a worker, or an agent's turn (from an answer to the next call of its session,
// ten minutes at most). Waiting in a queue, a pause, a daemon that is down and attempts that
// infrastructure lost open no span.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace server::core {

inline constexpr int64_t kAgentTurnMaxNs = int64_t{600} * 1'000'000'000;

class ActiveTime {
 public:
  // What the log says of the run so far: a segment ends at its last event before a crash.
  void Resume(int64_t run, int64_t active_ns);

  // `key` names the span within the run; opening an open span or closing a closed one changes
  // nothing.
  void Open(int64_t run, const std::string& key, int64_t now_ns);
  void Close(int64_t run, const std::string& key, int64_t now_ns);
  // The span never counted: an attempt that was lost to infrastructure. The time in which it was
  // the only open one is taken back.
  void Cancel(int64_t run, const std::string& key, int64_t now_ns);
  // An agent has its answer: its turn begins. Its next call ends it.
  void BeginTurn(int64_t run, const std::string& session, int64_t now_ns);
  void EndTurn(const std::string& session, int64_t now_ns);

  int64_t TotalNs(int64_t run, int64_t now_ns);

 private:
  struct Row {
    int64_t total_ns = 0, since_ns = 0;    // since: of the union that is open now
    std::map<std::string, int64_t> open;   // span -> time in which it was alone
    std::map<std::string, int64_t> turns;  // session -> its end at the latest
  };
  // Counts up to `now`, with turns ending at their caps.
  void Advance(Row& row, int64_t now_ns);

  std::map<int64_t, Row> rows_;
};

}  // namespace server::core
