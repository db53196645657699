#include "runner/worker/replay_jobs.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

using contract::Verdict;

constexpr size_t kHashShown = 16;

replay::Key KeyOf(const Job& job) {
  const std::string protocol = job.protocol.empty() ? job.workload.protocol : job.protocol;
  const std::string program =
      job.direct_cuda.empty() ? job.program_id : contract::Sha256Hex(job.direct_cuda);
  return {program, contract::Hash(job.workload), protocol};
}

// Why the table cannot answer, or empty. A ratio against another baseline answers another question.
std::string WhyNot(const replay::Table& table, const Job& job, const replay::Entry* entry) {
  const replay::Key key = KeyOf(job);
  if (key.program.empty()) return "the job does not say its program's canonical hash";
  if (entry == nullptr) return table.WhyMissing(key);
  const std::string baseline = job.baseline ? contract::Sha256Hex(job.baseline->source) : "";
  if (entry->ratio.median > 0 && !entry->baseline.empty() && entry->baseline != baseline)
    return absl::StrCat("it is recorded against baseline ", entry->baseline.substr(0, kHashShown),
                        ", the job's is ", baseline.substr(0, kHashShown));
  return "";
}

oracle::Outcome OutcomeOf(const std::string& word) {
  if (word == "PASS") return oracle::Outcome::kPass;
  return word == "FAIL" ? oracle::Outcome::kFail : oracle::Outcome::kNotRun;
}

std::string NameOf(const replay::Header& header) {
  return absl::StrCat("replay of ", header.name, ", times ",
                      std::string(replay::ToString(header.times)));
}

}  // namespace

JobResult ReplayOf(const replay::Table& table, const Job& job) {
  const replay::Key key = KeyOf(job);
  const replay::Entry* entry = table.Find(key, job.purpose);
  JobResult out{.job = job.id};
  out.protocol = key.protocol;
  out.sandbox_level = "nothing runs";
  const replay::Header& header = table.header();
  out.device_json = nlohmann::json({{"replay", table.hash()},
                                    {"name", NameOf(header)},
                                    {"arch", header.arch},
                                    {"driver", header.driver},
                                    {"recorded_on", header.uuid},
                                    {"times", std::string(replay::ToString(header.times))}})
                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out.hashes = {{"contract", key.contract}, {"replay", table.hash()}};
  if (!key.program.empty()) out.hashes["canonical"] = key.program;
  if (job.baseline) out.hashes["baseline"] = contract::Sha256Hex(job.baseline->source);
  const std::string why = WhyNot(table, job, entry);
  if (!why.empty()) {
    out.verdict = Verdict::kMeasurementFault;
    out.blame = contract::Blame::kInfra;
    out.detail = absl::StrCat("not recorded: ", why);
    out.checks = {{std::string(kCheckRecorded), oracle::Outcome::kFail, why}};
    out.stages = {{.stage = "ORACLE", .end = "NOT_RUN"}};
    return out;
  }
  out.verdict = entry->verdict;
  out.blame = contract::DefaultBlame(entry->verdict);
  out.detail = entry->detail;
  out.source = "REPLAY";
  out.machine = entry->machine;
  out.varies = entry->varies;
  out.ratio = entry->ratio;
  out.time_ns = entry->time_ns;
  for (const replay::CheckRow& row : entry->checks)
    out.checks.push_back({row.name, OutcomeOf(row.outcome), row.detail});
  out.checks.push_back({std::string(kCheckRecorded), oracle::Outcome::kPass, entry->origin});
  out.stages = {{.stage = "ORACLE", .end = "OK"}};
  if (entry->time_ns > 0) out.stages.push_back({.stage = "TIMING", .end = "OK"});
  return out;
}

DeviceInfo ReplayDevice(const replay::Table& table) {
  const replay::Header& header = table.header();
  return {.uuid = absl::StrCat("replay:", table.hash().substr(0, kHashShown)),
          .name = NameOf(header),
          .arch = header.arch,
          .driver = header.driver,
          .simulated = true,
          .facts = {{"replay", table.hash()},
                    {"entries", absl::StrCat(table.size())},
                    {"times", std::string(replay::ToString(header.times))},
                    {"recorded_on", header.uuid}},
          .noise = header.noise};
}

ReplayJobs::ReplayJobs(replay::Table table, std::function<void(const std::string&)> log)
    : table_(std::move(table)), log_(std::move(log)), ready_(eventfd(0, EFD_CLOEXEC)) {}

absl::Status ReplayJobs::Start(const Job& job) {
  JobEvent event{.kind = JobEvent::Kind::kResult, .result = ReplayOf(table_, job)};
  event.receipt_json = ReceiptJson(job, event.result);
  if (event.result.verdict == Verdict::kMeasurementFault) {
    ++missing_;
    if (log_)
      log_(absl::StrCat("replay: ", answered_, " answered, ", missing_, " not recorded; ", job.id,
                        ": ", event.result.detail));
  } else {
    ++answered_;
  }
  event_ = std::move(event);
  const uint64_t one = 1;
  if (write(ready_.get(), &one, sizeof(one)) != sizeof(one))
    return absl::InternalError("the event that wakes the worker cannot be written");
  return absl::OkStatus();
}

std::optional<JobEvent> ReplayJobs::Poll() {
  if (!event_) return std::nullopt;
  uint64_t count = 0;
  if (read(ready_.get(), &count, sizeof(count)) != sizeof(count)) return std::nullopt;
  return std::exchange(event_, std::nullopt);
}

void ReplayJobs::Kill() {
  if (event_) Poll();
}

absl::Status RecordingJobs::Start(const Job& job) {
  // A search's answer stands for every purpose until one of its own is recorded.
  purpose_ = job.purpose == "SEARCH" ? "" : job.purpose;
  return inner_.Start(job);
}

std::optional<JobEvent> RecordingJobs::Poll() {
  auto event = inner_.Poll();
  if (event && event->kind == JobEvent::Kind::kResult) Record(*event);
  return event;
}

void RecordingJobs::Record(const JobEvent& event) {
  auto entry = replay::EntryFromResult(ToJson(event.result), purpose_);
  if (!entry.ok()) return log_(absl::StrCat("not recorded: ", entry.status().message()));
  if (!event.receipt_json.empty())
    entry->origin = absl::StrCat("receipt ", contract::Sha256Hex(event.receipt_json));
  const auto added = recorder_.Add(*entry);
  if (!added.ok()) return log_(absl::StrCat("not recorded: ", added.status().message()));
  log_(absl::StrCat(*added ? "recorded, " : "was recorded before, ", recorder_.added(),
                    " new so far"));
}

}  // namespace runner::worker
