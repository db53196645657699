// Named places where a test may kill this process. Compiled in always, so that what is tested is
// what ships; a disarmed point costs one relaxed load. Depends on nothing, so every folder may use
// it.
//
// CAKE_FAILPOINTS="store.commit.before=kill@3,runner.complete.sent=kill@1" sends SIGKILL to the
// process itself at the third (first) hit. A name outside the list does not compile; an unknown
// name or action in the variable ends the process at its first point, because a crash test that
// arms nothing would pass.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace store::failpoint {

// Every point of the product: the boundaries at which a crash must lose nothing acknowledged.
inline constexpr std::string_view kNames[] = {
    "store.object.temp_written",    // the bytes are in a temporary file, not yet synced
    "store.object.synced",          // synced, not yet renamed
    "store.object.renamed",         // renamed, the directory not yet synced
    "store.object.placed",          // durable; no row points to it yet
    "store.commit.begin",           // the write transaction is open, nothing in it
    "store.commit.applied",         // events and projections of one command are in the transaction
    "store.commit.before",          // all commands of the batch applied, COMMIT not yet called
    "store.commit.after",           // durable; nobody has been answered
    "store.commit.answered",        // every command of the batch has its answer
    "store.checkpoint.before",      // a WAL checkpoint is about to run
    "store.checkpoint.after",       // it has run
    "store.migrate.copied",         // the copy made before a migration exists
    "store.migrate.before_commit",  // the migration's transaction is about to commit
    "server.submit.before_commit",  // a candidate is accepted, not yet durable
    "server.submit.after_commit",   // durable, not yet acknowledged
    "server.decide.before",         // the loop chose, the decision is not yet durable
    "server.decide.after",          // durable, its effect not yet started
    "server.gates.before_commit",   // a gate child answered, nothing recorded
    "server.gates.after_commit",    // recorded
    "server.queue.before_commit",   // a member is lowered, its job not yet queued
    "server.queue.after_commit",    // queued
    "server.grant.before_commit",   // a worker was chosen for a job
    "server.grant.after_commit",    // the lease is durable, the worker not yet told
    "server.lost.before_commit",    // a lease ended without a result
    "server.lost.after_commit",     // durable
    "server.import.before_commit",  // evidence was read, nothing recorded
    "server.import.after_commit",   // it is part of the log, the client not yet told
    "server.complete.before_commit",  // a result arrived
    "server.complete.after_commit",   // durable, the worker not yet answered
    "server.reply.before_send",       // an answer is about to go to the transport
    "server.reply.after_send",        // the transport has it
    "worker.register.before_send",    // a worker is about to make itself known
    "worker.register.after_reply",    // the daemon knows it
    "worker.acquire.before_send",     // it is about to ask for a lease
    "worker.acquire.after_reply",     // the daemon has answered, perhaps with a lease
    "worker.report.before_send",      // it is about to report what it holds
    "worker.report.after_reply",      // it was told what is desired
    "worker.get_object.before_send",  // it is about to fetch an object of its job
    "worker.get_object.after_reply",  // it has the bytes
    "worker.put_object.before_send",  // it is about to upload evidence
    "worker.put_object.after_reply",  // the daemon has it
    "worker.complete.before_send",    // it has a result, the daemon does not
    "worker.complete.after_reply",    // the daemon has answered, the worker still holds the lease
};
inline constexpr size_t kCount = sizeof(kNames) / sizeof(kNames[0]);

// The index of `name`; a name that is not listed is a compile error.
consteval size_t Index(std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (kNames[i] == name) return i;
  }
  throw "failpoint is not listed in store/failpoint.h";
}

// All names, in list order; what a crash test walks.
inline std::array<std::string_view, kCount> ListFailpoints() {
  std::array<std::string_view, kCount> out;
  for (size_t i = 0; i < kCount; ++i) out[i] = kNames[i];
  return out;
}

namespace internal {

struct Arms {
  std::atomic<long> remaining[kCount] = {};  // 0: not armed
  std::atomic<bool> any = false;

  Arms() {
    if (const char* spec = std::getenv("CAKE_FAILPOINTS")) Parse(spec);
  }

  void Parse(std::string_view spec) {
    while (!spec.empty()) {
      const size_t comma = spec.find(',');
      ParseOne(spec.substr(0, comma));
      spec = comma == std::string_view::npos ? std::string_view() : spec.substr(comma + 1);
    }
  }

  void ParseOne(std::string_view item) {
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    constexpr std::string_view kAction = "kill@";
    for (size_t i = 0; i < kCount && equals != std::string_view::npos; ++i) {
      std::string_view action = item.substr(equals + 1);
      if (kNames[i] != name || action.substr(0, kAction.size()) != kAction) continue;
      const long hits = std::strtol(action.substr(kAction.size()).data(), nullptr, 10);
      if (hits < 1) break;
      remaining[i].store(hits, std::memory_order_relaxed);
      any.store(true, std::memory_order_relaxed);
      return;
    }
    std::fprintf(stderr, "CAKE_FAILPOINTS: cannot read `%.*s`; expected <name>=kill@<n>\n",
                 static_cast<int>(item.size()), item.data());
    std::abort();
  }
};

inline Arms& GlobalArms() {
  static Arms arms;
  return arms;
}

inline void Hit(size_t index) {
  Arms& arms = GlobalArms();
  if (!arms.any.load(std::memory_order_relaxed)) return;
  if (arms.remaining[index].load(std::memory_order_relaxed) == 0) return;
  if (arms.remaining[index].fetch_sub(1, std::memory_order_relaxed) == 1) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
}

}  // namespace internal
}  // namespace store::failpoint

#define CAKE_FAILPOINT(name)                                     \
  do {                                                           \
    constexpr size_t index_ = ::store::failpoint::Index((name)); \
    ::store::failpoint::internal::Hit(index_);                   \
  } while (false)
