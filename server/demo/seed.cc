#include "server/demo/seed.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/core/ledger.h"
#include "server/demo/history.h"
#include "server/demo/programs.h"
#include "server/loop/spec.h"

namespace server::demo {
namespace {

constexpr int64_t kNamedExperiments = 12;  // those with candidates of their own
constexpr int64_t kCandidatesApiece = 40;
constexpr size_t kEventsPerBatch = 4000;
constexpr int64_t kStartUs = int64_t{1'767'225'600} * 1'000'000;  // 2026-01-01
constexpr int64_t kStepUs = 250'000;

constexpr std::string_view kKernelClasses[] = {"memory", "tensor", "latency"};
constexpr std::string_view kRoutes[] = {"candidate", "verifier", "cost-model", "vocabulary",
                                        "contract"};
constexpr std::string_view kTitles[] = {"the gates passed a program that raced on the device",
                                        "predicted time off by more than three intervals",
                                        "a form that three lineages tried has no instruction",
                                        "wrong within twice the bound of the contract",
                                        "reads past the end of a ragged last group"};

// States that no daemon moves a proposal on from, and that put no question to candidates: what is
// made up may not decide about what is not.
constexpr std::string_view kProposalStates[] = {"REJECTED", "SPECIMENS", "DEMOTED", "DRAFT",
                                                "RETIRED"};
constexpr std::string_view kRule = R"(name = "demo_wide_rows"
code = "CK2799"
category = "schedule"
message = "`{text}` updates one place of `{tensor}` by every thread"
why = "demo: updates of one word are served one after the other"
query = """
SELECT s.span_begin, s.span_end, s.text, t.name AS tensor
FROM access a JOIN statement s ON s.id = a.statement JOIN tensor t ON t.id = a.tensor
WHERE a.kind = 'update' AND a.level <> 'lane'
"""
)";

// Time stands where the log is: what is made up is the same on every day.
class LogClock : public store::Clock {
 public:
  int64_t UnixMicros() override { return now_us; }
  int64_t MonotonicNanos() override { return now_us * 1000; }
  int64_t now_us = kStartUs;
};

class Seeder {
 public:
  Seeder(store::Store& store, const Options& options)
      : options_(options), ledger_(store, clock_), contracts_(ledger_), rng_(options.seed) {}

  absl::StatusOr<Seeded> Run(const std::vector<core::ContractFile>& files) {
    if (auto status = ledger_.Load(); !status.ok()) return status;
    if (!ledger_.state().runs.empty() || !ledger_.state().imports.empty()) {
      return absl::FailedPreconditionError(
          "the store has runs: demo data needs a folder of its own");
    }
    for (const core::ContractFile& file : files) {
      if (auto status = contracts_.Register(file); !status.ok()) return status;
    }
    families_ = options_.rows == 0 ? std::vector<Family>() : JudgePrograms(files, 4);
    if (options_.rows > 0 && families_.empty()) {
      return absl::NotFoundError("no program to show: give --workloads tests/corpus");
    }
    MarkAsDemo();
    AddDevices();
    AddExperiments();
    AddCandidates();
    AddQueue();
    AddFindings();
    AddProposals();
    if (auto status = Flush(); !status.ok()) return status;
    Seeded seeded;
    seeded.events = ledger_.state().last_seq;
    seeded.candidates = static_cast<int64_t>(ledger_.state().candidates.size());
    seeded.runs = static_cast<int64_t>(ledger_.state().runs.size());
    const auto run = ledger_.state().runs.find(1);
    if (run != ledger_.state().runs.end() && run->second.best) {
      const auto& best = ledger_.state().variants.at(run->second.best->variant);
      seeded.best = ledger_.state().candidates.at(best.candidate).Name();
    }
    return seeded;
  }

 private:
  void Add(store::EventBody body) {
    if (!status_.ok()) return;
    clock_.now_us += kStepUs;
    batch_.events.push_back(std::move(body));
    batch_.at_us.push_back(clock_.now_us);
    if (batch_.events.size() >= kEventsPerBatch) Flush().IgnoreError();
  }

  store::ObjectHash Put(store::ObjectKind kind, const std::string& text) {
    batch_.objects.push_back({kind, text});
    return store::HashOf(text);
  }

  absl::Status Flush() {
    if (!status_.ok() || batch_.events.empty()) return status_;
    auto done = ledger_.Commit(std::exchange(batch_, {}));
    if (!done.ok()) status_ = done.status();
    return status_;
  }

  void MarkAsDemo() {
    const auto manifest = Put(store::ObjectKind::kOther,
                              absl::StrCat("{\"campaign\":\"demo\",\"rows\":", options_.rows,
                                           ",\"seed\":", options_.seed, "}"));
    Add(store::EvidenceImported{.import = 1,
                                .who = ledger_.store().local_principal(),
                                .manifest_hash = manifest,
                                .log_hash = manifest,
                                .campaign = "demo",
                                .script = "cake demo seed",
                                .device = "no device: made up",
                                .simulated = true});
  }

  void AddDevices() {
    constexpr std::string_view kArchs[] = {"sm_90a", "sm_80", "sm_100a", "sm_120a"};
    for (int64_t i = 1; i <= options_.rows; ++i) {
      store::DeviceState device{.device = i,
                                .uuid = absl::StrFormat("demo-%05d", i),
                                .name = absl::StrCat("demo device ", i),
                                .arch = std::string(kArchs[(i - 1) % std::size(kArchs)]),
                                .driver = "none",
                                .state = "HEALTHY",
                                .simulated = true};
      if (i % 17 == 0) {
        device.state = "QUARANTINED";
        device.reason = "lost 3 jobs in a row";
      }
      for (const std::string_view kernel_class : kKernelClasses) {
        device.noise.push_back({std::string(kernel_class), 0.002 + 0.006 * rng_.Unit()});
      }
      Add(device);
      Add(store::WorkerState{.worker = i,
                             .name = absl::StrFormat("demo-worker-%05d", i),
                             .incarnation = 1,
                             .state = "GONE",
                             .device = i,
                             .capabilities = {"run:demo"}});
    }
  }

  void AddExperiments() {
    const auto spec = Put(store::ObjectKind::kOther, loop::ToJson({}));
    for (int64_t i = 1; i <= options_.rows; ++i) {
      const Family& family = families_[(i - 1) % families_.size()];
      const state::Workload& workload = *ledger_.state().FindWorkload(family.workload);
      // The first run waits, so that a queue can be shown; the others have ended.
      const bool estimated = i % 3 == 0;
      Add(store::ExperimentCreated{.experiment = i,
                                   .name = absl::StrFormat("demo-%s-%05d", family.workload, i),
                                   .visibility = i % 5 == 0 ? "CLEAN" : "OPEN"});
      Add(store::RunStateChanged{
          .run = i,
          .state = store::RunState::kCreated,
          .experiment = i,
          .arm = i % 4 == 2 ? "random" : "cake-ir",
          .repeat_no = 1,
          .seed = options_.seed + static_cast<uint64_t>(i),
          .workload = workload.id,
          .contract_hash = workload.hash,
          .objective = estimated ? store::ScoreSource::kEstimated : store::ScoreSource::kReplay,
          .budgets = {{"evaluations", i == 1 ? kRowsMax : 64}},
          .import = 1,
          .source_run = i});
      if (i > 1 && i > kNamedExperiments) Stop(i);
    }
  }

  void Stop(int64_t run) {
    constexpr std::string_view kReasons[] = {"PLATEAU", "BUDGET(evaluations)", "EXHAUSTED",
                                             "TARGET"};
    Add(store::RunStateChanged{.run = run,
                               .state = store::RunState::kStopped,
                               .reason = std::string(kReasons[run % std::size(kReasons)])});
  }

  // `rows` in all: most of them in the first run.
  void AddCandidates() {
    int64_t left = options_.rows;
    const int64_t named = std::min(options_.rows, kNamedExperiments);
    std::vector<int64_t> counts(static_cast<size_t>(named) + 1, 0);
    for (int64_t run = named; run > 1 && left > kCandidatesApiece * 2; --run) {
      counts[run] = kCandidatesApiece;
      left -= kCandidatesApiece;
    }
    if (named > 0) counts[1] = left;
    ids_.principal = ledger_.store().local_principal();
    for (int64_t run = named; run >= 1; --run) {
      const Family& family = families_[(run - 1) % families_.size()];
      RunHistory history(family, run, ledger_.state().FindWorkload(family.workload)->hash,
                         run % 3 == 0, rng_, ids_);
      for (int64_t n = 1; n <= counts[run]; ++n) {
        for (store::Object& object : history.TakeObjects(n)) batch_.objects.push_back(object);
        for (store::EventBody& body : history.Candidate(n)) Add(std::move(body));
      }
      if (run == 1) waiting_ = history.waiting();
      if (run == 1) Add(store::RunStateChanged{.run = 1, .state = store::RunState::kRunning});
      if (run == 1)
        Add(store::RunStateChanged{
            .run = 1, .state = store::RunState::kPaused, .reason = "OPERATOR"});
      else
        Stop(run);
    }
  }

  // Re-checks of what the first run found, in rounds.
  void AddQueue() {
    for (int64_t i = 0; i < options_.rows && !waiting_.empty(); ++i) {
      const auto count = static_cast<int64_t>(waiting_.size());
      Add(store::JobQueued{.job = ++ids_.job,
                           .variant = waiting_[static_cast<size_t>(i % count)],
                           .purpose = store::Purpose::kRecheck,
                           .protocol = "demo-v1",
                           .round = 1 + i / count,
                           .priority = 20 + i % 3,
                           .needs = {"run:demo"}});
    }
  }

  void AddFindings() {
    const auto minimised =
        options_.rows == 0 ? store::ObjectHash{} : Put(store::ObjectKind::kOther, Smallest());
    for (int64_t i = 1; i <= options_.rows; ++i) {
      store::FindingOpened finding{.finding = i,
                                   .fingerprint = absl::StrFormat("%016x", 0x9e3779b9u * i),
                                   .route = std::string(kRoutes[i % std::size(kRoutes)]),
                                   .title = std::string(kTitles[i % std::size(kTitles)])};
      const int64_t cases = std::min<int64_t>(3, ids_.candidate);
      for (int64_t c = 0; c < cases; ++c) {
        const int64_t id = 1 + (i + c) % ids_.candidate;
        if (std::find(finding.candidates.begin(), finding.candidates.end(), id) ==
            finding.candidates.end()) {
          finding.candidates.push_back(id);
        }
      }
      Add(finding);
      if (i % 4 == 1) {
        Add(store::FindingUpdated{.finding = i, .state = "MINIMISED", .minimised_hash = minimised});
      }
    }
  }

  // Learnt rules that have come to an end, or to a stop on their way.
  void AddProposals() {
    if (options_.rows == 0) return;
    const auto rule = Put(store::ObjectKind::kOther, std::string(kRule));
    const auto report = Put(store::ObjectKind::kOther, "{\"demo\":true}");
    for (int64_t i = 1; i <= options_.rows; ++i) {
      store::ProposalState proposal{
          .proposal = i,
          .kind = "rule",
          .rev = 1 + i % 3,
          .name = absl::StrFormat("demo_rule_%05d", i),
          .body_hash = rule,
          .state = std::string(kProposalStates[i % std::size(kProposalStates)]),
          .author = ids_.principal,
          .code = "CK2799",
          .failures = {1 + i % ids_.candidate}};
      const bool passed = proposal.state != "DRAFT";
      proposal.gate_runs.push_back({"specimens", "", "demo", passed ? "PASS" : "FAIL", report});
      const bool rejected = proposal.state == "REJECTED", undone = proposal.state == "DEMOTED";
      const store::Decided decided{.proposal = i,
                                   .rev = proposal.rev,
                                   .who = ids_.principal,
                                   .verdict = rejected ? "REJECT" : "UNDO",
                                   .reason = "made up, to be looked at"};
      Add(std::move(proposal));
      if (rejected || undone) Add(decided);
    }
  }

  // The shortest program that the gates reject, as a minimiser would leave it.
  std::string Smallest() const {
    std::string best;
    for (const Family& family : families_) {
      for (const Program& program : family.programs) {
        const bool shorter = best.empty() || program.source.size() < best.size();
        if (!program.passed() && shorter) best = program.source;
      }
    }
    return best.empty() ? families_.front().programs.front().source : best;
  }

  const Options options_;
  LogClock clock_;
  core::Ledger ledger_;
  core::Contracts contracts_;
  Draws rng_;
  Ids ids_;
  std::vector<Family> families_;
  std::vector<int64_t> waiting_;  // variants of the first run that were evaluated
  store::Batch batch_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Seeded> Seed(store::Store& store, const std::vector<core::ContractFile>& contracts,
                            const Options& options) {
  if (options.rows < 0 || options.rows > kRowsMax) {
    return absl::InvalidArgumentError(absl::StrCat("rows must be in 0..", kRowsMax));
  }
  return Seeder(store, options).Run(contracts);
}

}  // namespace server::demo
