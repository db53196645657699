// The CUDA driver opened at run time, and what it says of its device.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/cuda/driver_api.h"
#include "runner/cuda/nvml_api.h"

namespace runner::cuda {

class Driver {
 public:
  // `path`: the library, or empty for libcuda.so.1 of this machine. Unavailable says what is
  // missing, the link stub of the toolkit included.
  static absl::StatusOr<std::unique_ptr<Driver>> Open(const std::string& path);

  const DriverApi& api() const { return api_; }
  std::string NameOf(CUresult error) const;
  // OK, or Internal: "WHAT: CUDA_ERROR_X (n)".
  absl::Status Check(CUresult result, const char* what) const;

  // A launch does not end. Calls that free what it may use wait for it (CUDA driver API: cuMemFree
  // and cuModuleUnload synchronize the context), so from here on nothing is freed: that is left to
  // the end of the process.
  void Abandon() const { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

 private:
  DriverApi api_;
  mutable std::atomic<bool> abandoned_ = false;
};

// The context is unusable from here on; only the end of the process clears it.
bool IsSticky(CUresult result);

// What is recorded of a device; nothing is ever set.
struct DeviceFacts {
  std::string name, uuid, arch, driver;  // uuid "GPU-..", arch "sm_90a", driver "13.0"
  int64_t multiprocessors = 0, l2_bytes = 0, memory_bytes = 0, shared_bytes_optin = 0;
  int64_t clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
};
absl::StatusOr<DeviceFacts> ReadDeviceFacts(const Driver& driver, CUdevice device);
std::string ToJson(const DeviceFacts& facts);

// Clocks, power, temperature and throttling by NVML; nullopt where it is not installed.
struct Vitals {
  int64_t sm_mhz = 0, memory_mhz = 0, power_mw = 0, temperature_c = 0;
  uint64_t throttle_reasons = 0;
};
class Nvml {
 public:
  explicit Nvml(const std::string& uuid);
  std::optional<Vitals> Read() const;

 private:
  NvmlApi api_;
  NvmlDevice device_ = nullptr;
};

}  // namespace runner::cuda
