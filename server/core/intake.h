// Takes candidates in: what is acknowledged is durable; judging comes later.
#pragma once

#include <list>
#include <string>

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
  absl::StatusOr<int64_t> Accept(const SubmitRequest& request);
  bool IsOver(const Waiter& waiter) const;

  Context& c_;
  Experiments& experiments_;
  std::list<Waiter> waiters_;
};

// Best member's report, else the family's; empty before the gates are done.
absl::StatusOr<Report> ReportOf(Ledger& ledger, const state::Candidate& candidate);

}  // namespace server::core
