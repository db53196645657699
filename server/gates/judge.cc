#include "server/gates/judge.h"

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/diag/render.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/map.h"
#include "costmodel/estimate.h"
#include "runner/contract/bind.h"
#include "runner/contract/hash.h"
#include "server/gates/direct.h"
#include "server/generators/features.h"
#include "server/generators/propose.h"
#include "server/generators/reduce.h"
#include "server/pipeline/rule_trial.h"
#include "server/routing/route.h"

namespace server::gates {
namespace {

using compiler::diag::Diagnostic;
using compiler::diag::Name;
using compiler::diag::Severity;
using runner::contract::Case;

constexpr std::string_view kRuleset = "built-in", kModelRev = "first-1";

constexpr compiler::diag::Def<Name> kNarrowing{
    "CK9201", Severity::kError, compiler::diag::Category::kData,
    "the narrowed params do not fit the program: {0}",
    "a submission may narrow the domain of a param, never widen it or name another"};

int64_t CpuNs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return int64_t{t.tv_sec} * 1'000'000'000 + int64_t{t.tv_usec} * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// The cases that make the score: device-tier search cases, else any search case.
std::vector<const Case*> ScoredCases(const runner::contract::Workload& workload) {
  std::vector<const Case*> device, any;
  for (const Case& one : workload.cases) {
    if (one.set != runner::contract::Set::kSearch) continue;
    any.push_back(&one);
    if (one.tier == runner::contract::Tier::kDevice) device.push_back(&one);
  }
  return device.empty() ? any : device;
}

bool HasMachineFix(const compiler::diag::Report& report) {
  for (const Diagnostic& d : report.diagnostics()) {
    for (const compiler::diag::Fix& fix : d.fixes) {
      if (fix.applicability == compiler::diag::Applicability::kMachine && !fix.edits.empty()) {
        return true;
      }
    }
  }
  return false;
}

std::string ParamsJson(const compiler::sema::Binding& binding) {
  auto out = nlohmann::json::object();
  for (const auto& [name, value] : binding) out[name] = {absl::StrCat(value)};
  return binding.empty() ? "" : out.dump();
}

}  // namespace

std::string BindingJson(const compiler::sema::Binding& binding) {
  return nlohmann::json(binding).dump();
}

std::optional<compiler::sema::Binding> BindingFromJson(std::string_view text) {
  const auto in = nlohmann::json::parse(text, nullptr, false);
  if (!in.is_object()) return std::nullopt;
  compiler::sema::Binding binding;
  for (const auto& [name, value] : in.items()) {
    if (!value.is_number_integer()) return std::nullopt;
    binding[name] = value.get<int64_t>();
  }
  return binding;
}

void Judge::Prepare(const core::GateRequest& request) {
  std::string key = absl::StrCat(request.emit  ? "emit"
                                 : request.map ? "map"
                                 : request.estimate ? "estimate"
                                               : "judge",
                                 "\n", request.contract_json, "\n", request.members_max, "\n",
                                 request.sample_seed, "\n");
  for (const core::Narrowed& one : request.narrow) {
    absl::StrAppend(&key, one.name, "=");
    for (const std::string& value : one.values) absl::StrAppend(&key, value, ",");
  }
  absl::StrAppend(&key, "\n", request.gate_rule ? "rule" : "", rules_key_, "\n", request.source);
  if (key == key_) return;
  key_ = std::move(key);
  contract_.reset();
  family_.reset();
  family_error_.clear();
  if (!request.contract_json.empty()) {
    auto contract = runner::contract::FromJson(request.contract_json);
    if (contract.ok()) contract_ = *std::move(contract);
  }
  pipeline::Options options;
  options.file_name = request.file_name;
  options.run_gates = !request.emit && !request.map && !request.estimate;
  options.emit_cuda = request.emit;
  options.rules = rules_;
  options.ask_rejected = request.gate_rule;
  if (request.gate_rule) options.rule_repeats = pipeline::kTrialRepeats;
  candidate_ = std::make_unique<pipeline::Candidate>(request.source, options);
  if (!candidate_->ok()) return;
  auto family =
      Family::Make(candidate_->params(), request.narrow, request.members_max, request.sample_seed);
  if (family.ok())
    family_ = *std::move(family);
  else
    family_error_ = std::string(family.status().message());
}

// What the gates print of a member: the diagnostics as rows, the report whole.
core::GateMember Judge::Describe(const pipeline::Member& member) const {
  core::GateMember out;
  out.binding_json = BindingJson(member.binding);
  out.verdict = std::string(pipeline::ToString(member.verdict));
  out.stage = std::string(pipeline::ToString(member.stage));
  out.canon_hash = member.canonical_hash;
  out.struct_hash = member.structural_hash;
  out.report_json = pipeline::ToJson(*candidate_, member);
  const bool built = member.program != nullptr && member.stage > pipeline::Stage::kFacts;
  if (built) out.features = generators::FeaturesJson(*member.program, member.facts);
  out.fixable = member.report.has_errors() && HasMachineFix(member.report);
  for (const verifier::learnt::RuleOutcome& said : member.rule_outcomes) {
    out.rules.push_back({said.id, said.shadow, said.unknown, said.hits, said.cpu_ns, said.why});
  }
  for (const Diagnostic& d : member.report.diagnostics()) {
    if (out.diagnostics.size() >= core::kMemberDiagnosticsMax) break;
    core::GateDiagnostic row;
    row.code = std::string(d.code);
    row.category = std::string(compiler::diag::ToString(d.category));
    row.severity = std::string(compiler::diag::ToString(d.severity));
    row.message = d.message;
    if (member.rules != nullptr) row.rule = std::string(member.rules->RuleOf(d.code));
    row.span_begin = d.primary.begin;
    row.span_end = d.primary.end;
    row.form = routing::FormAt(candidate_->source(), d.primary.begin, d.primary.end);
    row.fingerprint =
        absl::StrFormat("%016x", compiler::diag::Fingerprint(d, candidate_->source()));
    out.diagnostics.push_back(std::move(row));
  }
  return out;
}

core::GateMember Judge::FamilyError(const compiler::diag::Report& report) const {
  pipeline::Member member;
  member.report.Append(report);
  member.verdict = pipeline::VerdictOf(report);
  return Describe(member);
}

void Judge::CheckContract(pipeline::Member& member) {
  if (!contract_ || member.verdict != pipeline::Verdict::kPassed || !member.program) return;
  runner::contract::CheckBinding(*contract_, *member.program, member.report);
  if (!member.report.has_errors()) return;
  member.report.Sort();
  member.verdict = pipeline::VerdictOf(member.report);
}

// One estimate a scored case; the report shows the one that weighs most.
void Judge::Estimate(pipeline::Member& member, core::GateMember& out) {
  const costmodel::Calibration* calibration = nullptr;
  for (const costmodel::Calibration& one : calibrations_) {
    if (member.device != nullptr && one.arch == member.device->arch) calibration = &one;
  }
  if (!contract_ || !member.program || member.device == nullptr) return;
  double heaviest = -1;
  for (const Case* one : ScoredCases(*contract_)) {
    auto values =
        runner::contract::CaseValues(*contract_, *one, *member.program, member.device->sm_count);
    if (!values.ok()) continue;
    auto bound = compiler::facts::BindLaunch(*member.program, *values);
    if (!bound.ok()) continue;
    auto estimate =
        costmodel::EstimateLaunch(*member.program, member.facts, *bound, *member.device,
                                  calibration);
    if (!estimate.ok()) continue;
    const double weight = one->weight > 0 ? one->weight : 1;
    out.estimates.push_back({one->name, estimate->calibration, estimate->bottleneck,
                             estimate->runner_up, estimate->time_ns, estimate->low_ns,
                             estimate->high_ns, weight, estimate->rank_only});
    if (weight <= heaviest) continue;
    heaviest = weight;
    member.estimate = *std::move(estimate);
  }
}

core::GateMember Judge::One(const compiler::sema::Binding& binding) {
  pipeline::Member member = candidate_->CheckMember(binding);
  CheckContract(member);
  core::GateMember estimates;
  if (member.verdict == pipeline::Verdict::kPassed) Estimate(member, estimates);
  core::GateMember out = Describe(member);
  out.estimates = std::move(estimates.estimates);
  return out;
}

core::GateProposal Judge::Propose(const core::GateRequest& request) const {
  generators::ProposalInput input;
  input.tactic = request.propose;
  input.source = request.source;
  input.binding = BindingFromJson(request.binding_json).value_or(compiler::sema::Binding{});
  // A candidate that was rejected has no variant: what it was narrowed to is its binding.
  for (const core::Narrowed& one : request.narrow) {
    int64_t value = 0;
    const bool single = one.values.size() == 1 && absl::SimpleAtoi(one.values.front(), &value);
    if (single) input.binding.try_emplace(one.name, value);
  }
  input.other_source = request.other_source;
  input.other_binding =
      BindingFromJson(request.other_binding_json).value_or(compiler::sema::Binding{});
  input.pick = request.pick;
  input.structural = request.structural;
  generators::Proposal made = generators::Propose(input);
  return {made.found, std::move(made.source), ParamsJson(made.binding), std::move(made.text), 0};
}

core::GateProposal Judge::Cut(const core::GateRequest& request) const {
  const auto binding = BindingFromJson(request.binding_json).value_or(compiler::sema::Binding{});
  generators::Reduction cut =
      generators::Reduce(request.source, binding, request.reduce_from, request.reduce_count);
  compiler::sema::Binding left;
  for (const auto& param : generators::Read(cut.source).params) {
    const auto value = binding.find(param.name);
    if (value != binding.end()) left.insert(*value);
  }
  return {cut.found, std::move(cut.source), ParamsJson(left), std::move(cut.text), cut.units};
}

core::GateSpecimens Judge::TryRule(const core::GateRequest& request) const {
  core::GateSpecimens out;
  if (request.rules.empty()) {
    out.error = "there is no rule";
    return out;
  }
  auto compiled = verifier::learnt::CompileRule(request.rules.front().text);
  if (!compiled.ok()) {
    out.error = std::string(compiled.status().message());
    return out;
  }
  out.name = compiled->rule.name;
  out.code = compiled->rule.code;
  const auto trials = pipeline::TrySpecimens(pipeline::Only(*std::move(compiled)));
  out.good = pipeline::AllAsTheyMust(trials);
  out.trials_json = pipeline::TrialsJson(trials);
  return out;
}

// A text that is no rule any more (it was one when it was gated) is left out: the gates of today
// decide without it.
void Judge::Install(const std::vector<core::GateRule>& rules) {
  std::string key;
  for (const core::GateRule& rule : rules) {
    absl::StrAppend(&key, rule.id, rule.shadow ? "?" : "!", rule.text.size(), ":", rule.text);
  }
  if (key == rules_key_) return;
  rules_key_ = std::move(key);
  std::vector<verifier::learnt::Installed> installed;
  for (const core::GateRule& rule : rules) {
    auto compiled = verifier::learnt::CompileRule(rule.text);
    if (!compiled.ok()) continue;
    installed.push_back(
        {rule.id, rule.shadow,
         std::make_shared<const verifier::learnt::CompiledRule>(*std::move(compiled))});
  }
  rules_ = installed.empty()
               ? nullptr
               : std::make_shared<const verifier::learnt::RuleSet>(std::move(installed));
}

// What is in force was read before it was put there; a text that is none any more changes nothing.
void Judge::Calibrate(const std::vector<core::GateCalibration>& calibrations) {
  calibrations_.clear();
  for (const core::GateCalibration& one : calibrations) {
    auto read = costmodel::ParseCalibration(one.text);
    if (!read.ok()) continue;
    read->id = one.id;
    read->claims_time = one.claims_time;
    calibrations_.push_back(*std::move(read));
  }
}

// One member's times by the data sheets and by each calibration: nothing is judged.
void Judge::EstimateEach(const core::GateRequest& request, core::GateReply& reply) {
  const auto binding = BindingFromJson(request.binding_json);
  pipeline::Member member =
      candidate_->CheckMember(binding ? *binding : compiler::sema::Binding{});
  if (member.verdict != pipeline::Verdict::kPassed || !member.program) return;
  if (member.device != nullptr) reply.arch = member.device->arch;
  for (size_t i = 0; i <= request.calibrations.size(); ++i) {
    Calibrate(i == 0 ? std::vector<core::GateCalibration>{}
                     : std::vector<core::GateCalibration>{request.calibrations[i - 1]});
    Estimate(member, reply.members.emplace_back());
  }
}

// Where everything of one member lies and who has what.
void Judge::Map(const core::GateRequest& request, core::GateReply& reply) {
  const auto written = BindingFromJson(request.binding_json);
  compiler::sema::Binding binding = written ? *written : compiler::sema::Binding{};
  if (const auto whole = candidate_->Bind({}); !written && whole.ok()) binding = *whole;
  const pipeline::Member member = candidate_->CheckMember(binding);
  if (member.device != nullptr) reply.arch = member.device->arch;
  if (member.verdict == pipeline::Verdict::kPassed && member.program) {
    reply.map_json = compiler::facts::MapJson(*member.program, member.facts, *member.device);
  }
  reply.members.push_back(Describe(member));
}

core::GateReply Judge::Answer(const core::GateRequest& request) {
  const int64_t started = CpuNs();
  core::GateReply reply;
  if (request.direct) reply = AnswerDirect(request);
  reply.verifier_rev = core::kVerifierRev;
  Install(request.rules);
  reply.ruleset_hash = rules_ == nullptr ? std::string(kRuleset) : rules_->hash();
  Calibrate(request.calibrations);
  reply.model_rev = kModelRev;
  if (request.reduce) reply.proposal = Cut(request);
  if (request.specimens) reply.specimens = TryRule(request);
  if (!request.propose.empty()) reply.proposal = Propose(request);
  const bool made = request.reduce || request.specimens || !request.propose.empty();
  if (request.direct || made) {
    reply.cpu_ns = CpuNs() - started;
    return reply;
  }
  Prepare(request);
  reply.program_name = std::string(candidate_->program_name());
  reply.family_ok = family_.has_value();
  if (!candidate_->ok()) {
    // A text with errors still has a default member, whose other findings are worth telling.
    const auto binding = candidate_->Bind({});
    reply.members.push_back(
        Describe(candidate_->CheckMember(binding.ok() ? *binding : compiler::sema::Binding{})));
  } else if (!reply.family_ok) {
    compiler::diag::Report report;
    report.Add(kNarrowing, {}, Name{family_error_});
    reply.members.push_back(FamilyError(report));
  } else if (request.estimate) {
    EstimateEach(request, reply);
  } else if (request.map) {
    Map(request, reply);
  } else if (request.emit) {
    const auto binding = BindingFromJson(request.binding_json);
    pipeline::Member member =
        candidate_->CheckMember(binding ? *binding : compiler::sema::Binding{});
    if (member.device != nullptr) reply.arch = member.device->arch;
    if (member.cuda) {
      reply.cuda = member.cuda->cuda;
      reply.compile_options = member.cuda->options;
    }
    reply.program_id = member.canonical_hash;
    reply.members.push_back(Describe(member));
  } else {
    reply.members_total = family_->size();
    reply.sampled = family_->sampled();
    reply.reachable = family_->reachable();
    const int64_t end = std::min(request.from + request.count, family_->reachable());
    for (int64_t i = request.from; i < end; ++i) reply.members.push_back(One(family_->At(i)));
  }
  reply.cpu_ns = CpuNs() - started;
  return reply;
}

}  // namespace server::gates
