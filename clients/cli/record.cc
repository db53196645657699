// record: fills a replay file from estimates of a whole family, or from results of workers.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/contract.h"
#include "clients/cli/member.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "runner/child/write_file.h"
#include "runner/contract/bind.h"
#include "runner/contract/hash.h"
#include "runner/replay/table.h"

namespace clients::cli {
namespace {

using nlohmann::json;
using runner::contract::Case;
using runner::contract::Sha256Hex;
using runner::contract::Workload;
using runner::replay::Entry;
using runner::replay::Header;
using runner::replay::Recorder;
using runner::replay::Times;
using server::pipeline::Candidate;
using server::pipeline::Member;

constexpr int64_t kResultBytesMax = int64_t{256} << 20;
constexpr int kDepthMax = 12;

struct Counts {
  int64_t seen = 0, added = 0, known = 0, rejected = 0, unpriced = 0;
};

// The cases that make a score, as the daemon takes them: device-tier search cases, else any.
std::vector<const Case*> ScoredCases(const Workload& workload) {
  std::vector<const Case*> device, any;
  for (const Case& one : workload.cases) {
    if (one.set != runner::contract::Set::kSearch) continue;
    any.push_back(&one);
    if (one.tier == runner::contract::Tier::kDevice) device.push_back(&one);
  }
  return device.empty() ? any : device;
}

// Weighted geometric mean of the predicted times; 0: the model has no answer for some case.
double PredictedNs(const Member& member, const Workload& workload) {
  double log_ns = 0, weights = 0;
  for (const Case* one : ScoredCases(workload)) {
    const auto values =
        runner::contract::CaseValues(workload, *one, *member.program, member.device->sm_count);
    if (!values.ok()) return 0;
    const auto launch = compiler::facts::BindLaunch(*member.program, *values);
    if (!launch.ok()) return 0;
    const auto estimate =
        costmodel::EstimateLaunch(*member.program, member.facts, *launch, *member.device);
    if (!estimate.ok() || estimate->time_ns <= 0) return 0;
    const double weight = one->weight > 0 ? one->weight : 1;
    log_ns += weight * std::log(estimate->time_ns);
    weights += weight;
  }
  return weights > 0 ? std::exp(log_ns / weights) : 0;
}

// A number from a normal distribution that a seed and a program always give again.
double Normal(uint64_t seed, const std::string& program) {
  const std::string digits = Sha256Hex(absl::StrCat(seed, ":", program));
  const auto uniform = [&](size_t at) {
    uint32_t value = 0;
    return absl::SimpleHexAtoi(digits.substr(at, 8), &value) ? (value + 0.5) / 4294967296.0 : 0.5;
  };
  return std::sqrt(-2 * std::log(uniform(0))) * std::cos(2 * std::numbers::pi * uniform(8));
}

struct Baseline {
  std::string hash;
  double ns = 0;
};

// The contract's own program, from beside the contract, with its default binding.
absl::StatusOr<Baseline> BaselineOf(const Workload& workload, const std::string& contract_path,
                                    const server::pipeline::Options& pipeline) {
  if (workload.baseline.empty()) return Baseline{};
  const auto path = std::filesystem::path(contract_path).parent_path() / workload.baseline;
  const auto source = runner::child::ReadWholeFile(path.string(), kResultBytesMax);
  if (!source.ok()) return source.status();
  const Candidate candidate(*source, pipeline);
  const auto binding = candidate.Bind({});
  if (!binding.ok()) return binding.status();
  const Member member = candidate.CheckMember(*binding);
  if (member.verdict != server::pipeline::Verdict::kPassed)
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": the baseline is rejected"));
  return Baseline{Sha256Hex(*source), PredictedNs(member, workload)};
}

Entry EntryOf(const RecordOptions& options, const Member& member, const Workload& workload,
              const Baseline& baseline, double predicted_ns) {
  Entry entry{.key = {member.canonical_hash, runner::contract::Hash(workload), workload.protocol}};
  entry.time_ns =
      predicted_ns * std::exp(options.spread * Normal(options.seed, member.canonical_hash));
  if (baseline.ns > 0) {
    const double ratio = baseline.ns / entry.time_ns;
    entry.ratio = {ratio, ratio, ratio};
    entry.baseline = baseline.hash;
  }
  entry.checks = {{"shape_cases", "NOT_RUN", "recorded from an estimate: nothing ran"}};
  entry.origin = options.spread > 0 ? absl::StrCat("estimate with spread ", options.spread,
                                                   ", seed ", options.seed)
                                    : "estimate";
  return entry;
}

absl::Status RecordFamily(const RecordOptions& options, Counts& counts) {
  server::pipeline::Options pipeline{.run_gates = false, .emit_cuda = false};
  auto loaded = Load(options, pipeline);
  if (!loaded.ok()) return loaded.status();
  if (!loaded->candidate->ok() || loaded->member.device == nullptr)
    return absl::InvalidArgumentError(absl::StrCat(options.file, ": does not pass `cake check`"));
  const auto contract_path = FindContract(options.workload, loaded->file.path);
  if (!contract_path.ok()) return contract_path.status();
  auto workload = LoadContract(*contract_path, loaded->file.path);
  if (!workload.ok()) return workload.status();
  pipeline.arch = options.arch;
  const auto baseline = BaselineOf(*workload, *contract_path, pipeline);
  if (!baseline.ok()) return baseline.status();
  const auto fixed = ParseNumbers(options.params);
  if (!fixed.ok()) return fixed.status();
  const std::string arch(loaded->member.device->arch);
  auto recorder = Recorder::Open(
      options.output, {.name = absl::StrCat("the cost model, ", arch),
                       .arch = arch,
                       .driver = "none",
                       .uuid = "estimate",
                       .times = options.spread > 0 ? Times::kSynthetic : Times::kEstimated});
  if (!recorder.ok()) return recorder.status();
  server::pipeline::MemberCursor cursor(*loaded->candidate, options.members, options.seed, *fixed);
  while (const auto binding = cursor.Next()) {
    ++counts.seen;
    const Member member = loaded->candidate->CheckMember(*binding);
    compiler::diag::Report report;
    const bool passed = member.verdict == server::pipeline::Verdict::kPassed && member.program;
    if (passed) runner::contract::CheckBinding(*workload, *member.program, report);
    if (!passed || report.has_errors()) {
      ++counts.rejected;
      continue;
    }
    const double ns = PredictedNs(member, *workload);
    if (ns <= 0) {
      ++counts.unpriced;
      continue;
    }
    const auto added = recorder->Add(EntryOf(options, member, *workload, *baseline, ns));
    if (!added.ok()) return added.status();
    ++(*added ? counts.added : counts.known);
  }
  return absl::OkStatus();
}

bool IsResult(const json& in) {
  return in.contains("hashes") && in.contains("verdict") && in.contains("protocol") &&
         in.contains("device") && in["device"].is_object();
}

void FindResults(const json& in, int depth, std::vector<const json*>& out) {
  if (depth > kDepthMax || !in.is_structured()) return;
  if (in.is_object() && IsResult(in)) return out.push_back(&in);
  for (const json& part : in) FindResults(part, depth + 1, out);
}

Header HeaderOf(const json& result) {
  const json& device = result["device"];
  const bool measured = result.value("source", "") == "MEASURED";
  return {.name = device.value("name", ""),
          .arch = device.value("arch", ""),
          .driver = device.value("driver", ""),
          .uuid = device.value("uuid", ""),
          .times = measured ? Times::kMeasured : Times::kSynthetic};
}

// Every result in the files, however deep: of one device, since a table has one.
absl::Status RecordResults(const RecordOptions& options, Counts& counts) {
  std::optional<Recorder> recorder;
  std::string uuid;
  for (const std::string& path : options.results) {
    const auto text = runner::child::ReadWholeFile(path, kResultBytesMax);
    if (!text.ok()) return text.status();
    const json in = json::parse(*text, nullptr, false);
    if (in.is_discarded()) return absl::InvalidArgumentError(path + ": is no JSON");
    std::vector<const json*> found;
    FindResults(in, 0, found);
    for (const json* result : found) {
      ++counts.seen;
      const std::string purpose =
          result->value("receipt", json::object()).value("purpose", "SEARCH");
      const auto entry =
          runner::replay::EntryFromResult(result->dump(), purpose == "SEARCH" ? "" : purpose);
      const Header header = HeaderOf(*result);
      if (!entry.ok() || entry->time_ns <= 0 || (recorder && header.uuid != uuid)) {
        ++counts.unpriced;
        continue;
      }
      if (!recorder) {
        auto opened = Recorder::Open(options.output, header);
        if (!opened.ok()) return opened.status();
        recorder = *std::move(opened);
        uuid = header.uuid;
      }
      const auto added = recorder->Add(*entry);
      if (!added.ok()) return added.status();
      ++(*added ? counts.added : counts.known);
    }
  }
  return absl::OkStatus();
}

}  // namespace

int Record(const RecordOptions& options) {
  if (options.results.empty() == options.file.empty())
    return Fail(absl::InvalidArgumentError("give a program FILE or --results FILE.., not both"));
  Counts counts;
  const absl::Status status =
      options.results.empty() ? RecordFamily(options, counts) : RecordResults(options, counts);
  if (!status.ok()) return Fail(status);
  if (options.json) {
    std::printf("%s\n", json({{"file", options.output},
                              {"seen", counts.seen},
                              {"added", counts.added},
                              {"known", counts.known},
                              {"rejected", counts.rejected},
                              {"left_out", counts.unpriced}})
                            .dump(2)
                            .c_str());
    return kFine;
  }
  std::printf(
      "%s: %lld looked at, %lld recorded, %lld there already, %lld rejected, %lld without a "
      "time\n",
      options.output.c_str(), static_cast<long long>(counts.seen),
      static_cast<long long>(counts.added), static_cast<long long>(counts.known),
      static_cast<long long>(counts.rejected), static_cast<long long>(counts.unpriced));
  PrintNext(
      absl::StrCat("cake-worker --replay ", options.output, " --connect unix:.cake/caked.sock"));
  return kFine;
}

}  // namespace clients::cli
