// Contents of index tensors: page tables, slots, offsets of ragged batches.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "runner/contract/workload.h"

namespace runner::oracle {

// Fills a tensor from a generator of Dist kBelow, kDistinct or kOffsets. InvalidArgument: `range`
// has fewer values than the tensor needs.
absl::Status FillIndices(const contract::CaseTensor& tensor, const contract::Generator& generator,
                         int64_t range, uint64_t key, std::span<std::byte> memory);

// A permutation of 0 .. range-1 for each key: its value at `index`, without any other.
int64_t Permuted(int64_t index, int64_t range, uint64_t key);

}  // namespace runner::oracle
