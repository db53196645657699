// Timing on the device, protocol `cold-abba-v1`. One sample is one run of the whole LaunchPlan,
// zero fills included. Every sample starts from the same contents: what runs change in place, and
// the poison of what they write, is copied back first. Before each cold sample a memset of twice
// the L2 evicts it; copies, memset and sample are queued together, so that the device never waits
// for the host in between. Contestants are interleaved A B C C B A each block (candidate, baseline,
// a plain copy of as many bytes), each on two rotating images with different contents and
// addresses. Where candidate and baseline lay their memory out alike they share the images: two
// allocations differ by up to 3% of a 3 us kernel (H200), which no number of samples averages out.
// Lines that a kernel asked the L2 to keep are let go at the start of each block. Blocks end when
// the paired ratio is precise enough (timing/paired.h). The clock of record is CUPTI's activity
// records, from the first start to the last end inside the sample; where CUPTI is missing it is
// CUDA events, and the protocol's name says so (`-events`).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/facts/launch.h"
#include "runner/cuda/cupti.h"
#include "runner/cuda/launcher.h"
#include "runner/timing/paired.h"

namespace runner::cuda {

struct Samples {
  std::vector<double> cold_ns, warm_ns, events_ns;
};

// A part of an image that runs change, and where its first contents are kept.
struct Restore {
  CUdeviceptr to = 0, from = 0;
  int64_t bytes = 0;
};

struct Image {
  CUdeviceptr address = 0;
  std::vector<Restore> restores;
};

// One program at one case: its module, its plan, and the images it rotates over.
struct Contestant {
  const Module* module = nullptr;  // null: a copy
  const compiler::facts::LaunchPlan* plan = nullptr;
  const launch::Layout* layout = nullptr;
  std::vector<Image> images;
  int64_t copy_bytes = 0;  // a copy's size
  Samples samples;
  std::vector<std::string> kernels;  // that ran in its first cold sample
};

struct LoopOptions {
  timing::StopRule stop;
  int warm_up = 3, warm_samples = 16;
  int64_t launch_ms = 10'000, flush_bytes = 0;
  uint64_t seed = 1;
  // Called before the first block and as often as the stop rule looks; not while a sample runs.
  std::function<void()> at_look = [] {};
};

class TimingLoop {
 public:
  TimingLoop(const Driver& driver, CUstream stream, Cupti* cupti, const LoopOptions& options);
  ~TimingLoop();

  // Fills the samples of every contestant. The failure names the call.
  Failure Run(std::vector<Contestant>& contestants);
  // Why the blocks ended; kGoOn before Run.
  timing::Stop stopped() const { return stopped_; }

 private:
  Failure Warm(std::vector<Contestant>& contestants);
  Failure Cold(std::vector<Contestant>& contestants);
  Failure Block(std::vector<Contestant>& contestants);
  Failure Sample(Contestant& contestant, const Image& image, bool flush, double& events_ns,
                 double& clock_ns);
  // What precedes a sample and is no part of it; `queued` counts the operations.
  Failure Prepare(const Image& image, bool flush, size_t& queued);
  Failure Queue(const Contestant& contestant, CUdeviceptr image);
  Failure Record(Contestant& contestant, size_t prepared, double& clock_ns);

  const Driver& driver_;
  CUstream stream_;
  Cupti* cupti_;
  LoopOptions options_;
  DeviceMemory flush_;
  CUevent start_ = nullptr, end_ = nullptr;
  unsigned flush_value_ = 0;
  timing::Stop stopped_ = timing::Stop::kGoOn;
};

}  // namespace runner::cuda
