#include "runner/cuda/case_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/cuda/bring_back.h"
#include "runner/cuda/jitter.h"
#include "runner/cuda/progress.h"
#include "runner/cuda/run_once.h"
#include "runner/launch/assumed.h"

namespace runner::cuda {

CaseRun::CaseRun(const CaseMeans& means, const Loaded& loaded, const contract::Case& at,
                 compiler::facts::LaunchPlan plan)
    : means_(means), loaded_(loaded), at_(at), plan_(std::move(plan)) {
  reply_.name = at.name;
  reply_.layout = launch::LayOut(plan_);
}

void CaseRun::Fail(const Failure& failure) {
  reply_.driver_error = failure.result;
  reply_.detail = absl::StrCat(failure.what, ": ", means_.driver.NameOf(failure.result));
  const bool hang = failure.result == kErrorNotReady || failure.result == kErrorLaunchTimeout;
  reply_.outcome =
      hang ? launch::CaseReply::Outcome::kDeadlock : launch::CaseReply::Outcome::kDriverError;
  if (hang) reply_.detail = absl::StrCat("the launch did not end within ", means_.launch_ms, " ms");
  reply_.sticky = hang || IsSticky(failure.result);
}

absl::StatusOr<bool> CaseRun::Obeys(std::span<std::byte> image) {
  if (!loaded_.assumes()) return true;
  const auto plan =
      launch::PlanCase(loaded_.program, loaded_.setup.workload, at_, means_.multiprocessors);
  if (!plan.ok()) return plan.status();
  return launch::ObeysAssumptions(loaded_.program, *plan, loaded_.setup.program, image, reply_);
}

// What a run starts from gets into place: from the device's own copy, or filled here where the
// program assumes something of its contents, which is looked at first. False: it does not hold.
absl::StatusOr<bool> CaseRun::Place(const launch::RunSpec& run, const launch::Layout& layout,
                                    std::span<std::byte> image, Failure& failure) {
  const child::Span span(means_.spans, "child.place");
  const DeviceMemory& memory = memory_.back();
  if (!loaded_.assumes() && means_.images.Keeps(layout.bytes)) {
    auto filled = means_.images.Get(loaded_.StartOf(at_), layout, run);
    if (!filled.ok()) return filled.status();
    failure = filled->failure;
    if (failure.ok() && layout.bytes > 0) {
      failure = {
          means_.driver.api().memcpy_dtod_async(memory.address(), filled->memory->address(),
                                                static_cast<size_t>(layout.bytes), means_.stream),
          "copy an image"};
      // The copy it came from may go once this is done.
      if (failure.ok()) failure = Wait(means_.driver, means_.stream, means_.launch_ms);
    }
    return true;
  }
  auto status =
      launch::FillRun(loaded_.setup.workload, at_, layout, run, loaded_.setup.seed, image, 0);
  if (!status.ok()) return status;
  // Shifted runs repeat contents that were looked at before.
  const absl::StatusOr<bool> obeys = run.shifted ? absl::StatusOr<bool>(true) : Obeys(image);
  if (obeys.ok() && *obeys) failure = Upload(means_.driver, memory.address(), image);
  return obeys;
}

// One run with what the build of the program asks for; after a hang autopsy_ says where.
Failure CaseRun::Launch(const launch::RunSpec& run, const launch::Layout& layout,
                        std::span<std::byte> image) {
  const launch::Setup& setup = loaded_.setup;
  JitterParameters jitter;
  ProgressParameters progress;
  Failure failure;
  if (setup.instrument) failure = jitter.Make(means_.driver, plan_, run.jitter_seed, means_.stream);
  if (failure.ok() && setup.progress) failure = progress.Make(means_.driver, plan_, means_.stream);
  if (!failure.ok()) return failure;
  const auto last = setup.progress ? progress.last() : jitter.last();
  failure =
      RunOnce({.driver = means_.driver, .stream = means_.stream, .launch_ms = means_.launch_ms},
              *loaded_.module, plan_, layout, last, image, memory_.back(), means_.spans);
  if (failure.result == kErrorNotReady && setup.progress)
    autopsy_ = progress.Autopsy(means_.driver, loaded_.program, plan_);
  return failure;
}

std::span<std::byte> CaseRun::ImageOf(size_t r) {
  if (!file_) return {};
  const auto bytes = static_cast<size_t>(reply_.layout.bytes);
  return file_->bytes().subspan(bytes * r, bytes);
}

// The next run writes where the last one's memory is.
Failure CaseRun::PutAside() {
  const auto bytes = reply_.layout.bytes;
  DeviceMemory aside(means_.driver, bytes);
  if (!aside.failure().ok()) return aside.failure();
  const CUresult copied = means_.driver.api().memcpy_dtod_async(
      aside.address(), images_.back(), static_cast<size_t>(bytes), means_.stream);
  images_.back() = aside.address();
  memory_.push_front(std::move(aside));
  return {copied, "put an image aside"};
}

absl::StatusOr<bool> CaseRun::RunOne(const launch::CaseRequest& request, size_t r) {
  const launch::RunSpec& run = request.runs[r];
  const launch::Layout layout = launch::LayoutOf(reply_.layout, run);
  Failure failure;
  if (!run.same_memory || memory_.empty())
    failure = memory_.emplace_back(means_.driver, reply_.layout.bytes).failure();
  else if (marked_)
    failure = PutAside();
  if (failure.ok()) {
    const auto placed = Place(run, layout, ImageOf(r), failure);
    if (!placed.ok()) return placed.status();
    if (!*placed) return false;
  }
  const CUdeviceptr image = memory_.back().address();
  if (failure.ok() && marked_) failure = means_.marker.Before(r, layout, run, image);
  if (failure.ok()) failure = Launch(run, layout, ImageOf(r));
  if (failure.ok() && marked_) failure = means_.marker.After(r, layout, run, image);
  if (!failure.ok()) {
    Fail(failure);
    reply_.autopsy = std::exchange(autopsy_, "");
    reply_.detail = absl::StrCat("run ", reply_.runs_done, run.shifted ? ", buffers shifted" : "",
                                 ": ", reply_.detail);
    return false;
  }
  images_.push_back(image);
  ++reply_.runs_done;
  return true;
}

absl::Status CaseRun::RunAll(const launch::CaseRequest& request) {
  for (size_t r = 0; r < request.runs.size(); ++r) {
    const auto goes_on = RunOne(request, r);
    if (!goes_on.ok()) return goes_on.status();
    if (!*goes_on) break;
  }
  return absl::OkStatus();
}

absl::Status CaseRun::Run(const launch::CaseRequest& request) {
  marked_ = request.marks && request.marks->runs.size() == request.runs.size() &&
            !loaded_.assumes() && means_.images.Keeps(reply_.layout.bytes) &&
            means_.marker.Begin(*request.marks, loaded_.setup.workload, reply_.layout);
  if (marked_) {
    if (auto status = RunAll(request); !status.ok()) return status;
    Failure failure;
    auto file = BringBack({.driver = means_.driver,
                           .launch_ms = means_.launch_ms,
                           .marker = means_.marker,
                           .canaries = means_.canaries,
                           .spans = means_.spans},
                          loaded_.setup.workload, request, images_, reply_, failure);
    if (!file.ok()) return file.status();
    file_ = *std::move(file);
    if (!failure.ok()) Fail(failure);
    return absl::OkStatus();
  }
  auto file = child::MemoryFile::Create("case", launch::ImageBytes(reply_, request));
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  return RunAll(request);
}

}  // namespace runner::cuda
