// The process that a crash test kills: writes to the store in the folder given and prints one line
// for each acknowledgement, after it has it.
//
//   store_crash_child work DIR CLIENTS ROUNDS   lifecycles of candidates, from several threads
//   store_crash_child migrate DIR               brings the database one (made up) version further
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/migrations.h"
#include "store/store.h"

namespace store {
namespace {

constexpr size_t kSourceBytes = 200 << 10;  // large, so that checkpoints come soon
constexpr size_t kFileBytes = kMaxInlineObjectBytes + 1;

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(3);
}

CommitResult Must(absl::StatusOr<CommitResult> result) {
  if (!result.ok()) Die(result.status());
  return *std::move(result);
}

void Acknowledge(const std::string& line) {
  const std::string text = line + "\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    std::exit(4);
  }
}

struct World {
  int64_t worker = 0, run = 0;
};

// Made once; found again after a crash.
World Prepare(Store& store) {
  Batch batch;
  batch.idem = Idempotency{store.local_principal(), "Prepare", "prepare-1", "h"};
  batch.events = {ExperimentCreated{.name = "crash", .visibility = "OPEN"},
                  WorkerState{.name = "w", .incarnation = 1, .state = "SERVE"},
                  RunStateChanged{.experiment = 1, .arm = "a", .contract_hash = "c"},
                  RunStateChanged{.run = 1, .state = RunState::kRunning}};
  Must(store.Commit(std::move(batch)));
  return {1, 1};
}

Batch Submission(Store& store, int64_t run, const std::string& id) {
  const std::string source = id + std::string(kSourceBytes, 'x');
  const std::string log = "log " + id + std::string(kFileBytes, 'y');
  Batch batch;
  batch.objects = {{ObjectKind::kSource, source}, {ObjectKind::kLog, log}};
  batch.events = {CandidateSubmitted{
      .run = run, .source_hash = HashOf(source), .arm_kind = "cake-ir", .intent = id}};
  batch.idem = Idempotency{store.local_principal(), "Submit", "request-" + id, "hash-" + id};
  batch.make_reply = [](const CommitResult& r) { return r.events[0].subject; };
  return batch;
}

void Lifecycle(Store& store, const World& world, const std::string& id) {
  const CommitResult submitted = Must(store.Commit(Submission(store, world.run, id)));
  Acknowledge("submit " + id + " " + submitted.reply);
  const int64_t candidate = submitted.ids.empty() ? 0 : submitted.ids[0];
  if (candidate == 0) return;  // acknowledged before the crash
  Batch gates;
  gates.events = {GatesDone{.candidate = candidate, .canon_hash = id},
                  VariantsExpanded{.candidate = candidate,
                                   .members_total = 1,
                                   .members_seen = 1,
                                   .last = true,
                                   .variants = {{.binding_hash = "b"}}}};
  const CommitResult expanded = Must(store.Commit(std::move(gates)));
  const int64_t variant = std::get<VariantsExpanded>(expanded.events[1].body).variants[0].variant;
  Batch queue;
  queue.events = {JobQueued{.variant = variant, .protocol = "p"}};
  const int64_t job = Must(store.Commit(std::move(queue))).ids[0];
  Batch grant;
  grant.events = {LeaseGranted{.job = job, .worker = world.worker, .incarnation = 1}};
  const CommitResult granted = Must(store.Commit(std::move(grant)));
  const int64_t token = std::get<LeaseGranted>(granted.events[0].body).fencing_token;
  Batch done;
  done.events = {StageEnded{.job = job, .fencing_token = token, .stage = Stage::kOracle},
                 EvaluationDone{.job = job,
                                .fencing_token = token,
                                .verdict = Verdict::kCorrect,
                                .blame = Blame::kNone,
                                .oracle_completed = true}};
  Must(store.Commit(std::move(done)));
  Acknowledge("done " + id + " " + std::to_string(job));
}

int Work(const std::string& dir, int clients, int rounds) {
  auto store = Store::Open({.dir = dir, .disk_reserve_bytes = 1 << 20});
  if (!store.ok()) Die(store.status());
  const World world = Prepare(**store);
  std::vector<std::thread> threads;
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      for (int i = 0; i < rounds; ++i) {
        Lifecycle(**store, world, std::to_string(c) + "-" + std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int MigrateOnce(const std::string& dir) {
  const std::string path = dir + "/cake.db";
  auto db = Database::Open(path, OpenMode::kReadWriteCreate, "");
  if (!db.ok()) Die(db.status());
  std::vector<Migration> steps(Migrations().begin(), Migrations().end());
  steps.push_back({steps.back().to + 1, "CREATE TABLE later(id INTEGER PRIMARY KEY) STRICT;"});
  const absl::Status status = Migrate(**db, path, steps);
  if (!status.ok()) Die(status);
  Acknowledge("migrated");
  return 0;
}

}  // namespace
}  // namespace store

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "work") == 0) {
    return store::Work(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  }
  if (argc == 3 && std::strcmp(argv[1], "migrate") == 0) return store::MigrateOnce(argv[2]);
  std::fprintf(stderr, "usage: store_crash_child work DIR CLIENTS ROUNDS | migrate DIR\n");
  return 2;
}
