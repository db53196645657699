// Timing on the device, protocol `cold-abba-v1`. One sample is one run of the whole LaunchPlan,
// zero fills included. Every sample starts from the same contents: what runs change in place, and
// the poison of what they write, is copied back first. Before each cold sample a memset of twice
// the L2 evicts it; copies, memsets and samples of a block are queued together, so that the device
// never waits for the host in between. Contestants are interleaved A B C C B A each block
// (candidate first, a plain copy of as many bytes last), each on two rotating images with different
// contents and addresses. Contestants that lay their memory out alike share the images: two
// allocations differ by up to 3% of a 3 us kernel (H200), which no number of samples averages out.
// Lines that a kernel asked the L2 to keep are let go at the start of each block. Blocks end when
// the paired ratios are precise enough (timing/paired.h). The clock of record is CUPTI's activity
// records, from the first start to the last end inside the sample; where CUPTI is missing, or a
// contestant is timed by another process, it is CUDA events, and the protocol's name says so
// (`-events`).
//
// Protocol `rot-graph-v1` is for kernels that take less than the gaps around them: a sample is one
// CUDA graph of many runs, each on an image of its own, and a run's time its share. Everything else
// is as above; the flush comes before the graph, and no run finds its image in the L2. The clock is
// CUPTI's record of the whole graph; where it only has records of nodes, which it sets apart from
// each other, the name ends in `-nodes`. Warm samples are the same graph without the flush.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "runner/child/spans.h"
#include "runner/cuda/contestant.h"
#include "runner/cuda/cupti.h"
#include "runner/timing/paired.h"

namespace runner::cuda {

struct LoopOptions {
  timing::StopRule stop;
  int warm_up = 3, warm_samples = 16;
  int64_t launch_ms = 10'000, flush_bytes = 0;
  uint64_t seed = 1;
  child::Spans& spans;  // where the time between samples goes
  // Called before the first block and as often as the stop rule looks; not while a sample runs.
  std::function<void()> at_look = [] {};
};

class TimingLoop {
 public:
  // `cupti` null: CUDA events are the clock.
  TimingLoop(const Driver& driver, CUstream stream, Cupti* cupti, const LoopOptions& options);
  ~TimingLoop();

  // Fills the samples of every contestant. The failure names the call.
  Failure Run(std::vector<Contestant>& contestants);
  // A few cold samples of one contestant alone, good enough to choose by.
  Failure Measure(Contestant& contestant, int samples, std::vector<double>& cold_ns);
  // Why the blocks ended; kGoOn before Run.
  timing::Stop stopped() const { return stopped_; }
  // Whether every sample of a graph was one record.
  bool graphs_whole() const { return graphs_whole_; }

 private:
  // Samples that are queued and not waited for.
  struct Pending {
    Contestant* who = nullptr;
    size_t prepared = 0;  // operations that precede it and are no part of it
    std::vector<double>*clock_ns = nullptr, *events_ns = nullptr;
  };
  struct Events {
    CUevent start = nullptr, end = nullptr;
  };

  Failure Begin();
  Failure LearnKernels(Contestant& contestant);
  Failure Warm(std::vector<Contestant>& contestants);
  Failure Cold(std::vector<Contestant>& contestants);
  Failure Block(std::vector<Contestant>& contestants);
  // Queues one sample, or takes it where another process runs it.
  Failure Sample(Contestant& contestant, size_t image, bool flush, std::vector<double>& clock_ns,
                 std::vector<double>* events_ns);
  // What precedes a sample and is no part of it; `queued` counts the operations.
  Failure Prepare(const Image& image, bool flush, size_t& queued);
  // Waits for what is queued and fills in its times.
  Failure Collect();
  Failure ReadRecords();
  Failure ReadRecord(Pending& sample, std::span<const Activity> records);
  Failure EventsOf(size_t slot, Events& events);
  timing::Stop Decide(const std::vector<Contestant>& contestants) const;

  const Driver& driver_;
  CUstream stream_;
  Cupti* cupti_;
  LoopOptions options_;
  DeviceMemory flush_;
  std::vector<Events> events_;
  std::vector<Pending> pending_;
  unsigned flush_value_ = 0;
  bool graphs_whole_ = true;
  timing::Stop stopped_ = timing::Stop::kGoOn;
};

}  // namespace runner::cuda
