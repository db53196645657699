// The part of NVML that records clocks, power and throttling beside each sample; it never sets
// anything. Opened at run time (libnvidia-ml.so.1); where it is missing, the facts that need it are
// absent.
#pragma once

#include <cstdint>

namespace runner::cuda {

using NvmlReturn = int;
using NvmlDevice = struct nvmlDevice_st*;

inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlClockMem = 2;
inline constexpr int kNvmlTemperatureGpu = 0;

// X(member of NvmlApi, exported name, parameters): every entry point returns NvmlReturn, 0 is
// success.
#define CAKE_NVML_ENTRIES(X)                                                                     \
  X(init, nvmlInit_v2, ())                                                                       \
  X(device_by_uuid, nvmlDeviceGetHandleByUUID, (const char* uuid, NvmlDevice* device))           \
  X(clock_mhz, nvmlDeviceGetClockInfo, (NvmlDevice device, int type, unsigned* mhz))             \
  X(power_mw, nvmlDeviceGetPowerUsage, (NvmlDevice device, unsigned* milliwatts))                \
  X(temperature_c, nvmlDeviceGetTemperature, (NvmlDevice device, int sensor, unsigned* celsius)) \
  X(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons,                                 \
    (NvmlDevice device, unsigned long long* reasons))

struct NvmlApi {
#define CAKE_NVML_MEMBER(member, name, parameters) NvmlReturn(*member) parameters = nullptr;
  CAKE_NVML_ENTRIES(CAKE_NVML_MEMBER)
#undef CAKE_NVML_MEMBER
};

}  // namespace runner::cuda
