// The fake libcuda.so.1: the driver's entry points over the simulated device. Declared by the list
// that the worker opens, so that a missing one or another signature does not compile or link.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tests/fakecuda/export.h"
#include "tests/fakecuda/simulated_device.h"
#include "tests/fakecuda/tensor_map.h"

using namespace runner::cuda;
using fakecuda::FaultPlan;
using fakecuda::SimulatedDevice;

namespace runner::cuda {
struct CUctx_st {};
struct CUstream_st {
  bool waits_for_default = true;
};
}  // namespace runner::cuda

namespace {

bool initialised = false;
CUctx_st context;
CUstream_st stream;

SimulatedDevice& Device() { return SimulatedDevice::Get(); }

// What every call answers before it does anything.
CUresult Ready() { return initialised ? Device().health() : kErrorNotInitialized; }

// Work is queued: what the default stream has begun is finished before, but for a stream that does
// not wait for it.
CUresult ReadyOn(CUstream on) {
  if (on == nullptr || on->waits_for_default) Device().Settle();
  return Ready();
}

int ArchNumber() {
  int number = 0;
  return std::sscanf(FaultPlan::Get().device().arch.c_str(), "sm_%d", &number) == 1 ? number : 90;
}

struct ErrorName {
  CUresult error;
  const char* name;
};
constexpr ErrorName kErrorNames[] = {
    {kSuccess, "CUDA_SUCCESS"},
    {kErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {kErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {kErrorNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {kErrorNoDevice, "CUDA_ERROR_NO_DEVICE"},
    {kErrorInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
    {kErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
    {kErrorInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {kErrorNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {kErrorEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {kErrorNotFound, "CUDA_ERROR_NOT_FOUND"},
    {kErrorNotReady, "CUDA_ERROR_NOT_READY"},
    {kErrorIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {kErrorLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {kErrorLaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {kErrorMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {kErrorLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {kErrorCooperativeLaunchTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {kErrorUnknown, "CUDA_ERROR_UNKNOWN"}};

}  // namespace

#define CAKE_FAKE_DECLARE(member, name, parameters) CAKE_EXPORT CUresult name parameters;
CAKE_DRIVER_ENTRIES(CAKE_FAKE_DECLARE)
#undef CAKE_FAKE_DECLARE

CUresult cuInit(unsigned flags) {
  FaultPlan::Get();  // read while files can be opened
  initialised = true;
  return flags == 0 ? kSuccess : kErrorInvalidValue;
}

CUresult cuDriverGetVersion(int* version) {
  *version = FaultPlan::Get().device().driver;
  return kSuccess;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  for (const ErrorName& known : kErrorNames) {
    if (known.error != error) continue;
    *name = known.name;
    return kSuccess;
  }
  *name = nullptr;
  return kErrorInvalidValue;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return Ready();
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal != 0) return kErrorInvalidDevice;
  *device = 0;
  return Ready();
}

CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "%s", FaultPlan::Get().device().name.c_str());
  return Ready();
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  const std::string& hex = FaultPlan::Get().device().uuid;
  for (size_t i = 0; i < sizeof(uuid->bytes); ++i) {
    unsigned byte = 0;
    if (2 * i + 2 <= hex.size()) std::sscanf(hex.c_str() + 2 * i, "%2x", &byte);
    uuid->bytes[i] = static_cast<char>(byte);
  }
  return Ready();
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  switch (attribute) {
    case kAttributeMaxThreadsPerBlock: *value = 1024; break;
    case kAttributeClockRateKhz: *value = 1'000'000; break;
    case kAttributeMultiprocessorCount:
      *value = static_cast<int>(FaultPlan::Get().device().sms);
      break;
    case kAttributeMemoryClockRateKhz: *value = 1'000'000; break;
    case kAttributeMemoryBusWidthBits: *value = 1024; break;
    case kAttributeL2Bytes: *value = 1 << 16; break;  // small, so that flushing it costs little
    case kAttributeComputeCapabilityMajor: *value = ArchNumber() / 10; break;
    case kAttributeComputeCapabilityMinor: *value = ArchNumber() % 10; break;
    case kAttributeSharedBytesPerBlockOptin: *value = 232448; break;
    default: return kErrorInvalidValue;
  }
  return Ready();
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = static_cast<size_t>(FaultPlan::Get().device().memory_bytes);
  return Ready();
}

CUresult cuCtxCreate_v2(CUcontext* out, unsigned, CUdevice) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  *out = &context;
  return Device().CreateContext();
}

CUresult cuCtxDestroy_v2(CUcontext) { return Ready(); }
CUresult cuCtxSetCurrent(CUcontext) { return Ready(); }
CUresult cuCtxSynchronize() { return Device().Synchronize(); }
CUresult cuCtxResetPersistingL2Cache() { return Ready(); }

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = static_cast<size_t>(Device().free_bytes());
  *total_bytes = static_cast<size_t>(FaultPlan::Get().device().memory_bytes);
  return Ready();
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  return Device().Load(module, image);
}

CUresult cuModuleUnload(CUmodule module) { return Device().Unload(module); }

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  return Device().FindFunction(function, module, name);
}

// Modules here have code and an identity, no variables that anybody could read.
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, size_t*, CUmodule, const char*) {
  return kErrorNotFound;
}

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction) {
  switch (attribute) {
    case kFunctionSharedBytes:
    case kFunctionLocalBytes: *value = 0; break;
    case kFunctionRegisters: *value = 32; break;
    case kFunctionMaxDynamicSharedBytes: *value = 232448; break;
    default: return kErrorInvalidValue;
  }
  return Ready();
}

CUresult cuFuncSetAttribute(CUfunction, int attribute, int value) {
  if (attribute == kFunctionNonPortableClusterSizeAllowed) return Ready();
  if (attribute != kFunctionMaxDynamicSharedBytes) return kErrorInvalidValue;
  return value <= 232448 ? Ready() : kErrorInvalidValue;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  return Device().Allocate(address, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr address) { return Device().Free(address); }

CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  if (!FaultPlan::Get().Reach("host_alloc", "").empty()) return kErrorOutOfMemory;
  *address = std::malloc(bytes);
  return *address != nullptr ? kSuccess : kErrorOutOfMemory;
}

CUresult cuMemFreeHost(void* address) {
  Device().SynchronizeStream();
  std::free(address);
  return Ready();
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  if (const CUresult done = Device().Synchronize(); done != kSuccess) return done;
  return Device().Stage(to, from, bytes);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  // The default stream waits for no stream that was made non-blocking, and others are not made.
  if (const CUresult done = Device().Reach(); done != kSuccess) return done;
  const auto source = Device().Find(from, static_cast<int64_t>(bytes));
  if (source.size() != bytes) return kErrorInvalidValue;
  std::memcpy(to, source.data(), bytes);
  return Ready();
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
  if (const CUresult ready = ReadyOn(on); ready != kSuccess) return ready;
  const CUresult result = Device().Copy(to, from, bytes);
  if (result == kSuccess) Device().SufferCopy(to, bytes);
  return result;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream on) {
  if (const CUresult ready = ReadyOn(on); ready != kSuccess) return ready;
  return Device().Fill(to, &value, sizeof(value), count);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream on) {
  if (const CUresult ready = ReadyOn(on); ready != kSuccess) return ready;
  return Device().Fill(to, &value, sizeof(value), count);
}

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  stream.waits_for_default = (flags & kStreamNonBlocking) == 0;
  *out = &stream;
  return Ready();
}

CUresult cuStreamDestroy_v2(CUstream) { return Ready(); }
CUresult cuStreamQuery(CUstream) { return initialised ? Device().Query() : kErrorNotInitialized; }
CUresult cuStreamSynchronize(CUstream on) {
  return on == nullptr ? Device().Synchronize() : Device().SynchronizeStream();
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  return Ready();
}

CUresult cuEventDestroy_v2(CUevent event) {
  delete event;
  return kSuccess;
}

CUresult cuEventRecord(CUevent event, CUstream) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  Device().Record(event);
  return kSuccess;
}

CUresult cuEventQuery(CUevent) { return Device().Query(); }
CUresult cuEventSynchronize(CUevent) { return Device().SynchronizeStream(); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  return Device().Elapsed(milliseconds, start, end);
}

// The driver's own conditions (CUDA driver API, cuTensorMapEncodeTiled), without interleave.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, int type, unsigned rank, void* address,
                                const uint64_t* extents, const uint64_t* stride_bytes,
                                const unsigned* box, const unsigned* element_strides,
                                int interleave, int swizzle, int l2_promotion, int fill) {
  if (const CUresult ready = Ready(); ready != kSuccess) return ready;
  return fakecuda::EncodeTensorMap({.type = type,
                                    .rank = rank,
                                    .address = reinterpret_cast<uint64_t>(address),
                                    .extents = extents,
                                    .stride_bytes = stride_bytes,
                                    .box = box,
                                    .element_strides = element_strides,
                                    .interleave = interleave,
                                    .swizzle = swizzle,
                                    .l2_promotion = l2_promotion,
                                    .fill = fill},
                                   map);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void**) {
  if (const CUresult ready = ReadyOn(config->stream); ready != kSuccess) return ready;
  return Device().Launch(*config, function, parameters);
}

CUresult cuStreamBeginCapture_v2(CUstream, int) { return Device().BeginCapture(); }
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) { return Device().EndCapture(graph); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long) {
  *out = new CUgraphExec_st{graph->nodes, Device().records_graphs_whole()};
  return Ready();
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream on) {
  if (const CUresult ready = ReadyOn(on); ready != kSuccess) return ready;
  return Device().Replay(*graph);
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  delete graph;
  return kSuccess;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return kSuccess;
}

// For the fake CUPTI and the fake cuBLASLt, which are libraries of their own.
CAKE_EXPORT void cakeFakeRecordGraphsWhole(bool whole) { Device().RecordGraphsWhole(whole); }
CAKE_EXPORT void cakeFakeQueueKernel(const char* name, int64_t duration_ns,
                                     const std::function<void()>& run) {
  Device().LaunchNative(name, duration_ns, run);
}
CAKE_EXPORT void cakeFakeKeepRecords(bool keep) { Device().KeepRecords(keep); }
CAKE_EXPORT size_t cakeFakeTakeRecords(void (*each)(void*, const fakecuda::ActivityRecord&),
                                       void* user) {
  const auto records = Device().TakeRecords();
  for (const auto& record : records) each(user, record);
  return records.size();
}
