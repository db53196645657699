#include "runner/cuda/timing_loop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace runner::cuda {
namespace {

constexpr double kNsPerMs = 1e6;

}  // namespace

TimingLoop::TimingLoop(const Driver& driver, CUstream stream, Cupti* cupti,
                       const LoopOptions& options)
    : driver_(driver),
      stream_(stream),
      cupti_(cupti),
      options_(options),
      flush_(driver, options.flush_bytes) {
  driver_.api().event_create(&start_, kEventDefault);
  driver_.api().event_create(&end_, kEventDefault);
}

TimingLoop::~TimingLoop() {
  if (start_ != nullptr) driver_.api().event_destroy(start_);
  if (end_ != nullptr) driver_.api().event_destroy(end_);
}

Failure TimingLoop::Queue(const Contestant& contestant, CUdeviceptr image) {
  if (contestant.module != nullptr)
    return contestant.module->Launch(*contestant.plan, *contestant.layout, image, stream_);
  // A copy reads the first half of an image's memory and writes the second.
  const auto bytes = static_cast<size_t>(contestant.copy_bytes);
  return {driver_.api().memcpy_dtod_async(image + bytes, image, bytes, stream_), "copy"};
}

Failure TimingLoop::Prepare(const Image& image, bool flush, size_t& queued) {
  const DriverApi& api = driver_.api();
  queued = image.restores.size() + (flush ? 1 : 0);
  for (const Restore& restore : image.restores) {
    const CUresult result = api.memcpy_dtod_async(restore.to, restore.from,
                                                  static_cast<size_t>(restore.bytes), stream_);
    if (result != kSuccess) return {result, "restore an image"};
  }
  // The flush comes last: the copies leave their bytes in the L2.
  if (!flush) return {};
  return {api.memset_d32_async(flush_.address(), ++flush_value_,
                               static_cast<size_t>(options_.flush_bytes) / 4, stream_),
          "flush the L2"};
}

// The activity records of one sample, in the stream's order: everything but what precedes it.
Failure TimingLoop::Record(Contestant& contestant, size_t prepared, double& clock_ns) {
  auto records = cupti_->Drain();
  if (!records.ok()) return {kErrorUnknown, std::string(records.status().message())};
  records->erase(records->begin(), records->begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(prepared, records->size())));
  if (records->empty()) {
    // A plan whose kernels are all skipped does nothing: that takes no time on the device.
    return {kErrorNotFound, "no activity record of a sample"};
  }
  int64_t end = 0;
  for (const Activity& a : *records) end = std::max(end, a.end_ns);
  clock_ns = static_cast<double>(end - records->front().start_ns);
  if (contestant.kernels.empty()) {
    for (const Activity& a : *records)
      if (!a.name.empty()) contestant.kernels.push_back(a.name);
  }
  return {};
}

Failure TimingLoop::Sample(Contestant& contestant, const Image& image, bool flush,
                           double& events_ns, double& clock_ns) {
  const DriverApi& api = driver_.api();
  size_t prepared = 0;
  if (auto failure = Prepare(image, flush, prepared); !failure.ok()) return failure;
  if (const CUresult result = api.event_record(start_, stream_); result != kSuccess)
    return {result, "record event"};
  if (auto failure = Queue(contestant, image.address); !failure.ok()) return failure;
  if (const CUresult result = api.event_record(end_, stream_); result != kSuccess)
    return {result, "record event"};
  if (auto failure = Wait(driver_, stream_, options_.launch_ms); !failure.ok()) return failure;
  float milliseconds = 0;
  if (const CUresult result = api.event_elapsed_time(&milliseconds, start_, end_);
      result != kSuccess)
    return {result, "event time"};
  events_ns = milliseconds * kNsPerMs;
  clock_ns = events_ns;
  return cupti_ == nullptr ? Failure{} : Record(contestant, prepared, clock_ns);
}

Failure TimingLoop::Warm(std::vector<Contestant>& contestants) {
  double events_ns = 0, clock_ns = 0;
  for (Contestant& contestant : contestants) {
    const auto image = [&](int i) -> const Image& {
      return contestant.images[static_cast<size_t>(i) % contestant.images.size()];
    };
    for (int i = 0; i < options_.warm_up; ++i) {
      if (auto failure = Sample(contestant, image(i), true, events_ns, clock_ns); !failure.ok())
        return failure;
    }
    contestant.kernels.clear();
    for (int i = 0; i < options_.warm_samples; ++i) {
      if (auto failure = Sample(contestant, image(i), false, events_ns, clock_ns); !failure.ok())
        return failure;
      contestant.samples.warm_ns.push_back(clock_ns);
    }
  }
  return {};
}

Failure TimingLoop::Block(std::vector<Contestant>& contestants) {
  if (const CUresult result = driver_.api().ctx_reset_persisting_l2(); result != kSuccess)
    return {result, "let go of persisting L2 lines"};
  for (size_t i = 0; i < 2 * contestants.size(); ++i) {
    Contestant& contestant =
        contestants[i < contestants.size() ? i : 2 * contestants.size() - 1 - i];
    // The other image each time, so that a contestant sees both; the last one is the candidate's
    // on the first image, whose outputs are judged.
    const Image& image = contestant.images[(i + 1) % contestant.images.size()];
    double events_ns = 0, clock_ns = 0;
    if (auto failure = Sample(contestant, image, true, events_ns, clock_ns); !failure.ok())
      return failure;
    contestant.samples.cold_ns.push_back(clock_ns);
    contestant.samples.events_ns.push_back(events_ns);
  }
  return {};
}

// The candidate's ratio to the baseline decides, or to the copy where there is no baseline.
Failure TimingLoop::Cold(std::vector<Contestant>& contestants) {
  const std::vector<double>& candidate = contestants[0].samples.cold_ns;
  const std::vector<double>& baseline = contestants[1].samples.cold_ns;
  for (int block = 0; stopped_ == timing::Stop::kGoOn; ++block) {
    if (block % options_.stop.look_every_blocks == 0) options_.at_look();
    if (auto failure = Block(contestants); !failure.ok()) return failure;
    stopped_ = timing::Decide(options_.stop, baseline, candidate, options_.seed);
  }
  options_.at_look();
  return {};
}

Failure TimingLoop::Run(std::vector<Contestant>& contestants) {
  if (!flush_.failure().ok()) return flush_.failure();
  if (start_ == nullptr || end_ == nullptr) return {kErrorOutOfMemory, "create events"};
  // What ran before is nobody's sample.
  if (cupti_ != nullptr) {
    if (auto drained = cupti_->Drain(); !drained.ok())
      return {kErrorUnknown, std::string(drained.status().message())};
  }
  if (auto failure = Warm(contestants); !failure.ok()) return failure;
  return Cold(contestants);
}

}  // namespace runner::cuda
