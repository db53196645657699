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
#include "runner/child/json_field.h"
#include "runner/child/memory_file.h"
#include "runner/child/pack.h"
#include "runner/child/spans.h"
#include "runner/contract/bind.h"
#include "runner/contract/hash.h"
#include "runner/cuda/case_timer.h"
#include "runner/cuda/cupti.h"
#include "runner/cuda/jitter.h"
#include "runner/cuda/launcher.h"
#include "runner/cuda/progress.h"
#include "runner/cuda/run_once.h"
#include "runner/launch/assumed.h"
#include "runner/launch/frames.h"

namespace runner::cuda {
namespace {

using launch::CaseReply;
using nlohmann::json;

constexpr int kExitProtocol = 4, kExitNoDevice = 3;
constexpr int64_t kHealthBytes = 1 << 20;
// Of the device's memory, for images that are kept.
constexpr int64_t kImagesBytesMax = int64_t{16} << 30, kImagesPart = 8;

std::string_view Text(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// One program of this child: the candidate, the incumbent or the baseline.
struct Loaded {
  std::string payload, cubin;  // what made it
  launch::ProgramReply reply;
  launch::Setup setup;
  std::string contract_hash;
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
    images_.emplace(*driver_, std::min(kImagesBytesMax, facts_.memory_bytes / kImagesPart));
    if (options_.libcublaslt.empty() || options_.libcublaslt == "none") return absl::OkStatus();
    auto library = CublasLt::Open(options_.libcublaslt);
    if (library.ok())
      library_ = *std::move(library);
    else
      library_missing_ = std::string(library.status().message());
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
    const child::Span span(spans_, "child.setup");
    auto setup = launch::SetupFromJson((*parts)[1]);
    if (!setup.ok()) return setup.status();
    // A program that stays, as the one that all are timed against, is made once.
    const auto known = programs_.find((*parts)[0]);
    if (known != programs_.end() && known->second.payload == payload && known->second.module)
      return channel_.Send(launch::kProgramFrame, launch::ToJson(known->second.reply));
    if (known != programs_.end()) programs_.erase(known);
    Loaded& loaded = programs_[(*parts)[0]];
    loaded.setup = *std::move(setup);
    loaded.contract_hash = contract::Hash(loaded.setup.workload);
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
    loaded.payload = payload;
    loaded.reply = reply;
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
    Failure failure;
    if (!loaded.module || loaded.cubin != (*parts)[1]) {
      const child::Span span(spans_, "child.load_module");
      loaded.module.emplace(*driver_);
      failure = loaded.module->Load((*parts)[1], loaded.kernels);
      loaded.cubin = failure.ok() ? (*parts)[1] : "";
    }
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

  // What a run starts from gets into place: from the device's own copy, or filled here where the
  // program assumes something of its contents, which is looked at first. False: it does not hold.
  absl::StatusOr<bool> Place(const Loaded& loaded, const contract::Case& at,
                             const launch::Layout& layout, const launch::RunSpec& run,
                             std::span<std::byte> image, const DeviceMemory& memory,
                             CaseReply& reply, Failure& failure) {
    const child::Span span(spans_, "child.place");
    const auto& program = loaded.program.program;
    const bool assumes = program != nullptr && !program->contracts.empty();
    if (!assumes && images_->Keeps(layout.bytes)) {
      auto filled = images_->Get(StartOf(loaded, at), layout, run);
      if (!filled.ok()) return filled.status();
      failure = filled->failure;
      if (failure.ok() && layout.bytes > 0) {
        failure = {driver_->api().memcpy_dtod_async(memory.address(), filled->memory->address(),
                                                    static_cast<size_t>(layout.bytes), stream_),
                   "copy an image"};
        // The copy it came from may go once this is done.
        if (failure.ok()) failure = Wait(*driver_, stream_, options_.launch_ms);
      }
      return true;
    }
    auto status =
        launch::FillRun(loaded.setup.workload, at, layout, run, loaded.setup.seed, image, 0);
    if (!status.ok()) return status;
    // Shifted runs repeat contents that were looked at before.
    const absl::StatusOr<bool> obeys =
        run.shifted ? absl::StatusOr<bool>(true) : Obeys(loaded, at, image, reply);
    if (obeys.ok() && *obeys) failure = Upload(*driver_, memory.address(), image);
    return obeys;
  }

  static ImageCache::Start StartOf(const Loaded& loaded, const contract::Case& at) {
    return {&loaded.setup.workload, &at, loaded.contract_hash, loaded.setup.seed};
  }

  // One run with what the build of the program asks for; after a hang autopsy_ says where.
  Failure Launch(const Loaded& loaded, const compiler::facts::LaunchPlan& plan,
                 const launch::Layout& layout, uint32_t jitter_seed, std::span<std::byte> image,
                 const DeviceMemory& memory) {
    JitterParameters jitter;
    ProgressParameters progress;
    Failure failure;
    if (loaded.setup.instrument) failure = jitter.Make(*driver_, plan, jitter_seed, stream_);
    if (failure.ok() && loaded.setup.progress) failure = progress.Make(*driver_, plan, stream_);
    if (!failure.ok()) return failure;
    const auto last = loaded.setup.progress ? progress.last() : jitter.last();
    failure = RunOnce({.driver = *driver_, .stream = stream_, .launch_ms = options_.launch_ms},
                      *loaded.module, plan, layout, last, image, memory, spans_);
    if (failure.result == kErrorNotReady && loaded.setup.progress)
      autopsy_ = progress.Autopsy(*driver_, loaded.program, plan);
    return failure;
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
      if (!run.same_memory || memory.empty()) memory.emplace_back(*driver_, reply.layout.bytes);
      const DeviceMemory& place = memory.back();
      Failure failure = place.failure();
      if (failure.ok()) {
        const auto placed = Place(loaded, *at, layout, run, image, place, reply, failure);
        if (!placed.ok()) return placed.status();
        if (!*placed) break;
      }
      if (failure.ok()) {
        failure = Launch(loaded, *plan, layout, run.jitter_seed, image, place);
      }
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
  absl::Status AnswerTiming(CaseTimer& timer);
  absl::Status AnswerTimingFailure(const Failure& failure);

  child::Channel& channel_;
  const CudaChildOptions options_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Cupti> cupti_;
  std::string cupti_missing_ = "no library";
  std::unique_ptr<CublasLt> library_;
  std::string library_missing_ = "there is no cuBLASLt here";
  ChosenProposals chosen_;
  std::optional<ImageCache> images_;
  child::Spans spans_;  // since the last timing
  DeviceFacts facts_;
  std::optional<Nvml> nvml_;
  CUstream stream_ = nullptr;
  int64_t context_ns_ = 0;
  std::string autopsy_;  // of the last run that hung
  std::map<std::string, Loaded> programs_;
};

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
  const TimingMeans means{.driver = *driver_,
                          .stream = stream_,
                          .cupti = cupti_.get(),
                          .library = library_.get(),
                          .library_path = options_.libcublaslt,
                          .library_missing = library_missing_,
                          .nvml = &*nvml_,
                          .facts = &facts_,
                          .launch_ms = options_.launch_ms,
                          .foreign = [this](size_t image, bool cold, double& ns) {
                            return AskForeign(channel_, image, cold, ns);
                          }};
  CaseTimer timer(means, *images_, chosen_, request);
  std::optional<child::Span> span(std::in_place, spans_, "child.timing_images");
  const std::string name = request.value("case", "");
  for (const std::string& role : timer.programs()) {
    const Loaded& loaded = programs_[role];
    const contract::Case* at = contract::FindCase(loaded.setup.workload, name);
    if (at == nullptr || !loaded.module)
      return absl::InvalidArgumentError("timing without a case or module");
    auto plan = PlanOf(loaded, *at);
    if (!plan.ok()) return plan.status();
    auto added =
        timer.session().AddProgram(role, *loaded.module, *std::move(plan), StartOf(loaded, *at));
    if (!added.ok()) return added.status();
    if (!added->ok()) return AnswerTimingFailure(*added);
  }
  const Loaded& candidate = programs_["candidate"];
  const contract::Case* at = contract::FindCase(candidate.setup.workload, name);
  if (at == nullptr || timer.session().contestants().empty())
    return absl::InvalidArgumentError("timing without a candidate");
  span.emplace(spans_, "child.timing");
  const auto failure = timer.Run(candidate.setup.workload, *at, candidate.setup.seed);
  span.reset();
  if (!failure.ok()) {
    // The world's: no such library, or nothing that it could be asked for.
    const json out = {{"missing", std::string(Text(failure.status()))}};
    return channel_.Send(launch::kTimingDoneFrame, out.dump());
  }
  if (!failure->ok()) return AnswerTimingFailure(*failure);
  return AnswerTiming(timer);
}

// Raw samples, and the candidate's last outputs for the judge: what was timed must be right too;
// after them the library's, where they are asked for.
absl::Status CudaChild::AnswerTiming(CaseTimer& timer) {
  const launch::Layout& layout = timer.session().layout();
  json out = timer.Reply();
  for (const auto& [what, total] : spans_)
    out["spans"][what] = {{"ns", total.ns}, {"count", total.count}};
  if (cupti_ != nullptr) out["device_busy_ns"] = cupti_->TakeBusyNs();
  spans_.clear();
  const CaseReply memory{.name = out["case"], .runs_done = 1, .layout = layout};
  out["memory"] = launch::ToJson(memory);
  const auto baseline = timer.baseline_memory();
  auto file =
      child::MemoryFile::Create("timed", layout.bytes + static_cast<int64_t>(baseline.size()));
  if (!file.ok()) return file.status();
  if (layout.bytes > 0) {
    const CUresult r = driver_->api().memcpy_dtoh(
        file->bytes().data(), timer.session().first_image(), static_cast<size_t>(layout.bytes));
    if (r != kSuccess) return AnswerTimingFailure({r, "copy from the device"});
  }
  std::copy(baseline.begin(), baseline.end(), file->bytes().begin() + layout.bytes);
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
