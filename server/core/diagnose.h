// The full report of a candidate: what it is now, against what came before, what holds it back, and
// what to change and why.
#pragma once

#include "server/core/context.h"

namespace server::core {

class Diagnosis {
 public:
  explicit Diagnosis(Context& context) : c_(context) {}

  absl::StatusOr<DiagnoseReply> Diagnose(const std::string& candidate);

 private:
  absl::Status AddRun(const state::Variant& variant, DiagnoseReply& reply);
  absl::Status AddComparisons(const state::Candidate& candidate, const state::Variant* now,
                              DiagnoseReply& reply);
  absl::StatusOr<std::vector<Metric>> MetricsOf(const state::Variant& variant);

  Context& c_;
};

// Metrics of a member's report ("estimate" of its JSON); all ESTIMATED.
std::vector<Metric> EstimatedMetrics(std::string_view member_report_json);

// "hbm 93%, issue 41%; runner-up latency/sync; line 23 takes 512 of 900 ns (hbm)": from a member's
// report; "" without an estimate.
std::string BottleneckWhy(std::string_view member_report_json);

// What to change, most useful first: fixes of errors, then errors without a fix, then what the cost
// model says would help. `run` is what a worker found.
std::vector<Advice> AdviceFrom(std::string_view member_report_json,
                               std::string_view run_report_json,
                               const std::vector<store::CheckOutcome>& checks);

}  // namespace server::core
