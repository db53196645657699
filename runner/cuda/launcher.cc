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

}  // namespace

Module::Module(Module&& other) noexcept
    : driver_(other.driver_),
      module_(std::exchange(other.module_, nullptr)),
      functions_(std::move(other.functions_)),
      facts_(std::move(other.facts_)) {}

Module::~Module() {
  if (module_ != nullptr) driver_.api().module_unload(module_);
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
                       CUdeviceptr base, CUstream stream) const {
  std::map<std::string, CUdeviceptr> addresses;
  for (const launch::Slot& slot : layout.slots) {
    addresses[slot.name] = base + static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
    if (!slot.zero || slot.bytes == 0) continue;
    const CUresult result = driver_.api().memset_d8_async(addresses[slot.name], 0,
                                                          static_cast<size_t>(slot.bytes), stream);
    if (result != kSuccess) return {result, absl::StrCat("zero ", slot.name)};
  }
  // Values are little-endian: a 4-byte parameter reads the low half of its word.
  std::vector<std::vector<uint64_t>> words;
  for (const ArgumentSlot& argument : plan.arguments) {
    if (!argument.elements.empty())
      words.push_back(PackElements(argument));
    else if (argument.kind == ArgumentSlot::Kind::kSymbol)
      words.push_back({static_cast<uint64_t>(argument.value)});
    else
      words.push_back({addresses[argument.name]});
  }
  for (const compiler::facts::TensorPlan& tensor : plan.tensors) {
    if (tensor.bytes > 0 && addresses[tensor.name] % static_cast<uint64_t>(tensor.alignment) != 0) {
      return {kErrorMisalignedAddress,
              absl::StrCat(tensor.name, " does not begin at a multiple of ", tensor.alignment,
                           " bytes")};
    }
  }
  std::vector<void*> parameters;
  for (std::vector<uint64_t>& word : words) parameters.push_back(word.data());
  for (const auto& kernel : plan.kernels) {
    if (kernel.skipped) continue;
    if (auto failure = LaunchKernel(kernel, parameters, stream); !failure.ok()) return failure;
  }
  return {};
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
  if (address_ == 0) return;
  driver_->api().memset_d8_async(address_, 0, static_cast<size_t>(bytes_), nullptr);
  driver_->api().mem_free(address_);
}

Failure Wait(const Driver& driver, CUstream stream, int64_t limit_ms) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = driver.api().stream_query(stream);
    if (result != kErrorNotReady) return {result, "run"};
    const auto waited = Clock::now() - start;
    if (waited > std::chrono::milliseconds(limit_ms)) {
      return {kErrorNotReady, absl::StrCat("no end after ", limit_ms, " ms")};
    }
    if (waited > std::chrono::milliseconds(2))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace runner::cuda
