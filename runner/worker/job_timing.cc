// The timing stage of a job: asks the child for raw samples, makes the figures of them here.
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/arch/device.h"
#include "runner/child/json_field.h"
#include "runner/timing/statistics.h"
#include "runner/worker/command_reference.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

using contract::Verdict;
using nlohmann::json;

constexpr int64_t kTimingMs = 300'000;
constexpr int64_t kFlushBytesMin = 1 << 20;

double Median(const std::vector<double>& samples) { return timing::Summarise(samples).median; }

// Events enclose the kernels: they can say a little more than the records, never much less and
// never far more.
constexpr double kEventsLowest = 0.9, kEventsHighest = 2, kEventsSlackNs = 20'000;
bool ClocksDisagree(const Series& series) {
  const double records = Median(series.cold_ns), events = Median(series.events_ns);
  return events < kEventsLowest * records - kEventsSlackNs ||
         events > kEventsHighest * records + kEventsSlackNs;
}

Series ReadSeries(const json& in) {
  if (!in.is_object()) return {};
  return {in.at("cold_ns").get<std::vector<double>>(), in.at("warm_ns").get<std::vector<double>>(),
          in.at("events_ns").get<std::vector<double>>()};
}

// A weighted geometric mean of ratios; there is none unless every case has one.
struct LogRatio {
  double median = 0, low = 0, high = 0;
  bool whole = true;

  void Add(const timing::Ratio& ratio, double weight) {
    whole = whole && ratio.low > 0;
    if (!whole) return;
    median += weight * std::log(ratio.median);
    low += weight * std::log(ratio.low);
    high += weight * std::log(ratio.high);
  }
  timing::Ratio Mean(double weights) const {
    if (!whole) return {};
    return {std::exp(median / weights), std::exp(low / weights), std::exp(high / weights)};
  }
};

// One timing a run, in the order in which they were made.
absl::StatusOr<std::vector<CaseTiming>> ReadTimings(const std::string& text) {
  try {
    const json in = json::parse(text);
    const CaseTiming shared{.name = in.at("case"),
                            .protocol = in.at("protocol"),
                            .clock = in.at("clock"),
                            .copy_bytes = in.at("copy_bytes"),
                            .runs_a_sample = in.at("runs_a_sample"),
                            .kernels = in.at("kernels").get<std::vector<std::string>>()};
    std::vector<CaseTiming> out;
    for (const json& run : in.at("runs")) {
      CaseTiming& timing = out.emplace_back(shared);
      timing.candidate = ReadSeries(run.at("candidate"));
      if (run.contains("incumbent")) timing.incumbent = ReadSeries(run.at("incumbent"));
      if (run.contains("baseline")) timing.baseline = ReadSeries(run.at("baseline"));
      timing.copy = ReadSeries(run.at("copy"));
      timing.stop_json = run.at("stop").dump();
      timing.vitals_json = run.at("vitals").dump();
      if (!in.at("library").is_null()) timing.library_json = in.at("library").dump();
      for (const Series* series :
           {&timing.candidate, &timing.incumbent, &timing.baseline, &timing.copy}) {
        for (double sample : series->cold_ns) {
          if (!std::isfinite(sample) || sample <= 0)
            return absl::InvalidArgumentError("a sample is not a positive number");
        }
      }
    }
    if (out.empty()) return absl::InvalidArgumentError("timing holds no run");
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("timing does not parse: ", error.what()));
  }
}

}  // namespace

// What was timed must be right too: the candidate's last outputs against the reference.
bool JobRun::JudgeTimed(const contract::Case& at, const launch::CaseRequest& request,
                        const std::string& memory, std::span<const std::byte> image) {
  const auto reply = launch::CaseReplyFromJson(memory);
  if (!reply.ok() || static_cast<int64_t>(image.size()) != launch::ImageBytes(*reply, request))
    return Infra(Verdict::kMeasurementFault, "the timed memory did not come back");
  const Marked marked = TakeMarks(at, request, *reply, image);
  if (marked == Marked::kDamaged) return Infra(Verdict::kMeasurementFault, marks_.detail);
  const child::Span span(result_.spans, "judge.timed");
  const oracle::KnownScope known = Known();
  const std::vector<oracle::Run> runs =
      marked == Marked::kPassed
          ? MarkedRuns(request, *reply, image)
          : std::vector{launch::ViewOf(reply->layout, request.runs[0], image)};
  auto judged =
      oracle::JudgeCase(job_.workload, at, job_.seed, runs, 0, RunReferenceCommand, &known);
  if (!judged.ok())
    return Infra(Verdict::kMeasurementFault, std::string(judged.status().message()));
  if (marked == Marked::kAudit) Compare(at, judged->verdict == Verdict::kCorrect);
  if (judged->verdict == Verdict::kCorrect) {
    timed_.outcome = oracle::Outcome::kPass;
    timed_.detail = "the last outputs of each case";
    return true;
  }
  EndStage("OK");
  timed_ = {timed_.name, oracle::Outcome::kFail, absl::StrCat("case ", at.name)};
  std::string detail = absl::StrCat("case ", at.name, ", after timing: ");
  for (const auto& check : judged->checks) {
    if (check.outcome == oracle::Outcome::kFail)
      absl::StrAppend(&detail, check.name, " ", check.detail, "; ");
  }
  result_.varies = true;  // the same program passed the oracle a moment ago
  return Say(judged->verdict, detail);
}

// A baseline that computes something else says nothing of the candidate.
bool JobRun::JudgeBaseline(const contract::Case& at, const oracle::Run& run) {
  auto judged = oracle::JudgeCase(job_.workload, at, job_.seed, {run}, 0, RunReferenceCommand);
  if (!judged.ok())
    return Infra(Verdict::kMeasurementFault, std::string(judged.status().message()));
  if (judged->verdict == Verdict::kCorrect) {
    baseline_.outcome = oracle::Outcome::kPass;
    baseline_.detail = "the baseline's outputs of each case are right";
    evaluator_.trusted_baselines_.insert(BaselineKey(at));
    return true;
  }
  baseline_ = {baseline_.name, oracle::Outcome::kFail, absl::StrCat("case ", at.name)};
  for (const auto& check : judged->checks) {
    if (check.outcome == oracle::Outcome::kFail)
      absl::StrAppend(&baseline_.detail, ": ", check.name, " ", check.detail);
  }
  return Infra(Verdict::kMeasurementFault,
               absl::StrCat("the baseline is wrong: ", baseline_.detail));
}

std::string JobRun::BaselineKey(const contract::Case& at) const {
  return absl::StrCat(job_.baseline_library, absl::StrJoin(job_.baseline_command.argv, " "), " ",
                      result_.hashes.at("contract"), " ", at.name);
}

double JobRun::SpeedOfLightNs(const contract::Traffic& traffic) const {
  const json device = json::parse(result_.device_json, nullptr, false);
  const auto arch = compiler::arch::Find(child::TextField(device, "arch"));
  const double bandwidth = arch.ok() ? (*arch)->hbm_gb_per_s : 0;
  return timing::SpeedOfLightNs(traffic.read, traffic.written,
                                child::IntegerField(device, "l2_bytes"), bandwidth);
}

std::string JobRun::ProtocolOf(const contract::Case& at) const {
  if (result_.protocol != contract::kCaseProtocol) return result_.protocol;
  const auto traffic = contract::TrafficOf(job_.workload, at);
  const bool graph = traffic.ok() && SpeedOfLightNs(*traffic) < contract::kGraphBelowNs;
  return std::string(graph ? contract::kGraphProtocol : contract::kColdProtocol);
}

bool JobRun::OpenForeign(const contract::Case& at, std::unique_ptr<ForeignBaseline>& foreign) {
  if (job_.baseline_command.argv.empty()) return true;
  const json device = json::parse(result_.device_json, nullptr, false);
  const std::string& work = evaluator_.options_.work_dir;
  const ForeignPlaces places{.baselines = evaluator_.options_.baselines,
                             .cache = work.empty() ? "" : work + "/baselines"};
  auto opened = ForeignBaseline::Open(
      job_.baseline_command, places, job_.workload, at, job_.seed,
      std::max<int64_t>(kFlushBytesMin, 2 * child::IntegerField(device, "l2_bytes")));
  const auto failed = [&](const absl::Status& status) {
    const bool missing = status.code() == absl::StatusCode::kUnavailable;
    return Infra(missing ? Verdict::kInfraToolchain : Verdict::kMeasurementFault,
                 absl::StrCat("baseline: ", std::string(status.message())));
  };
  if (!opened.ok()) return failed(opened.status());
  foreign = *std::move(opened);
  if (!foreign->comparable()) {
    baseline_.detail = "the baseline computes something like it, not the same";
    return true;
  }
  if (evaluator_.trusted_baselines_.contains(BaselineKey(at))) return true;
  const auto outputs = foreign->Outputs();
  return outputs.ok() ? JudgeBaseline(at, *outputs) : failed(outputs.status());
}

bool JobRun::TimeCase(const contract::Case& at) {
  std::unique_ptr<ForeignBaseline> foreign;
  if (!OpenForeign(at, foreign)) return false;
  const bool check_baseline =
      has_library() && !evaluator_.trusted_baselines_.contains(BaselineKey(at));
  json request = {{"case", at.name},
                  {"protocol", ProtocolOf(at)},
                  {"rounds", job_.rounds},
                  {"repeats", job_.repeats},
                  {"library", job_.baseline_library},
                  {"foreign", foreign != nullptr},
                  {"check_baseline", check_baseline}};
  request["programs"] = {"candidate"};
  launch::CaseRequest marks{.name = at.name, .runs = {launch::TimedRun(0)}};
  if (!check_baseline) marks.marks = OrderMarks(at, marks.runs, true);
  if (marks.marks) request["marks"] = launch::ToJson(marks);
  for (const Rival& rival : rivals_) request["programs"].push_back(rival.role);
  auto run = [&] {
    const child::Span span(result_.spans, "ask.timing");
    return child_->Time(request.dump(), kTimingMs * job_.repeats,
                        [&](const std::string& text) { return foreign->Sample(text); });
  }();
  if (!run.ok()) {
    CaseOutcome outcome;
    FromDeath(run.status(), outcome);
    return Infra(outcome.verdict, outcome.detail);
  }
  const json reply = json::parse(run->json, nullptr, false);
  if (!reply.is_object() || reply.contains("error")) {
    DropChild();
    return Infra(Verdict::kMeasurementFault,
                 reply.is_object() ? child::TextField(reply, "error") : "timing does not parse");
  }
  if (reply.contains("missing"))
    return Infra(Verdict::kInfraToolchain, child::TextField(reply, "missing"));
  const std::string memory = child::TextField(reply, "memory");
  const auto images = std::as_const(run->image).bytes();
  const size_t one = check_baseline ? images.size() / 2 : images.size();
  if (job_.purpose != kCalibrate && !JudgeTimed(at, marks, memory, images.first(one))) return false;
  const auto layout = launch::CaseReplyFromJson(memory);
  if (check_baseline && layout.ok() &&
      !JudgeBaseline(at, launch::ViewOf(layout->layout, launch::TimedRun(0), images.subspan(one))))
    return false;
  if (!JudgeExecuted(at, reply)) return false;
  TakeSpans(reply);
  const child::Span span(result_.spans, "weigh");
  auto timings = ReadTimings(run->json);
  if (!timings.ok())
    return Infra(Verdict::kMeasurementFault, std::string(timings.status().message()));
  for (CaseTiming& timing : *timings) {
    if (foreign != nullptr) timing.library_json = foreign->facts_json();
    if (!Weigh(at, timing)) return false;
  }
  return true;
}

// What the child says of where its time went.
void JobRun::TakeSpans(const json& reply) {
  result_.device_busy_ns += child::IntegerField(reply, "device_busy_ns");
  const auto spans = reply.value("spans", json::object());
  if (!spans.is_object()) return;
  for (const auto& [name, total] : spans.items()) {
    result_.spans[name].ns += child::IntegerField(total, "ns");
    result_.spans[name].count += child::IntegerField(total, "count");
  }
}

// What the activity records name is what was declared, no more and no less: a launch from the
// device, or a kernel that never ran, would make the figures somebody else's.
bool JobRun::JudgeExecuted(const contract::Case& at, const json& reply) {
  const auto kernels = reply.value("kernels", json::array());
  const auto planned = reply.value("planned", json::array());
  if (child::TextField(reply, "clock") != "cupti") {
    executed_.detail = "no activity records without CUPTI";
    return true;
  }
  if (kernels == planned) {
    executed_.outcome = oracle::Outcome::kPass;
    executed_.detail = "the kernels of the plan, in its order";
    return true;
  }
  executed_ = {executed_.name, oracle::Outcome::kFail,
               absl::StrCat("case ", at.name, ": ", kernels.dump(), " ran, ", planned.dump(),
                            " was declared")};
  return Infra(Verdict::kMeasurementFault, executed_.detail);
}

// The figures of one timing, and what they must not be.
bool JobRun::Weigh(const contract::Case& at, CaseTiming& timing) {
  if (ClocksDisagree(timing.candidate)) {
    return Infra(Verdict::kMeasurementFault,
                 absl::StrCat("case ", at.name, ": CUPTI says ", Median(timing.candidate.cold_ns),
                              " ns, CUDA events say ", Median(timing.candidate.events_ns), " ns"));
  }
  const auto traffic = contract::TrafficOf(job_.workload, at);
  if (!traffic.ok())
    return Infra(Verdict::kMeasurementFault, std::string(traffic.status().message()));
  timing.speed_of_light_ns = SpeedOfLightNs(*traffic);
  timing.ratio = timing::PairedRatio(timing.baseline.cold_ns, timing.candidate.cold_ns, job_.seed);
  timing.incumbent_ratio =
      timing::PairedRatio(timing.incumbent.cold_ns, timing.candidate.cold_ns, job_.seed);
  const double fastest = Median(timing.candidate.cold_ns);
  const double limit = timing.speed_of_light_ns;
  result_.timings.push_back(std::move(timing));
  // A simulated device's clock says nothing of physics; what is only compared claims nothing.
  if (result_.source == "MEASURED" && job_.purpose != kCalibrate && fastest < limit) {
    EndStage("OK");
    return Say(Verdict::kImpossibleSpeed,
               absl::StrCat("case ", at.name, ": ", fastest, " ns, memory traffic alone takes ",
                            limit, " ns"));
  }
  return true;
}

void JobRun::Timing() {
  if (!evaluator_.options_.cuda || !job_.timing) return;
  std::vector<const contract::Case*> scored;
  for (const contract::Case* at : cases_) {
    if (at->tier == contract::Tier::kDevice && at->set != contract::Set::kBoundary)
      scored.push_back(at);
  }
  if (scored.empty()) return;
  result_.source = evaluator_.options_.libcuda.empty() ? "MEASURED" : "SIMULATED";
  evaluator_.reference_child_.reset();
  BeginStage("TIMING", kTimingMs * 1'000'000 * static_cast<int64_t>(scored.size()) * job_.repeats);
  double weights = 0, log_time = 0;
  LogRatio ratio, incumbent_ratio;
  for (size_t i = 0; i < scored.size(); ++i) {
    progress_("TIMING", static_cast<int>(100 * i / scored.size()));
    if (!TimeCase(*scored[i])) return;
    LetGo();
    const double weight = scored[i]->weight;
    if (weight <= 0) continue;
    const CaseTiming& timing = result_.timings.back();
    weights += weight;
    log_time += weight * std::log(Median(timing.candidate.cold_ns));
    ratio.Add(timing.ratio, weight);
    incumbent_ratio.Add(timing.incumbent_ratio, weight);
  }
  EndStage("OK");
  if (!result_.timings.empty() && result_.protocol != contract::kCaseProtocol)
    result_.protocol = result_.timings.front().protocol;
  if (weights <= 0) return;
  result_.time_ns = std::exp(log_time / weights);
  result_.ratio = ratio.Mean(weights);
  result_.incumbent_ratio = incumbent_ratio.Mean(weights);
}

}  // namespace runner::worker
