#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/edge/translate.h"
#include "server/edge/translate_words.h"
#include "server/state/error.h"
#include "store/store.h"

namespace server::edge {
namespace {

constexpr int kChecksMax = 4096, kDiagnosticsMax = 64, kClocksMax = 16, kHeldMax = 64;

core::SourceText SourceOf(const wire::Source& in) {
  core::SourceText out;
  out.direct_cuda = in.has_cuda();
  out.text = in.has_cuda() ? in.cuda().source() : in.cake_ir();
  out.launch_plan_json = in.cuda().launch_plan_json();
  return out;
}

template <typename List>
std::vector<core::Narrowed> ParamsOf(const List& in) {
  std::vector<core::Narrowed> out;
  for (const wire::ParamDomain& param : in) {
    out.push_back({param.name(), {param.values().begin(), param.values().end()}});
  }
  return out;
}

core::ExperimentRequest Experiment(const wire::RequestMeta& meta, const std::string& experiment,
                                   const std::string& run, const std::string& reason,
                                   const google::protobuf::Message& whole) {
  core::ExperimentRequest out;
  out.meta = FromWire(meta, whole);
  out.experiment = experiment.empty() ? meta.experiment() : experiment;
  out.run = run.empty() ? meta.run() : run;
  out.reason = reason;
  return out;
}

}  // namespace

// The request id itself is part of the key, not of the hash: clients may resend with a new one.
core::Meta FromWire(const wire::RequestMeta& meta, const google::protobuf::Message& request) {
  core::Meta out;
  out.request_id = meta.request_id();
  out.experiment = meta.experiment();
  out.run = meta.run();
  out.session = meta.agent_session().substr(0, 128);
  std::string bytes;
  // Deterministic for one build; a request is compared with what the same daemon stored.
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    request.SerializeToCodedStream(&coded);
  }
  out.request_hash = store::Sha256Hex(bytes);
  return out;
}

absl::StatusOr<core::SubmitRequest> FromWire(const wire::SubmitRequest& in) {
  core::SubmitRequest out;
  out.meta = FromWire(in.meta(), in);
  out.source = SourceOf(in.source());
  out.parents = {in.parent().begin(), in.parent().end()};
  out.workload = in.workload();
  out.params = ParamsOf(in.params());
  out.intent = in.intent();
  out.tactic = in.tactic();
  if (in.has_prediction()) {
    out.prediction_json = nlohmann::json{{"time_ratio", in.prediction().time_ratio()},
                                         {"bottleneck", in.prediction().bottleneck()}}
                              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  switch (in.wait_for()) {
    case wire::WAIT_FOR_UNSPECIFIED:
    case wire::WAIT_FOR_ACK: out.wait_for = core::WaitFor::kAck; break;
    case wire::WAIT_FOR_GATES: out.wait_for = core::WaitFor::kGates; break;
    case wire::WAIT_FOR_VERDICT: out.wait_for = core::WaitFor::kVerdict; break;
    default: return state::BadField("wait_for", "is none of ACK, GATES, VERDICT");
  }
  out.wait_ms = in.wait_ms();
  return out;
}

absl::StatusOr<core::CheckRequest> FromWire(const wire::CheckRequest& in) {
  core::CheckRequest out;
  out.meta = FromWire(in.meta(), in);
  out.source = SourceOf(in.source());
  out.workload = in.workload();
  out.params = ParamsOf(in.params());
  out.keep = in.keep();
  return out;
}

core::BriefRequest FromWire(const wire::BriefRequest& in) {
  return {FromWire(in.meta(), in), in.workload(), in.max_tokens()};
}

core::WatchRequest FromWire(const wire::WatchRequest& in) {
  return {FromWire(in.meta(), in), in.candidate(), static_cast<int64_t>(in.from_seq())};
}

core::CreateExperimentRequest FromWire(const wire::CreateExperimentRequest& in) {
  core::CreateExperimentRequest out;
  out.meta = FromWire(in.meta(), in);
  out.name = in.name();
  out.workload = in.workload();
  out.visibility = in.visibility();
  out.evaluations = static_cast<int64_t>(in.budget().evaluations());
  out.tokens = static_cast<int64_t>(in.budget().tokens());
  out.active_ns = static_cast<int64_t>(in.budget().active_ns());
  out.gpu_ns = static_cast<int64_t>(in.budget().gpu_ns());
  out.arms.assign(in.arms().begin(), in.arms().end());
  out.repeats = in.repeats() == 0 ? 1 : in.repeats();
  out.seed = in.seed();
  out.spec.open = in.stop().keep_open();
  out.spec.plateau = in.stop().plateau();
  out.spec.target_ratio = in.stop().target_time_ratio();
  out.spec.ordered = in.ordered();
  if (in.round_slots() != 0) out.spec.round_slots = in.round_slots();
  if (in.explore_share() > 0) out.spec.explore_share = in.explore_share();
  return out;
}

core::ExperimentRequest FromWire(const wire::ExperimentRequest& in) {
  return Experiment(in.meta(), in.experiment(), in.run(), in.reason(), in);
}

core::ExperimentRequest FromWire(const wire::GetExperimentRequest& in) {
  return Experiment(in.meta(), in.experiment(), in.run(), "", in);
}

core::ImportRequest FromWire(const wire::ImportEvidenceRequest& in) {
  core::ImportRequest out;
  out.meta = FromWire(in.meta(), in);
  out.manifest.hex = in.manifest();
  out.log.hex = in.log();
  return out;
}

absl::StatusOr<core::ListRequest> FromWire(const wire::ListCandidatesRequest& in) {
  core::ListRequest out;
  out.meta = FromWire(in.meta(), in);
  if (!in.run().empty()) out.meta.run = in.run();
  out.workload = in.workload();
  if (in.verdicts_size() > 1) return state::BadField("verdicts", "filter by one verdict");
  if (in.verdicts_size() == 1) {
    const bool pending = in.verdicts(0) == wire::VERDICT_UNSPECIFIED;
    out.verdict = pending ? "PENDING" : BareWord("VERDICT_", wire::Verdict_Name(in.verdicts(0)));
  }
  out.tactic = in.tactic();
  out.code = in.code();
  out.text = in.text();
  out.newest_first = in.newest_first();
  out.page_size = in.page_size();
  out.page_token = in.page_token();
  return out;
}

core::RegisterRequest FromWire(const wire::RegisterRequest& in) {
  core::RegisterRequest out;
  out.meta = FromWire(in.meta(), in);
  out.name = in.name();
  out.uuid = in.device().uuid();
  out.device_name = in.device().name();
  out.arch = in.device().arch();
  out.driver = in.device().driver();
  out.simulated = in.device().simulated();
  out.incarnation = in.incarnation();
  out.capabilities = {in.capabilities().begin(), in.capabilities().end()};
  out.noise = {in.device().noise().begin(), in.device().noise().end()};
  return out;
}

core::ReportRequest FromWire(const wire::ReportRequest& in) {
  core::ReportRequest out;
  out.worker = in.worker();
  out.incarnation = in.incarnation();
  for (int i = 0; i < std::min(in.held_size(), kHeldMax); ++i) {
    out.held.push_back({in.held(i).lease(), static_cast<int64_t>(in.held(i).fencing_token())});
  }
  if (in.has_device()) {
    out.healthy = in.device().healthy();
    out.unhealthy_reason = in.device().reason();
  }
  return out;
}

store::Verdict FromWire(wire::Verdict verdict) {
  return store::ParseEnum<store::Verdict>(BareWord("VERDICT_", wire::Verdict_Name(verdict)))
      .value_or(store::Verdict::kPending);
}

absl::StatusOr<core::CompleteRequest> FromWire(const wire::CompleteRequest& in) {
  if (in.checks_size() > kChecksMax) return state::BadField("checks", "more than 4096");
  if (in.diagnostics_size() > kDiagnosticsMax)
    return state::BadField("diagnostics", "more than 64");
  if (in.clocks_size() > kClocksMax) return state::BadField("clocks", "more than 16");
  core::CompleteRequest out;
  out.meta = FromWire(in.meta(), in);
  out.worker = in.worker();
  out.incarnation = in.incarnation();
  out.lease = in.lease();
  out.job = in.job();
  out.fencing_token = static_cast<int64_t>(in.fencing_token());
  out.verdict = FromWire(in.verdict());
  for (const wire::CheckResult& check : in.checks()) {
    out.checks.push_back({check.name(), check.outcome(), check.detail(), {check.evidence()}});
  }
  for (const wire::StageClock& clock : in.clocks()) {
    const auto stage =
        store::ParseEnum<store::Stage>(BareWord("STAGE_", wire::Stage_Name(clock.stage())));
    const auto end =
        store::ParseEnum<store::StageEnd>(BareWord("STAGE_END_", wire::StageEnd_Name(clock.end())));
    if (!stage || !end) return state::BadField("clocks", "a stage or its end is not known");
    out.clocks.push_back({*stage, *end, static_cast<int64_t>(clock.wall_ns()),
                          static_cast<int64_t>(clock.cpu_ns()),
                          static_cast<int64_t>(clock.limit_ns())});
  }
  for (const wire::Diagnostic& d : in.diagnostics()) {
    core::WorkerDiagnostic one{
        d.code(), "", "", d.message(), d.instance().role(), d.primary().begin(), d.primary().end()};
    one.category = BareWord("CATEGORY_", wire::Category_Name(d.category()));
    one.severity = BareWord("SEVERITY_", wire::Severity_Name(d.severity()));
    for (std::string* word : {&one.category, &one.severity}) {
      for (char& c : *word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    out.diagnostics.push_back(std::move(one));
  }
  out.report_json = DiagnosticsToJson(in.diagnostics());
  out.receipt_json = in.receipt_json();
  out.samples = {in.samples()};
  out.ratio_med = in.ratio_med();
  out.ratio_low = in.ratio_low();
  out.ratio_high = in.ratio_high();
  out.time_ns = in.time_ns();
  out.incumbent_id = in.incumbent_id();
  out.incumbent_ratio_low = in.incumbent_ratio_low();
  out.machine = in.machine();
  out.varies = in.varies();
  out.build_facts = {in.build_facts().begin(), in.build_facts().end()};
  return out;
}

store::ObjectKind ObjectKindOf(std::string_view word) {
  using store::ObjectKind;
  for (const ObjectKind kind :
       {ObjectKind::kSource, ObjectKind::kReport, ObjectKind::kCuda, ObjectKind::kCubin,
        ObjectKind::kLog, ObjectKind::kSamples, ObjectKind::kReceipt}) {
    if (store::ToString(kind) == word) return kind;
  }
  return ObjectKind::kOther;
}

}  // namespace server::edge
