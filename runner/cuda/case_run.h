// The runs of one case in the evaluation child: places what each starts from, launches, and brings
// back what it left: the memory, or marks of it where those were ordered.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/child/memory_file.h"
#include "runner/child/spans.h"
#include "runner/cuda/loaded.h"
#include "runner/cuda/marker.h"

namespace runner::cuda {

struct CaseMeans {
  const Driver& driver;
  CUstream stream = nullptr;
  int64_t launch_ms = 0, multiprocessors = 0;
  ImageCache& images;
  Marker& marker;
  launch::CanarySums& canaries;
  child::Spans& spans;
};

class CaseRun {
 public:
  CaseRun(const CaseMeans& means, const Loaded& loaded, const contract::Case& at,
          compiler::facts::LaunchPlan plan);

  // The status is the world's; what the driver or the program does wrong is in the reply.
  absl::Status Run(const launch::CaseRequest& request);
  const launch::CaseReply& reply() const { return reply_; }
  // What belongs to the reply: see launch::ImageBytes.
  absl::StatusOr<child::UniqueFd> Seal() { return std::move(*file_).Seal(); }

 private:
  absl::Status RunAll(const launch::CaseRequest& request);
  // False: no further run.
  absl::StatusOr<bool> RunOne(const launch::CaseRequest& request, size_t r);
  absl::StatusOr<bool> Place(const launch::RunSpec& run, const launch::Layout& layout,
                             std::span<std::byte> image, Failure& failure);
  absl::StatusOr<bool> Obeys(std::span<std::byte> image);
  Failure Launch(const launch::RunSpec& run, const launch::Layout& layout,
                 std::span<std::byte> image);
  Failure PutAside();
  void Fail(const Failure& failure);
  std::span<std::byte> ImageOf(size_t r);

  const CaseMeans& means_;
  const Loaded& loaded_;
  const contract::Case& at_;
  const compiler::facts::LaunchPlan plan_;
  launch::CaseReply reply_;
  std::optional<child::MemoryFile> file_;
  bool marked_ = false;
  std::string autopsy_;  // of the last run that hung
  // Kept to the end of the case: a run has addresses of its own unless it asks for the last one's.
  std::deque<DeviceMemory> memory_;
  std::vector<CUdeviceptr> images_;  // of each run that was done
};

}  // namespace runner::cuda
