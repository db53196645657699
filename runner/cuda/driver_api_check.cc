// Compares our declarations with the toolkit's, at build time, where the toolkit is installed.
#include "runner/cuda/cupti_api.h"
#include "runner/cuda/driver_api.h"

#ifdef CAKE_HAVE_CUDA_H
#include <cuda.h>
#include <cupti.h>

namespace runner::cuda {

static_assert(kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kErrorStubLibrary == CUDA_ERROR_STUB_LIBRARY);
static_assert(kErrorNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(kErrorEccUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(kErrorNotReady == CUDA_ERROR_NOT_READY);
static_assert(kErrorIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(kErrorLaunchOutOfResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
static_assert(kErrorLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(kErrorAssert == CUDA_ERROR_ASSERT);
static_assert(kErrorHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(kErrorIllegalInstruction == CUDA_ERROR_ILLEGAL_INSTRUCTION);
static_assert(kErrorMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(kErrorInvalidAddressSpace == CUDA_ERROR_INVALID_ADDRESS_SPACE);
static_assert(kErrorInvalidPc == CUDA_ERROR_INVALID_PC);
static_assert(kErrorLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(kErrorCooperativeLaunchTooLarge == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
static_assert(kErrorNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(kAttributeMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kAttributeL2Bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(kAttributeComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kAttributeComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kAttributeSharedBytesPerBlockOptin ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(kAttributeClockRateKhz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(kAttributeMemoryClockRateKhz == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(kAttributeMemoryBusWidthBits == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(kFunctionRegisters == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(kFunctionLocalBytes == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(kFunctionSharedBytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(kFunctionMaxDynamicSharedBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(kFunctionNonPortableClusterSizeAllowed ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kLaunchCooperative == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(kLaunchClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(kLaunchProgrammaticStreamSerialization ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(sizeof(CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(sizeof(CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(CUlaunchConfig, attribute_count) == offsetof(::CUlaunchConfig, numAttrs));
static_assert(sizeof(CUtensorMap) == sizeof(::CUtensorMap));
static_assert(alignof(CUtensorMap) >= alignof(::CUtensorMap));
static_assert(kTensorMapUint8 == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(kTensorMapUint16 == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(kTensorMapUint32 == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(kTensorMapInt32 == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(kTensorMapUint64 == CU_TENSOR_MAP_DATA_TYPE_UINT64);
static_assert(kTensorMapInt64 == CU_TENSOR_MAP_DATA_TYPE_INT64);
static_assert(kTensorMapFloat16 == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(kTensorMapFloat32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(kTensorMapBfloat16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(kTensorMap16U4Align16 == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
static_assert(kTensorMap16U6Align16 == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
static_assert(kTensorMapInterleaveNone == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(kTensorMapSwizzleNone == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(kTensorMapSwizzle32 == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(kTensorMapSwizzle64 == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(kTensorMapSwizzle128 == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(kTensorMapPromotion128 == CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
static_assert(kTensorMapFillZero == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(sizeof(CUuuid) == sizeof(::CUuuid) && sizeof(CUdeviceptr) == sizeof(::CUdeviceptr));

static_assert(kCuptiMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(kActivityMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(kActivityMemset == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(kActivityConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(kActivityGraphTrace == CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(offsetof(ActivityGraph, start_ns) == offsetof(CUpti_ActivityGraphTrace2, start));
static_assert(offsetof(ActivityGraph, end_ns) == offsetof(CUpti_ActivityGraphTrace2, end));
static_assert(kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(offsetof(ActivityHead, start_ns) == offsetof(CUpti_ActivityKernel9, start));
static_assert(offsetof(ActivityKernel, name) == offsetof(CUpti_ActivityKernel9, name));
static_assert(offsetof(ActivityHead, start_ns) == offsetof(CUpti_ActivityMemset4, start));
static_assert(offsetof(ActivityHead, end_ns) == offsetof(CUpti_ActivityMemset4, end));
static_assert(offsetof(CUpti_ActivityMemset4, bytes) == 8);

}  // namespace runner::cuda
#endif
