#include "runner/cuda/cuda_child.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "compiler/emit/emit.h"
#include "compiler/ops/table.h"
#include "runner/child/channel.h"
#include "runner/child/memory_file.h"
#include "runner/child/pack.h"
#include "runner/contract/bind.h"
#include "runner/cuda/cupti.h"
#include "runner/cuda/jitter.h"
#include "runner/cuda/launcher.h"
#include "runner/cuda/progress.h"
#include "runner/cuda/timing_loop.h"
#include "runner/cuda/timing_session.h"
#include "runner/launch/assumed.h"
#include "runner/launch/frames.h"

namespace runner::cuda {
namespace {

using launch::CaseReply;
using nlohmann::json;

constexpr int kExitProtocol = 4, kExitNoDevice = 3;
constexpr int64_t kHealthBytes = 1 << 20;
constexpr int kBlocksMost = 1000, kRepeatsMost = 1000;

std::string_view Text(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// One program of this child: the candidate or the baseline.
struct Loaded {
  launch::Setup setup;
  launch::Elaborated program;  // of IR
  std::vector<std::string> kernels;
  std::optional<Module> module;
};

class CudaChild {
 public:
  CudaChild(child::Channel& channel, const CudaChildOptions& options)
      : channel_(channel), options_(options) {}

  // Everything that opens files: the libraries, the context, the device's facts. CUPTI comes before
  // the context.
  absl::Status Open() {
    auto driver = Driver::Open(options_.libcuda);
    if (!driver.ok()) return driver.status();
    driver_ = *std::move(driver);
    if (options_.libcupti != "none") {
      auto cupti = Cupti::Open(options_.libcupti);
      if (cupti.ok())
        cupti_ = *std::move(cupti);
      else
        cupti_missing_ = std::string(cupti.status().message());
    }
    const DriverApi& api = driver_->api();
    CUdevice device = 0;
    CUcontext context = nullptr;
    const auto start = std::chrono::steady_clock::now();
    if (auto status = driver_->Check(api.device_get(&device, 0), "cuDeviceGet"); !status.ok())
      return status;
    if (auto status = driver_->Check(api.ctx_create(&context, 0, device), "cuCtxCreate");
        !status.ok())
      return status;
    context_ns_ = (std::chrono::steady_clock::now() - start).count();
    if (auto status =
            driver_->Check(api.stream_create(&stream_, kStreamNonBlocking), "cuStreamCreate");
        !status.ok())
      return status;
    auto facts = ReadDeviceFacts(*driver_, device);
    if (!facts.ok()) return facts.status();
    facts_ = *std::move(facts);
    nvml_.emplace(facts_.uuid);
    return absl::OkStatus();
  }

  std::string Greeting() const {
    json out = json::parse(ToJson(facts_));
    out["context_create_ns"] = context_ns_;
    out["cupti"] = cupti_ != nullptr ? absl::StrCat("version ", cupti_->version()) : cupti_missing_;
    out["nvml"] = nvml_->Read().has_value();
    return out.dump();
  }

  absl::Status Serve() {
    for (;;) {
      auto frame = channel_.Receive(-1);
      if (!frame.ok()) return frame.status();
      if (!frame->has_value()) return absl::OkStatus();
      const absl::Status status = Dispatch(**frame);
      if (!status.ok()) return channel_.Send(launch::kFailedFrame, Text(status));
    }
  }

 private:
  absl::Status Dispatch(const child::Frame& frame) {
    switch (frame.type) {
      case launch::kSetupFrame: return DoSetup(frame.payload);
      case launch::kLoadFrame: return DoLoad(frame.payload);
      case launch::kCaseFrame: return DoCase(frame.payload);
      case launch::kTimingFrame: return DoTiming(frame.payload);
      case launch::kHealthFrame: return DoHealth();
      default: return absl::InvalidArgumentError("unknown frame");
    }
  }

  absl::Status DoSetup(const std::string& payload) {
    const auto parts = child::Unpack(payload);
    if (!parts || parts->size() != 2)
      return absl::InvalidArgumentError("setup: not a role and a program");
    auto setup = launch::SetupFromJson((*parts)[1]);
    if (!setup.ok()) return setup.status();
    Loaded& loaded = programs_[(*parts)[0]];
    loaded.module.reset();
    loaded.setup = *std::move(setup);
    launch::ProgramReply reply;
    if (!loaded.setup.direct_plans.empty()) return SetUpDirect(loaded);
    compiler::diag::Report report;
    // Facts are derived for this very device; a program that its limits do not fit is rejected
    // here.
    if (loaded.setup.program.arch.empty()) loaded.setup.program.arch = facts_.arch;
    loaded.program = launch::Elaborate(loaded.setup.program, report);
    const auto* program = loaded.program.program.get();
    if (program != nullptr) contract::CheckBinding(loaded.setup.workload, *program, report);
    if (program == nullptr || report.has_errors()) {
      return channel_.Send(launch::kRejectedFrame,
                           compiler::diag::RenderJson(report, loaded.setup.program.file,
                                                      loaded.setup.program.source));
    }
    reply.canonical_hash = loaded.program.canonical_hash;
    reply.program = program->name;
    reply.target = program->target;
    auto source = compiler::emit::Emit(
        *program, loaded.program.facts, reply.canonical_hash, loaded.setup.program.file,
        {.log_events = loaded.setup.instrument, .progress = loaded.setup.progress});
    loaded.kernels = source.kernels;
    reply.cuda = std::move(source.cuda), reply.kernels = std::move(source.kernels),
    reply.options = std::move(source.options);
    return channel_.Send(launch::kProgramFrame, launch::ToJson(reply));
  }

  // Direct CUDA: the plans name the kernels.
  absl::Status SetUpDirect(Loaded& loaded) {
    launch::ProgramReply reply{.target = facts_.arch};
    loaded.kernels.clear();
    for (const auto& [name, text] : loaded.setup.direct_plans) {
      const auto plan = compiler::facts::LaunchPlanFromJson(text);
      if (!plan.ok()) {
        reply.refused[name] = std::string(plan.status().message());
        continue;
      }
      for (const auto& kernel : plan->kernels) {
        if (std::find(loaded.kernels.begin(), loaded.kernels.end(), kernel.name) ==
            loaded.kernels.end())
          loaded.kernels.push_back(kernel.name);
      }
    }
    reply.kernels = loaded.kernels;
    return channel_.Send(launch::kProgramFrame, launch::ToJson(reply));
  }

  absl::Status DoLoad(const std::string& payload) {
    const auto parts = child::Unpack(payload);
    if (!parts || parts->size() != 2 || !programs_.contains((*parts)[0]))
      return absl::InvalidArgumentError("load: no such program");
    Loaded& loaded = programs_[(*parts)[0]];
    loaded.module.emplace(*driver_);
    const Failure failure = loaded.module->Load((*parts)[1], loaded.kernels);
    json reply = json::object();
    if (!failure.ok())
      reply = {{"error", absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result))},
               {"code", failure.result}};
    for (const FunctionFacts& f : loaded.module->functions()) {
      reply["functions"].push_back({{"name", f.name},
                                    {"registers", f.registers},
                                    {"local_bytes", f.local_bytes},
                                    {"static_shared_bytes", f.static_shared_bytes}});
    }
    return channel_.Send(launch::kLoadedFrame, reply.dump());
  }

  absl::StatusOr<compiler::facts::LaunchPlan> PlanOf(const Loaded& loaded,
                                                     const contract::Case& at) const {
    if (!loaded.setup.direct_plans.empty()) {
      const auto text = loaded.setup.direct_plans.find(at.name);
      if (text == loaded.setup.direct_plans.end())
        return absl::InvalidArgumentError(absl::StrCat("no plan of case ", at.name));
      return compiler::facts::LaunchPlanFromJson(text->second);
    }
    auto plan = launch::PlanCase(loaded.program, loaded.setup.workload, at, facts_.multiprocessors);
    if (!plan.ok()) return plan.status();
    return std::move(plan->plan);
  }

  // Direct CUDA states no assumptions.
  absl::StatusOr<bool> Obeys(const Loaded& loaded, const contract::Case& at,
                             std::span<std::byte> image, CaseReply& reply) {
    const auto& program = loaded.program.program;
    if (program == nullptr || program->contracts.empty()) return true;
    const auto plan =
        launch::PlanCase(loaded.program, loaded.setup.workload, at, facts_.multiprocessors);
    if (!plan.ok()) return plan.status();
    return launch::ObeysAssumptions(loaded.program, *plan, loaded.setup.program, image, reply);
  }

  void Fail(const Failure& failure, CaseReply& reply) const {
    reply.driver_error = failure.result;
    reply.detail = absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result));
    const bool hang = failure.result == kErrorNotReady || failure.result == kErrorLaunchTimeout;
    reply.outcome = hang ? CaseReply::Outcome::kDeadlock : CaseReply::Outcome::kDriverError;
    if (hang)
      reply.detail = absl::StrCat("the launch did not end within ", options_.launch_ms, " ms");
    reply.sticky = hang || IsSticky(failure.result);
  }

  // One run of a case: up, launch, wait, down. The image comes back into the same memory.
  Failure RunOnce(const Loaded& loaded, const compiler::facts::LaunchPlan& plan,
                  const launch::Layout& layout, uint32_t jitter_seed, std::span<std::byte> image,
                  const DeviceMemory& memory) {
    const DriverApi& api = driver_->api();
    const auto bytes = image.size();
    if (auto failure = Upload(*driver_, memory.address(), image); !failure.ok()) return failure;
    JitterParameters jitter;
    if (loaded.setup.instrument) {
      if (auto failure = jitter.Make(*driver_, plan, jitter_seed, stream_); !failure.ok())
        return failure;
    }
    ProgressParameters progress;
    if (loaded.setup.progress) {
      if (auto failure = progress.Make(*driver_, plan, stream_); !failure.ok()) return failure;
    }
    const auto last = loaded.setup.progress ? progress.last() : jitter.last();
    if (auto failure = loaded.module->Launch(plan, layout, memory.address(), stream_, last);
        !failure.ok())
      return failure;
    if (auto failure = Wait(*driver_, stream_, options_.launch_ms); !failure.ok()) {
      if (failure.result == kErrorNotReady && loaded.setup.progress)
        autopsy_ = progress.Autopsy(*driver_, loaded.program, plan);
      return failure;
    }
    if (bytes == 0) return {};
    return {api.memcpy_dtoh(image.data(), memory.address(), bytes), "copy from the device"};
  }

  absl::Status DoCase(const std::string& payload) {
    auto request = launch::CaseRequestFromJson(payload);
    if (!request.ok()) return request.status();
    if (!programs_.contains(request->role))
      return absl::InvalidArgumentError("case of an unknown program");
    Loaded& loaded = programs_[request->role];
    const contract::Case* at = contract::FindCase(loaded.setup.workload, request->name);
    if (at == nullptr || !loaded.module)
      return absl::InvalidArgumentError("case without a contract or module");
    const auto plan = PlanOf(loaded, *at);
    if (!plan.ok()) return plan.status();
    CaseReply reply{.name = request->name, .layout = launch::LayOut(*plan)};
    auto file = child::MemoryFile::Create(
        "case", reply.layout.bytes * static_cast<int64_t>(request->runs.size()));
    if (!file.ok()) return file.status();
    // Kept to the end of the case: a run has addresses of its own unless it
    // asks for the last one's.
    std::vector<DeviceMemory> memory;
    for (const launch::RunSpec& run : request->runs) {
      const auto image =
          file->bytes().subspan(static_cast<size_t>(reply.layout.bytes * reply.runs_done),
                                static_cast<size_t>(reply.layout.bytes));
      const launch::Layout layout = launch::LayoutOf(reply.layout, run);
      if (auto status =
              launch::FillRun(loaded.setup.workload, *at, layout, run, loaded.setup.seed, image, 0);
          !status.ok())
        return status;
      // Shifted runs repeat contents that were looked at before.
      const absl::StatusOr<bool> obeys =
          run.shifted ? absl::StatusOr<bool>(true) : Obeys(loaded, *at, image, reply);
      if (!obeys.ok()) return obeys.status();
      if (!*obeys) break;
      if (!run.same_memory || memory.empty()) memory.emplace_back(*driver_, reply.layout.bytes);
      const DeviceMemory& place = memory.back();
      Failure failure = place.failure();
      if (failure.ok()) failure = RunOnce(loaded, *plan, layout, run.jitter_seed, image, place);
      if (!failure.ok()) {
        Fail(failure, reply);
        reply.autopsy = std::exchange(autopsy_, "");
        reply.detail = absl::StrCat("run ", reply.runs_done, run.shifted ? ", buffers shifted" : "",
                                    ": ", reply.detail);
        break;
      }
      ++reply.runs_done;
    }
    auto fd = std::move(*file).Seal();
    if (!fd.ok()) return fd.status();
    const int fds[] = {fd->get()};
    auto status = channel_.Send(launch::kCaseDoneFrame, launch::ToJson(reply), fds);
    // A dead or hanging context hangs its own destruction too: leave at once, the supervisor
    // replaces us.
    if (reply.sticky) _exit(0);
    return status;
  }

  absl::Status DoHealth() {
    std::vector<std::byte> wrote(kHealthBytes), read(kHealthBytes);
    for (size_t i = 0; i < wrote.size(); ++i) wrote[i] = static_cast<std::byte>(i * 131 + 7);
    const DeviceMemory memory(*driver_, kHealthBytes);
    if (!memory.failure().ok()) return driver_->Check(memory.failure().result, "health: allocate");
    const DriverApi& api = driver_->api();
    if (auto s = driver_->Check(api.memcpy_htod(memory.address(), wrote.data(), wrote.size()),
                                "health: copy");
        !s.ok())
      return s;
    if (auto s = driver_->Check(api.memcpy_dtoh(read.data(), memory.address(), read.size()),
                                "health: copy");
        !s.ok())
      return s;
    if (read != wrote)
      return absl::DataLossError("health: the device returned other bytes than it was given");
    return channel_.Send(launch::kHealthyFrame, "");
  }

  absl::Status DoTiming(const std::string& payload);
  Failure TimeOnce(const json& request, TimingSession& session, json& run);
  absl::Status AnswerTiming(const json& request, TimingSession& session, json runs);
  int64_t FlushBytes() const { return std::max<int64_t>(1 << 20, 2 * facts_.l2_bytes); }
  absl::Status AnswerTimingFailure(const Failure& failure);
  json VitalsJson() const {
    const auto v = nvml_->Read();
    if (!v) return nullptr;
    return {{"sm_mhz", v->sm_mhz},
            {"memory_mhz", v->memory_mhz},
            {"power_mw", v->power_mw},
            {"temperature_c", v->temperature_c},
            {"throttle_reasons", v->throttle_reasons}};
  }

  child::Channel& channel_;
  const CudaChildOptions options_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Cupti> cupti_;
  std::string cupti_missing_ = "no library";
  DeviceFacts facts_;
  std::optional<Nvml> nvml_;
  CUstream stream_ = nullptr;
  int64_t context_ns_ = 0;
  std::string autopsy_;  // of the last run that hung
  std::map<std::string, Loaded> programs_;
};

json SamplesJson(const Contestant& contestant) {
  return {{"cold_ns", contestant.samples.cold_ns},
          {"warm_ns", contestant.samples.warm_ns},
          {"events_ns", contestant.samples.events_ns}};
}

// A driver call of a timing failed: a dead context ends this child.
absl::Status CudaChild::AnswerTimingFailure(const Failure& failure) {
  const json out = {{"error", absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result))},
                    {"code", failure.result}};
  auto status = channel_.Send(launch::kTimingDoneFrame, out.dump());
  if (failure.result == kErrorNotReady || IsSticky(failure.result)) _exit(0);
  return status;
}

absl::Status CudaChild::DoTiming(const std::string& payload) {
  const json request = json::parse(payload, nullptr, false);
  if (!request.is_object()) return absl::InvalidArgumentError("timing request does not parse");
  TimingSession session(*driver_);
  const std::string name = request.value("case", "");
  for (const std::string& role : {std::string("candidate"), std::string("baseline")}) {
    if (role == "baseline" && !request.value("baseline", false)) continue;
    const Loaded& loaded = programs_[role];
    const contract::Case* at = contract::FindCase(loaded.setup.workload, name);
    if (at == nullptr || !loaded.module)
      return absl::InvalidArgumentError("timing without a case or module");
    auto plan = PlanOf(loaded, *at);
    if (!plan.ok()) return plan.status();
    auto added = session.AddProgram(*loaded.module, *std::move(plan), loaded.setup.workload, *at,
                                    loaded.setup.seed);
    if (!added.ok()) return added.status();
    if (!added->ok()) return AnswerTimingFailure(*added);
  }
  if (auto failure = session.AddCopy(); !failure.ok()) return AnswerTimingFailure(failure);
  json runs = json::array();
  const int repeats = std::clamp(request.value("repeats", 1), 1, kRepeatsMost);
  for (int i = 0; i < repeats; ++i) {
    json run;
    if (auto failure = TimeOnce(request, session, run); !failure.ok())
      return AnswerTimingFailure(failure);
    runs.push_back(std::move(run));
  }
  return AnswerTiming(request, session, std::move(runs));
}

// One whole timing on the session's images: raw samples and their conditions.
Failure CudaChild::TimeOnce(const json& request, TimingSession& session, json& run) {
  json vitals = json::array();
  LoopOptions options{.launch_ms = options_.launch_ms,
                      .flush_bytes = FlushBytes(),
                      .seed = programs_["candidate"].setup.seed,
                      .at_look = [&] { vitals.push_back(VitalsJson()); }};
  options.stop.blocks_max =
      std::clamp(request.value("rounds", options.stop.blocks_max), 1, kBlocksMost);
  auto& contestants = session.contestants();
  for (Contestant& contestant : contestants) contestant.samples = {};
  TimingLoop loop(*driver_, stream_, cupti_.get(), options);
  if (auto failure = loop.Run(contestants); !failure.ok()) return failure;
  run = {{"candidate", SamplesJson(contestants[0])},
         {"baseline", contestants.size() > 2 ? SamplesJson(contestants[1]) : json()},
         {"copy", SamplesJson(contestants.back())},
         {"vitals", vitals},
         {"stop",
          {{"reason", std::string(timing::ToString(loop.stopped()))},
           {"blocks", contestants[0].samples.cold_ns.size() / 2}}}};
  return {};
}

// Raw samples, and the candidate's last outputs for the judge: what was timed must be right too.
absl::Status CudaChild::AnswerTiming(const json& request, TimingSession& session, json runs) {
  std::string protocol = request.value("protocol", "");
  if (cupti_ == nullptr && !protocol.ends_with("-events")) protocol += "-events";
  const launch::Layout& layout = session.layout();
  json planned = json::array();
  for (const auto& kernel : session.contestants()[0].plan->kernels) {
    if (!kernel.skipped) planned.push_back(kernel.name);
  }
  const CaseReply memory{.name = request.value("case", ""), .runs_done = 1, .layout = layout};
  const json out = {{"case", memory.name},
                    {"protocol", protocol},
                    {"clock", cupti_ != nullptr ? "cupti" : "events"},
                    {"runs", std::move(runs)},
                    {"copy_bytes", session.copy_bytes()},
                    {"kernels", session.contestants()[0].kernels},
                    {"planned", std::move(planned)},
                    {"flush_bytes", FlushBytes()},
                    {"memory", launch::ToJson(memory)}};
  auto file = child::MemoryFile::Create("timed", layout.bytes);
  if (!file.ok()) return file.status();
  if (layout.bytes > 0) {
    const CUresult r = driver_->api().memcpy_dtoh(file->bytes().data(), session.first_image(),
                                                  file->bytes().size());
    if (r != kSuccess) return AnswerTimingFailure({r, "copy from the device"});
  }
  auto fd = std::move(*file).Seal();
  if (!fd.ok()) return fd.status();
  const int fds[] = {fd->get()};
  return channel_.Send(launch::kTimingDoneFrame, out.dump(), fds);
}

}  // namespace

int CudaChildMain(const CudaChildOptions& options) {
  child::Channel channel{child::UniqueFd(child::kChannelFd)};
  CudaChild child(channel, options);
  compiler::ops::Table();  // built once, before the filter
  absl::Status status = child.Open();
  if (status.ok()) status = child::EnterSandbox(options.level, child::Filter::kCudaDriver);
  if (!status.ok())
    return channel.Send(launch::kFailedFrame, Text(status)).ok() ? kExitNoDevice : kExitProtocol;
  if (!channel.Send(launch::kReadyFrame, child.Greeting()).ok()) return kExitProtocol;
  return child.Serve().ok() ? 0 : kExitProtocol;
}

}  // namespace runner::cuda
