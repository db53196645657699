// The part of CUPTI's activity interface that the timing of record reads, opened at run time and
// declared by us. Layouts: the leading fields of the records of CUDA 11 to 13 are the same (kernel
// records since CUpti_ActivityKernel4); driver_api_check.cc compares them with cupti.h where it is
// installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runner/cuda/driver_api.h"

namespace runner::cuda {

using CUptiResult = int;
inline constexpr CUptiResult kCuptiSuccess = 0;
inline constexpr CUptiResult kCuptiMaxLimitReached = 12;  // no further record in this buffer

// CUpti_ActivityKind
inline constexpr int kActivityMemcpy = 1;
inline constexpr int kActivityMemset = 2;
inline constexpr int kActivityKernel = 3;
inline constexpr int kActivityConcurrentKernel = 10;
inline constexpr int kActivityGraphTrace = 51;  // one record a launched graph, none of its nodes

inline constexpr uint32_t kFlushForced = 1;

// Start of every record that has times: kernels, memsets and memory copies. Nanoseconds of the
// device's clock.
struct ActivityHead {
  uint32_t kind;
  uint32_t other[3];
  uint64_t start_ns;
  uint64_t end_ns;
};

// Leading part of a graph's record (CUpti_ActivityGraphTrace).
struct ActivityGraph {
  uint32_t kind;
  uint32_t correlation;
  uint64_t start_ns;
  uint64_t end_ns;
};

// Leading part of a kernel record.
struct ActivityKernel {
  ActivityHead head;
  uint64_t completed_ns;
  uint32_t device, context, stream;
  int32_t grid[3];
  int32_t block[3];
  int32_t static_shared_bytes, dynamic_shared_bytes;
  uint32_t local_bytes_per_thread, local_bytes_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;  // mangled
};

using CuptiBufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using CuptiBufferCompleted = void (*)(CUcontext context, uint32_t stream, uint8_t* buffer,
                                      size_t bytes, size_t valid_bytes);

// X(member of CuptiApi, exported name, parameters): every entry point returns CUptiResult.
#define CAKE_CUPTI_ENTRIES(X)                                         \
  X(get_version, cuptiGetVersion, (uint32_t * version))               \
  X(activity_register_callbacks, cuptiActivityRegisterCallbacks,      \
    (CuptiBufferRequested requested, CuptiBufferCompleted completed)) \
  X(activity_enable, cuptiActivityEnable, (int kind))                 \
  X(activity_disable, cuptiActivityDisable, (int kind))               \
  X(activity_flush_all, cuptiActivityFlushAll, (uint32_t flags))      \
  X(activity_get_next_record, cuptiActivityGetNextRecord,             \
    (uint8_t * buffer, size_t valid_bytes, ActivityHead * *record))   \
  X(activity_get_num_dropped, cuptiActivityGetNumDroppedRecords,      \
    (CUcontext context, uint32_t stream, size_t * dropped))

struct CuptiApi {
#define CAKE_CUPTI_MEMBER(member, name, parameters) CUptiResult(*member) parameters = nullptr;
  CAKE_CUPTI_ENTRIES(CAKE_CUPTI_MEMBER)
#undef CAKE_CUPTI_MEMBER
};

}  // namespace runner::cuda
