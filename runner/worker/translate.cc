#include "runner/worker/translate.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"

namespace runner::worker {
namespace {

namespace wire = cake::v1;
using child::ElementsField;
using child::IntegerField;
using child::TextField;
using nlohmann::json;

constexpr int kDiagnosticsMax = 32;

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The value of an enum whose wire name is PREFIX + word; 0 if there is none.
template <typename Enum>
Enum Parse(bool (*parse)(google::protobuf::ConstStringParam, Enum*), const char* prefix,
           const std::string& word) {
  Enum value{};
  parse(absl::StrCat(prefix, Upper(word)), &value);
  return value;
}

std::string RequestId(const std::string& lease, uint64_t token) {
  // The same for every repetition of one completion: the daemon answers a repeated call as the
  // first one.
  return absl::StrCat("complete-", lease, "-", token);
}

uint32_t Small(const json& in, const char* name) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::clamp<int64_t>(IntegerField(in, name), 0, kMost));
}

void AddSpan(const json& in, wire::Span* out) {
  if (!in.is_object()) return;
  out->set_begin(Small(in, "begin"));
  out->set_end(Small(in, "end"));
  out->set_line(Small(in, "line"));
  out->set_column(Small(in, "column"));
}

void AddDiagnostics(const std::string& text, wire::CompleteRequest& out) {
  const json in = json::parse(text, nullptr, false);
  for (const json& d : ElementsField(in, "diagnostics")) {
    if (out.diagnostics_size() == kDiagnosticsMax) return;
    wire::Diagnostic* one = out.add_diagnostics();
    one->set_code(TextField(d, "code"));
    one->set_severity(Parse(wire::Severity_Parse, "SEVERITY_", TextField(d, "severity")));
    one->set_category(Parse(wire::Category_Parse, "CATEGORY_", TextField(d, "category")));
    one->set_message(TextField(d, "message"));
    one->set_why(TextField(d, "why"));
    if (d.is_object() && d.contains("primary")) AddSpan(d["primary"], one->mutable_primary());
    for (const json& label : ElementsField(d, "labels")) {
      wire::Label* l = one->add_labels();
      l->set_text(TextField(label, "text"));
      if (label.is_object() && label.contains("span")) AddSpan(label["span"], l->mutable_span());
    }
    const json instance = d.is_object() && d.contains("instance") ? d["instance"] : json();
    one->mutable_instance()->set_role(TextField(instance, "role"));
    one->mutable_instance()->set_shape(TextField(instance, "shape"));
    for (const auto& [name, set] :
         {std::pair{"cta", &wire::Instance::set_cta}, std::pair{"warp", &wire::Instance::set_warp},
          std::pair{"lane", &wire::Instance::set_lane},
          std::pair{"iteration", &wire::Instance::set_iteration}}) {
      (one->mutable_instance()->*set)(IntegerField(instance, name, -1));
    }
  }
}

void AddBuildFacts(const JobResult& result, wire::CompleteRequest& out) {
  auto& facts = *out.mutable_build_facts();
  for (const auto& [name, hash] : result.hashes) facts[name] = hash;
  const json build = json::parse(result.build_json, nullptr, false);
  if (!build.is_object()) return;
  facts["compiler"] = TextField(build, "compiler");
  facts["build_key"] = TextField(build, "key");
  int64_t registers = 0, spills = 0, shared = 0, stack = 0;
  for (const json& kernel : ElementsField(build, "kernels")) {
    registers = std::max(registers, IntegerField(kernel, "registers"));
    spills += IntegerField(kernel, "spill_store_bytes") + IntegerField(kernel, "spill_load_bytes");
    shared = std::max(shared, IntegerField(kernel, "static_shared_bytes"));
    stack = std::max(stack, IntegerField(kernel, "stack_bytes"));
  }
  facts["registers"] = absl::StrCat(registers);
  facts["spill_bytes"] = absl::StrCat(spills);
  facts["smem_bytes"] = absl::StrCat(shared);
  facts["stack_bytes"] = absl::StrCat(stack);
}

// A job that ended before any check could fail says why in one of its own.
void AddReason(const JobResult& result, wire::CompleteRequest& out) {
  if (result.verdict == contract::Verdict::kCorrect || result.detail.empty()) return;
  for (const oracle::Check& check : result.checks) {
    if (check.outcome == oracle::Outcome::kFail) return;
  }
  wire::CheckResult& one = *out.add_checks();
  one.set_name("ended_early");
  one.set_outcome("FAIL");
  one.set_detail(result.detail);
}

contract::Verdict SayableVerdict(contract::Verdict verdict) {
  return verdict <= contract::Verdict::kRejectedLimit ? contract::Verdict::kLoweringFailed
                                                      : verdict;
}

Lease LeaseFromWire(const wire::Lease& in) {
  Lease out{.id = in.id(),
            .job = in.job(),
            .attempt = in.attempt(),
            .token = in.fencing_token(),
            .ttl_ms = in.ttl_ms()};
  for (const wire::StageLimit& limit : in.limits()) {
    std::string stage = wire::Stage_Name(limit.stage());
    out.limits.push_back({stage.substr(std::min<size_t>(6, stage.size())),
                          static_cast<int64_t>(limit.wall_ns()),
                          static_cast<int64_t>(limit.cpu_ns())});
  }
  const wire::JobSpec& spec = in.spec();
  out.spec = {
      .candidate = spec.candidate(),
      .canonical_ir = spec.canonical_ir(),
      .cuda = spec.cuda(),
      .arch = spec.arch(),
      .launch_plan = spec.launch_plan(),
      .contract_hash = spec.contract_hash(),
      .contract = spec.contract(),
      .protocol = spec.protocol(),
      .binding = {spec.binding().begin(), spec.binding().end()},
      .cases = {spec.cases().begin(), spec.cases().end()},
      .seed = spec.seed(),
      .seeds_commit = spec.seeds_commit(),
      .program_id = spec.program_id(),
      .baseline = spec.baseline(),
      .incumbent = spec.incumbent(),
      .incumbent_id = spec.incumbent_id(),
      .incumbent_binding = {spec.incumbent_binding().begin(), spec.incumbent_binding().end()},
      .fresh_child = spec.child().fresh() || in.child().fresh(),
      .sandbox_min = spec.child().sandbox_min()};
  const std::string purpose = wire::Purpose_Name(spec.purpose());
  out.spec.purpose = purpose.substr(std::min<size_t>(8, purpose.size()));
  return out;
}

WorkerDesired FromWire(wire::WorkerDesired desired) {
  switch (desired) {
    case wire::WORKER_DESIRED_DRAIN: return WorkerDesired::kDrain;
    case wire::WORKER_DESIRED_QUARANTINE: return WorkerDesired::kQuarantine;
    case wire::WORKER_DESIRED_UPGRADE: return WorkerDesired::kUpgrade;
    default: return WorkerDesired::kServe;
  }
}

}  // namespace

wire::RegisterRequest ToWire(const RegisterCall& call) {
  wire::RegisterRequest out;
  out.mutable_meta()->set_request_id(absl::StrCat("register-", call.incarnation));
  out.set_name(call.name);
  out.set_incarnation(call.incarnation);
  wire::DeviceInfo& device = *out.mutable_device();
  device.set_uuid(call.device.uuid);
  device.set_name(call.device.name);
  device.set_arch(call.device.arch);
  device.set_driver(call.device.driver);
  device.set_simulated(call.device.simulated);
  for (const auto& [name, floor] : call.device.noise) (*device.mutable_noise())[name] = floor;
  for (const auto& [name, value] : call.device.facts) (*device.mutable_facts())[name] = value;
  for (const std::string& one : call.capabilities) out.add_capabilities(one);
  out.set_version(call.version);
  out.set_sandbox_level(call.sandbox_level);
  return out;
}

wire::AcquireRequest ToWire(const AcquireCall& call) {
  wire::AcquireRequest out;
  out.set_worker(call.worker);
  out.set_incarnation(call.incarnation);
  out.set_wait_ms(call.wait_ms);
  return out;
}

wire::ReportRequest ToWire(const ReportCall& call) {
  wire::ReportRequest out;
  out.set_worker(call.worker);
  out.set_incarnation(call.incarnation);
  out.mutable_device()->set_healthy(call.healthy);
  out.mutable_device()->set_reason(call.health_reason);
  if (!call.holds) return out;
  wire::Held& held = *out.add_held();
  held.set_lease(call.lease);
  held.set_fencing_token(call.token);
  held.set_stage(Parse(wire::Stage_Parse, "STAGE_", call.stage));
  held.set_percent(static_cast<uint32_t>(call.percent));
  return out;
}

wire::CompleteRequest ToWire(const CompleteCall& call) {
  const JobResult& result = call.result;
  wire::CompleteRequest out;
  out.mutable_meta()->set_request_id(RequestId(call.lease, call.token));
  out.set_worker(call.worker);
  out.set_incarnation(call.incarnation);
  out.set_lease(call.lease);
  out.set_job(call.job);
  out.set_fencing_token(call.token);
  out.set_verdict(Parse(wire::Verdict_Parse, "VERDICT_",
                        std::string(contract::ToString(SayableVerdict(result.verdict)))));
  for (const oracle::Check& check : result.checks) {
    wire::CheckResult& one = *out.add_checks();
    one.set_name(check.name);
    const bool run = check.outcome != oracle::Outcome::kNotRun;
    one.set_outcome(run ? std::string(oracle::ToString(check.outcome)) : "SKIP");
    one.set_detail(check.detail);
    // The whole of it is an object of its own.
    const size_t prefix = check.name.starts_with("evidence_") ? 9 : 0;
    const std::string object = check.name == kCheckAutopsy ? "autopsy"
                               : prefix > 0                ? check.name.substr(prefix)
                                                           : "";
    if (const auto hash = result.hashes.find(object); hash != result.hashes.end())
      one.set_evidence(hash->second);
  }
  AddReason(result, out);
  for (const StageTime& stage : result.stages) {
    wire::StageClock& one = *out.add_clocks();
    one.set_stage(Parse(wire::Stage_Parse, "STAGE_", stage.stage));
    one.set_end(Parse(wire::StageEnd_Parse, "STAGE_END_", stage.end));
    one.set_wall_ns(static_cast<uint64_t>(stage.wall_ns));
    one.set_cpu_ns(static_cast<uint64_t>(stage.cpu_ns));
    one.set_limit_ns(static_cast<uint64_t>(stage.limit_ns));
  }
  AddDiagnostics(result.diagnostics_json, out);
  AddBuildFacts(result, out);
  out.set_receipt_json(call.receipt_json);
  for (const std::string& hash : call.objects) out.add_objects(hash);
  if (const auto samples = result.hashes.find("samples"); samples != result.hashes.end())
    out.set_samples(samples->second);
  out.set_ratio_med(result.ratio.median);
  out.set_ratio_low(result.ratio.low);
  out.set_ratio_high(result.ratio.high);
  out.set_machine(result.machine);
  out.set_varies(result.varies);
  out.set_time_ns(result.time_ns);
  out.set_incumbent_id(call.incumbent_id);
  out.set_incumbent_ratio_med(result.incumbent_ratio.median);
  out.set_incumbent_ratio_low(result.incumbent_ratio.low);
  out.set_incumbent_ratio_high(result.incumbent_ratio.high);
  return out;
}

RegisterAnswer FromWire(const wire::RegisterReply& reply) {
  RegisterAnswer out{.worker = reply.worker()};
  if (reply.report_every_ms() > 0) out.report_every_ms = reply.report_every_ms();
  if (reply.lease_ttl_ms() > 0) out.lease_ttl_ms = reply.lease_ttl_ms();
  return out;
}

AcquireAnswer FromWire(const wire::AcquireReply& reply) {
  AcquireAnswer out{.granted = reply.has_lease(), .desired = FromWire(reply.desired())};
  if (out.granted) out.lease = LeaseFromWire(reply.lease());
  return out;
}

ReportAnswer FromWire(const wire::ReportReply& reply) {
  ReportAnswer out{.worker = FromWire(reply.worker())};
  if (reply.desired_size() == 0) return out;
  if (reply.desired(0) == wire::DESIRED_CANCEL) out.desired = Desired::kCancel;
  if (reply.desired(0) == wire::DESIRED_LOST) out.desired = Desired::kLost;
  return out;
}

CompleteAnswer FromWire(const wire::CompleteReply& reply) { return {.final = reply.final()}; }

}  // namespace runner::worker
