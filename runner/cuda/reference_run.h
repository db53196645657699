// A reference's plain form on the device, in a child that runs nobody's program.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "runner/child/memory_file.h"
#include "runner/cuda/launcher.h"

namespace runner::cuda {

struct ReferenceMeans {
  const Driver& driver;
  CUstream stream = nullptr;
  int64_t launch_ms = 0;
  const Module& module;  // of runner/device/reference.cu
};

// `request`: {"contract": canonical JSON, "case": name, "output": name}; `inputs`: every tensor of
// the case that is not only written, one after the other, in the contract's order. The values of
// every element of the output as doubles, then their scales.
absl::StatusOr<child::MemoryFile> RunReference(const ReferenceMeans& means,
                                               const std::string& request,
                                               std::span<const std::byte> inputs);

}  // namespace runner::cuda
