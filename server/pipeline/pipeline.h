// The one straight sequence of the flow for a candidate: text -> syntax -> params -> member ->
// facts -> gates -> estimate -> CUDA source -> launch plan. `cake check` and the daemon's gate
// child call exactly this, so that their reports are equal byte for byte. Knows no process, no
// store, no wire.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/arch/device.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/emit/emit.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/launch.h"
#include "compiler/ir/program.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/syntax.h"
#include "costmodel/estimate.h"
#include "verifier/learnt/evaluate.h"
#include "verifier/verify.h"

namespace server::pipeline {

// The steps in order. A step runs only if the steps before it left no error.
enum class Stage : uint8_t { kSyntax, kParams, kMember, kFacts, kGates, kEstimate, kEmit, kDone };
std::string_view ToString(Stage stage);  // "syntax" ..

// What the gates say of one member. kPassed is no final verdict: it has still to
// run.
enum class Verdict : uint8_t {
  kPassed,
  kRejectedSyntax,
  kRejectedType,
  kRejectedLimit,
  kRejectedHardware,
  kRejectedData,
  kRejectedSafety,
  kRejectedSchedule,
  kRejectedUnproven,
};
std::string_view ToString(Verdict verdict);  // "PASSED", "REJECTED_SYNTAX" ..

// The verdict of a report: the earliest of the categories above among its errors; kPassed without
// errors.
Verdict VerdictOf(const compiler::diag::Report& report);

// The numbers of one case by name: dims, args (floats by their bits), strides; "SMS" where it
// matters.
using CaseValues = std::map<std::string, int64_t>;

struct Options {
  std::string file_name = "candidate.cake";  // only printed
  int64_t source_bytes = 0;  // of the whole file, if what is given is only its beginning
  std::string program;       // which program of the file; empty: it must hold exactly one
  std::string arch;          // device to check for; empty: that of the program's target
  verifier::Policy policy;
  bool run_gates = true;
  bool emit_cuda = true;
  // Learnt rules, asked of what the built-in gates accept; null: none.
  std::shared_ptr<const verifier::learnt::RuleSet> rules;
  bool ask_rejected = false;                // and of what they reject: a rule's own specimens
  int rule_repeats = 1;                     // each is asked so often, its least time counts
  std::optional<CaseValues> estimate_case;  // no estimate without
};

// Everything known of one member of the family.
struct Member {
  compiler::sema::Binding binding;
  Stage stage = Stage::kSyntax;  // kDone, or the step that reported the first error
  Verdict verdict = Verdict::kPassed;
  compiler::diag::Report report;  // of every step that ran, sorted
  std::vector<verifier::PropertyStatus> properties;
  std::vector<std::string> instances;  // the shapes the machine ran
  std::vector<std::string> assumptions;
  std::vector<verifier::Premise> premises;                 // P0 to P7
  verifier::Work work;                                     // of the gates
  std::shared_ptr<const verifier::learnt::RuleSet> rules;  // whose texts the report names
  std::vector<verifier::learnt::RuleOutcome> rule_outcomes;
  std::string canonical_hash, structural_hash;     // from stage kFacts on
  std::unique_ptr<compiler::ir::Program> program;  // from stage kFacts on
  const compiler::arch::Device* device = nullptr;  // from stage kFacts on
  compiler::facts::Facts facts;                    // from stage kGates on
  std::optional<costmodel::Estimate> estimate;
  absl::Status estimate_status;  // why there is none: the guard does not admit the case, ..
  std::optional<compiler::emit::Source> cuda;
};

// One source text, parsed once; its members are checked one by one.
class Candidate {
 public:
  // Parses and reads the params. Never fails: see report(). A file without the asked program, or
  // with several where none is asked for, is an error in report().
  Candidate(std::string_view source, Options options);

  // Errors here concern every member; `ok` is false then and CheckMember only repeats the report.
  bool ok() const;
  const compiler::diag::Report& report() const { return report_; }
  const std::string& source() const { return file_->source; }
  const Options& options() const { return options_; }
  std::string_view program_name() const;                // empty if there is none
  std::vector<std::string_view> program_names() const;  // all of the file
  const std::vector<compiler::sema::ParamDomain>& params() const { return params_; }

  int64_t family_size() const;  // saturates at INT64_MAX
  // Default binding with `overrides`. InvalidArgument: an unknown param or a value outside its
  // domain, both named.
  absl::StatusOr<compiler::sema::Binding> Bind(
      const std::map<std::string, int64_t>& overrides) const;

  // Runs the whole sequence for one binding. Deterministic.
  Member CheckMember(const compiler::sema::Binding& binding) const;

  // The same in two steps: up to the member's program and its hashes, and all that is left if that
  // went well (`stage` is kFacts then). Members with one canonical hash end the same.
  Member Elaborate(const compiler::sema::Binding& binding) const;
  Member Judge(Member member) const;

 private:
  Options options_;
  compiler::diag::Report report_;
  std::unique_ptr<compiler::text::File> file_;
  const compiler::text::Program* program_ = nullptr;
  std::vector<compiler::sema::ParamDomain> params_;
};

// Walks the members lazily. Up to `limit` members all in order; of a larger family `limit`
// different ones drawn by `seed`, the default binding first, and sampled() says so.
class MemberCursor {
 public:
  // `fixed`: params that every member has at these values of their domains.
  MemberCursor(const Candidate& candidate, int64_t limit, uint64_t seed,
               const std::map<std::string, int64_t>& fixed = {});
  std::optional<compiler::sema::Binding> Next();
  bool sampled() const { return sampled_; }

 private:
  std::vector<compiler::sema::ParamDomain> params_;
  int64_t size_ = 0, limit_ = 0, position_ = 0;
  std::vector<int64_t> drawn_;  // indices in use order, only of a sampled family
  bool sampled_ = false;
};

// The launch plan of one case. FailedPrecondition names the guard; InvalidArgument a missing or
// unknown name. Requires a member whose stage is past kFacts.
absl::StatusOr<compiler::facts::LaunchPlan> PlanCase(const Member& member,
                                                     const CaseValues& values);

// The documented JSON of one member: {"binding", "verdict", "stage", "blame", "diagnostics": [..],
// "properties": [..], "instances": [..], "assumptions": [..], "premises": [..], "canonical_hash",
// "structural_hash", "estimate": {..}|null}. Byte-equal for equal inputs; holds no time and no path
// but options.file_name.
std::string ToJson(const Candidate& candidate, const Member& member);

// Text for people: the diagnostics as compiler::diag::RenderText prints them, then one line a
// property.
std::string ToText(const Candidate& candidate, const Member& member, bool color);

}  // namespace server::pipeline
