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
#include "runner/child/crash_note.h"
#include "runner/child/json_field.h"
#include "runner/child/memory_file.h"
#include "runner/child/pack.h"
#include "runner/child/spans.h"
#include "runner/contract/bind.h"
#include "runner/contract/hash.h"
#include "runner/cuda/bring_back.h"
#include "runner/cuda/case_run.h"
#include "runner/cuda/case_timer.h"
#include "runner/cuda/cupti.h"
#include "runner/cuda/launcher.h"
#include "runner/cuda/reference_run.h"
#include "runner/device/reference.h"
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
    const int64_t room = std::min(kImagesBytesMax, facts_.memory_bytes / kImagesPart);
    images_.emplace(*driver_, room);
    marker_.emplace(*driver_, stream_, room);
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
    child::Doing(absl::StrCat("answering frame ", frame.type));
    switch (frame.type) {
      case launch::kSetupFrame: return DoSetup(frame.payload);
      case launch::kLoadFrame: return DoLoad(frame.payload);
      case launch::kCaseFrame: return DoCase(frame.payload);
      case launch::kTimingFrame: return DoTiming(frame.payload);
      case launch::kKeepFrame: return DoKeep(frame);
      case launch::kReferenceFrame: return DoReference(frame);
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
    if (parts && parts->size() == 2 && (*parts)[0] == launch::kJudgeRole)
      return AnswerLoad(marker_->Load((*parts)[1]), {});
    if (parts && parts->size() == 2 && (*parts)[0] == launch::kReferenceRole) {
      references_.emplace(*driver_);
      const auto kernels = device::ReferenceKernels();
      return AnswerLoad(references_->Load((*parts)[1], kernels), {});
    }
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
    return AnswerLoad(failure, loaded.module->functions());
  }

  absl::Status AnswerLoad(const Failure& failure, const std::vector<FunctionFacts>& functions) {
    json reply = json::object();
    if (!failure.ok())
      reply = {{"error", absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result))},
               {"code", failure.result}};
    for (const FunctionFacts& f : functions) {
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

  absl::Status DoCase(const std::string& payload) {
    auto request = launch::CaseRequestFromJson(payload);
    if (!request.ok()) return request.status();
    if (!programs_.contains(request->role))
      return absl::InvalidArgumentError("case of an unknown program");
    child::Doing(absl::StrCat("running case ", request->name, " of the ", request->role));
    Loaded& loaded = programs_[request->role];
    const contract::Case* at = contract::FindCase(loaded.setup.workload, request->name);
    if (at == nullptr || !loaded.module)
      return absl::InvalidArgumentError("case without a contract or module");
    auto plan = PlanOf(loaded, *at);
    if (!plan.ok()) return plan.status();
    const CaseMeans means{.driver = *driver_,
                          .stream = stream_,
                          .launch_ms = options_.launch_ms,
                          .multiprocessors = facts_.multiprocessors,
                          .images = *images_,
                          .marker = *marker_,
                          .canaries = canaries_,
                          .spans = spans_};
    CaseRun run(means, loaded, *at, *std::move(plan));
    if (auto status = run.Run(*request); !status.ok()) return status;
    auto fd = run.Seal();
    if (!fd.ok()) return fd.status();
    const int fds[] = {fd->get()};
    auto status = channel_.Send(launch::kCaseDoneFrame, launch::ToJson(run.reply()), fds);
    // A dead or hanging context hangs its own destruction too: leave at once, the supervisor
    // replaces us.
    if (run.reply().sticky) _exit(0);
    return status;
  }

  // Bounds of outputs, for marks to come.
  absl::Status DoKeep(const child::Frame& frame) {
    const auto request = launch::KeepRequestFromJson(frame.payload);
    if (!request.ok()) return request.status();
    if (frame.fds.size() != 1) return absl::InvalidArgumentError("bounds without memory");
    int64_t bytes = 0;
    for (const auto& [name, size] : request->outputs) bytes += size;
    const auto mapped = child::MapSealed(frame.fds[0].get(), bytes);
    if (!mapped.ok()) return mapped.status();
    const Failure failure = marker_->Keep(*request, mapped->bytes());
    json reply = {{"kept", marker_->kept()}};
    if (!failure.ok())
      reply["error"] = absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result));
    return channel_.Send(launch::kKeptFrame, reply.dump());
  }

  absl::Status DoReference(const child::Frame& frame) {
    if (frame.fds.size() != 1 || !references_)
      return absl::InvalidArgumentError("a reference without inputs or code");
    const off_t bytes = lseek(frame.fds[0].get(), 0, SEEK_END);
    const auto inputs = child::MapSealed(frame.fds[0].get(), bytes);
    if (!inputs.ok()) return inputs.status();
    auto file = RunReference({.driver = *driver_,
                              .stream = stream_,
                              .launch_ms = options_.launch_ms,
                              .module = *references_},
                             frame.payload, inputs->bytes());
    if (!file.ok()) return file.status();
    auto fd = std::move(*file).Seal();
    if (!fd.ok()) return fd.status();
    const int fds[] = {fd->get()};
    return channel_.Send(launch::kReferenceDoneFrame, "", fds);
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
  absl::Status AnswerTiming(CaseTimer& timer, const json& request);
  absl::StatusOr<child::MemoryFile> BringTimed(CaseTimer& timer, const std::string& marks,
                                               CaseReply& memory, Failure& failure);
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
  std::optional<Marker> marker_;
  std::optional<Module> references_;
  launch::CanarySums canaries_;
  child::Spans spans_;  // since the last timing
  DeviceFacts facts_;
  std::optional<Nvml> nvml_;
  CUstream stream_ = nullptr;
  int64_t context_ns_ = 0;
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
                          .spans = spans_,
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
    child::Doing(absl::StrCat("making images of the ", role, " for case ", name));
    auto added =
        timer.session().AddProgram(role, *loaded.module, *std::move(plan), loaded.StartOf(*at));
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
  return AnswerTiming(timer, request);
}

// Raw samples, and the candidate's last outputs for the judge, or marks of them: what was timed
// must be right too; after them the library's, where they are asked for.
absl::Status CudaChild::AnswerTiming(CaseTimer& timer, const json& request) {
  const launch::Layout& layout = timer.session().layout();
  CaseReply memory{.name = child::TextField(request, "case"), .runs_done = 1, .layout = layout};
  Failure failure;
  auto file = BringTimed(timer, child::TextField(request, "marks"), memory, failure);
  if (!file.ok()) return file.status();
  if (!failure.ok()) return AnswerTimingFailure(failure);
  json out = timer.Reply();
  for (const auto& [what, total] : spans_)
    out["spans"][what] = {{"ns", total.ns}, {"count", total.count}};
  if (cupti_ != nullptr) out["device_busy_ns"] = cupti_->TakeBusyNs();
  spans_.clear();
  out["memory"] = launch::ToJson(memory);
  auto fd = std::move(*file).Seal();
  if (!fd.ok()) return fd.status();
  const int fds[] = {fd->get()};
  return channel_.Send(launch::kTimingDoneFrame, out.dump(), fds);
}

absl::StatusOr<child::MemoryFile> CudaChild::BringTimed(CaseTimer& timer, const std::string& marks,
                                                        CaseReply& memory, Failure& failure) {
  const BringMeans means{.driver = *driver_,
                         .launch_ms = options_.launch_ms,
                         .marker = *marker_,
                         .canaries = canaries_,
                         .spans = spans_};
  const auto baseline = timer.baseline_memory();
  const CUdeviceptr image = timer.session().first_image();
  const auto& workload = programs_["candidate"].setup.workload;
  const auto asked = launch::CaseRequestFromJson(marks);
  if (asked.ok() && asked->marks && asked->runs.size() == 1 && baseline.empty() &&
      marker_->Begin(*asked->marks, workload, memory.layout)) {
    failure = marker_->After(0, memory.layout, asked->runs[0], image);
    return BringBack(means, workload, *asked, {image}, memory, failure);
  }
  const int64_t bytes = memory.layout.bytes;
  auto file = child::MemoryFile::Create("timed", bytes + static_cast<int64_t>(baseline.size()));
  if (!file.ok()) return file;
  failure = Download(means, file->bytes().first(static_cast<size_t>(bytes)), image);
  std::copy(baseline.begin(), baseline.end(), file->bytes().begin() + bytes);
  return file;
}

}  // namespace

int CudaChildMain(const CudaChildOptions& options) {
  child::Channel channel{child::UniqueFd(child::kChannelFd)};
  CudaChild child(channel, options);
  child::NoteCrashes();
  compiler::ops::Table();  // built once, before the filter
  absl::Status status = child.Open();
  if (status.ok()) status = child::EnterSandbox(options.level, child::Filter::kCudaDriver);
  if (!status.ok())
    return channel.Send(launch::kFailedFrame, Text(status)).ok() ? kExitNoDevice : kExitProtocol;
  if (!channel.Send(launch::kReadyFrame, child.Greeting()).ok()) return kExitProtocol;
  return child.Serve().ok() ? 0 : kExitProtocol;
}

}  // namespace runner::cuda
