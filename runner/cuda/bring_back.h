// What runs left on the device, for a reply: marks of it where they are as ordered, else the
// memory.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "runner/child/memory_file.h"
#include "runner/child/spans.h"
#include "runner/cuda/marker.h"

namespace runner::cuda {

struct BringMeans {
  const Driver& driver;
  int64_t launch_ms = 0;
  Marker& marker;
  launch::CanarySums& canaries;
  child::Spans& spans;
};

// Copies an image of the device into a part of a memory file.
Failure Download(const BringMeans& means, std::span<std::byte> to, CUdeviceptr from);

// After every run of `request` was marked; `images`: where each one's memory is now. Fills the
// reply's marks and returns what goes with it (launch::ImageBytes). The status is the world's.
absl::StatusOr<child::MemoryFile> BringBack(const BringMeans& means,
                                            const contract::Workload& workload,
                                            const launch::CaseRequest& request,
                                            const std::vector<CUdeviceptr>& images,
                                            launch::CaseReply& reply, Failure& failure);

}  // namespace runner::cuda
