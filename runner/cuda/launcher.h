// A loaded module and the launch of a LaunchPlan on it: what `launch` means on the device. The same
// plan drives the reference machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/cuda/driver.h"
#include "runner/launch/image.h"

namespace runner::cuda {

struct FunctionFacts {
  std::string name;
  int64_t registers = 0, local_bytes = 0, static_shared_bytes = 0;
};

// A driver call that did not succeed, kept as a number so that the judge can tell faults apart.
struct Failure {
  CUresult result = kSuccess;
  std::string what;
  bool ok() const { return result == kSuccess; }
};

class Module {
 public:
  explicit Module(const Driver& driver) : driver_(driver) {}
  Module(Module&& other) noexcept;
  ~Module();

  Failure Load(const std::string& cubin, const std::vector<std::string>& kernels);
  const std::vector<FunctionFacts>& functions() const { return facts_; }

  // Queues the whole plan on `stream`: zero fills of workspaces, then the kernels in order, their
  // tensor maps passed by value. `base`:
  // device address of a run image laid out as `layout`. `last`: what instrumented kernels take
  // after all others, one a kernel of the plan; empty: nothing.
  Failure Launch(const compiler::facts::LaunchPlan& plan, const launch::Layout& layout,
                 CUdeviceptr base, CUstream stream, std::span<void* const> last = {}) const;

  // Queues one kernel with parameters of its own, which are read before this returns.
  Failure LaunchOne(const std::string& kernel, const std::array<unsigned, 3>& grid, unsigned block,
                    std::vector<void*>& parameters, CUstream stream) const;

 private:
  Failure MakeMap(const compiler::facts::TensorMapPlan& plan, CUdeviceptr address,
                  CUtensorMap& map) const;
  Failure LaunchKernel(const compiler::facts::KernelLaunch& kernel, std::vector<void*>& parameters,
                       CUstream stream) const;

  const Driver& driver_;
  CUmodule module_ = nullptr;
  std::map<std::string, CUfunction> functions_;
  std::vector<FunctionFacts> facts_;
};

// Device memory that is scrubbed and freed at the end of its life.
class DeviceMemory {
 public:
  DeviceMemory(const Driver& driver, int64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  Failure failure() const { return failure_; }
  CUdeviceptr address() const { return address_; }
  int64_t bytes() const { return bytes_; }

 private:
  const Driver* driver_;
  CUdeviceptr address_ = 0;
  int64_t bytes_ = 0;
  Failure failure_;
};

// Host memory that copies to the device start from, kept from one to the next. It is pinned, so
// that the device reads it without a copy of the driver's own (CUDA driver API, cuMemHostAlloc);
// where the driver refuses, or asks for more than is kept, it is ordinary memory.
class Staging {
 public:
  explicit Staging(const Driver& driver) : driver_(driver) {}
  Staging(const Staging&) = delete;
  ~Staging() { Free(); }
  // Zeros or what was there before; until the next call.
  std::span<std::byte> Take(int64_t bytes);
  bool pinned() const { return pinned_ != nullptr; }  // of the last Take

 private:
  void Free();
  const Driver& driver_;
  void* pinned_ = nullptr;
  int64_t pinned_bytes_ = 0;
  std::vector<std::byte> ordinary_;
};

// Copies host memory to the device; when it returns, the bytes are there for every stream.
Failure Upload(const Driver& driver, CUdeviceptr to, std::span<const std::byte> bytes);

// Waits for the stream by polling; a launch that does not end within `limit_ms` is reported as
// kErrorNotReady.
Failure Wait(const Driver& driver, CUstream stream, int64_t limit_ms);

}  // namespace runner::cuda
