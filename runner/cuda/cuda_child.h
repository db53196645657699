// The evaluation child of a GPU: `cake-worker --eval-child LEVEL cuda LIBCUDA LIBCUPTI LAUNCH_MS
// LIBCUBLASLT`.
#pragma once

#include <cstdint>
#include <string>

#include "runner/child/sandbox.h"

namespace runner::cuda {

struct CudaChildOptions {
  child::Level level = child::Level::kL1;
  std::string libcuda, libcupti;  // empty: the usual names; libcupti "none": do without
  int64_t launch_ms = 10'000;
  std::string libcublaslt;  // empty or "none": no baseline is a library's product
};
int CudaChildMain(const CudaChildOptions& options);

}  // namespace runner::cuda
