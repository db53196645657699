// What one timing request runs on: plans, layouts and filled images of every contestant, kept
// together because contestants point into them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/contract/workload.h"
#include "runner/cuda/launcher.h"
#include "runner/cuda/timing_loop.h"

namespace runner::cuda {

inline constexpr int kTimingImages = 2;  // that a contestant rotates over

class TimingSession {
 public:
  explicit TimingSession(const Driver& driver) : driver_(driver) {}

  // A program at one case: fills and uploads its images, and once more what of them a run changes;
  // or shares the first program's, which were filled alike. The status is the world's, the failure
  // the driver's.
  absl::StatusOr<Failure> AddProgram(const Module& module, compiler::facts::LaunchPlan plan,
                                     const contract::Workload& workload, const contract::Case& at,
                                     uint64_t seed);
  // A plain copy that moves as many bytes as every correct run of the first program's case has to.
  Failure AddCopy();

  std::vector<Contestant>& contestants() { return contestants_; }
  const launch::Layout& layout() const { return layouts_.front(); }  // of the first program
  CUdeviceptr first_image() const { return memory_.front().address(); }
  int64_t copy_bytes() const { return copy_bytes_; }  // read plus written

 private:
  // Device memory with these bytes; where it is goes to `address`.
  Failure Place(std::span<const std::byte> bytes, CUdeviceptr& address);

  const Driver& driver_;
  std::deque<compiler::facts::LaunchPlan> plans_;
  std::deque<launch::Layout> layouts_;
  std::deque<DeviceMemory> memory_;
  std::vector<Contestant> contestants_;
  int64_t moved_bytes_ = 0;  // of the first program's case
  int64_t copy_bytes_ = 0;
};

}  // namespace runner::cuda
