// One program on the reference machine and on the GPU, over the same bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/compile/compiler.h"
#include "runner/worker/eval_child.h"
#include "tests/device/ops/compare.h"
#include "tests/device/ops/programs.h"

namespace device::ops {

struct RigOptions {
  std::string worker;                       // path of cake-worker
  std::string libcuda, libnvrtc, libcupti;  // empty: the machine's
  std::string work_dir;
};

// What became of a program. Only kCompared says anything about the instruction.
enum class Ended : uint8_t {
  kCompared,
  kRefused,       // not a program: the type check or the layout says no
  kNotHere,       // the device is not one that it may run on
  kMachineFault,  // the reference machine stops on these operands, a division by zero for one
  kNoBuild,       // the compiler refuses what the gates let pass
  kDeviceFault    // the launch failed
};
std::string_view ToString(Ended ended);

struct Outcome {
  Ended ended = Ended::kRefused;
  std::string detail;  // one line
  Distance distance;
};

class Rig {
 public:
  // Unavailable: no compiler, no device.
  static absl::StatusOr<std::unique_ptr<Rig>> Start(const RigOptions& options);

  // One outcome a set of operands: small numbers, then the edges of the type. An example computes
  // more than its instruction, so that it is compared within the domain only.
  absl::StatusOr<std::vector<Outcome>> Run(const UseProgram& program, const Bound& bound);

  const std::string& device_json() const { return device_json_; }
  const std::string& arch() const { return arch_; }
  const std::string& compiler() const { return compiler_->compiler(); }

 private:
  explicit Rig(const RigOptions& options) : options_(options) {}
  absl::Status StartChildren();
  absl::StatusOr<Outcome> RunOn(const std::string& source, const Bound& bound, bool edges);

  RigOptions options_;
  runner::child::Sandbox sandbox_;
  std::unique_ptr<runner::compile::Compiler> compiler_;
  std::unique_ptr<runner::worker::EvalChild> machine_, gpu_;
  std::string device_json_, arch_;
  std::vector<std::string> environment_, visible_;
};

}  // namespace device::ops
