// Tensor maps of the fake driver: what the driver refuses is refused, and what it takes is kept in
// the opaque words, so that a launch can compare them with the program's.
#pragma once

#include <cstdint>

#include "runner/cuda/driver_api.h"

namespace fakecuda {

struct TensorMapRequest {
  int type = 0;
  unsigned rank = 0;
  uint64_t address = 0;
  const uint64_t* extents = nullptr;
  const uint64_t* stride_bytes = nullptr;  // rank - 1 of them
  const unsigned* box = nullptr;
  const unsigned* element_strides = nullptr;
  int interleave = 0, swizzle = 0, l2_promotion = 0, fill = 0;
};

// CUDA driver API, cuTensorMapEncodeTiled: kErrorInvalidValue where one of its conditions fails.
runner::cuda::CUresult EncodeTensorMap(const TensorMapRequest& request,
                                       runner::cuda::CUtensorMap* map);

// Whether the words are those of a map that EncodeTensorMap made for this address.
bool IsTensorMapOf(const runner::cuda::CUtensorMap& map, uint64_t address);

}  // namespace fakecuda
