// The supervisor's side of compilation: one resident, sandboxed compile child, replaced after any
// failure and after kCompilesPerChild; a cache by content before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/child/process.h"
#include "runner/child/sandbox.h"
#include "runner/compile/build_cache.h"
#include "runner/compile/nvrtc.h"
#include "runner/compile/ptxas_log.h"

namespace runner::compile {

inline constexpr int kCompilesPerChild = 32;

struct CompilerOptions {
  std::string worker;  // path of the cake-worker binary
  std::string nvrtc;   // path of the library; empty: searched
  child::Sandbox sandbox;
  std::string cache;                     // folder; empty: none
  std::vector<std::string> environment;  // added to the clean one (a fake NVRTC's plan)
  std::vector<std::string> visible;      // more paths inside the sandbox
  int64_t cpu_seconds = 60;              // of one compilation
  int64_t address_bytes = int64_t{6} << 30;
  int64_t wall_ms = 300'000;  // generous: only a machine that does not run us gets there
};

enum class Outcome : uint8_t {
  kBuilt,
  kRefused /*by the compiler; the log says why*/,
  kLimit,
  kCrashed
};
std::string_view ToString(Outcome outcome);  // "built", ..

struct Build {
  Outcome outcome = Outcome::kBuilt;
  std::string cubin, ptx, log;
  std::vector<KernelBuild> kernels;
  std::string key, compiler;  // "nvrtc-13.0"
  std::string reason;         // of kLimit and kCrashed, in words
  bool cached = false;
  int64_t wall_ns = 0, cpu_ns = 0;
};

class Compiler {
 public:
  // Starts the first child. NotFound, Unavailable: the toolkit is missing, in words for people.
  static absl::StatusOr<std::unique_ptr<Compiler>> Start(const CompilerOptions& options);

  // Unavailable: the world failed (no child starts, the machine does not run it), never the
  // source's fault.
  absl::StatusOr<Build> Compile(const Request& request);

  // CPU time of the compilations from now on; a child of another limit is replaced.
  void LimitCpu(int64_t cpu_seconds);

  const std::string& compiler() const { return compiler_; }
  const std::string& library() const { return library_; }
  // For tests and chaos: the resident child's process id, -1 if none lives.
  pid_t child_pid() const { return process_ ? process_->pid() : -1; }

 private:
  explicit Compiler(const CompilerOptions& options) : options_(options), cache_(options.cache) {}
  absl::Status EnsureChild();
  absl::StatusOr<Build> Ask(const Request& request, Build build);
  Build Died(Build build, bool timed_out);

  CompilerOptions options_;
  BuildCache cache_;
  std::string compiler_, library_;
  std::unique_ptr<child::Process> process_;
  int served_ = 0;
};

// The main function of `cake-worker --compile-child LEVEL LIBRARY CPU_SECONDS`.
int CompileChildMain(child::Level level, const std::string& library, int64_t cpu_seconds);

}  // namespace runner::compile
