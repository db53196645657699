#include "runner/cuda/timing_loop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/child/crash_note.h"

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
      flush_(driver, options.flush_bytes) {}

TimingLoop::~TimingLoop() {
  for (const Events& events : events_) {
    if (events.start != nullptr) driver_.api().event_destroy(events.start);
    if (events.end != nullptr) driver_.api().event_destroy(events.end);
  }
}

Failure TimingLoop::EventsOf(size_t slot, Events& events) {
  while (events_.size() <= slot) {
    Events& made = events_.emplace_back();
    CUresult result = driver_.api().event_create(&made.start, kEventDefault);
    if (result == kSuccess) result = driver_.api().event_create(&made.end, kEventDefault);
    if (result != kSuccess) return {result, "create events"};
  }
  events = events_[slot];
  return {};
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

Failure TimingLoop::Sample(Contestant& contestant, size_t image, bool flush,
                           std::vector<double>& clock_ns, std::vector<double>* events_ns) {
  if (contestant.foreign) {
    // It runs while nothing of ours does.
    if (auto failure = Collect(); !failure.ok()) return failure;
    double ns = 0;
    if (auto failure = contestant.foreign(image, flush, ns); !failure.ok()) return failure;
    clock_ns.push_back(ns);
    if (events_ns != nullptr) events_ns->push_back(ns);
    return {};
  }
  const DriverApi& api = driver_.api();
  Pending sample{.who = &contestant, .clock_ns = &clock_ns, .events_ns = events_ns};
  Events events;
  if (auto failure = EventsOf(pending_.size(), events); !failure.ok()) return failure;
  const Image& on = contestant.images[image];
  if (auto failure = Prepare(on, flush, sample.prepared); !failure.ok()) return failure;
  if (const CUresult result = api.event_record(events.start, stream_); result != kSuccess)
    return {result, "record event"};
  if (auto failure = contestant.queue(on.address, stream_); !failure.ok()) return failure;
  if (const CUresult result = api.event_record(events.end, stream_); result != kSuccess)
    return {result, "record event"};
  pending_.push_back(sample);
  // How many records a run leaves is learnt from its first, which is alone.
  const bool learns = cupti_ != nullptr && contestant.operations == 0;
  return learns ? Collect() : Failure{};
}

Failure TimingLoop::Collect() {
  if (pending_.empty()) return {};
  const child::Span span(options_.spans, "child.records");
  const auto limit_ms = options_.launch_ms * static_cast<int64_t>(pending_.size());
  if (auto failure = Wait(driver_, stream_, limit_ms); !failure.ok()) return failure;
  for (size_t i = 0; i < pending_.size(); ++i) {
    float milliseconds = 0;
    const CUresult result =
        driver_.api().event_elapsed_time(&milliseconds, events_[i].start, events_[i].end);
    if (result != kSuccess) return {result, "event time"};
    const double ns = milliseconds * kNsPerMs / pending_[i].who->launches;
    if (pending_[i].events_ns != nullptr) pending_[i].events_ns->push_back(ns);
    if (cupti_ == nullptr) pending_[i].clock_ns->push_back(ns);
  }
  const Failure failure = cupti_ == nullptr ? Failure{} : ReadRecords();
  pending_.clear();
  return failure;
}

// The activity records of what was queued, in the stream's order.
Failure TimingLoop::ReadRecords() {
  auto records = cupti_->Drain();
  if (!records.ok()) return {kErrorUnknown, std::string(records.status().message())};
  size_t expected = 0;
  for (Pending& sample : pending_) {
    if (sample.who->operations == 0)
      sample.who->operations = records->size() - std::min(records->size(), sample.prepared);
    // A plan whose kernels are all skipped does nothing: that takes no time on the device.
    if (sample.who->operations == 0) return {kErrorNotFound, "no activity record of a sample"};
    expected += sample.prepared + sample.who->operations;
  }
  if (records->size() != expected) {
    return {kErrorNotFound, absl::StrCat(records->size(), " activity records of ", expected,
                                         " operations that were queued")};
  }
  std::span<const Activity> left(*records);
  for (Pending& sample : pending_) {
    const auto mine = left.subspan(sample.prepared, sample.who->operations);
    if (auto failure = ReadRecord(sample, mine); !failure.ok()) return failure;
    left = left.subspan(sample.prepared + sample.who->operations);
  }
  return {};
}

Failure TimingLoop::ReadRecord(Pending& sample, std::span<const Activity> records) {
  int64_t end = 0;
  std::vector<std::string> kernels;
  for (const Activity& a : records) {
    end = std::max(end, a.end_ns);
    if (!a.name.empty()) kernels.push_back(a.name);
  }
  sample.clock_ns->push_back(static_cast<double>(end - records.front().start_ns) /
                             sample.who->launches);
  Contestant& who = *sample.who;
  if (who.launches > 1 && kernels.empty()) return {};  // a graph's record names none
  // Every run executes what the first did.
  if (who.kernels.empty())
    who.kernels.assign(kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(
                                                              kernels.size() / who.launches));
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.size() != who.kernels.size() * who.launches ||
        kernels[i] != who.kernels[i % who.kernels.size()])
      return {kErrorNotFound,
              absl::StrCat("a run of ", who.name, " executed other kernels than the one before")};
  }
  return {};
}

// Which kernels a graph runs is told by records of its nodes; its times by one of the whole.
Failure TimingLoop::LearnKernels(Contestant& contestant) {
  if (contestant.launches == 1 || cupti_ == nullptr || contestant.foreign) return {};
  std::vector<double> unused;
  child::Doing(absl::StrCat("tracing the nodes of the graph of the ", contestant.name));
  if (auto status = cupti_->TraceGraphs(false); !status.ok())
    return {kErrorNotSupported, std::string(status.message())};
  if (auto failure = Sample(contestant, 0, true, unused, nullptr); !failure.ok()) return failure;
  contestant.operations = 0;
  child::Doing(absl::StrCat("tracing the graph of the ", contestant.name, " as one"));
  graphs_whole_ = cupti_->TraceGraphs(true).ok() && graphs_whole_;
  // CUPTI 13.0 reads a null pointer when a graph is launched that was instantiated before graphs
  // were traced as one.
  if (auto failure = contestant.renew(stream_); !failure.ok()) return failure;
  if (auto failure = Sample(contestant, 0, true, unused, nullptr); !failure.ok()) return failure;
  graphs_whole_ = contestant.operations == 1 && graphs_whole_;
  return {};
}

Failure TimingLoop::Warm(std::vector<Contestant>& contestants) {
  std::vector<double> unused;
  for (Contestant& contestant : contestants) {
    const auto image = [&](int i) { return static_cast<size_t>(i) % contestant.images.size(); };
    if (auto failure = LearnKernels(contestant); !failure.ok()) return failure;
    child::Doing(absl::StrCat("warming the ", contestant.name));
    for (int i = 0; i < options_.warm_up; ++i) {
      if (auto failure = Sample(contestant, image(i), true, unused, nullptr); !failure.ok())
        return failure;
    }
    for (int i = 0; i < options_.warm_samples; ++i) {
      if (auto failure = Sample(contestant, image(i), false, contestant.samples.warm_ns, nullptr);
          !failure.ok())
        return failure;
    }
    if (auto failure = Collect(); !failure.ok()) return failure;
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
    const size_t image = (i + 1) % contestant.images.size();
    if (auto failure = Sample(contestant, image, true, contestant.samples.cold_ns,
                              &contestant.samples.events_ns);
        !failure.ok())
      return failure;
  }
  // Lines are let go while nothing runs. The records can wait: reading them takes longer than a
  // block of short kernels.
  const child::Span span(options_.spans, "child.wait");
  return Wait(driver_, stream_, options_.launch_ms * static_cast<int64_t>(pending_.size() + 1));
}

// Every deciding contestant's ratio has to be precise.
timing::Stop TimingLoop::Decide(const std::vector<Contestant>& contestants) const {
  timing::Stop all = timing::Stop::kPrecise;
  for (const Contestant& contestant : contestants) {
    if (!contestant.decides) continue;
    const timing::Stop one = timing::Decide(options_.stop, contestant.samples.cold_ns,
                                            contestants[0].samples.cold_ns, options_.seed);
    if (one != timing::Stop::kPrecise) all = one;
    if (one == timing::Stop::kGoOn) break;
  }
  return all;
}

Failure TimingLoop::Cold(std::vector<Contestant>& contestants) {
  child::Doing("timing in blocks");
  const int every = options_.stop.look_every_blocks;
  for (int blocks = 1; stopped_ == timing::Stop::kGoOn; ++blocks) {
    if ((blocks - 1) % every == 0) options_.at_look();
    if (auto failure = Block(contestants); !failure.ok()) return failure;
    const bool looks = timing::LooksAfter(options_.stop, blocks);
    if (looks || blocks % every == 0) {
      if (auto failure = Collect(); !failure.ok()) return failure;
    }
    if (!looks) continue;
    const child::Span span(options_.spans, "child.decide");
    stopped_ = Decide(contestants);
  }
  options_.at_look();
  return {};
}

// What ran before is nobody's sample.
Failure TimingLoop::Begin() {
  if (!flush_.failure().ok()) return flush_.failure();
  if (cupti_ == nullptr) return {};
  auto drained = cupti_->Drain();
  return drained.ok() ? Failure{} : Failure{kErrorUnknown, std::string(drained.status().message())};
}

Failure TimingLoop::Run(std::vector<Contestant>& contestants) {
  if (auto failure = Begin(); !failure.ok()) return failure;
  Failure failure = Warm(contestants);
  if (failure.ok()) failure = Cold(contestants);
  if (cupti_ != nullptr) cupti_->TraceGraphs(false).IgnoreError();
  return failure;
}

Failure TimingLoop::Measure(Contestant& contestant, int samples, std::vector<double>& cold_ns) {
  if (auto failure = Begin(); !failure.ok()) return failure;
  contestant.operations = 0;
  contestant.kernels.clear();
  std::vector<double> unused;
  for (int i = 0; i <= samples; ++i) {
    const size_t image = static_cast<size_t>(i) % contestant.images.size();
    if (auto failure = Sample(contestant, image, true, i == 0 ? unused : cold_ns, nullptr);
        !failure.ok())
      return failure;
  }
  return Collect();
}

}  // namespace runner::cuda
