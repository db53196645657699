#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"
#include "runner/timing/statistics.h"
#include "runner/worker/job.h"

namespace runner::worker {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

launch::ProgramText ReadProgram(const json& in, const std::string& arch) {
  launch::ProgramText out{.source = in.at("source"),
                          .file = in.value("file", "candidate.cake"),
                          .program = in.value("program", ""),
                          .arch = arch};
  if (in.contains("binding")) out.binding = in.at("binding").get<std::map<std::string, int64_t>>();
  return out;
}

json ProgramJson(const launch::ProgramText& program) {
  return {{"source", program.source},
          {"file", program.file},
          {"program", program.program},
          {"binding", program.binding}};
}

absl::StatusOr<contract::Workload> ReadContract(const json& in) {
  if (in.contains("contract_text"))
    return contract::ParseTextproto(in.at("contract_text").get<std::string>());
  return contract::FromJson(in.at("contract").get<std::string>());
}

void ReadLimits(const json& in, JobLimits& limits) {
  const auto read = [&](const char* key, int64_t& limit, int64_t most) {
    limit = std::clamp<int64_t>(in.value(key, limit), 1, most);
  };
  read("compile_cpu_s", limits.compile_cpu_s, kCompileCpuSecondsMax);
  read("case_wall_ms", limits.case_wall_ms, kJobWaitMsMax);
  read("launch_ms", limits.launch_ms, kJobWaitMsMax);
}

// A program, the name of a library, or a command.
void ReadBaseline(const json& in, const std::string& arch, Job& out) {
  if (in.contains("library"))
    out.baseline_library = in.at("library");
  else if (in.contains("argv"))
    out.baseline_command = {in.at("argv").get<std::vector<std::string>>(),
                            in.value("timeout_s", 0U)};
  else
    out.baseline = ReadProgram(in, arch);
}

json BaselineJson(const Job& job) {
  if (job.baseline) return ProgramJson(*job.baseline);
  if (!job.baseline_library.empty()) return {{"library", job.baseline_library}};
  if (job.baseline_command.argv.empty()) return nullptr;
  return {{"argv", job.baseline_command.argv}, {"timeout_s", job.baseline_command.timeout_s}};
}

json Object(const std::string& text) {
  return text.empty() ? json() : json::parse(text, nullptr, false);
}

json CheckJson(const oracle::Check& check) {
  return {{"name", check.name},
          {"outcome", std::string(oracle::ToString(check.outcome))},
          {"detail", check.detail}};
}
json ChecksJson(const std::vector<oracle::Check>& checks) {
  json out = json::array();
  for (const auto& check : checks) out.push_back(CheckJson(check));
  return out;
}
std::vector<oracle::Check> ReadChecks(const json& in) {
  std::vector<oracle::Check> out;
  for (const json& check : in) {
    oracle::Check one{.name = check.at("name"), .detail = check.at("detail")};
    const std::string word = check.at("outcome");
    one.outcome = word == "PASS"   ? oracle::Outcome::kPass
                  : word == "FAIL" ? oracle::Outcome::kFail
                                   : oracle::Outcome::kNotRun;
    out.push_back(std::move(one));
  }
  return out;
}

// JSON has no infinities: a value that is not finite is written as text.
json Real(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

json DifferenceJson(const std::optional<oracle::Difference>& d) {
  if (!d) return nullptr;
  return {{"output", d->output},     {"index", d->index},           {"got", Real(d->got)},
          {"want", Real(d->want)},   {"allowed", Real(d->allowed)}, {"wrong", d->wrong},
          {"elements", d->elements}, {"worst", Real(d->worst)}};
}

json SummaryJson(const std::vector<double>& samples) {
  if (samples.empty()) return nullptr;
  const auto s = timing::Summarise(samples);
  return {{"median", s.median},
          {"low_quartile", s.low_quartile},
          {"high_quartile", s.high_quartile},
          {"smallest", s.smallest},
          {"samples", s.samples}};
}
json SeriesSummary(const Series& series) {
  if (series.cold_ns.empty()) return nullptr;
  return {{"cold_ns", SummaryJson(series.cold_ns)},
          {"warm_ns", SummaryJson(series.warm_ns)},
          {"events_ns", SummaryJson(series.events_ns)}};
}
json SeriesJson(const Series& series) {
  return {
      {"cold_ns", series.cold_ns}, {"warm_ns", series.warm_ns}, {"events_ns", series.events_ns}};
}
json RatioJson(const timing::Ratio& ratio) {
  if (ratio.median <= 0) return nullptr;
  return {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}};
}
timing::Ratio ReadRatio(const json& in) {
  if (in.is_null()) return {};
  return {in.at("median"), in.at("low"), in.at("high")};
}
json TimingJson(const CaseTiming& t) {
  return {{"case", t.name},
          {"protocol", t.protocol},
          {"clock", t.clock},
          {"candidate", SeriesSummary(t.candidate)},
          {"incumbent", SeriesSummary(t.incumbent)},
          {"baseline", SeriesSummary(t.baseline)},
          {"copy", SeriesSummary(t.copy)},
          {"copy_bytes", t.copy_bytes},
          {"runs_a_sample", t.runs_a_sample},
          {"speed_of_light_ns", t.speed_of_light_ns},
          {"ratio", RatioJson(t.ratio)},
          {"incumbent_ratio", RatioJson(t.incumbent_ratio)},
          {"library", Object(t.library_json)},
          {"kernels", t.kernels},
          {"stop", Object(t.stop_json)},
          {"vitals", Object(t.vitals_json)}};
}
json SpansJson(const child::Spans& spans) {
  json out = json::object();
  for (const auto& [name, total] : spans) out[name] = {{"ns", total.ns}, {"count", total.count}};
  return out;
}
json StagesJson(const std::vector<StageTime>& stages) {
  json out = json::array();
  for (const StageTime& s : stages) {
    out.push_back({{"stage", s.stage},
                   {"wall_ns", s.wall_ns},
                   {"cpu_ns", s.cpu_ns},
                   {"limit_ns", s.limit_ns},
                   {"end", s.end}});
  }
  return out;
}
json CasesJson(const std::vector<CaseOutcome>& cases) {
  json out = json::array();
  for (const CaseOutcome& c : cases) {
    out.push_back({{"name", c.name},
                   {"tier", c.tier},
                   {"set", c.set},
                   {"verdict", std::string(contract::ToString(c.verdict))},
                   {"detail", c.detail},
                   {"checks", ChecksJson(c.checks)},
                   {"difference", DifferenceJson(c.difference)}});
  }
  return out;
}

}  // namespace

absl::StatusOr<Job> JobFromJson(std::string_view text) {
  if (static_cast<int64_t>(text.size()) > kJobBytesMax)
    return absl::InvalidArgumentError("job is too large");
  try {
    const json in = json::parse(text);
    if (in.at("schema") != kSchema) return absl::InvalidArgumentError("job: unknown schema");
    Job out{.id = in.value("job", "job"), .purpose = in.value("purpose", "SEARCH")};
    const std::string arch = in.value("arch", "");
    if (in.contains("cuda") && !in.at("cuda").is_null()) {
      out.direct_cuda = in.at("cuda");
      out.program = {.file = in.value("file", "candidate.cu"), .arch = arch};
    } else {
      out.program = ReadProgram(in, arch);
    }
    auto workload = ReadContract(in);
    if (!workload.ok()) return workload.status();
    out.workload = *std::move(workload);
    if (in.contains("cases")) out.cases = in.at("cases").get<std::vector<std::string>>();
    out.protocol = in.value("protocol", "");
    out.program_id = in.value("program_id", "");
    out.seed = in.contains("seed") ? std::stoull(in.at("seed").get<std::string>()) : 1;
    out.seeds_commit = in.value("seeds_commit", "");
    if (in.contains("baseline") && !in.at("baseline").is_null())
      ReadBaseline(in.at("baseline"), arch, out);
    if (in.contains("incumbent") && !in.at("incumbent").is_null())
      out.incumbent = ReadProgram(in.at("incumbent"), arch);
    out.timing = in.value("timing", true);
    out.hidden_sizes =
        std::clamp(in.value("hidden_sizes", HiddenSizesOf(out.purpose)), 0, kHiddenSizesMax);
    out.evidence = in.value("evidence", EvidenceOf(out.purpose));
    out.jitter = in.value("jitter", AsksForDelays(out.purpose));
    out.rounds = std::clamp(in.value("rounds", out.rounds), 1, 1000);
    out.repeats = std::clamp(in.value("repeats", 1), 1, kRepeatsMax);
    out.attempts = std::clamp(in.value("attempts", 2), 1, 3);
    out.fresh_child = in.value("fresh_child", false);
    if (in.contains("limits")) ReadLimits(in.at("limits"), out.limits);
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("job does not parse: ", error.what()));
  }
}

std::string ToJson(const Job& job) {
  json out = {{"schema", kSchema},
              {"job", job.id},
              {"purpose", job.purpose},
              {"arch", job.program.arch},
              {"contract", contract::ToCanonicalJson(job.workload)},
              {"cases", job.cases},
              {"protocol", job.protocol},
              {"seed", std::to_string(job.seed)},
              {"seeds_commit", job.seeds_commit},
              {"timing", job.timing},
              {"hidden_sizes", job.hidden_sizes},
              {"evidence", job.evidence},
              {"jitter", job.jitter},
              {"rounds", job.rounds},
              {"repeats", job.repeats},
              {"attempts", job.attempts},
              {"fresh_child", job.fresh_child},
              {"limits",
               {{"compile_cpu_s", job.limits.compile_cpu_s},
                {"case_wall_ms", job.limits.case_wall_ms},
                {"launch_ms", job.limits.launch_ms}}}};
  out.update(ProgramJson(job.program));
  if (!job.direct_cuda.empty()) out["cuda"] = job.direct_cuda;
  if (!job.program_id.empty()) out["program_id"] = job.program_id;
  if (json baseline = BaselineJson(job); !baseline.is_null()) out["baseline"] = std::move(baseline);
  if (job.incumbent) out["incumbent"] = ProgramJson(*job.incumbent);
  return out.dump();
}

std::string ToJson(const JobResult& r) {
  json timings = json::array();
  for (const CaseTiming& t : r.timings) timings.push_back(TimingJson(t));
  return json({{"schema", kSchema},
               {"job", r.job},
               {"verdict", std::string(contract::ToString(r.verdict))},
               {"blame", std::string(contract::ToString(r.blame))},
               {"detail", r.detail},
               {"source", r.source},
               {"checks", ChecksJson(r.checks)},
               {"cases", CasesJson(r.cases)},
               {"diagnostics", Object(r.diagnostics_json)},
               {"build", Object(r.build_json)},
               {"stages", StagesJson(r.stages)},
               {"timing", timings},
               {"device", Object(r.device_json)},
               {"protocol", r.protocol},
               {"machine", r.machine},
               {"varies", r.varies},
               {"sandbox", {{"level", r.sandbox_level}, {"evidence", r.sandbox_evidence}}},
               {"child", {{"fresh", r.child_fresh}, {"served", r.child_served}}},
               {"hashes", r.hashes},
               {"ratio", RatioJson(r.ratio)},
               {"incumbent_ratio", RatioJson(r.incumbent_ratio)},
               {"time_ns", r.time_ns},
               {"spans", SpansJson(r.spans)},
               {"device_busy_ns", r.device_busy_ns}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

absl::StatusOr<JobResult> JobResultFromJson(std::string_view text) {
  try {
    const json in = json::parse(text);
    JobResult out{.job = in.at("job"), .detail = in.at("detail")};
    const auto verdict = contract::ParseVerdict(in.at("verdict").get<std::string>());
    const auto blame = contract::ParseBlame(in.at("blame").get<std::string>());
    if (!verdict || !blame) return absl::InvalidArgumentError("job result: unknown verdict");
    out.verdict = *verdict, out.blame = *blame;
    out.source = in.at("source"), out.protocol = in.at("protocol");
    out.checks = ReadChecks(in.at("checks"));
    for (const json& s : in.at("stages")) {
      out.stages.push_back(
          {s.at("stage"), s.at("wall_ns"), s.at("cpu_ns"), s.at("limit_ns"), s.at("end")});
    }
    if (!in.at("diagnostics").is_null()) out.diagnostics_json = in.at("diagnostics").dump();
    if (!in.at("build").is_null()) out.build_json = in.at("build").dump();
    if (!in.at("device").is_null()) out.device_json = in.at("device").dump();
    out.machine = in.at("machine"), out.varies = in.at("varies");
    out.sandbox_level = in.at("sandbox").at("level");
    out.hashes = in.at("hashes").get<std::map<std::string, std::string>>();
    out.ratio = ReadRatio(in.at("ratio"));
    out.incumbent_ratio = ReadRatio(in.at("incumbent_ratio"));
    out.time_ns = in.at("time_ns");
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("job result does not parse: ", error.what()));
  }
}

std::string ReceiptJson(const Job& job, const JobResult& r) {
  return contract::CanonicalJson(json({{"schema", kSchema},
                                       {"hashes", r.hashes},
                                       {"oracle",
                                        {{"revision", oracle::kOracleRevision},
                                         {"reference", job.workload.reference.builtin}}},
                                       {"seeds_commit", job.seeds_commit},
                                       {"purpose", job.purpose},
                                       {"device", Object(r.device_json)},
                                       {"protocol_id", r.protocol},
                                       {"sandbox_level", r.sandbox_level},
                                       {"child_policy", r.child_fresh ? "fresh" : "shared"},
                                       {"checks", ChecksJson(r.checks)},
                                       {"verdict", std::string(contract::ToString(r.verdict))},
                                       {"ratio", RatioJson(r.ratio)},
                                       {"incumbent_ratio", RatioJson(r.incumbent_ratio)},
                                       {"source", r.source},
                                       {"time_ns", r.time_ns},
                                       {"cases", job.cases}})
                                     .dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string SamplesJson(const JobResult& r) {
  json cases = json::array();
  for (const CaseTiming& t : r.timings) {
    cases.push_back({{"case", t.name},
                     {"protocol", t.protocol},
                     {"clock", t.clock},
                     {"candidate", SeriesJson(t.candidate)},
                     {"incumbent", SeriesJson(t.incumbent)},
                     {"baseline", SeriesJson(t.baseline)},
                     {"copy", SeriesJson(t.copy)},
                     {"copy_bytes", t.copy_bytes},
                     {"runs_a_sample", t.runs_a_sample},
                     {"library", Object(t.library_json)},
                     {"stop", Object(t.stop_json)},
                     {"vitals", Object(t.vitals_json)}});
  }
  return contract::CanonicalJson(json({{"schema", kSchema},
                                       {"source", r.source},
                                       {"device", Object(r.device_json)},
                                       {"cases", cases}})
                                     .dump());
}

}  // namespace runner::worker
