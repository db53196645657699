// Checks: the gates over sources that are no candidates, for whoever waits for them. They wait in a
// line of their caller, whose lengths are bounded, and take turns by CPU time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/core/check_line.h"
#include "server/core/check_memory.h"
#include "server/core/context.h"
#include "server/core/gate.h"

namespace server::core {

class Checks {
 public:
  Checks(Context& context, GateRunner& gates) : c_(context), gates_(gates) {}

  // Judges the default member. RATE when the caller, its session or the daemon has too many.
  void Check(const CheckRequest& request, Done<CheckReply> done);

  // Gate work of this class has ids of its own.
  static bool Owns(uint64_t id) { return id >= kFirstId && id < kFirstId * 2; }
  void GateDone(uint64_t id, absl::StatusOr<GateReply> reply);
  void AnswerAll(const absl::Status& status);

  // What sources are asked now, besides the gates that are built in.
  std::function<std::vector<GateRule>()> learnt_rules = [] { return std::vector<GateRule>{}; };

  // What they are estimated with.
  std::function<std::vector<GateCalibration>(const state::Run*)> calibrations =
      [](const state::Run*) { return std::vector<GateCalibration>{}; };

  int64_t served_ns(int64_t caller) const { return line_.served_ns(caller); }

 private:
  static constexpr uint64_t kFirstId = uint64_t{1} << 61;

  struct Open {
    int64_t caller = 0, weight = 1;
    int64_t until_ns = 0, started_ns = 0;  // started: 0 while it waits
    CheckRequest request;
    GateRequest gate;
    std::string key;  // of the memory
    Done<CheckReply> done;
  };

  absl::Status HasRoom(const CheckRequest& request) const;
  absl::StatusOr<GateRequest> GateFor(const CheckRequest& request) const;
  // Into the line, or behind the one that asks the same.
  void Enqueue(Open open);
  // Starts what has a child to run on; who waited too long is told so instead.
  void StartNext();
  // Those who asked the same as what ends now.
  std::vector<Open> TakeFollowers(const std::string& key);
  void Answer(Open open, const absl::StatusOr<GateReply>& reply, int64_t cpu_ns);

  Context& c_;
  GateRunner& gates_;
  uint64_t next_id_ = kFirstId;
  std::map<uint64_t, Open> open_;
  std::map<std::string, std::vector<Open>> followers_;  // by key of one that is in open_
  size_t bytes_ = 0;                                    // of all their sources
  int64_t running_ = 0;
  CheckLine line_;
  CheckMemory memory_;
};

}  // namespace server::core
