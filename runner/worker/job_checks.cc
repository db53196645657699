// The named checks of a whole job, from those of its cases.
#include "absl/strings/str_cat.h"
#include "runner/oracle/hidden.h"
#include "runner/worker/job_run.h"

namespace runner::worker {

using contract::Verdict;

void JobRun::Aggregate() {
  using oracle::Outcome;
  const auto add = [&](std::string_view name, auto detail_of, auto wanted) {
    oracle::Check out{.name = std::string(name)};
    int64_t passed = 0;
    std::string reason;  // why the first case has not run it
    for (const CaseOutcome& at : result_.cases) {
      const auto [outcome, detail] = detail_of(at);
      if (!wanted(at)) continue;
      if (outcome == Outcome::kNotRun) {
        if (reason.empty()) reason = detail;
        continue;
      }
      if (outcome == Outcome::kFail && out.outcome != Outcome::kFail) {
        out = {std::string(name), Outcome::kFail, absl::StrCat("case ", at.name, ": ", detail)};
      }
      passed += outcome == Outcome::kPass;
      if (out.outcome == Outcome::kNotRun) out.outcome = Outcome::kPass;
    }
    if (out.outcome == Outcome::kNotRun) out.detail = reason;
    if (out.outcome == Outcome::kPass) out.detail = absl::StrCat(passed, " cases");
    result_.checks.push_back(std::move(out));
  };
  using Found = std::pair<Outcome, std::string>;
  const auto any = [](const CaseOutcome&) { return true; };
  const auto whole = [](const CaseOutcome& at) -> Found {
    return {at.verdict == Verdict::kCorrect ? Outcome::kPass : Outcome::kFail, at.detail};
  };
  add("shape_cases", whole, any);
  add("adversarial_inputs", whole, [&](const CaseOutcome& at) {
    const contract::Case* c = contract::FindCase(job_.workload, at.name);
    return c != nullptr && !c->variant.empty();
  });
  if (job_.hidden_sizes > 0) {
    add(oracle::kCheckHidden, whole,
        [](const CaseOutcome& at) { return at.name.starts_with(oracle::kHiddenPrefix); });
  }
  for (std::string_view name : oracle::kCaseChecks) {
    add(
        name,
        [&](const CaseOutcome& at) -> Found {
          for (const auto& check : at.checks)
            if (check.name == name) return {check.outcome, check.detail};
          return {Outcome::kNotRun, ""};
        },
        any);
  }
  if (!autopsy_.name.empty()) result_.checks.push_back(autopsy_);
  if (!marks_.detail.empty()) result_.checks.push_back(marks_);
  result_.checks.push_back(timed_);
  result_.checks.push_back(executed_);
  result_.checks.insert(result_.checks.end(), evidence_.begin(), evidence_.end());
  result_.checks.push_back(baseline_);
}

}  // namespace runner::worker
