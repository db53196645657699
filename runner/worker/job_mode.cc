#include "runner/worker/job_mode.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/write_file.h"
#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

constexpr int kFine = 0, kCandidate = 1, kUsage = 2, kWorld = 3;

int Fail(int code, const absl::Status& status) {
  fprintf(stderr, "cake-worker: %s\n", std::string(status.message()).c_str());
  return code;
}

}  // namespace

// Without a daemon nobody else routes (server/routing/route.cc): where the reference machine is
// right, a device that is wrong each time was given other code than the program says, and results
// that vary come of a race that the gates let pass. Neither is the candidate's fault.
void Route(JobResult& result) {
  using contract::Verdict;
  if (result.machine != "right" || result.device_json.find("\"uuid\"") == std::string::npos) return;
  const bool fault = result.verdict == Verdict::kHang || result.verdict == Verdict::kDeviceFault ||
                     result.verdict == Verdict::kLaunchFailed ||
                     result.verdict == Verdict::kOutOfBoundsWrite;
  const bool varies = result.verdict == Verdict::kNondeterministic ||
                      result.verdict == Verdict::kRaceObserved || (result.varies && !fault);
  const bool values =
      result.verdict == Verdict::kWrongResult || result.verdict == Verdict::kIncompleteOutput ||
      result.verdict == Verdict::kStaleOutput || result.verdict == Verdict::kInputModified;
  if (varies && result.blame == contract::Blame::kCandidate) {
    result.blame = contract::Blame::kSystem;
  } else if (values) {
    result.verdict = Verdict::kMachineDisagrees;
    result.blame = contract::DefaultBlame(result.verdict);
  }
}

int ExitCodeOf(const JobResult& result) {
  switch (result.blame) {
    case contract::Blame::kNone: return kFine;
    case contract::Blame::kCandidate: return kCandidate;
    case contract::Blame::kContract: return kUsage;
    case contract::Blame::kSystem:
    case contract::Blame::kInfra: return kWorld;
  }
  return kWorld;
}

// The bundle of a verdict: the receipt, the job that it is of, the whole result and what was built,
// in a folder with the receipt's name. The receipt names the others by their hashes.
absl::Status WriteBundle(const std::string& folder, const Job& job, const JobResult& result,
                         const std::string& receipt) {
  const std::string bundle = absl::StrCat(folder, "/", contract::Sha256Hex(receipt), "/");
  std::map<std::string, std::string> files = result.objects;
  files["receipt.json"] = receipt;
  files["job.json"] = contract::CanonicalJson(ToJson(job));
  files["result.json"] = ToJson(result);
  for (const auto& [name, bytes] : files) {
    if (auto status = child::WriteFileAtomically(bundle + name, bytes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

int RunJobFile(const EvaluatorOptions& options, const std::string& file, const std::string& out,
               const std::string& objects_dir, const std::string& receipts_dir) {
  const auto text = child::ReadWholeFile(file == "-" ? "/dev/stdin" : file, kJobBytesMax);
  if (!text.ok()) return Fail(kUsage, text.status());
  const auto job = JobFromJson(*text);
  if (!job.ok()) return Fail(kUsage, job.status());
  auto evaluator = Evaluator::Create(options);
  if (!evaluator.ok()) return Fail(kWorld, evaluator.status());
  const bool terminal = isatty(STDERR_FILENO);
  auto result = (*evaluator)->Run(*job, [&](const std::string& stage, int percent) {
    if (terminal) fprintf(stderr, "\r\033[K%s %d%%\r", stage.c_str(), percent);
  });
  if (!result.ok())
    return Fail(result.status().code() == absl::StatusCode::kInvalidArgument ? kUsage : kWorld,
                result.status());
  Route(*result);
  auto json = nlohmann::json::parse(ToJson(*result));
  const std::string receipt = ReceiptJson(*job, *result);
  json["receipt"] = nlohmann::json::parse(receipt);
  json["receipt_id"] = contract::Sha256Hex(receipt);
  for (const auto& [name, bytes] : result->objects) {
    if (objects_dir.empty()) break;
    const auto written = child::WriteFileAtomically(
        absl::StrCat(objects_dir, "/", contract::Sha256Hex(bytes)), bytes);
    if (!written.ok()) return Fail(kWorld, written);
  }
  if (!receipts_dir.empty()) {
    const auto written = WriteBundle(receipts_dir, *job, *result, receipt);
    if (!written.ok()) return Fail(kWorld, written);
  }
  const std::string line = json.dump() + "\n";
  if (out.empty())
    fwrite(line.data(), 1, line.size(), stdout);
  else if (auto status = child::WriteFileAtomically(out, line); !status.ok())
    return Fail(kWorld, status);
  return ExitCodeOf(*result);
}

int RunJobLines(const EvaluatorOptions& options, const std::string& file, const std::string& out) {
  std::ifstream in(file);
  FILE* to = out.empty() ? stdout : fopen(out.c_str(), "w");
  if (!in || to == nullptr) return Fail(kUsage, absl::NotFoundError("a file does not open"));
  auto evaluator = Evaluator::Create(options);
  if (!evaluator.ok()) return Fail(kWorld, evaluator.status());
  int worst = kFine;
  for (std::string line; std::getline(in, line);) {
    const auto job = JobFromJson(line);
    if (!job.ok()) return Fail(kUsage, job.status());
    const auto start = std::chrono::steady_clock::now();
    const auto result = (*evaluator)->Run(*job, [](const std::string&, int) {});
    if (!result.ok()) return Fail(kUsage, result.status());
    const int64_t wall_ns = (std::chrono::steady_clock::now() - start).count();
    auto json = nlohmann::json::parse(ToJson(*result));
    json["wall_ns"] = wall_ns;
    const std::string text = json.dump() + "\n";
    fwrite(text.data(), 1, text.size(), to);
    worst = std::max(worst, ExitCodeOf(*result));
  }
  if (to != stdout) fclose(to);
  return worst;
}

}  // namespace runner::worker
