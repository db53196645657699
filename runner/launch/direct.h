// Direct CUDA: device code written by hand, with its launch declared in lines of its own, so that
// no host code of a candidate ever runs. The lines, anywhere in the source, with expressions over
// the contract's dims and SMS and without blanks inside them:
//   //@ arguments a b c scratch eps N:i32     the parameters of every kernel, in order: pointers to
//                                             tensors and workspaces, args, dims with their dtype
//   //@ workspace scratch 4*N [zero]          bytes; zeroed before each run if it says so
//   //@ launch add grid (N+255)/256[,..] block 256 [shared E] [cluster E] [cooperative]
//   //@ target sm_90a                         where it runs: there exactly, or a plain target
//                                             there and later; without it sm_80 and later
// Kernels are `extern "C" __global__` and run in the order of their lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/contract/workload.h"

namespace runner::launch {

inline constexpr int64_t kDirectBytesMax = 256 * 1024;
inline constexpr size_t kDirectKernelsMax = 32, kDirectWorkspacesMax = 32;
inline constexpr int64_t kDirectWorkspaceBytesMax = int64_t{1} << 34;

struct DirectArgument {
  std::string name;
  compiler::ir::DType dtype = compiler::ir::DType::kUnknown;  // given for dims only
};
struct DirectWorkspace {
  std::string name, bytes;
  bool zero = false;
};
struct DirectLaunch {
  std::string kernel;
  std::vector<std::string> grid;
  std::string block, shared = "0", cluster = "1";
  bool cooperative = false;
};
struct DirectProgram {
  std::string target = "sm_80";
  std::vector<DirectArgument> arguments;
  std::vector<DirectWorkspace> workspaces;
  std::vector<DirectLaunch> launches;
};

// InvalidArgument: "LINE: what" of the first fault.
absl::StatusOr<DirectProgram> ParseDirect(std::string_view source);

// InvalidArgument: a name that the contract has not, an output that no argument is given for, or
// numbers that no launch has.
absl::StatusOr<compiler::facts::LaunchPlan> PlanDirect(const DirectProgram& program,
                                                       const contract::Workload& workload,
                                                       const contract::Case& at, int64_t sms);

}  // namespace runner::launch
