#include "server/core/import.h"

#include "absl/strings/str_cat.h"
#include "server/core/evidence.h"
#include "server/core/import_map.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

// A clock over there may be ahead of ours; by more than this it is wrong.
constexpr int64_t kClockSkewUs = int64_t{24} * 3600 * 1'000'000;

template <typename Map>
int64_t NextId(const Map& rows) {
  return rows.empty() ? 1 : rows.rbegin()->first + 1;
}

absl::Status CheckTimes(const std::vector<LoggedEvent>& log, int64_t now_us) {
  for (const LoggedEvent& event : log) {
    if (event.at_us >= 0 && event.at_us <= now_us + kClockSkewUs) continue;
    return state::BadField(absl::StrCat("events.jsonl: event ", event.seq),
                           "happened at a time that cannot be");
  }
  return absl::OkStatus();
}

bool IsOfTheWorld(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kInternal: return true;
    default: return false;
  }
}

// A contract is read at every start of the daemon, so a broken one may not come in.
absl::Status CheckContract(Ledger& ledger, const store::WorkloadRegistered& event) {
  auto text = ledger.Object(event.canon_hash);
  if (!text.ok()) return state::BadField("workload.canon_hash", "names an object that is missing");
  const auto workload = runner::contract::FromJson(*text);
  if (!workload.ok()) return state::BadField("workload", std::string(workload.status().message()));
  if (runner::contract::Hash(*workload) != event.hash || workload->name != event.name) {
    return state::BadField("workload", "is not the contract that its event names");
  }
  const auto faults = runner::contract::Lint(*workload);
  return faults.empty() ? absl::OkStatus() : state::BadField("workload", faults.front());
}

}  // namespace

ImportReply Importing::Reply(const state::Import& row, bool already) const {
  ImportReply reply;
  reply.row = row;
  reply.already = already;
  for (const auto& [id, run] : c_.state().runs) {
    if (run.import == row.id) reply.runs.push_back(experiments_.View(run));
  }
  reply.event_seq = c_.state().last_seq;
  return reply;
}

absl::StatusOr<store::Batch> Importing::BatchOf(const ImportRequest& request,
                                                const std::string& manifest_text,
                                                int64_t& left_out) {
  auto manifest = ParseManifest(manifest_text);
  if (!manifest.ok()) return manifest.status();
  if (manifest->log_hash != request.log.hex) {
    return state::BadField("log", "is not the one that the manifest names");
  }
  auto text = c_.ledger.Object(request.log);
  if (!text.ok()) return text.status();
  auto log = ParseLog(*text);
  if (!log.ok()) return log.status();
  if (auto status = CheckTimes(*log, c_.ledger.NowUs()); !status.ok()) return status;
  const auto events = static_cast<int64_t>(log->size());
  const int64_t import = NextId(c_.state().imports);
  const int64_t first_seq = c_.state().last_seq + 2;  // after EvidenceImported
  const ImportContext context{
      .import = import,
      .principal = c_.principal,
      .suffix = absl::StrCat("@", manifest->campaign, ".", request.manifest.hex.substr(0, 8)),
      .simulated = manifest->simulated,
      .first_seq = first_seq};
  auto mapped = MapLog(c_.state(), context, *std::move(log));
  if (!mapped.ok()) return mapped.status();
  for (const store::EventBody& body : mapped->events) {
    const auto* workload = std::get_if<store::WorkloadRegistered>(&body);
    if (workload == nullptr) continue;
    if (auto status = CheckContract(c_.ledger, *workload); !status.ok()) return status;
  }
  if (auto status = CloseOpenWork(first_seq, *mapped); !status.ok()) return status;
  left_out = mapped->left_out;
  store::Batch batch;
  batch.events.push_back(store::EvidenceImported{.import = import,
                                                 .who = c_.principal,
                                                 .manifest_hash = request.manifest,
                                                 .log_hash = request.log,
                                                 .campaign = manifest->campaign,
                                                 .git = manifest->git,
                                                 .script = manifest->script,
                                                 .bundle = manifest->bundle,
                                                 .device = manifest->device,
                                                 .driver = manifest->driver,
                                                 .simulated = manifest->simulated,
                                                 .events = events});
  batch.at_us.push_back(c_.ledger.NowUs());
  for (auto& body : mapped->events) batch.events.push_back(std::move(body));
  batch.at_us.insert(batch.at_us.end(), mapped->at_us.begin(), mapped->at_us.end());
  return batch;
}

absl::StatusOr<ImportReply> Importing::Import(const ImportRequest& request) {
  if (auto status = CheckServing(c_); !status.ok()) return status;
  if (const state::Import* known = c_.state().FindImport(request.manifest.hex)) {
    return Reply(*known, true);
  }
  auto manifest = c_.ledger.Object(request.manifest);
  if (!manifest.ok()) return state::NotFound("object", request.manifest.hex);
  int64_t left_out = 0;
  auto batch = BatchOf(request, *manifest, left_out);
  if (!batch.ok()) return batch.status();
  CAKE_FAILPOINT("server.import.before_commit");
  auto done = c_.ledger.Commit(*std::move(batch));
  CAKE_FAILPOINT("server.import.after_commit");
  if (!done.ok()) {
    if (IsOfTheWorld(done.status().code())) return done.status();
    // A store that works refuses only what does not follow from the log itself.
    return state::BadField("events.jsonl",
                           absl::StrCat("cannot be: ", std::string(done.status().message())));
  }
  if (auto status = c_.contracts.LoadKnown(); !status.ok()) return status;
  ImportReply reply = Reply(*c_.state().FindImport(request.manifest.hex), false);
  reply.left_out = left_out;
  return reply;
}

}  // namespace server::core
