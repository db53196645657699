// Learnt rules over a candidate: what they find, and what each has cost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/learnt/database.h"
#include "verifier/learnt/rule.h"

namespace verifier::learnt {

// The query compiles, names its place, and has every column of the message; it is done once a rule.
struct CompiledRule {
  Rule rule;
  std::set<std::string> tables;  // that it reads
};
absl::StatusOr<CompiledRule> CompileRule(std::string_view text);

// A rule at work. A shadow rule is only counted.
struct Installed {
  std::string id;  // "name@3": the proposal's name and its revision
  bool shadow = false;
  std::shared_ptr<const CompiledRule> compiled;
};

// The rules of a daemon at one moment, in the order of their names.
class RuleSet {
 public:
  explicit RuleSet(std::vector<Installed> rules);
  const std::vector<Installed>& rules() const { return rules_; }
  const std::set<std::string>& tables() const { return tables_; }
  bool empty() const { return rules_.empty(); }
  // Which of them a diagnostic is from; "" of the built-in gates'. Codes of learnt rules are one
  // rule's each.
  std::string_view RuleOf(std::string_view code) const;
  // Changes when a rule, its revision or its state does.
  const std::string& hash() const { return hash_; }

 private:
  std::vector<Installed> rules_;
  std::set<std::string> tables_;
  std::string hash_;
};

// What one rule says of one candidate.
struct RuleOutcome {
  std::string id;
  bool shadow = false;
  bool unknown = false;  // the query did not end: no hit, and no silence either
  std::string why;       // it is unknown
  int64_t hits = 0;      // at most kAnswerRowsMax
  int64_t steps = 0;     // thousands
  int64_t cpu_ns = 0;
};

struct Findings {
  compiler::diag::Report report;  // of active rules
  std::vector<RuleOutcome> outcomes;
  int64_t fill_cpu_ns = 0;
};

// The report names texts of `rules`, which must outlive it. `repeats`: each is asked so often, and
// the least time counts.
Findings Evaluate(const RuleSet& rules, const Source& source, int repeats = 1);

}  // namespace verifier::learnt
