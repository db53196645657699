#include "runner/cuda/driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace runner::cuda {
namespace {

// Architectures whose instructions beyond the plain set are wanted have an `a` target.
std::string ArchOf(int major, int minor) {
  return absl::StrCat("sm_", major * 10 + minor, major >= 9 ? "a" : "");
}

std::string UuidText(const CUuuid& uuid) {
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char hex[4];
    snprintf(hex, sizeof(hex), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    out += hex;
    if (i == 3 || i == 5 || i == 7 || i == 9) out += '-';
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Driver>> Driver::Open(const std::string& path) {
  const std::string name = path.empty() ? "libcuda.so.1" : path;
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("no CUDA driver: ", dlerror(),
                                               "; this machine can compile but not run on a GPU"));
  }
  auto driver = std::make_unique<Driver>();
  std::vector<std::string> missing;
#define CAKE_DRIVER_LOAD(member, name, parameters)                                              \
  driver->api_.member = reinterpret_cast<decltype(driver->api_.member)>(dlsym(library, #name)); \
  if (driver->api_.member == nullptr) missing.push_back(#name);
  CAKE_DRIVER_ENTRIES(CAKE_DRIVER_LOAD)
#undef CAKE_DRIVER_LOAD
  if (!missing.empty())
    return absl::UnavailableError(absl::StrCat(name, " lacks ", absl::StrJoin(missing, ", ")));
  const CUresult result = driver->api_.init(0);
  if (result == kErrorStubLibrary) {
    return absl::UnavailableError(absl::StrCat(name, " is the toolkit's link stub, not a driver"));
  }
  if (result != kSuccess)
    return absl::UnavailableError(absl::StrCat("cuInit: ", driver->NameOf(result)));
  return driver;
}

std::string Driver::NameOf(CUresult error) const {
  const char* name = nullptr;
  if (api_.get_error_name(error, &name) != kSuccess || name == nullptr)
    return absl::StrCat("error ", error);
  return absl::StrCat(name, " (", error, ")");
}

absl::Status Driver::Check(CUresult result, const char* what) const {
  if (result == kSuccess) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", NameOf(result)));
}

bool IsSticky(CUresult result) {
  switch (result) {
    case kErrorIllegalAddress:
    case kErrorLaunchTimeout:
    case kErrorAssert:
    case kErrorHardwareStackError:
    case kErrorIllegalInstruction:
    case kErrorMisalignedAddress:
    case kErrorInvalidAddressSpace:
    case kErrorInvalidPc:
    case kErrorLaunchFailed:
    case kErrorEccUncorrectable:
    case kErrorUnknown:
    case kErrorInvalidContext:
    case kErrorDeinitialized: return true;
    default: return false;
  }
}

absl::StatusOr<DeviceFacts> ReadDeviceFacts(const Driver& driver, CUdevice device) {
  DeviceFacts facts;
  const DriverApi& api = driver.api();
  char name[256] = {};
  CUuuid uuid{};
  size_t memory = 0;
  int version = 0;
  for (const auto& [result, what] :
       {std::pair{api.device_get_name(name, sizeof(name) - 1, device), "cuDeviceGetName"},
        std::pair{api.device_get_uuid(&uuid, device), "cuDeviceGetUuid"},
        std::pair{api.device_total_mem(&memory, device), "cuDeviceTotalMem"},
        std::pair{api.driver_get_version(&version), "cuDriverGetVersion"}}) {
    if (auto status = driver.Check(result, what); !status.ok()) return status;
  }
  const auto attribute = [&](int which) {
    int value = 0;
    return api.device_get_attribute(&value, which, device) == kSuccess ? value : 0;
  };
  facts.name = name;
  facts.uuid = UuidText(uuid);
  facts.driver = absl::StrCat(version / 1000, ".", version % 1000 / 10);
  facts.arch = ArchOf(attribute(kAttributeComputeCapabilityMajor),
                      attribute(kAttributeComputeCapabilityMinor));
  facts.multiprocessors = attribute(kAttributeMultiprocessorCount);
  facts.l2_bytes = attribute(kAttributeL2Bytes);
  facts.memory_bytes = static_cast<int64_t>(memory);
  facts.shared_bytes_optin = attribute(kAttributeSharedBytesPerBlockOptin);
  facts.clock_khz = attribute(kAttributeClockRateKhz);
  facts.memory_clock_khz = attribute(kAttributeMemoryClockRateKhz);
  facts.memory_bus_bits = attribute(kAttributeMemoryBusWidthBits);
  return facts;
}

std::string ToJson(const DeviceFacts& facts) {
  return nlohmann::json({{"name", facts.name},
                         {"uuid", facts.uuid},
                         {"arch", facts.arch},
                         {"driver", facts.driver},
                         {"multiprocessors", facts.multiprocessors},
                         {"l2_bytes", facts.l2_bytes},
                         {"memory_bytes", facts.memory_bytes},
                         {"shared_bytes_optin", facts.shared_bytes_optin},
                         {"clock_khz", facts.clock_khz},
                         {"memory_clock_khz", facts.memory_clock_khz},
                         {"memory_bus_bits", facts.memory_bus_bits}})
      .dump();
}

Nvml::Nvml(const std::string& uuid) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  bool whole = true;
#define CAKE_NVML_LOAD(member, name, parameters)                                \
  api_.member = reinterpret_cast<decltype(api_.member)>(dlsym(library, #name)); \
  whole = whole && api_.member != nullptr;
  CAKE_NVML_ENTRIES(CAKE_NVML_LOAD)
#undef CAKE_NVML_LOAD
  if (whole && api_.init() == 0 && api_.device_by_uuid(uuid.c_str(), &device_) != 0)
    device_ = nullptr;
}

std::optional<Vitals> Nvml::Read() const {
  if (device_ == nullptr) return std::nullopt;
  unsigned sm = 0, memory = 0, power = 0, temperature = 0;
  unsigned long long throttle = 0;
  api_.clock_mhz(device_, kNvmlClockSm, &sm);
  api_.clock_mhz(device_, kNvmlClockMem, &memory);
  api_.power_mw(device_, &power);
  api_.temperature_c(device_, kNvmlTemperatureGpu, &temperature);
  api_.throttle_reasons(device_, &throttle);
  return Vitals{sm, memory, power, temperature, throttle};
}

}  // namespace runner::cuda
