#include "runner/cuda/case_timer.h"

#include <algorithm>
#include <limits>

#include "runner/child/crash_note.h"
#include "runner/child/json_field.h"
#include "runner/launch/frames.h"
#include "runner/timing/statistics.h"

namespace runner::cuda {
namespace {

using nlohmann::json;

constexpr int kBlocksMost = 1000, kRepeatsMost = 1000;
constexpr int kProposalSamples = 5;  // of each algorithm, to choose by
constexpr int64_t kFlushBytesMin = 1 << 20;
constexpr int kGraphRuns = 32;  // in one graph, or as many as have images in kGraphBytesMax
constexpr int64_t kGraphBytesMax = int64_t{2} << 30;

json SamplesJson(const Contestant& contestant) {
  return {{"cold_ns", contestant.samples.cold_ns},
          {"warm_ns", contestant.samples.warm_ns},
          {"events_ns", contestant.samples.events_ns}};
}

}  // namespace

Failure AskForeign(child::Channel& channel, size_t image, bool cold, double& ns) {
  const json request = {{"image", image}, {"cold", cold}};
  const absl::Status sent = channel.Send(launch::kForeignFrame, request.dump());
  auto frame = sent.ok() ? channel.Receive(-1) : absl::StatusOr<std::optional<child::Frame>>(sent);
  const std::string text = frame.ok() && frame->has_value() ? (*frame)->payload : "";
  const json reply = json::parse(text, nullptr, false);
  ns = reply.is_object() ? reply.value("ns", 0.0) : 0;
  if (ns > 0) return {};
  return {kErrorNotSupported, child::TextField(reply, "error", "the foreign baseline is gone")};
}

CaseTimer::CaseTimer(const TimingMeans& means, ImageCache& images, ChosenProposals& chosen,
                     const json& request)
    : means_(means), chosen_(chosen), request_(request), session_(means.driver, images) {}

std::vector<std::string> CaseTimer::programs() const {
  return child::TextsField(request_, "programs");
}

json CaseTimer::VitalsJson() const {
  const auto v = means_.nvml->Read();
  if (!v) return nullptr;
  return {{"sm_mhz", v->sm_mhz},
          {"memory_mhz", v->memory_mhz},
          {"power_mw", v->power_mw},
          {"temperature_c", v->temperature_c},
          {"throttle_reasons", v->throttle_reasons}};
}

LoopOptions CaseTimer::Options(json* vitals, uint64_t seed) const {
  LoopOptions options{.launch_ms = means_.launch_ms,
                      .flush_bytes = std::max(kFlushBytesMin, 2 * means_.facts->l2_bytes),
                      .seed = seed,
                      .spans = means_.spans};
  if (vitals != nullptr) {
    options.at_look = [this, vitals] {
      const child::Span span(means_.spans, "child.vitals");
      vitals->push_back(VitalsJson());
    };
  }
  options.stop.blocks_max =
      std::clamp(request_.value("rounds", options.stop.blocks_max), 1, kBlocksMost);
  return options;
}

// Under the conditions of the timing itself: cold, by the clock of record.
Failure CaseTimer::ChooseProposal(const ProductShape& shape) {
  if (const auto known = chosen_.find(shape); known != chosen_.end()) {
    product_->Choose(known->second);
    return {};
  }
  child::Doing("choosing an algorithm of cuBLASLt");
  TimingLoop loop(means_.driver, means_.stream, means_.cupti, Options(nullptr, 0));
  double best = std::numeric_limits<double>::infinity();
  size_t fastest = 0;
  Failure last;
  for (size_t i = 0; i < product_->proposals(); ++i) {
    product_->Choose(i);
    std::vector<double> ns;
    last = loop.Measure(session_.contestants().back(), kProposalSamples, ns);
    // A proposal that the library then refuses is none.
    if (last.result == kErrorNotSupported) continue;
    if (!last.ok()) return last;
    const double median = timing::Summarise(ns).median;
    if (median < best) best = median, fastest = i;
  }
  if (best == std::numeric_limits<double>::infinity()) return last;
  product_->Choose(fastest);
  chosen_[shape] = fastest;
  return {};
}

// What the library left is judged like a candidate's outputs.
Failure CaseTimer::KeepBaselineMemory() {
  child::Doing("running cuBLASLt for its outputs");
  const DriverApi& api = means_.driver.api();
  Contestant& library = session_.contestants().back();
  const Image& image = library.images.front();
  for (const Restore& restore : image.restores) {
    const CUresult result = api.memcpy_dtod_async(
        restore.to, restore.from, static_cast<size_t>(restore.bytes), means_.stream);
    if (result != kSuccess) return {result, "restore an image"};
  }
  if (auto failure = library.queue(image.address, means_.stream); !failure.ok()) return failure;
  if (auto failure = Wait(means_.driver, means_.stream, means_.launch_ms); !failure.ok())
    return failure;
  baseline_memory_.resize(static_cast<size_t>(session_.layout().bytes));
  return {api.memcpy_dtoh(baseline_memory_.data(), image.address, baseline_memory_.size()),
          "copy from the device"};
}

absl::StatusOr<Failure> CaseTimer::AddLibrary(const contract::Workload& workload,
                                              const contract::Case& at) {
  if (means_.library == nullptr) return absl::UnavailableError(means_.library_missing);
  const auto shape = ProductOf(workload, at);
  if (!shape.ok()) return shape.status();
  child::Doing("asking cuBLASLt for algorithms");
  product_.emplace(means_.driver, *means_.library, *shape);
  if (auto failure = product_->Prepare(); !failure.ok()) return failure;
  auto added = session_.AddProduct("baseline", *product_);
  if (!added.ok() || !added->ok()) return added;
  if (auto failure = ChooseProposal(*shape); !failure.ok()) return failure;
  if (request_.value("check_baseline", false)) {
    if (auto failure = KeepBaselineMemory(); !failure.ok()) return failure;
  }
  const Product::Algorithm algorithm = product_->chosen();
  library_ = {{"name", child::TextField(request_, "library")},
              {"version", means_.library->version()},
              {"path", means_.library_path},
              {"proposals", algorithm.proposals},
              {"workspace_limit_bytes", Product::kWorkspaceBytes},
              {"algorithm",
               {{"proposal", algorithm.proposal},
                {"id", algorithm.id},
                {"tile", algorithm.tile},
                {"split_k", algorithm.split_k},
                {"stages", algorithm.stages},
                {"workspace_bytes", algorithm.workspace_bytes},
                {"sha256", algorithm.hash}}}};
  return Failure{};
}

absl::StatusOr<Failure> CaseTimer::Run(const contract::Workload& workload, const contract::Case& at,
                                       uint64_t seed) {
  if (const std::string library = child::TextField(request_, "library"); !library.empty()) {
    if (library != contract::kCublasLtBaseline)
      return absl::InvalidArgumentError("no library of this name is a baseline: " + library);
    auto added = AddLibrary(workload, at);
    if (!added.ok() || !added->ok()) return added;
  }
  if (request_.value("foreign", false)) session_.AddForeign("baseline", means_.foreign);
  if (auto failure = session_.AddCopy(); !failure.ok()) return failure;
  if (graphs()) {
    if (session_.has_foreign()) {
      return absl::InvalidArgumentError(
          "a baseline of another process is timed by single runs, not by graphs");
    }
    if (auto failure = session_.MakeGraphs(means_.stream, GraphRuns()); !failure.ok())
      return failure;
  }
  const int repeats = std::clamp(request_.value("repeats", 1), 1, kRepeatsMost);
  for (int i = 0; i < repeats; ++i) {
    if (auto failure = TimeOnce(seed); !failure.ok()) return failure;
  }
  return Failure{};
}

bool CaseTimer::graphs() const {
  return child::TextField(request_, "protocol").starts_with(contract::kGraphProtocol);
}

int CaseTimer::GraphRuns() const {
  const int64_t most = kGraphBytesMax / std::max<int64_t>(1, session_.layout().bytes);
  return static_cast<int>(std::clamp<int64_t>(most, kTimingImages, kGraphRuns));
}

// One whole timing on the session's images: raw samples and their conditions.
Failure CaseTimer::TimeOnce(uint64_t seed) {
  json vitals = json::array();
  auto& contestants = session_.contestants();
  for (Contestant& contestant : contestants) {
    contestant.samples = {};
    contestant.kernels.clear();
    contestant.operations = 0;
  }
  TimingLoop loop(means_.driver, means_.stream, clock(), Options(&vitals, seed));
  if (auto failure = loop.Run(contestants); !failure.ok()) return failure;
  graphs_whole_ = graphs_whole_ && loop.graphs_whole();
  json run = {{"vitals", vitals},
              {"stop",
               {{"reason", std::string(timing::ToString(loop.stopped()))},
                {"blocks", contestants[0].samples.cold_ns.size() / 2}}}};
  for (const Contestant& contestant : contestants) run[contestant.name] = SamplesJson(contestant);
  runs_.push_back(std::move(run));
  return {};
}

json CaseTimer::Reply() const {
  std::string protocol = child::TextField(request_, "protocol");
  if (clock() == nullptr && !protocol.ends_with("-events"))
    protocol += "-events";
  else if (graphs() && !graphs_whole_)
    protocol += "-nodes";
  json planned = json::array();
  for (const auto& kernel : session_.plan().kernels) {
    if (!kernel.skipped) planned.push_back(kernel.name);
  }
  return {{"case", child::TextField(request_, "case")},
          {"protocol", protocol},
          {"clock", clock() != nullptr ? "cupti" : "events"},
          {"runs", runs_},
          {"copy_bytes", session_.copy_bytes()},
          {"kernels", session_.contestants().front().kernels},
          {"planned", std::move(planned)},
          {"library", library_},
          {"runs_a_sample", session_.contestants().front().launches},
          {"flush_bytes", Options(nullptr, 0).flush_bytes}};
}

}  // namespace runner::cuda
