#include "runner/worker/passport.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/write_file.h"
#include "runner/contract/kernel_class.h"
#include "runner/timing/paired.h"
#include "runner/timing/statistics.h"

namespace runner::worker {
namespace {

constexpr int kComparisons = 12;

constexpr std::string_view kProgram = R"(// y = x: as long as memory takes.
program passport target sm_80
dim N in 1..=1073741824
in x: f32[N]
out y: f32[N]
kernel scale {
  const T = 256
  grid (ceildiv(N, T*4))
  role main: warps 8 {
    let i = (cta*T + thread)*4
    if i + 4 <= N {
      let v = ld x[i:+4]
      st y[i:+4] <- v
    } else {
      for e in i..N { st y[e] <- ld x[e] }
    }
  }
}
)";

// 1 MiB, 64 MiB and 512 MiB: of an H200 about 2, 30 and 250 us.
constexpr std::string_view kContract = R"(name: "passport"
summary: "copy of a vector, timed against itself"
dims { name: "N" low: 1 high: 1073741824 }
tensors {
  name: "x" dtype: "f32" shape: "N" role: WORKLOAD_ROLE_IN content: WORKLOAD_CONTENT_FINITE
}
tensors {
  name: "y" dtype: "f32" shape: "N" role: WORKLOAD_ROLE_OUT content: WORKLOAD_CONTENT_FINITE
}
cases {
  name: "short" tier: WORKLOAD_TIER_DEVICE set: WORKLOAD_SET_SEARCH weight: 1
  dims { key: "N" value: 262144 }
}
cases {
  name: "middle" tier: WORKLOAD_TIER_DEVICE set: WORKLOAD_SET_SEARCH weight: 1
  dims { key: "N" value: 16777216 }
}
cases {
  name: "long" tier: WORKLOAD_TIER_DEVICE set: WORKLOAD_SET_SEARCH weight: 1
  dims { key: "N" value: 134217728 }
}
generators { tensor: "x" normal { mean: 0 stddev: 1 } }
reference { builtin: "copy" }
compare { output: "y" metric: WORKLOAD_METRIC_EXACT }
protocol: "cold-abba-v1"
visibility: WORKLOAD_VISIBILITY_OPEN
determinism: WORKLOAD_DETERMINISM_BITWISE
)";

}  // namespace

absl::StatusOr<Job> PassportJob() {
  auto workload = contract::ParseTextproto(kContract);
  if (!workload.ok()) return workload.status();
  Job job{.id = "passport", .purpose = std::string(kCalibrate), .repeats = kComparisons};
  job.program.source = std::string(kProgram);
  job.program.file = "passport.cake";
  job.baseline = job.program;
  job.workload = *std::move(workload);
  return job;
}

absl::StatusOr<std::map<std::string, double>> FloorsOf(const JobResult& result) {
  if (result.verdict != contract::Verdict::kCorrect || result.timings.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the noise of this device was not measured: ",
                     std::string(contract::ToString(result.verdict)), " ", result.detail));
  }
  std::map<std::string, std::vector<timing::Ratio>> of_class;
  for (const CaseTiming& timing : result.timings) {
    const double ns = timing::Summarise(timing.candidate.cold_ns).median;
    of_class[std::string(contract::KernelClassOf(ns))].push_back(timing.ratio);
  }
  std::map<std::string, double> out;
  for (const auto& [name, ratios] : of_class) out[name] = timing::NoiseFloor(ratios);
  return out;
}

absl::StatusOr<Job> GoldenJob(uint64_t seed) {
  auto job = PassportJob();
  if (!job.ok()) return job.status();
  job->id = "golden";
  job->purpose = "SEARCH";
  job->baseline.reset();
  job->timing = false;
  job->repeats = 1;
  job->attempts = 1;
  job->seed = seed;
  // Sizes around a CTA's 1024 elements, and one that fills a device's queues.
  for (const int64_t n : {1, 31, 255, 1023, 1024, 1025, 5000, 100'003}) {
    contract::Case at{.name = absl::StrCat("n", n), .set = contract::Set::kBoundary};
    at.dims["N"] = n;
    job->cases.push_back(at.name);
    job->workload.cases.push_back(std::move(at));
  }
  return job;
}

absl::Status Admits(const JobResult& result) {
  if (result.verdict == contract::Verdict::kCorrect) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the device gets a program wrong whose results are known: ",
                   std::string(contract::ToString(result.verdict)), " ", result.detail));
}

int PrintNoiseFloor(const std::string& file) {
  constexpr int64_t kBytesMax = 1 << 20;
  const auto text = child::ReadWholeFile(file, kBytesMax);
  const auto medians = nlohmann::json::parse(text.ok() ? *text : "", nullptr, false);
  std::vector<timing::Ratio> ratios;
  for (const auto& median : medians.is_array() ? medians : nlohmann::json::array()) {
    if (median.is_number() && median.get<double>() > 0)
      ratios.push_back({.median = median.get<double>()});
  }
  if (ratios.empty() || ratios.size() != medians.size()) {
    fprintf(stderr, "cake-worker: %s holds no array of ratios\n", file.c_str());
    return 2;
  }
  printf("%.17g\n", timing::NoiseFloor(ratios));
  return 0;
}

}  // namespace runner::worker
