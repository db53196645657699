// The timing stage of a job: asks the child for raw samples, makes the figures of them here.
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
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

// One timing a run, in the order in which they were made.
absl::StatusOr<std::vector<CaseTiming>> ReadTimings(const std::string& text) {
  try {
    const json in = json::parse(text);
    const CaseTiming shared{.name = in.at("case"),
                            .protocol = in.at("protocol"),
                            .clock = in.at("clock"),
                            .copy_bytes = in.at("copy_bytes"),
                            .kernels = in.at("kernels").get<std::vector<std::string>>()};
    std::vector<CaseTiming> out;
    for (const json& run : in.at("runs")) {
      CaseTiming& timing = out.emplace_back(shared);
      timing.candidate = ReadSeries(run.at("candidate"));
      timing.baseline = ReadSeries(run.at("baseline"));
      timing.copy = ReadSeries(run.at("copy"));
      timing.stop_json = run.at("stop").dump();
      timing.vitals_json = run.at("vitals").dump();
      for (const Series* series : {&timing.candidate, &timing.baseline, &timing.copy}) {
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
bool JobRun::JudgeTimed(const contract::Case& at, const std::string& memory,
                        std::span<const std::byte> image) {
  const auto reply = launch::CaseReplyFromJson(memory);
  if (!reply.ok() || static_cast<int64_t>(image.size()) != reply->layout.bytes) {
    return Infra(Verdict::kMeasurementFault, "the timed memory did not come back");
  }
  const auto view = launch::ViewOf(reply->layout, launch::TimedRun(0), image);
  auto judged = oracle::JudgeCase(job_.workload, at, job_.seed, {view}, 0, RunReferenceCommand);
  if (!judged.ok())
    return Infra(Verdict::kMeasurementFault, std::string(judged.status().message()));
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

bool JobRun::TimeCase(const contract::Case& at) {
  const json request = {{"case", at.name},
                        {"protocol", result_.protocol},
                        {"rounds", job_.rounds},
                        {"repeats", job_.repeats},
                        {"baseline", has_baseline_}};
  auto run = child_->Time(request.dump(), kTimingMs * job_.repeats);
  if (!run.ok()) {
    CaseOutcome outcome;
    FromDeath(run.status(), outcome);
    return Infra(outcome.verdict, outcome.detail);
  }
  const json reply = json::parse(run->json, nullptr, false);
  if (!reply.is_object() || reply.contains("error")) {
    evaluator_.DropChild();
    child_ = nullptr;
    return Infra(Verdict::kMeasurementFault,
                 reply.is_object() ? child::TextField(reply, "error") : "timing does not parse");
  }
  if (job_.purpose != kCalibrate &&
      !JudgeTimed(at, child::TextField(reply, "memory"), std::as_const(run->image).bytes()))
    return false;
  if (!JudgeExecuted(at, reply)) return false;
  auto timings = ReadTimings(run->json);
  if (!timings.ok())
    return Infra(Verdict::kMeasurementFault, std::string(timings.status().message()));
  for (CaseTiming& timing : *timings) {
    if (!Weigh(at, timing)) return false;
  }
  return true;
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
  const json device = json::parse(result_.device_json, nullptr, false);
  const auto traffic = contract::TrafficOf(job_.workload, at);
  if (!traffic.ok())
    return Infra(Verdict::kMeasurementFault, std::string(traffic.status().message()));
  const auto arch = compiler::arch::Find(child::TextField(device, "arch"));
  const double bandwidth = arch.ok() ? (*arch)->hbm_gb_per_s : 0;
  timing.speed_of_light_ns = timing::SpeedOfLightNs(
      traffic->read, traffic->written, child::IntegerField(device, "l2_bytes"), bandwidth);
  timing.ratio = timing::PairedRatio(timing.baseline.cold_ns, timing.candidate.cold_ns, job_.seed);
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
  BeginStage("TIMING", kTimingMs * 1'000'000 * static_cast<int64_t>(scored.size()) * job_.repeats);
  double weights = 0, log_time = 0, log_median = 0, log_low = 0, log_high = 0;
  bool ratios = true;
  for (size_t i = 0; i < scored.size(); ++i) {
    progress_("TIMING", static_cast<int>(100 * i / scored.size()));
    if (!TimeCase(*scored[i])) return;
    const double weight = scored[i]->weight;
    if (weight <= 0) continue;
    const CaseTiming& timing = result_.timings.back();
    weights += weight;
    log_time += weight * std::log(Median(timing.candidate.cold_ns));
    ratios = ratios && timing.ratio.low > 0;
    if (!ratios) continue;
    log_median += weight * std::log(timing.ratio.median);
    log_low += weight * std::log(timing.ratio.low);
    log_high += weight * std::log(timing.ratio.high);
  }
  EndStage("OK");
  if (!result_.timings.empty()) result_.protocol = result_.timings.front().protocol;
  if (weights <= 0) return;
  result_.time_ns = std::exp(log_time / weights);
  if (ratios)
    result_.ratio = {std::exp(log_median / weights), std::exp(log_low / weights),
                     std::exp(log_high / weights)};
}

}  // namespace runner::worker
