#include "runner/cuda/launcher.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

using compiler::facts::ArgumentSlot;

// CUDA driver API, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: up to here every device
// with clusters forms them unasked.
constexpr int64_t kPortableClusterSize = 8;
// Pinned memory is taken from the whole machine; small pieces are not worth a call each.
constexpr int64_t kStagingBytesMin = int64_t{1} << 20, kStagingBytesMax = int64_t{1} << 30;
constexpr int64_t kDefaultDynamicSharedBytes =
    48 * 1024;  // more has to be asked for, a function at a time

// An arg array as its struct lies in the parameters.
std::vector<uint64_t> PackElements(const ArgumentSlot& argument) {
  const size_t width = static_cast<size_t>(argument.bytes) / argument.elements.size();
  std::vector<uint64_t> words((static_cast<size_t>(argument.bytes) + 7) / 8);
  auto* bytes = reinterpret_cast<std::byte*>(words.data());
  for (size_t k = 0; k < argument.elements.size(); ++k) {
    std::memcpy(bytes + k * width, &argument.elements[k], width);
  }
  return words;
}

int MapType(compiler::ir::DType dtype) {
  using compiler::ir::DType;
  switch (dtype) {
    case DType::kI16:
    case DType::kU16: return kTensorMapUint16;
    case DType::kI32: return kTensorMapInt32;
    case DType::kU32: return kTensorMapUint32;
    case DType::kI64: return kTensorMapInt64;
    case DType::kU64: return kTensorMapUint64;
    case DType::kF16: return kTensorMapFloat16;
    case DType::kBF16: return kTensorMapBfloat16;
    case DType::kF32:
    case DType::kTF32: return kTensorMapFloat32;
    case DType::kE2M1: return kTensorMap16U4Align16;
    case DType::kE2M3:
    case DType::kE3M2: return kTensorMap16U6Align16;
    default: return kTensorMapUint8;
  }
}

int MapSwizzle(int64_t bytes) {
  if (bytes == 32) return kTensorMapSwizzle32;
  if (bytes == 64) return kTensorMapSwizzle64;
  return bytes == 128 ? kTensorMapSwizzle128 : kTensorMapSwizzleNone;
}

}  // namespace

Module::Module(Module&& other) noexcept
    : driver_(other.driver_),
      module_(std::exchange(other.module_, nullptr)),
      functions_(std::move(other.functions_)),
      facts_(std::move(other.facts_)) {}

Module::~Module() {
  if (module_ != nullptr && !driver_.abandoned()) driver_.api().module_unload(module_);
}

Failure Module::Load(const std::string& cubin, const std::vector<std::string>& kernels) {
  const DriverApi& api = driver_.api();
  if (const CUresult result = api.module_load_data(&module_, cubin.data()); result != kSuccess) {
    module_ = nullptr;
    return {result, "load module"};
  }
  for (const std::string& name : kernels) {
    CUfunction function = nullptr;
    if (const CUresult result = api.module_get_function(&function, module_, name.c_str());
        result != kSuccess) {
      return {result, absl::StrCat("kernel ", name)};
    }
    const auto attribute = [&](int which) {
      int value = 0;
      return api.func_get_attribute(&value, which, function) == kSuccess ? value : -1;
    };
    functions_[name] = function;
    facts_.push_back({name, attribute(kFunctionRegisters), attribute(kFunctionLocalBytes),
                      attribute(kFunctionSharedBytes)});
  }
  return {};
}

Failure Module::Launch(const compiler::facts::LaunchPlan& plan, const launch::Layout& layout,
                       CUdeviceptr base, CUstream stream, std::span<void* const> last) const {
  std::map<std::string, CUdeviceptr> addresses;
  for (const launch::Slot& slot : layout.slots) {
    addresses[slot.name] = base + static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
    if (!slot.zero || slot.bytes == 0) continue;
    const CUresult result = driver_.api().memset_d8_async(addresses[slot.name], 0,
                                                          static_cast<size_t>(slot.bytes), stream);
    if (result != kSuccess) return {result, absl::StrCat("zero ", slot.name)};
  }
  for (const compiler::facts::TensorPlan& tensor : plan.tensors) {
    if (tensor.bytes > 0 && addresses[tensor.name] % static_cast<uint64_t>(tensor.alignment) != 0) {
      return {kErrorMisalignedAddress,
              absl::StrCat(tensor.name, " does not begin at a multiple of ", tensor.alignment,
                           " bytes")};
    }
  }
  // A map that no launched kernel uses is not made: its parameter is there and never read.
  std::map<std::string, CUtensorMap> maps;
  for (const compiler::facts::TensorMapPlan& map : plan.tensor_maps) {
    CUtensorMap& made = maps[map.name];
    if (!map.used) continue;
    if (auto failure = MakeMap(map, addresses[map.tensor], made); !failure.ok()) return failure;
  }
  // Values are little-endian: a 4-byte parameter reads the low half of its word.
  std::vector<std::vector<uint64_t>> words(plan.arguments.size());
  std::vector<void*> parameters;
  for (size_t i = 0; i < words.size(); ++i) {
    const ArgumentSlot& argument = plan.arguments[i];
    if (argument.kind == ArgumentSlot::Kind::kTensorMap) {
      parameters.push_back(&maps[argument.name]);
      continue;
    }
    if (!argument.elements.empty()) {
      words[i] = PackElements(argument);
    } else if (argument.kind == ArgumentSlot::Kind::kSymbol) {
      words[i] = {static_cast<uint64_t>(argument.value)};
    } else {
      words[i] = {addresses[argument.name]};
    }
    parameters.push_back(words[i].data());
  }
  if (!last.empty()) parameters.push_back(nullptr);
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const compiler::facts::KernelLaunch& kernel = plan.kernels[k];
    if (kernel.skipped) continue;
    if (!last.empty()) parameters.back() = last[k];
    if (auto failure = LaunchKernel(kernel, parameters, stream); !failure.ok()) return failure;
  }
  return {};
}

// The driver counts dimensions from the innermost one, which has no stride.
Failure Module::MakeMap(const compiler::facts::TensorMapPlan& plan, CUdeviceptr address,
                        CUtensorMap& map) const {
  const auto element = static_cast<uint64_t>(plan.element_bytes);
  std::vector<uint64_t> extents, stride_bytes;
  stride_bytes.reserve(plan.extents.size());  // of one dimension too: the driver refuses null
  std::vector<unsigned> box, element_strides(plan.extents.size(), 1);
  for (size_t d = plan.extents.size(); d-- > 0;) {
    extents.push_back(static_cast<uint64_t>(plan.extents[d]));
    box.push_back(static_cast<unsigned>(plan.box[d]));
    if (d + 1 < plan.extents.size()) {
      stride_bytes.push_back(static_cast<uint64_t>(plan.strides[d]) * element);
    }
  }
  const CUresult result = driver_.api().tensor_map_encode_tiled(
      &map, MapType(plan.dtype), static_cast<unsigned>(extents.size()),
      reinterpret_cast<void*>(address), extents.data(), stride_bytes.data(), box.data(),
      element_strides.data(), kTensorMapInterleaveNone, MapSwizzle(plan.swizzle_bytes),
      kTensorMapPromotion128, kTensorMapFillZero);
  return {result, absl::StrCat("tensor map ", plan.name)};
}

Failure Module::LaunchKernel(const compiler::facts::KernelLaunch& kernel,
                             std::vector<void*>& parameters, CUstream stream) const {
  const auto function = functions_.find(kernel.name);
  if (function == functions_.end()) return {kErrorNotFound, absl::StrCat("kernel ", kernel.name)};
  if (kernel.shared_bytes > kDefaultDynamicSharedBytes) {
    const CUresult result = driver_.api().func_set_attribute(
        function->second, kFunctionMaxDynamicSharedBytes, static_cast<int>(kernel.shared_bytes));
    if (result != kSuccess) return {result, absl::StrCat("shared memory of ", kernel.name)};
  }
  if (kernel.cluster > kPortableClusterSize) {
    const CUresult result = driver_.api().func_set_attribute(
        function->second, kFunctionNonPortableClusterSizeAllowed, 1);
    if (result != kSuccess) return {result, absl::StrCat("cluster of ", kernel.name)};
  }
  CUlaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (kernel.cooperative)
    attributes[count++] = {.id = kLaunchCooperative, .value = {.cooperative = 1}};
  if (kernel.cluster > 1) {
    attributes[count++] = {.id = kLaunchClusterDimension,
                           .value = {.cluster = {static_cast<unsigned>(kernel.cluster), 1, 1}}};
  }
  if (kernel.pdl) {
    attributes[count++] = {.id = kLaunchProgrammaticStreamSerialization,
                           .value = {.programmatic_stream_serialization = 1}};
  }
  const CUlaunchConfig config{static_cast<unsigned>(kernel.grid[0]),
                              static_cast<unsigned>(kernel.grid[1]),
                              static_cast<unsigned>(kernel.grid[2]),
                              static_cast<unsigned>(kernel.block),
                              1,
                              1,
                              static_cast<unsigned>(kernel.shared_bytes),
                              stream,
                              attributes,
                              count};
  const CUresult result =
      driver_.api().launch_kernel_ex(&config, function->second, parameters.data(), nullptr);
  return {result, absl::StrCat("launch ", kernel.name)};
}

Failure Module::LaunchOne(const std::string& kernel, const std::array<unsigned, 3>& grid,
                          unsigned block, std::vector<void*>& parameters, CUstream stream) const {
  const auto function = functions_.find(kernel);
  if (function == functions_.end()) return {kErrorNotFound, absl::StrCat("kernel ", kernel)};
  const CUlaunchConfig config{grid[0], grid[1], grid[2], block, 1, 1, 0, stream, nullptr, 0};
  return {driver_.api().launch_kernel_ex(&config, function->second, parameters.data(), nullptr),
          absl::StrCat("launch ", kernel)};
}

DeviceMemory::DeviceMemory(const Driver& driver, int64_t bytes) : driver_(&driver), bytes_(bytes) {
  // At least one byte: an image of no buffers still has an address.
  failure_ = {driver.api().mem_alloc(&address_, static_cast<size_t>(std::max<int64_t>(bytes, 1))),
              absl::StrCat("allocate ", bytes, " bytes")};
  if (!failure_.ok()) address_ = 0;
}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      bytes_(other.bytes_),
      failure_(other.failure_) {}
DeviceMemory::~DeviceMemory() {
  if (address_ == 0 || driver_->abandoned()) return;
  driver_->api().memset_d8_async(address_, 0, static_cast<size_t>(bytes_), nullptr);
  driver_->api().mem_free(address_);
}

std::span<std::byte> Staging::Take(int64_t bytes) {
  ordinary_ = {};
  if (bytes > kStagingBytesMax) {
    Free();
    ordinary_.resize(static_cast<size_t>(bytes));
    return ordinary_;
  }
  if (bytes > pinned_bytes_ || pinned_ == nullptr) {
    Free();
    const auto wanted = static_cast<size_t>(std::max<int64_t>(bytes, kStagingBytesMin));
    if (driver_.api().mem_host_alloc(&pinned_, wanted, 0) != kSuccess) {
      pinned_ = nullptr;
      ordinary_.resize(static_cast<size_t>(bytes));
      return ordinary_;
    }
    pinned_bytes_ = static_cast<int64_t>(wanted);
  }
  return {static_cast<std::byte*>(pinned_), static_cast<size_t>(bytes)};
}

void Staging::Free() {
  if (pinned_ != nullptr && !driver_.abandoned()) driver_.api().mem_free_host(pinned_);
  pinned_ = nullptr;
  pinned_bytes_ = 0;
}

// CUDA driver API, "API synchronization behavior": a copy from pageable memory may return when the
// bytes are staged, before they are in place. Our stream does not wait for the default stream,
// which the copy belongs to: the host waits for both.
Failure Upload(const Driver& driver, CUdeviceptr to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  const DriverApi& api = driver.api();
  CUresult result = api.memcpy_htod(to, bytes.data(), bytes.size());
  if (result == kSuccess) result = api.stream_synchronize(nullptr);
  return {result, "copy to the device"};
}

Failure Wait(const Driver& driver, CUstream stream, int64_t limit_ms) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = driver.api().stream_query(stream);
    if (result != kErrorNotReady) return {result, "run"};
    const auto waited = Clock::now() - start;
    if (waited > std::chrono::milliseconds(limit_ms)) {
      driver.Abandon();
      return {kErrorNotReady, absl::StrCat("no end after ", limit_ms, " ms")};
    }
    if (waited > std::chrono::milliseconds(2))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace runner::cuda
