// Sandboxing of children (levels of a receipt):
//   L0 nothing but limits
//   L1 another uid (where we are root), no_new_privs, a system-call filter, own empty temporary
//   folder L2 L1 in network, IPC and host-name namespaces of its own L3 L1 inside bubblewrap: also
//   its own process ids and a file tree that holds libraries only
// A level is never concluded from what is installed: Establish spawns a probe child that tries what
// a hostile one would and reports; the level is what that child could not do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/child/process.h"

namespace runner::child {

enum class Level : uint8_t { kL0, kL1, kL2, kL3 };
std::string_view ToString(Level level);  // "L0"
std::optional<Level> ParseLevel(std::string_view word);

// The unprivileged uid and gid that children of a root worker drop to.
inline constexpr int kChildUid = 65534;

enum class Filter : uint8_t {
  kComputeOnly,  // memory, threads, time and the channel: no files, no sockets, no processes
  kCudaDriver,   // what a driver may need is allowed; ptrace, exec, fork, network and kernel keys
                 // are not
};

// Called by a child on itself once everything it needs is open: temporary folder, uid,
// no_new_privs, filter. After this there is no way back. kL0: does nothing.
absl::Status EnterSandbox(Level level, Filter filter);

// Whether the process runs with the kernel's no_new_privs bit and which uid it has, and what a
// hostile child would try: filled by the probe child.
struct ProbeFacts {
  bool socket_denied = false, open_denied = false, ptrace_denied = false, fork_denied = false;
  bool exec_denied = false, no_new_privs = false;
  bool passwd_visible = true;  // before the filter: the file tree itself
  int64_t uid = 0, pid = 0;
  std::string network_namespace;  // of the child
};
// The main function of `cake-worker --probe-child LEVEL`.
int ProbeChildMain(Level level);

// How children are started at a level.
struct Sandbox {
  Level level = Level::kL0;
  std::string bubblewrap;  // path, for L3
  std::vector<std::string>
      evidence;  // one line a tried level: what the probe could not do, or why it failed
};

// What a child needs to see inside L3, besides the system's libraries.
struct Visible {
  std::vector<std::string> read_only;  // files or folders, at the same place
  std::vector<std::string> devices;    // device nodes, with access
};

// Finds the highest level that works here, by probing with `worker` (path of the cake-worker
// binary), trying from `wanted` downwards. Never fails: L0 works everywhere.
Sandbox Establish(const std::string& worker, Level wanted);

// Fills argv and the namespaces of `options` so that `argv` runs at the sandbox's level.
void Wrap(const Sandbox& sandbox, const Visible& visible, SpawnOptions& options);

// The environment every child gets: nothing of ours but a fixed locale and path.
std::vector<std::string> CleanEnvironment();

}  // namespace runner::child
