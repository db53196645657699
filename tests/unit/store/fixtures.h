// What the store's tests share: a folder that goes away, a clock that a test owns, a small world.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/apply.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/upkeep.h"

namespace store {

inline constexpr int64_t kTestReserveBytes = int64_t{1} << 20;

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cake-store-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TestClock : public Clock {
 public:
  int64_t UnixMicros() override { return unix_us++; }
  int64_t MonotonicNanos() override { return monotonic_ns; }
  int64_t unix_us = 1'000'000;
  int64_t monotonic_ns = 1;
};

inline std::unique_ptr<Store> MustOpen(Options options) {
  auto store = Store::Open(std::move(options));
  if (!store.ok()) ADD_FAILURE() << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

inline std::unique_ptr<Store> OpenStepped(const std::string& dir, Clock* clock = nullptr) {
  return MustOpen(
      {.dir = dir, .clock = clock, .threads = false, .disk_reserve_bytes = kTestReserveBytes});
}

// Commits the events and fails the test when they are refused.
inline CommitResult MustCommit(Store& store, std::vector<EventBody> events,
                               std::vector<Object> objects = {}) {
  Batch batch;
  batch.events = std::move(events);
  batch.objects = std::move(objects);
  auto result = store.Commit(std::move(batch));
  if (!result.ok()) ADD_FAILURE() << result.status();
  return result.ok() ? *std::move(result) : CommitResult();
}

inline absl::Status TryCommit(Store& store, std::vector<EventBody> events) {
  Batch batch;
  batch.events = std::move(events);
  return store.Commit(std::move(batch)).status();
}

inline bool Never() { return false; }

inline FsckReport MustCheck(const std::string& dir) {
  auto report = Fsck(dir, Never);
  if (!report.ok()) ADD_FAILURE() << report.status();
  return report.ok() ? *std::move(report) : FsckReport();
}

// A run with a worker on a device, ready for candidates.
struct World {
  explicit World(Store& s, ScoreSource objective = ScoreSource::kMeasured) : store(s) {
    const CommitResult made = MustCommit(
        store,
        {WorkloadRegistered{.name = "rmsnorm", .hash = "contract-1"},
         ExperimentCreated{.name = "default", .visibility = "OPEN"},
         DeviceState{
             .uuid = "GPU-1", .name = "H", .arch = "sm_90a", .driver = "1", .state = "HEALTHY"},
         WorkerState{.name = "w", .incarnation = 7, .state = "SERVE"}});
    workload = made.ids[0];
    experiment = made.ids[1];
    device = made.ids[2];
    worker = made.ids[3];
    run = MustCommit(store,
                     {
                         RunStateChanged{.experiment = experiment,
                                         .arm = "cake-ir",
                                         .seed = 0xfedcba9876543210u,
                                         .workload = workload,
                                         .contract_hash = "contract-1",
                                         .objective = objective,
                                         .budgets = {{"evaluations", 10}}},
                     })
              .ids[0];
    MustCommit(store, {RunStateChanged{.run = run, .state = RunState::kRunning}});
  }

  int64_t Submit(const std::string& source, std::vector<ParentRef> parents = {}) {
    const ObjectHash hash = HashOf(source);
    return MustCommit(store,
                      {CandidateSubmitted{.run = run,
                                          .source_hash = hash,
                                          .arm_kind = "cake-ir",
                                          .author = store.local_principal(),
                                          .parents = std::move(parents)}},
                      {{ObjectKind::kSource, source}})
        .ids[0];
  }

  // Passes the gates and makes one variant; returns it.
  int64_t Expand(int64_t candidate, const std::string& canon) {
    const CommitResult made = MustCommit(
        store, {GatesDone{.candidate = candidate, .canon_hash = canon, .struct_hash = "s"},
                VariantsExpanded{.candidate = candidate,
                                 .members_total = 1,
                                 .members_seen = 1,
                                 .last = true,
                                 .variants = {{.binding_hash = "b",
                                               .params_json = "{\"BN\":64}",
                                               .canon_hash = canon + "/64"}}}});
    return std::get<VariantsExpanded>(made.events[1].body).variants[0].variant;
  }

  int64_t Queue(int64_t variant, Purpose purpose = Purpose::kSearch, int64_t priority = 0) {
    return MustCommit(store, {JobQueued{.variant = variant,
                                        .purpose = purpose,
                                        .protocol = "cold-abba-v1",
                                        .priority = priority,
                                        .needs = {"run:sm_90a", "compile:nvrtc"}}})
        .ids[0];
  }

  LeaseGranted Grant(int64_t job) {
    const CommitResult made = MustCommit(
        store, {LeaseGranted{.job = job, .worker = worker, .incarnation = 7, .device = device}});
    return std::get<LeaseGranted>(made.events[0].body);
  }

  EvaluationDone Result(const LeaseGranted& lease, Verdict verdict, double ratio_low) {
    return {.job = lease.job,
            .fencing_token = lease.fencing_token,
            .verdict = verdict,
            .blame = Blame::kNone,
            .contract_hash = "contract-1",
            .device = device,
            .source = ScoreSource::kMeasured,
            .oracle_completed = true,
            .ratio_med = ratio_low * 1.25,
            .ratio_low = ratio_low,
            .ratio_high = ratio_low * 1.5,
            .time_ns = 1000,
            .checks = {{.name = "values", .outcome = "PASS"}}};
  }

  Store& store;
  int64_t workload = 0, experiment = 0, device = 0, worker = 0, run = 0;
};

// Every row of every projection, as SQL would write it.
inline std::string DumpProjections(Database& db) {
  std::string out;
  std::vector<std::string> tables;
  {
    Statement s = db.Use("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    while (*s.Step()) tables.push_back(s.Text(0));
  }
  for (const std::string& table : tables) {
    if (std::count(std::begin(kExemptTables), std::end(kExemptTables), table) > 0) continue;
    std::string columns, key;
    {
      Statement s = db.Use("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid");
      s.Bind(table);
      while (*s.Step()) {
        columns += (columns.empty() ? "quote(" : " || ',' || quote(") + s.Text(0) + ")";
        if (s.Int(1) > 0) key += (key.empty() ? "" : ", ") + s.Text(0);
      }
    }
    Statement rows = db.Once("SELECT " + columns + " FROM " + table + " ORDER BY " + key);
    while (*rows.Step()) out += table + ": " + rows.Text(0) + "\n";
  }
  return out;
}

inline std::unique_ptr<Database> OpenRaw(const std::string& dir,
                                         OpenMode mode = OpenMode::kReadOnly) {
  auto db = Database::Open(dir + "/cake.db", mode, "");
  if (!db.ok()) ADD_FAILURE() << db.status();
  return db.ok() ? *std::move(db) : nullptr;
}

}  // namespace store
