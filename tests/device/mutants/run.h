// One program, right or changed, on the device: built with delays where its warps meet, launched
// with several seeds at small cases of its contract, and judged by the contract's reference. A
// program that is broken may hang, or leave a context that nothing runs in any more: the process is
// then of no further use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runner/compile/compiler.h"
#include "runner/contract/workload.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/elaborate.h"

namespace device::mutants {

struct RigOptions {
  std::string worker;             // path of cake-worker, which compiles
  std::string libcuda, libnvrtc;  // empty: the machine's
  std::string work_dir;           // where a fake driver looks for programs
  int seeds = 4;                  // of delays; one launch without any comes before them
  int cases = 3;                  // of a program, at most: the largest of the machine tier
  int64_t launch_ms = 1500;       // a launch that takes longer hangs
};

enum class Seen : uint8_t {
  kSame,     // all outputs of all launches are right, and nothing else was written
  kWrong,    // not so, and in all launches alike
  kVaries,   // not so, and otherwise from launch to launch
  kFault,    // the device stopped a launch
  kHang,     // a launch did not end
  kNoBuild,  // the compiler, ours or NVRTC, has no code for it
  kNoRun,    // the guard, the driver or the device takes no launch of it
};
std::string_view ToString(Seen seen);  // "same", ..
inline bool Misbehaves(Seen seen) { return seen >= Seen::kWrong && seen <= Seen::kHang; }

struct Row {
  Seen seen = Seen::kSame;
  std::string at, detail;  // the case, and what was seen there
  int64_t launches = 0;    // that ended
  int64_t delayed = 0;     // of those, with delays
  double longest_ms = 0;   // of those
};

class Rig {
 public:
  // Unavailable: no compiler, no device.
  static absl::StatusOr<std::unique_ptr<Rig>> Start(const RigOptions& options);

  // Ends at the first case where it misbehaves. A status is the world's fault.
  absl::StatusOr<Row> Run(const runner::launch::ProgramText& text,
                          const runner::contract::Workload& workload);
  bool dead() const { return dead_; }  // no launch runs any more

  const runner::cuda::DeviceFacts& facts() const { return facts_; }
  const std::string& compiler() const { return compiler_->compiler(); }

 private:
  struct CaseRun;
  explicit Rig(const RigOptions& options) : options_(options) {}
  absl::Status OpenDevice();
  absl::StatusOr<std::string> Build(const runner::launch::ProgramText& text,
                                    const runner::launch::Elaborated& program, Row& row);
  std::vector<CaseRun> CasesOf(const runner::launch::Elaborated& program,
                               const runner::contract::Workload& workload, Row& row) const;
  void RunCase(const runner::contract::Workload& workload, const CaseRun& run,
               const runner::cuda::Module& module, Row& row);
  runner::cuda::Failure Launch(const CaseRun& run, const runner::cuda::Module& module,
                               uint32_t seed, std::span<std::byte> image);

  RigOptions options_;
  std::unique_ptr<runner::compile::Compiler> compiler_;
  std::unique_ptr<runner::cuda::Driver> driver_;
  runner::cuda::DeviceFacts facts_;
  runner::cuda::CUstream stream_ = nullptr;
  bool dead_ = false;
};

}  // namespace device::mutants
