// A learnt rule against programs: its own specimens, or any others. `cake rule try` and the
// daemon's gate of specimens are this.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/pipeline/pipeline.h"
#include "verifier/learnt/evaluate.h"

namespace server::pipeline {

// Asked so often, the least time counts: what else the machine does is no cost of a rule.
constexpr int kTrialRepeats = 3;
// Of one question on a program, at most.
constexpr int64_t kRuleCpuNsMax = 1'000'000;

struct RuleTrial {
  std::string program;  // "accepts 1", "rejects 2", or a file
  std::string verdict;  // of the gates without the rule
  int64_t hits = 0, steps = 0, cpu_ns = 0;
  std::vector<std::string> said;  // violations, in words
  std::string fault;              // what is not as it must be; "": nothing
};

// One rule alone, at work.
std::shared_ptr<const verifier::learnt::RuleSet> Only(verifier::learnt::CompiledRule rule);

// The default member of a source that holds one program, or of the first program of several.
RuleTrial TryRule(const std::shared_ptr<const verifier::learnt::RuleSet>& rule,
                  std::string_view source, const std::string& name);

// Its own programs: each `accepts` passes the gates without a violation, each `rejects` is one that
// gets through to the gates and has one; where violations come with edits, the edited text passes
// the gates, the rule's too.
std::vector<RuleTrial> TrySpecimens(const std::shared_ptr<const verifier::learnt::RuleSet>& rule);

bool AllAsTheyMust(const std::vector<RuleTrial>& trials);
std::string TrialsJson(const std::vector<RuleTrial>& trials);

}  // namespace server::pipeline
