// Takes candidates in: what is acknowledged is durable; judging comes later.
#pragma once

#include <list>
#include <map>
#include <string>
#include <utility>

#include "server/core/context.h"
#include "server/core/experiments.h"

namespace server::core {

class Intake {
 public:
  Intake(Context& context, Experiments& experiments) : c_(context), experiments_(experiments) {}

  void Submit(const SubmitRequest& request, Done<SubmitReply> done);
  // Answers those whose wait is over. True if any was.
  bool Step();
  int64_t NextWakeNs() const;
  void AnswerAll();

  // The answer for a candidate as things stand.
  absl::StatusOr<SubmitReply> ReplyFor(int64_t candidate);

 private:
  struct Waiter {
    int64_t candidate = 0, until_ns = 0;
    WaitFor wait_for = WaitFor::kAck;
    Done<SubmitReply> done;
  };

  absl::Status Validate(const SubmitRequest& request) const;
  absl::Status CanRun(const SubmitRequest& request, const state::Run& run) const;
  absl::StatusOr<int64_t> RunFor(const SubmitRequest& request);
  // What the candidate waits behind: how many of its run, and of its agent's session in it, are
  // handed in and not taken by the store yet.
  struct Queue {
    int64_t run = 0, author = 0;
    std::string session;
    auto operator<=>(const Queue&) const = default;
  };
  absl::Status HasRoom(const state::Run& run, const Queue& queue) const;
  // The command that takes the candidate in, and its queue.
  absl::StatusOr<std::pair<store::Batch, Queue>> Accept(const SubmitRequest& request);
  void Wait(int64_t candidate, Waiter waiter);
  bool IsOver(const Waiter& waiter) const;

  Context& c_;
  Experiments& experiments_;
  std::list<Waiter> waiters_;
  std::map<Queue, int64_t> coming_;  // handed to the store, not taken by it yet
};

// Best member's report, else the family's; empty before the gates are done.
absl::StatusOr<Report> ReportOf(Ledger& ledger, const state::Candidate& candidate);

}  // namespace server::core
