// The device behind the fake driver: memory, modules, one clock, and what it was made to suffer.
// Work is done when it is queued; its times are made up, the same for the same program and launch
// values, so that a run with faults and one without can be compared.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runner/cuda/driver_api.h"
#include "tests/fakecuda/activity.h"
#include "tests/fakecuda/fault_plan.h"
#include "tests/fakecuda/module_image.h"
#include "tests/fakecuda/native_kernels.h"
#include "tests/fakecuda/program_runner.h"

// What the driver's handles point at.
namespace runner::cuda {
struct CUmod_st {
  fakecuda::ModuleImage image;
  std::unique_ptr<fakecuda::ProgramRunner> runner;  // null: a module of nobody we know
  std::unique_ptr<fakecuda::NativeKernels> native;  // of hand-written code, where there is some
};
struct CUfunc_st {
  CUmod_st* module = nullptr;
  std::string name;
};
struct CUgraph_st {
  std::vector<std::function<CUresult()>> nodes;  // in the order of the stream
};
struct CUgraphExec_st {
  std::vector<std::function<CUresult()>> nodes;
  bool traced_whole = false;  // whether CUPTI traced graphs as one when it was made
};
struct CUevent_st {
  int64_t at_ns = -1;  // -1: not recorded yet
};
}  // namespace runner::cuda

namespace fakecuda {

using runner::cuda::CUdeviceptr;
using runner::cuda::CUevent;
using runner::cuda::CUevent_st;
using runner::cuda::CUfunc_st;
using runner::cuda::CUfunction;
using runner::cuda::CUgraph;
using runner::cuda::CUgraph_st;
using runner::cuda::CUgraphExec_st;
using runner::cuda::CUlaunchConfig;
using runner::cuda::CUmod_st;
using runner::cuda::CUmodule;
using runner::cuda::CUresult;

class SimulatedDevice {
 public:
  static SimulatedDevice& Get();

  // kSuccess, or the error that every call answers from now on.
  CUresult health() const { return dead_; }
  CUresult CreateContext();

  CUresult Allocate(CUdeviceptr* address, size_t bytes);
  // What the plan does to a copy that was made.
  void SufferCopy(CUdeviceptr to, size_t bytes);
  CUresult Free(CUdeviceptr address);
  // The bytes at an address; empty if no allocation holds all of them.
  std::span<std::byte> Find(CUdeviceptr address, int64_t bytes);
  int64_t free_bytes() const;

  CUresult Load(CUmodule* module, const void* data);
  CUresult Unload(CUmodule module);
  CUresult FindFunction(CUfunction* function, CUmodule module, const char* name);
  CUresult Launch(const CUlaunchConfig& config, CUfunction function, void** parameters);
  CUresult Fill(CUdeviceptr to, const void* pattern, size_t pattern_bytes, size_t count);
  CUresult Copy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
  // A kernel of a library, which computes on the host.
  CUresult LaunchNative(const std::string& name, int64_t duration_ns, std::function<void()> run);
  // From here on work is kept in a graph instead of being done.
  CUresult BeginCapture();
  CUresult EndCapture(CUgraph* graph);
  CUresult Replay(const CUgraphExec_st& graph);
  // A copy from pageable host memory: the bytes are staged, and get into place only when somebody
  // waits for the default stream (CUDA driver API, "API synchronization behavior").
  CUresult Stage(CUdeviceptr to, const void* from, size_t bytes);
  void Settle();

  void Record(CUevent event);
  CUresult Elapsed(float* milliseconds, CUevent start, CUevent end) const;
  // kErrorNotReady for ever once a launch hangs.
  CUresult Query() const;
  // Both block for ever once a launch hangs, as the driver does, and with them what frees memory or
  // modules; the first waits for the default stream too.
  CUresult Synchronize();
  CUresult Reach();  // what the default stream finds, which waits for no other stream
  CUresult SynchronizeStream() const;

  // Hands over the finished operations since the last call.
  std::vector<ActivityRecord> TakeRecords();
  void KeepRecords(bool keep) { keep_records_ = keep; }
  // One record a launched graph instead of one a node.
  void RecordGraphsWhole(bool whole) { whole_graphs_ = whole; }
  bool records_graphs_whole() const { return whole_graphs_; }

 private:
  CUresult LaunchNow(const CUlaunchConfig& config, CUfunction function, void** parameters);
  void Suffer(const std::vector<Rule>& rules, LaunchResult& result);
  CUresult RunOnMachine(const CUlaunchConfig& config, const CUfunc_st& function, void** parameters,
                        LaunchResult& result);
  void Finish(int kind, int64_t duration_ns, int64_t bytes, const std::string& name);
  int64_t DurationOf(const LaunchResult& result) const;

  std::map<CUdeviceptr, std::unique_ptr<std::byte[]>> storage_;
  std::map<CUdeviceptr, int64_t> sizes_;  // what was asked for
  std::vector<std::unique_ptr<CUmod_st>> modules_;
  std::vector<std::unique_ptr<CUfunc_st>> functions_;
  std::vector<ActivityRecord> records_;
  std::map<CUdeviceptr, std::vector<std::byte>> staged_;
  int64_t clock_ns_ = 1'000'000;
  int64_t used_bytes_ = 0;
  double slow_down_ = 1, event_factor_ = 1;
  bool between_events_ = false, hangs_ = false, keep_records_ = false, whole_graphs_ = false;
  std::unique_ptr<CUgraph_st> capture_;
  CUresult dead_ = runner::cuda::kSuccess;
};

}  // namespace fakecuda
