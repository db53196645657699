// One program at every machine-tier case of its contract: what the reference machine logs of its
// elaborated tree, and what the instrumented build of its emitted code logs on the GPU under
// delays of several seeds; and whether the outputs are right all the same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/compile/compiler.h"
#include "runner/contract/workload.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/elaborate.h"
#include "tests/device/events/compare.h"

namespace device::events {

inline constexpr int64_t kLogBytesMax = int64_t{1} << 30;  // of one launch
inline constexpr int64_t kRecordsToSpare = 64;             // a warp, beyond what the machine logs
inline constexpr size_t kMembersMax = 6;  // of a family with rings or events

struct RigOptions {
  std::string worker;             // path of cake-worker, which compiles
  std::string libcuda, libnvrtc;  // empty: the machine's
  std::string work_dir;           // where a fake driver looks for programs
  int seeds = 20;                 // of delays; one launch without any comes before them
  int threads = 0;                // for the machine and the reference; 0: all CPUs
  int64_t launch_ms = 20'000;
  std::vector<std::string> cases;  // empty: the whole machine tier
};

// What became of a program. Only kCompared says anything about its logs.
enum class Ended : uint8_t {
  kCompared,
  kNotHere,       // the device is not one that it may run on, or has less than the member needs
  kRefused,       // it does not elaborate, or a case cannot be planned
  kNoBuild,       // the compiler refuses the instrumented source
  kMachineFault,  // the machine does not finish a case
  kDeviceFault,   // a launch failed; the context may be dead
};
std::string_view ToString(Ended ended);

struct CaseRow {
  std::string name, verdict, detail;  // "CORRECT", ..; why not
  std::string fault;                  // of a machine that follows the device's tickets
  int64_t launches = 0;
  Comparison comparison;  // summed over the launches
};

struct Row {
  std::string program;
  std::map<std::string, int64_t> binding;
  Ended ended = Ended::kCompared;
  std::string detail;
  std::vector<std::string> tickets;  // kernels whose CTAs draw some
  std::vector<CaseRow> cases;

  bool Good() const;
};

class Rig {
 public:
  // Unavailable: no compiler, no device.
  static absl::StatusOr<std::unique_ptr<Rig>> Start(const RigOptions& options);

  // A status is the world's fault.
  absl::StatusOr<Row> Run(const runner::launch::ProgramText& text,
                          const runner::contract::Workload& workload);
  bool dead() const { return dead_; }  // a launch left the context unusable

  const runner::cuda::DeviceFacts& facts() const { return facts_; }
  const std::string& compiler() const { return compiler_->compiler(); }

 private:
  struct CaseRun;
  explicit Rig(const RigOptions& options) : options_(options) {}
  absl::Status OpenDevice();
  std::vector<int64_t> SmsOf(const compiler::ir::Program& program) const;
  absl::StatusOr<std::string> Build(const runner::launch::ProgramText& text,
                                    const runner::launch::Elaborated& program, Row& row);
  std::vector<WarpLog> OnMachine(const runner::launch::Elaborated& program,
                                 const runner::contract::Workload& workload, const CaseRun& run,
                                 const std::vector<compiler::machine::WarpTickets>* replay,
                                 std::string& fault) const;
  void CompareAll(const runner::launch::Elaborated& program,
                  const runner::contract::Workload& workload, CaseRun& run,
                  const std::vector<std::vector<WarpLog>>& launches, CaseRow& out) const;
  absl::Status OnDevice(const runner::launch::Elaborated& program,
                        const runner::contract::Workload& workload, CaseRun& run, Row& row);
  static int64_t RoomOf(const CaseRun& run, size_t kernel);
  runner::cuda::Failure Launch(const runner::launch::Elaborated& program, CaseRun& run,
                               uint32_t seed, std::span<std::byte> image,
                               std::vector<WarpLog>& logs);
  runner::cuda::Failure LaunchOnce(const runner::launch::Elaborated& program, CaseRun& run,
                                   uint32_t seed, std::span<std::byte> image,
                                   std::vector<WarpLog>& logs);

  RigOptions options_;
  std::unique_ptr<runner::compile::Compiler> compiler_;
  std::unique_ptr<runner::cuda::Driver> driver_;
  runner::cuda::DeviceFacts facts_;
  runner::cuda::CUstream stream_ = nullptr;
  bool dead_ = false;
  // Of the present launch and program: freeing them would wait for a launch that hangs.
  std::vector<runner::cuda::DeviceMemory> memory_;
  std::optional<runner::cuda::Module> module_;
};

// The members to run: the default one; of a program whose kernels have rings, events or declared
// barriers all, kMembersMax at most.
std::vector<std::map<std::string, int64_t>> MembersOf(const runner::launch::ProgramText& text);

}  // namespace device::events
