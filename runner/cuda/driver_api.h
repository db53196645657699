// The part of the CUDA driver that the worker opens at run time, declared by us so that the worker
// builds without a toolkit. Values and layouts are the driver's ABI (CUDA 12 and 13; the numbers
// are stable since CUDA 11.8, the `_v2` names since 3.2); driver_api_check.cc compares them with
// cuda.h where it is installed.
//
// The fake driver exports exactly the entry points of CAKE_DRIVER_ENTRIES, under their exported
// names. What a fake needs to run a launch lies in the worker's program cache, one file a program:
// <dir>/<64 hex digits of cake_program_id>.json, see runner/worker/program_cache.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runner::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

struct CUuuid {
  char bytes[16];
};

// Results that the worker tells apart; every other value is a failure that is printed by its name.
inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kErrorInvalidValue = 1;
inline constexpr CUresult kErrorOutOfMemory = 2;
inline constexpr CUresult kErrorNotInitialized = 3;
inline constexpr CUresult kErrorDeinitialized = 4;
inline constexpr CUresult kErrorStubLibrary =
    34;  // the toolkit's link stub: no driver on this machine
inline constexpr CUresult kErrorNoDevice = 100;
inline constexpr CUresult kErrorInvalidDevice = 101;
inline constexpr CUresult kErrorInvalidImage = 200;
inline constexpr CUresult kErrorInvalidContext = 201;
inline constexpr CUresult kErrorNoBinaryForGpu = 209;
inline constexpr CUresult kErrorEccUncorrectable = 214;
inline constexpr CUresult kErrorNotFound = 500;
inline constexpr CUresult kErrorNotReady = 600;
inline constexpr CUresult kErrorIllegalAddress = 700;  // sticky
inline constexpr CUresult kErrorLaunchOutOfResources = 701;
inline constexpr CUresult kErrorLaunchTimeout = 702;        // sticky
inline constexpr CUresult kErrorAssert = 710;               // sticky
inline constexpr CUresult kErrorHardwareStackError = 714;   // sticky
inline constexpr CUresult kErrorIllegalInstruction = 715;   // sticky
inline constexpr CUresult kErrorMisalignedAddress = 716;    // sticky
inline constexpr CUresult kErrorInvalidAddressSpace = 717;  // sticky
inline constexpr CUresult kErrorInvalidPc = 718;            // sticky
inline constexpr CUresult kErrorLaunchFailed = 719;         // sticky
inline constexpr CUresult kErrorCooperativeLaunchTooLarge = 720;
inline constexpr CUresult kErrorNotSupported = 801;
inline constexpr CUresult kErrorUnknown = 999;

// CUdevice_attribute
inline constexpr int kAttributeMaxThreadsPerBlock = 1;
inline constexpr int kAttributeClockRateKhz = 13;
inline constexpr int kAttributeMultiprocessorCount = 16;
inline constexpr int kAttributeMemoryClockRateKhz = 36;
inline constexpr int kAttributeMemoryBusWidthBits = 37;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeComputeCapabilityMajor = 75;
inline constexpr int kAttributeComputeCapabilityMinor = 76;
inline constexpr int kAttributeSharedBytesPerBlockOptin = 97;

// CUfunction_attribute
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicSharedBytes = 8;
inline constexpr int kFunctionNonPortableClusterSizeAllowed = 14;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr int kCaptureThreadLocal = 1;  // CUstreamCaptureMode

// CUlaunchAttributeID
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchClusterDimension = 4;
inline constexpr int kLaunchProgrammaticStreamSerialization = 6;

union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } cluster;
  int programmatic_stream_serialization;
};
struct CUlaunchAttribute {
  int id;
  char pad[4];
  CUlaunchAttributeValue value;
};
struct CUlaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned attribute_count;
};

// CUtensorMap: opaque, passed to kernels by value. 64 bytes of alignment are asked for; the type of
// CUDA 13 has 128.
struct alignas(128) CUtensorMap {
  uint64_t opaque[16];
};

// CUtensorMapDataType
inline constexpr int kTensorMapUint8 = 0;
inline constexpr int kTensorMapUint16 = 1;
inline constexpr int kTensorMapUint32 = 2;
inline constexpr int kTensorMapInt32 = 3;
inline constexpr int kTensorMapUint64 = 4;
inline constexpr int kTensorMapInt64 = 5;
inline constexpr int kTensorMapFloat16 = 6;
inline constexpr int kTensorMapFloat32 = 7;
inline constexpr int kTensorMapBfloat16 = 9;
inline constexpr int kTensorMap16U4Align16 = 14;
inline constexpr int kTensorMap16U6Align16 = 15;
// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill
inline constexpr int kTensorMapInterleaveNone = 0;
inline constexpr int kTensorMapSwizzleNone = 0;
inline constexpr int kTensorMapSwizzle32 = 1;
inline constexpr int kTensorMapSwizzle64 = 2;
inline constexpr int kTensorMapSwizzle128 = 3;
inline constexpr int kTensorMapPromotion128 = 2;
inline constexpr int kTensorMapFillZero = 0;

// X(member of DriverApi, exported name, parameters): every entry point returns CUresult.
#define CAKE_DRIVER_ENTRIES(X)                                                                 \
  X(init, cuInit, (unsigned flags))                                                            \
  X(driver_get_version, cuDriverGetVersion, (int* version))                                    \
  X(get_error_name, cuGetErrorName, (CUresult error, const char** name))                       \
  X(device_get_count, cuDeviceGetCount, (int* count))                                          \
  X(device_get, cuDeviceGet, (CUdevice * device, int ordinal))                                 \
  X(device_get_name, cuDeviceGetName, (char* name, int length, CUdevice device))               \
  X(device_get_uuid, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                     \
  X(device_get_attribute, cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))  \
  X(device_total_mem, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                  \
  X(ctx_create, cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))        \
  X(ctx_reset_persisting_l2, cuCtxResetPersistingL2Cache, ())                                  \
  X(ctx_destroy, cuCtxDestroy_v2, (CUcontext context))                                         \
  X(ctx_set_current, cuCtxSetCurrent, (CUcontext context))                                     \
  X(ctx_synchronize, cuCtxSynchronize, ())                                                     \
  X(mem_get_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                \
  X(module_load_data, cuModuleLoadData, (CUmodule * module, const void* image))                \
  X(module_unload, cuModuleUnload, (CUmodule module))                                          \
  X(module_get_function, cuModuleGetFunction,                                                  \
    (CUfunction * function, CUmodule module, const char* name))                                \
  X(module_get_global, cuModuleGetGlobal_v2,                                                   \
    (CUdeviceptr * address, size_t * bytes, CUmodule module, const char* name))                \
  X(func_get_attribute, cuFuncGetAttribute, (int* value, int attribute, CUfunction function))  \
  X(func_set_attribute, cuFuncSetAttribute, (CUfunction function, int attribute, int value))   \
  X(mem_alloc, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                           \
  X(mem_free, cuMemFree_v2, (CUdeviceptr address))                                             \
  X(mem_host_alloc, cuMemHostAlloc, (void** address, size_t bytes, unsigned flags))            \
  X(mem_free_host, cuMemFreeHost, (void* address))                                             \
  X(memcpy_htod, cuMemcpyHtoD_v2, (CUdeviceptr to, const void* from, size_t bytes))            \
  X(memcpy_dtoh, cuMemcpyDtoH_v2, (void* to, CUdeviceptr from, size_t bytes))                  \
  X(memcpy_dtod_async, cuMemcpyDtoDAsync_v2,                                                   \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                         \
  X(memset_d8_async, cuMemsetD8Async,                                                          \
    (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                      \
  X(memset_d32_async, cuMemsetD32Async,                                                        \
    (CUdeviceptr to, unsigned value, size_t count, CUstream stream))                           \
  X(stream_create, cuStreamCreate, (CUstream * stream, unsigned flags))                        \
  X(stream_destroy, cuStreamDestroy_v2, (CUstream stream))                                     \
  X(stream_query, cuStreamQuery, (CUstream stream))                                            \
  X(stream_synchronize, cuStreamSynchronize, (CUstream stream))                                \
  X(stream_begin_capture, cuStreamBeginCapture_v2, (CUstream stream, int mode))                \
  X(stream_end_capture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                \
  X(graph_instantiate, cuGraphInstantiateWithFlags,                                            \
    (CUgraphExec * out, CUgraph graph, unsigned long long flags))                              \
  X(graph_launch, cuGraphLaunch, (CUgraphExec graph, CUstream stream))                         \
  X(graph_exec_destroy, cuGraphExecDestroy, (CUgraphExec graph))                               \
  X(graph_destroy, cuGraphDestroy, (CUgraph graph))                                            \
  X(event_create, cuEventCreate, (CUevent * event, unsigned flags))                            \
  X(event_destroy, cuEventDestroy_v2, (CUevent event))                                         \
  X(event_record, cuEventRecord, (CUevent event, CUstream stream))                             \
  X(event_query, cuEventQuery, (CUevent event))                                                \
  X(event_synchronize, cuEventSynchronize, (CUevent event))                                    \
  X(event_elapsed_time, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end)) \
  X(tensor_map_encode_tiled, cuTensorMapEncodeTiled,                                           \
    (CUtensorMap * map, int type, unsigned rank, void* address, const uint64_t* extents,       \
     const uint64_t* stride_bytes, const unsigned* box, const unsigned* element_strides,       \
     int interleave, int swizzle, int l2_promotion, int fill))                                 \
  X(launch_kernel_ex, cuLaunchKernelEx,                                                        \
    (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra))

struct DriverApi {
#define CAKE_DRIVER_MEMBER(member, name, parameters) CUresult(*member) parameters = nullptr;
  CAKE_DRIVER_ENTRIES(CAKE_DRIVER_MEMBER)
#undef CAKE_DRIVER_MEMBER
};

}  // namespace runner::cuda
