#include "tests/fakecuda/simulated_device.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runner/cuda/cupti_api.h"

namespace fakecuda {
namespace {

using namespace runner::cuda;

constexpr size_t kAlignment = 256;
constexpr int64_t kGapNs = 400;       // between two operations of a stream
constexpr int64_t kLaunchNs = 1'500;  // of a kernel that does nothing
constexpr int64_t kLaneStatementsPerNs = 40;
constexpr int64_t kBytesPerNs = 2'000;
constexpr unsigned char kFlippedBits = 0x41;

void Say(const std::string& what) { std::fprintf(stderr, "fake device: %s\n", what.c_str()); }

std::vector<Rule> Only(const std::vector<Rule>& rules, Fault fault) {
  std::vector<Rule> out;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(out),
               [&](const Rule& rule) { return rule.fault == fault; });
  return out;
}

}  // namespace

SimulatedDevice& SimulatedDevice::Get() {
  // Never destroyed: a child may leave while it hangs.
  static SimulatedDevice* device = new SimulatedDevice;
  return *device;
}

CUresult SimulatedDevice::CreateContext() {
  for (const Rule& rule : FaultPlan::Get().Reach("context", "")) {
    if (rule.fault == Fault::kKill) kill(getpid(), SIGKILL);
    if (rule.fault == Fault::kHang) {
      for (;;) pause();
    }
    if (rule.fault == Fault::kOutOfMemory) return kErrorOutOfMemory;
    if (rule.fault == Fault::kError) return rule.code;
    if (rule.fault == Fault::kSticky) return dead_ = rule.code;
  }
  return kSuccess;
}

CUresult SimulatedDevice::Allocate(CUdeviceptr* address, size_t bytes) {
  for (const Rule& rule : FaultPlan::Get().Reach("alloc", "")) {
    if (rule.fault == Fault::kOutOfMemory) return kErrorOutOfMemory;
    if (rule.fault == Fault::kError) return rule.code;
  }
  if (bytes == 0) return kErrorInvalidValue;
  if (static_cast<int64_t>(bytes) > free_bytes()) return kErrorOutOfMemory;
  auto memory = std::make_unique<std::byte[]>(bytes + kAlignment);
  const auto raw = reinterpret_cast<uintptr_t>(memory.get());
  *address = (raw + kAlignment - 1) / kAlignment * kAlignment;
  storage_[*address] = std::move(memory);
  sizes_[*address] = static_cast<int64_t>(bytes);
  used_bytes_ += static_cast<int64_t>(bytes);
  return kSuccess;
}

CUresult SimulatedDevice::Free(CUdeviceptr address) {
  Synchronize();
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) return kErrorInvalidValue;
  used_bytes_ -= found->second;
  sizes_.erase(found);
  storage_.erase(address);
  return kSuccess;
}

std::span<std::byte> SimulatedDevice::Find(CUdeviceptr address, int64_t bytes) {
  auto after = sizes_.upper_bound(address);
  if (after == sizes_.begin() || bytes < 0) return {};
  const auto& [begin, size] = *std::prev(after);
  const auto offset = static_cast<int64_t>(address - begin);
  if (offset > size || bytes > size - offset) return {};
  return {reinterpret_cast<std::byte*>(address), static_cast<size_t>(bytes)};
}

int64_t SimulatedDevice::free_bytes() const {
  return FaultPlan::Get().device().memory_bytes - used_bytes_;
}

CUresult SimulatedDevice::Load(CUmodule* module, const void* data) {
  auto image = ReadImage(data);
  if (!image) return kErrorInvalidImage;
  const std::string& arch = FaultPlan::Get().device().arch;
  if (!image->arch.empty() && image->arch != arch) return kErrorNoBinaryForGpu;
  auto loaded = std::make_unique<CUmod_st>();
  loaded->image = *std::move(image);
  const std::string& id = loaded->image.program_id;
  FaultPlan::Get().BeginAttempt(id);
  for (const Rule& rule : FaultPlan::Get().Reach("load", id)) {
    if (rule.fault == Fault::kKill) kill(getpid(), SIGKILL);
    if (rule.fault == Fault::kOutOfMemory) return kErrorOutOfMemory;
    if (rule.fault == Fault::kError) return rule.code;
    if (rule.fault == Fault::kSticky) return dead_ = rule.code;
  }
  if (!id.empty()) {
    auto runner = ProgramRunner::Load(id, arch);
    if (!runner.ok()) {
      // Loading what cannot be run and writing nothing would look like a wrong kernel.
      Say(std::string(runner.status().message()));
      return kErrorInvalidImage;
    }
    loaded->runner = *std::move(runner);
  } else {
    loaded->native = NativeKernels::Load(loaded->image.kernels);
  }
  *module = loaded.get();
  modules_.push_back(std::move(loaded));
  return kSuccess;
}

CUresult SimulatedDevice::Unload(CUmodule module) {
  SynchronizeStream();
  std::erase_if(functions_, [&](const auto& f) { return f->module == module; });
  const auto removed = std::erase_if(modules_, [&](const auto& m) { return m.get() == module; });
  return removed == 1 ? kSuccess : kErrorInvalidValue;
}

CUresult SimulatedDevice::FindFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto& kernels = module->image.kernels;
  if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) return kErrorNotFound;
  auto found = std::make_unique<CUfunc_st>();
  found->module = module;
  found->name = name;
  *function = found.get();
  functions_.push_back(std::move(found));
  return kSuccess;
}

CUresult SimulatedDevice::RunOnMachine(const CUlaunchConfig& config, const CUfunc_st& function,
                                       void** parameters, LaunchResult& result) {
  if (function.module->native != nullptr) {
    const bool known = function.module->native->Launch(
        function.name, {config.grid_x, config.grid_y, config.grid_z}, config.block_x, parameters);
    return known ? kSuccess : kErrorNotFound;
  }
  // A module that is not of ours has nothing that could be run: what it does is up to the plan.
  if (function.module->runner == nullptr) return kSuccess;
  LaunchShape shape{.grid = {config.grid_x, config.grid_y, config.grid_z},
                    .block = config.block_x,
                    .shared_bytes = config.shared_bytes,
                    .has_progress = function.module->image.has_progress,
                    .logs_events = function.module->image.logs_events};
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const runner::cuda::CUlaunchAttribute& attribute = config.attributes[i];
    if (attribute.id == runner::cuda::kLaunchCooperative) {
      shape.cooperative = attribute.value.cooperative != 0;
    }
    if (attribute.id == runner::cuda::kLaunchClusterDimension) {
      shape.cluster = attribute.value.cluster.x;
    }
    if (attribute.id == runner::cuda::kLaunchProgrammaticStreamSerialization) {
      shape.pdl = attribute.value.programmatic_stream_serialization != 0;
    }
  }
  result = function.module->runner->Launch(
      function.name, shape, parameters,
      [&](uint64_t address, int64_t bytes) { return Find(address, bytes); },
      FaultPlan::Get().device().sms, FaultPlan::Get().max_lane_statements());
  switch (result.kind) {
    case LaunchResult::Kind::kFinished: return kSuccess;
    case LaunchResult::Kind::kBadParameters: Say(result.detail); return kErrorInvalidValue;
    case LaunchResult::Kind::kTooLarge: Say(result.detail); return kErrorCooperativeLaunchTooLarge;
    case LaunchResult::Kind::kFault: dead_ = kErrorIllegalAddress; break;
    case LaunchResult::Kind::kHang: hangs_ = true; break;
  }
  Say(result.detail);
  return kSuccess;  // as on a device, the launch itself went well
}

void SimulatedDevice::Suffer(const std::vector<Rule>& rules, LaunchResult& result) {
  for (const Rule& rule : rules) {
    switch (rule.fault) {
      case Fault::kHang: hangs_ = true; break;
      case Fault::kSticky: dead_ = rule.code; break;
      case Fault::kThrottle: slow_down_ = rule.factor; break;
      case Fault::kSkew: event_factor_ = rule.factor; break;
      case Fault::kKill: kill(getpid(), rule.code > 0 ? rule.code : SIGKILL); break;
      case Fault::kFlip:
        for (int64_t i = 0; i < rule.count && !result.outputs.empty(); ++i) {
          const auto at = static_cast<size_t>(rule.byte + i);
          if (at < result.outputs[0].size()) result.outputs[0][at] ^= std::byte{kFlippedBits};
        }
        break;
      case Fault::kError:
      case Fault::kOutOfMemory:
      case Fault::kBomb: break;  // refused before the launch ran; no fault of a launch
    }
  }
}

// In a graph a launch has copies of its parameters, as the driver makes them. How long they are is
// only known of our own programs.
CUresult SimulatedDevice::Launch(const CUlaunchConfig& config, CUfunction function,
                                 void** parameters) {
  if (capture_ == nullptr) return LaunchNow(config, function, parameters);
  if (function->module->runner == nullptr) return kErrorNotSupported;
  struct Kept {
    CUlaunchConfig config;
    std::vector<CUlaunchAttribute> attributes;
    std::vector<CUtensorMap> values;  // room for any parameter, aligned for every one
    std::vector<void*> parameters;
  };
  auto kept = std::make_shared<Kept>();
  kept->config = config;
  kept->attributes.assign(config.attributes, config.attributes + config.attribute_count);
  kept->config.attributes = kept->attributes.data();
  const std::vector<int64_t> sizes = function->module->runner->ParameterBytes();
  kept->values.resize(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > static_cast<int64_t>(sizeof(CUtensorMap))) return kErrorNotSupported;
    std::memcpy(&kept->values[i], parameters[i], static_cast<size_t>(sizes[i]));
    kept->parameters.push_back(&kept->values[i]);
  }
  capture_->nodes.push_back([this, kept, function] {
    return LaunchNow(kept->config, function, kept->parameters.data());
  });
  return kSuccess;
}

CUresult SimulatedDevice::LaunchNative(const std::string& name, int64_t duration_ns,
                                       std::function<void()> run) {
  if (capture_ != nullptr) {
    capture_->nodes.push_back(
        [this, name, duration_ns, run] { return LaunchNative(name, duration_ns, run); });
    return kSuccess;
  }
  run();
  Finish(kActivityConcurrentKernel, duration_ns, 0, name);
  return dead_;
}

CUresult SimulatedDevice::BeginCapture() {
  if (capture_ != nullptr) return kErrorInvalidValue;
  capture_ = std::make_unique<CUgraph_st>();
  return kSuccess;
}

CUresult SimulatedDevice::EndCapture(CUgraph* graph) {
  if (capture_ == nullptr) return kErrorInvalidValue;
  *graph = capture_.release();
  return kSuccess;
}

CUresult SimulatedDevice::Replay(const CUgraphExec_st& graph) {
  // As libcupti.so.13 (13.0) on an H200.
  if (whole_graphs_ && !graph.traced_whole) std::raise(SIGSEGV);
  const auto first = static_cast<std::ptrdiff_t>(records_.size());
  for (const auto& node : graph.nodes) {
    if (const CUresult result = node(); result != kSuccess) return result;
  }
  if (!whole_graphs_ || static_cast<std::ptrdiff_t>(records_.size()) == first) return kSuccess;
  const ActivityRecord whole{.kind = kActivityGraphTrace,
                             .start_ns = records_[static_cast<size_t>(first)].start_ns,
                             .end_ns = records_.back().end_ns};
  records_.erase(records_.begin() + first, records_.end());
  records_.push_back(whole);
  return kSuccess;
}

CUresult SimulatedDevice::LaunchNow(const CUlaunchConfig& config, CUfunction function,
                                    void** parameters) {
  const std::string& id = function->module->image.program_id;
  const auto& runner = function->module->runner;
  const auto rules = FaultPlan::Get().Reach(between_events_ ? "timed" : "launch", id,
                                            runner == nullptr ? "" : runner->source());
  for (const Rule& rule : Only(rules, Fault::kError)) return rule.code;
  if (!Only(rules, Fault::kOutOfMemory).empty()) return kErrorOutOfMemory;
  LaunchResult result;
  if (const CUresult ran = RunOnMachine(config, *function, parameters, result); ran != kSuccess) {
    return ran;
  }
  Suffer(rules, result);
  Finish(kActivityConcurrentKernel, DurationOf(result), 0, function->name);
  return kSuccess;
}

int64_t SimulatedDevice::DurationOf(const LaunchResult& result) const {
  const int64_t busy = kLaunchNs + result.lane_statements / kLaneStatementsPerNs;
  return static_cast<int64_t>(static_cast<double>(busy) * slow_down_);
}

CUresult SimulatedDevice::Fill(CUdeviceptr to, const void* pattern, size_t pattern_bytes,
                               size_t count) {
  const auto bytes = static_cast<int64_t>(pattern_bytes * count);
  const std::span<std::byte> target = Find(to, bytes);
  if (static_cast<int64_t>(target.size()) != bytes) return kErrorInvalidValue;
  if (capture_ != nullptr) {
    const std::string kept(static_cast<const char*>(pattern), pattern_bytes);
    capture_->nodes.push_back(
        [this, to, kept, count] { return Fill(to, kept.data(), kept.size(), count); });
    return kSuccess;
  }
  if (pattern_bytes == 1 && bytes > 0) {
    std::memset(target.data(), *static_cast<const unsigned char*>(pattern), target.size());
  } else {
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(target.data() + i * pattern_bytes, pattern, pattern_bytes);
    }
  }
  Finish(kActivityMemset, kLaunchNs / 2 + bytes / kBytesPerNs, bytes, "");
  return kSuccess;
}

void SimulatedDevice::SufferCopy(CUdeviceptr to, size_t bytes) {
  const std::span<std::byte> target = Find(to, static_cast<int64_t>(bytes));
  for (const Rule& rule : FaultPlan::Get().Reach("copy", "")) {
    for (int64_t i = 0; rule.fault == Fault::kFlip && i < rule.count; ++i) {
      const auto at = static_cast<size_t>(rule.byte + i);
      if (at < target.size()) target[at] ^= std::byte{kFlippedBits};
    }
  }
}

CUresult SimulatedDevice::Copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  const std::span<std::byte> target = Find(to, static_cast<int64_t>(bytes));
  const std::span<std::byte> source = Find(from, static_cast<int64_t>(bytes));
  if (target.size() != bytes || source.size() != bytes) return kErrorInvalidValue;
  if (capture_ != nullptr) {
    capture_->nodes.push_back([this, to, from, bytes] { return Copy(to, from, bytes); });
    return kSuccess;
  }
  std::memmove(target.data(), source.data(), bytes);
  Finish(kActivityMemcpy, kLaunchNs + 2 * static_cast<int64_t>(bytes) / kBytesPerNs,
         static_cast<int64_t>(bytes), "");
  return kSuccess;
}

void SimulatedDevice::Finish(int kind, int64_t duration_ns, int64_t bytes,
                             const std::string& name) {
  if (hangs_ || dead_ != kSuccess) return;
  const int64_t start = clock_ns_ + kGapNs;
  clock_ns_ = start + duration_ns;
  if (keep_records_) records_.push_back({kind, start, clock_ns_, bytes, name});
}

void SimulatedDevice::Record(CUevent event) {
  event->at_ns = clock_ns_;
  between_events_ = !between_events_;
}

CUresult SimulatedDevice::Elapsed(float* milliseconds, CUevent start, CUevent end) const {
  if (start->at_ns < 0 || end->at_ns < 0) return kErrorInvalidValue;
  const double ns = static_cast<double>(end->at_ns - start->at_ns) * event_factor_;
  *milliseconds = static_cast<float>(ns / 1e6);
  return kSuccess;
}

CUresult SimulatedDevice::Query() const {
  if (dead_ != kSuccess) return dead_;
  return hangs_ ? kErrorNotReady : kSuccess;
}

CUresult SimulatedDevice::Stage(CUdeviceptr to, const void* from, size_t bytes) {
  if (Find(to, static_cast<int64_t>(bytes)).size() != bytes) return kErrorInvalidValue;
  const auto* first = static_cast<const std::byte*>(from);
  staged_[to].assign(first, first + bytes);
  return dead_;
}

void SimulatedDevice::Settle() {
  for (const auto& [address, bytes] : staged_) {
    const auto target = Find(address, static_cast<int64_t>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), target.begin());
  }
  staged_.clear();
}

CUresult SimulatedDevice::Synchronize() {
  const CUresult result = SynchronizeStream();
  Settle();
  return result;
}

CUresult SimulatedDevice::Reach() {
  if (!hangs_) Settle();
  return dead_;
}

CUresult SimulatedDevice::SynchronizeStream() const {
  while (hangs_) pause();
  return dead_;
}

std::vector<ActivityRecord> SimulatedDevice::TakeRecords() { return std::exchange(records_, {}); }

}  // namespace fakecuda
