// Disposable child processes: fork and exec, a process group of their own, a channel at descriptor
// 3, nothing else inherited, limits set before exec, death with the parent.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/child/channel.h"

namespace runner::child {

// 0: no limit. CPU time is the process's own; the soft limit gives SIGXCPU, one second later
// SIGKILL.
struct Limits {
  int64_t cpu_seconds = 0;
  int64_t address_bytes = 0;  // never for a process that opens CUDA: its reservations are huge
  int64_t file_bytes = 0;
  int64_t open_files = 256;
};

struct SpawnOptions {
  std::vector<std::string> argv;         // argv[0] is the path to execute
  std::vector<std::string> environment;  // the whole of it, "NAME=value"
  Limits limits;
  bool new_network = false;  // fresh network, IPC and host-name namespaces before exec (needs root)
};

// How a child ended.
struct Exit {
  enum class Kind : uint8_t { kExited, kSignalled, kKilled /*by us*/ };
  Kind kind = Kind::kExited;
  int code = 0;            // exit code, or signal number
  bool cpu_limit = false;  // SIGXCPU, or SIGKILL at the hard limit
  int64_t cpu_ns = 0;      // user and system, reaped descendants included
  int64_t max_rss_bytes = 0;
  std::string error_tail;  // last bytes of its standard error
  std::string ToString() const;
};

class Process {
 public:
  static absl::StatusOr<Process> Spawn(const SpawnOptions& options);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills the group and reaps

  Channel& channel() { return channel_; }
  pid_t pid() const { return pid_; }
  // CPU time so far of the process and its live descendants.
  int64_t CpuNs() const;
  // Kills the whole group and reaps; safe to call again.
  Exit Kill();
  // Waits up to timeout_ms for it to end by itself (closing the channel tells it to), else kills
  // it.
  Exit Finish(int64_t timeout_ms);

 private:
  Process() = default;
  Exit Reap(bool killed);

  pid_t pid_ = -1;
  Channel channel_;
  UniqueFd error_;  // memfd behind standard error
  int64_t cpu_limit_s_ = 0;
  bool reaped_ = true;
  Exit exit_;
};

}  // namespace runner::child
