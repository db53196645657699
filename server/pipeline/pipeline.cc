#include "server/pipeline/pipeline.h"

#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "server/pipeline/fixes.h"

namespace server::pipeline {

namespace arch = compiler::arch;
namespace diag = compiler::diag;
namespace sema = compiler::sema;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

namespace {

constexpr Def<Name, Name> kUnknownArch{"CK3301", Severity::kError, Category::kHardware,
                                       "there is no description of `{0}`; known are {1}",
                                       "limits come from one description for each architecture"};
constexpr Def<Name, Name> kNotAdmitted{
    "CK3302", Severity::kError, Category::kHardware, "the target `{0}` does not run on `{1}`",
    "a plain target runs on its architecture and later ones, an `a` target on its own only"};
constexpr Def<Name, Name> kNoSuchProgram{"CK9001", Severity::kError, Category::kContract,
                                         "the file has no program `{0}`; it has {1}",
                                         "one program is checked at a time: FILE:PROGRAM"};
constexpr Def<int64_t, Name> kSeveralPrograms{"CK9002", Severity::kError, Category::kContract,
                                              "the file has {0} programs: {1}",
                                              "one program is checked at a time: FILE:PROGRAM"};

std::string ProgramNames(const compiler::text::File& file) {
  std::vector<std::string> names;
  for (const compiler::text::Program* program : file.programs) {
    names.emplace_back(program->name.text);
  }
  return absl::StrJoin(names, ", ");
}

// The program to check; null with an error in `report` if there is not exactly one.
const compiler::text::Program* Choose(const compiler::text::File& file, const std::string& wanted,
                                      diag::Report& report) {
  if (wanted.empty()) {
    if (file.programs.size() == 1) return file.programs[0];
    // No program at all is the parser's finding.
    if (!file.programs.empty()) {
      report.Add(kSeveralPrograms, file.programs[1]->name.span,
                 static_cast<int64_t>(file.programs.size()), Name{ProgramNames(file)});
    }
    return nullptr;
  }
  for (const compiler::text::Program* program : file.programs) {
    if (program->name.text == wanted) return program;
  }
  report.Add(kNoSuchProgram, {}, Name{wanted}, Name{ProgramNames(file)});
  return nullptr;
}

const arch::Device* DeviceFor(const Options& options, const compiler::text::Program& program,
                              diag::Report& report) {
  const std::string target(program.target.text);
  const std::string& wanted = options.arch.empty() ? target : options.arch;
  const absl::StatusOr<const arch::Device*> device = arch::DeviceOfTarget(wanted);
  if (!device.ok()) {
    std::vector<std::string> known;
    for (const std::string_view name : arch::Known()) known.emplace_back(name);
    report.Add(kUnknownArch, program.target.span, Name{wanted}, Name{absl::StrJoin(known, ", ")});
    return nullptr;
  }
  if (!options.arch.empty() && !arch::Admits(target, (*device)->arch)) {
    report.Add(kNotAdmitted, program.target.span, Name{target}, Name{(*device)->arch});
    return nullptr;
  }
  return *device;
}

}  // namespace

std::string_view ToString(Stage stage) {
  constexpr std::string_view kNames[] = {"syntax", "params",   "member", "facts",
                                         "gates",  "estimate", "emit",   "done"};
  return kNames[static_cast<size_t>(stage)];
}

std::string_view ToString(Verdict verdict) {
  constexpr std::string_view kNames[] = {
      "PASSED",          "REJECTED_SYNTAX",   "REJECTED_TYPE",
      "REJECTED_LIMIT",  "REJECTED_HARDWARE", "REJECTED_DATA",
      "REJECTED_SAFETY", "REJECTED_SCHEDULE", "REJECTED_UNPROVEN"};
  return kNames[static_cast<size_t>(verdict)];
}

Verdict VerdictOf(const diag::Report& report) {
  Verdict earliest = Verdict::kPassed;
  for (const diag::Diagnostic& d : report.diagnostics()) {
    if (d.severity != Severity::kError) continue;
    Verdict verdict = Verdict::kRejectedType;
    switch (d.category) {
      case Category::kSyntax: verdict = Verdict::kRejectedSyntax; break;
      // An instruction outside this build is refused where names are resolved.
      case Category::kType:
      case Category::kLowering: verdict = Verdict::kRejectedType; break;
      case Category::kLimit: verdict = Verdict::kRejectedLimit; break;
      case Category::kHardware: verdict = Verdict::kRejectedHardware; break;
      case Category::kData:
      case Category::kContract: verdict = Verdict::kRejectedData; break;
      case Category::kSafety:
      case Category::kRun: verdict = Verdict::kRejectedSafety; break;
      case Category::kSchedule: verdict = Verdict::kRejectedSchedule; break;
      case Category::kUnproven: verdict = Verdict::kRejectedUnproven; break;
    }
    if (earliest == Verdict::kPassed || verdict < earliest) earliest = verdict;
  }
  return earliest;
}

namespace {

Member Finish(Member member, Stage stage) {
  member.stage = stage;
  member.report.Sort();
  member.verdict = VerdictOf(member.report);
  return member;
}

}  // namespace

Candidate::Candidate(std::string_view source, Options options) : options_(std::move(options)) {
  file_ = compiler::text::Parse(source, compiler::ops::Table(), report_, options_.source_bytes);
  program_ = Choose(*file_, options_.program, report_);
  if (program_ != nullptr) params_ = sema::Params(*program_, report_);
  report_.Sort();
}

bool Candidate::ok() const { return program_ != nullptr && !report_.has_errors(); }

std::string_view Candidate::program_name() const {
  return program_ == nullptr ? std::string_view() : program_->name.text;
}

std::vector<std::string_view> Candidate::program_names() const {
  std::vector<std::string_view> names;
  for (const compiler::text::Program* program : file_->programs) {
    names.push_back(program->name.text);
  }
  return names;
}

int64_t Candidate::family_size() const { return sema::FamilySize(params_); }

absl::StatusOr<sema::Binding> Candidate::Bind(
    const std::map<std::string, int64_t>& overrides) const {
  sema::Binding binding = sema::DefaultBinding(params_);
  for (const auto& [name, value] : overrides) {
    const auto param = std::find_if(params_.begin(), params_.end(),
                                    [&](const sema::ParamDomain& p) { return p.name == name; });
    if (param == params_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("program `", std::string(program_name()), "` has no param `", name, "`"));
    }
    if (std::find(param->values.begin(), param->values.end(), value) == param->values.end()) {
      return absl::InvalidArgumentError(absl::StrCat("param `", name, "` = ", value,
                                                     " is outside its domain {",
                                                     absl::StrJoin(param->values, ", "), "}"));
    }
    binding[name] = value;
  }
  return binding;
}

Member Candidate::CheckMember(const sema::Binding& binding) const {
  Member member = Elaborate(binding);
  if (member.program != nullptr) member = Judge(std::move(member));
  if (options_.run_gates && member.report.has_errors()) KeepFixesThatPass(*this, member);
  return member;
}

Member Candidate::Elaborate(const sema::Binding& binding) const {
  Member member{.binding = binding};
  member.report = report_;
  // A text with errors is elaborated all the same: one bad line must not hide the other findings.
  if (program_ == nullptr) return Finish(std::move(member), Stage::kSyntax);
  member.program =
      sema::Elaborate(*file_, *program_, binding, compiler::ops::Table(), member.report);
  if (report_.has_errors()) {
    member.program = nullptr;
    return Finish(std::move(member), Stage::kSyntax);
  }
  if (member.program == nullptr) return Finish(std::move(member), Stage::kMember);
  member.canonical_hash = sema::CanonicalHash(*member.program);
  member.structural_hash = sema::StructuralHash(*member.program);
  return Finish(std::move(member), Stage::kFacts);
}

namespace {

// Behind the built-in gates: what those have found is the likelier cause.
void AskRules(const Options& options, verifier::Verdict& verdict, Member& member) {
  if (options.rules == nullptr || !(verdict.accepted || options.ask_rejected)) return;
  const verifier::learnt::Findings findings = verifier::learnt::Evaluate(
      *options.rules, {*member.program, member.facts, *member.device, verdict},
      options.rule_repeats);
  member.rules = options.rules;
  member.rule_outcomes = findings.outcomes;
  verdict.report.Append(findings.report);
  verdict.accepted = verdict.accepted && !findings.report.has_errors();
}

}  // namespace

Member Candidate::Judge(Member member) const {
  const auto finish = [&](Stage stage) { return Finish(std::move(member), stage); };
  member.device = DeviceFor(options_, *program_, member.report);
  if (member.device == nullptr) return finish(Stage::kFacts);
  member.facts = compiler::facts::Derive(*member.program, *member.device, member.report);
  if (member.report.has_errors()) return finish(Stage::kFacts);

  if (options_.run_gates) {
    verifier::Verdict verdict =
        verifier::Verify(*member.program, member.facts, *member.device, options_.policy);
    AskRules(options_, verdict, member);
    member.report.Append(verdict.report);
    member.properties = std::move(verdict.properties);
    member.instances = std::move(verdict.instances);
    member.assumptions = std::move(verdict.assumptions);
    member.premises = std::move(verdict.premises);
    member.work = verdict.work;
    if (!verdict.accepted) return finish(Stage::kGates);
  }
  if (options_.estimate_case) {
    CaseValues values = *options_.estimate_case;
    values.emplace("SMS", member.device->sm_count);
    const absl::StatusOr<compiler::ir::LaunchValues> bound =
        compiler::facts::BindLaunch(*member.program, values);
    member.estimate_status = bound.status();
    if (bound.ok()) {
      absl::StatusOr<costmodel::Estimate> estimate =
          costmodel::EstimateLaunch(*member.program, member.facts, *bound, *member.device);
      member.estimate_status = estimate.status();
      if (estimate.ok()) member.estimate = *std::move(estimate);
    }
  }
  if (options_.emit_cuda) {
    member.cuda = compiler::emit::Emit(*member.program, member.facts, member.canonical_hash,
                                       options_.file_name);
  }
  return finish(Stage::kDone);
}

MemberCursor::MemberCursor(const Candidate& candidate, int64_t limit, uint64_t seed,
                           const std::map<std::string, int64_t>& fixed)
    : params_(candidate.params()), limit_(limit) {
  for (sema::ParamDomain& param : params_) {
    const auto value = fixed.find(param.name);
    if (value == fixed.end()) continue;
    param.values = {value->second};
    param.default_value = value->second;
  }
  size_ = sema::FamilySize(params_);
  if (size_ <= limit_) return;
  sampled_ = true;
  // The default binding comes first; the others are distinct draws, the same for the same seed.
  const sema::Binding by_default = sema::DefaultBinding(params_);
  std::set<int64_t> seen;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  while (static_cast<int64_t>(drawn_.size()) + 1 < limit_) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = state ^ (state >> 33);
    mixed *= 0xff51afd7ed558ccdu;
    const auto index = static_cast<int64_t>((mixed ^ (mixed >> 29)) % static_cast<uint64_t>(size_));
    if (!seen.insert(index).second) continue;
    if (sema::FamilyMember(params_, index) != by_default) drawn_.push_back(index);
  }
}

std::optional<sema::Binding> MemberCursor::Next() {
  if (position_ >= std::min(size_, limit_)) return std::nullopt;
  const int64_t at = position_++;
  if (!sampled_) return sema::FamilyMember(params_, at);
  if (at == 0) return sema::DefaultBinding(params_);
  return sema::FamilyMember(params_, drawn_[static_cast<size_t>(at - 1)]);
}

absl::StatusOr<compiler::facts::LaunchPlan> PlanCase(const Member& member,
                                                     const CaseValues& values) {
  if (member.program == nullptr || member.stage <= Stage::kFacts) {
    return absl::FailedPreconditionError("the member did not pass the step `facts`");
  }
  CaseValues named = values;
  named.emplace("SMS", member.device->sm_count);
  const absl::StatusOr<compiler::ir::LaunchValues> bound =
      compiler::facts::BindLaunch(*member.program, named);
  if (!bound.ok()) return bound.status();
  return compiler::facts::PlanLaunch(*member.program, member.facts, *bound, member.canonical_hash);
}

}  // namespace server::pipeline
