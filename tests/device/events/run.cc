#include "tests/device/events/run.h"

#include <atomic>
#include <functional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "compiler/arch/device.h"
#include "compiler/emit/emit.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "runner/launch/image.h"
#include "runner/oracle/judge.h"
#include "runner/worker/program_cache.h"

extern char** environ;

namespace device::events {
namespace {

using compiler::emit::EventLogParameter;
using compiler::emit::EventLogRecord;
using runner::cuda::CUdeviceptr;
using runner::cuda::DeviceMemory;
using runner::cuda::Failure;
using runner::launch::Elaborated;
namespace cuda = runner::cuda;
namespace contract = runner::contract;
namespace launch = runner::launch;
namespace machine = compiler::machine;

constexpr uint64_t kInputSeed = 20'260'130;
constexpr int64_t kMachineStatementsMax = 2'000'000'000;
constexpr double kMachineSecondsMax = 120;
// Programs that divide their work by SMS also run with few, so that their rings go round often.
constexpr int64_t kFewSms = 2;
constexpr int64_t kRecordBytes = sizeof(EventLogRecord);

size_t Size(int64_t value) { return static_cast<size_t>(value); }

int64_t CtasOf(const compiler::facts::KernelLaunch& kernel) {
  return kernel.skipped ? 0 : kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
}

// The poison of launch k; inputs are the same in all.
launch::RunSpec SpecOf(uint64_t k) { return {.poison = k + 1, .input_set = 0, .schedule_seed = 0}; }

template <typename T>
Failure Download(const cuda::Driver& driver, const DeviceMemory& memory, std::vector<T>& to) {
  const size_t bytes = to.size() * sizeof(T);
  if (bytes == 0) return {};
  return {driver.api().memcpy_dtoh(to.data(), memory.address(), bytes), "copy from the device"};
}

void Parallel(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const size_t cores =
      threads > 0 ? Size(threads) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> pool;
  for (size_t i = 0; i < std::min(cores, count); ++i) {
    pool.emplace_back([&] {
      for (size_t at = next++; at < count; at = next++) work(at);
    });
  }
}

// Members of a family may be too large for the device: they are no programs for it. The default
// member has to fit.
bool TooLarge(const launch::ProgramText& text, const compiler::diag::Report& report) {
  if (text.binding.empty() || report.diagnostics().empty()) return false;
  for (const auto& found : report.diagnostics()) {
    const bool error = found.severity == compiler::diag::Severity::kError;
    if (error && found.category != compiler::diag::Category::kHardware) return false;
  }
  return true;
}

void Add(const Comparison& from, Comparison& to) {
  to.warps += from.warps;
  to.records += from.records;
  to.mismatches += from.mismatches;
  to.missing += from.missing;
  for (const Mismatch& told : from.told) {
    if (to.told.size() < kMismatchesToldMax) to.told.push_back(told);
  }
}

}  // namespace

std::string_view ToString(Ended ended) {
  constexpr std::string_view kWords[] = {"compared", "not_here",      "refused",
                                         "no_build", "machine_fault", "device_fault"};
  return kWords[static_cast<size_t>(ended)];
}

bool Row::Good() const {
  if (ended == Ended::kNotHere) return true;
  if (ended != Ended::kCompared || cases.empty()) return false;
  for (const CaseRow& at : cases) {
    if (at.verdict != "CORRECT" || at.comparison.mismatches != 0) return false;
    if (!at.fault.empty()) return false;
  }
  return true;
}

// One case on both sides.
struct Rig::CaseRun {
  const contract::Case* at = nullptr;
  int64_t sms = 0;
  launch::CasePlan plan;
  launch::Layout layout;
  std::string fault;          // of the machine
  std::vector<WarpLog> logs;  // the machine's
  std::vector<int64_t> room;  // by kernel: records that each warp of a launch has room for
};

absl::StatusOr<std::unique_ptr<Rig>> Rig::Start(const RigOptions& options) {
  std::unique_ptr<Rig> rig(new Rig(options));
  std::vector<std::string> environment, visible;
  if (!options.libcuda.empty()) {  // a fake driver is configured by the environment
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (std::string_view(*variable).starts_with("CAKE_FAKE_"))
        environment.emplace_back(*variable);
    }
    visible.push_back(options.work_dir);
  }
  auto compiler = runner::compile::Compiler::Start(
      {.worker = options.worker,
       .nvrtc = options.libnvrtc,
       .sandbox = runner::child::Establish(options.worker, runner::child::Level::kL1),
       .environment = environment,
       .visible = visible});
  if (!compiler.ok()) return compiler.status();
  rig->compiler_ = *std::move(compiler);
  if (auto status = rig->OpenDevice(); !status.ok()) return status;
  return rig;
}

absl::Status Rig::OpenDevice() {
  auto driver = cuda::Driver::Open(options_.libcuda);
  if (!driver.ok()) return driver.status();
  driver_ = *std::move(driver);
  const cuda::DriverApi& api = driver_->api();
  cuda::CUdevice device = 0;
  cuda::CUcontext context = nullptr;
  if (auto s = driver_->Check(api.device_get(&device, 0), "cuDeviceGet"); !s.ok()) return s;
  if (auto s = driver_->Check(api.ctx_create(&context, 0, device), "cuCtxCreate"); !s.ok())
    return s;
  if (auto s =
          driver_->Check(api.stream_create(&stream_, cuda::kStreamNonBlocking), "cuStreamCreate");
      !s.ok()) {
    return s;
  }
  auto facts = cuda::ReadDeviceFacts(*driver_, device);
  if (!facts.ok()) return facts.status();
  facts_ = *std::move(facts);
  return absl::OkStatus();
}

// The cubin of the instrumented build; "" with the row's end where there is none.
absl::StatusOr<std::string> Rig::Build(const launch::ProgramText& text, const Elaborated& program,
                                       Row& row) {
  if (!options_.libcuda.empty()) {
    auto put =
        runner::worker::PutProgram(options_.work_dir + "/programs", program.canonical_hash,
                                   {text.source, text.program, text.file, text.arch, text.binding});
    if (!put.ok()) return put;
  }
  const auto source = compiler::emit::Emit(*program.program, program.facts, program.canonical_hash,
                                           text.file, {.log_events = true});
  auto build = compiler_->Compile({.cuda = source.cuda,
                                   .file_name = text.file + ".cu",
                                   .arch = facts_.arch,
                                   .options = source.options});
  if (!build.ok()) return build.status();
  if (build->outcome == runner::compile::Outcome::kBuilt) return build->cubin;
  row.ended = Ended::kNoBuild;
  row.detail = absl::StrCat(build->reason, build->log.substr(0, 600));
  return std::string();
}

std::vector<WarpLog> Rig::OnMachine(const Elaborated& program, const contract::Workload& workload,
                                    const CaseRun& run,
                                    const std::vector<machine::WarpTickets>* replay,
                                    std::string& fault) const {
  std::vector<std::byte> image(Size(run.layout.bytes));
  const absl::Status filled =
      launch::FillRun(workload, *run.at, run.layout, SpecOf(0), kInputSeed, image, 1);
  if (!filled.ok()) {
    fault = std::string(filled.message());
    return {};
  }
  machine::Memory memory;
  for (const launch::Slot& slot : run.layout.slots) {
    const auto data = launch::DataOf(slot, image);
    if (slot.zero) std::fill(data.begin(), data.end(), std::byte{0});
    memory.tensors.push_back(data);
  }
  const auto result =
      machine::Run(*program.program, program.facts, run.plan.plan, run.plan.values, memory,
                   {.check_races = false,
                    .clocks = false,
                    .check_definedness = false,
                    .count = false,
                    .max_lane_statements = kMachineStatementsMax,
                    .max_seconds = kMachineSecondsMax,
                    .replay = replay,
                    .log_events = true});
  if (!result.ok()) {
    fault = std::string(result.status().message());
  } else if (result->event_log_full) {
    fault = "its log is full";
  } else if (result->outcome != machine::Outcome::kFinished) {
    const auto& found = result->report.diagnostics();
    fault = found.empty() ? "it does not finish" : found[0].message;
  } else {
    return FromMachine(*program.program, program.facts, *result);
  }
  return {};
}

// Without tickets every launch has the machine's log; with them a machine follows each launch.
void Rig::CompareAll(const Elaborated& program, const contract::Workload& workload, CaseRun& run,
                     const std::vector<std::vector<WarpLog>>& launches, CaseRow& out) const {
  bool tickets = false;
  for (const auto& kernel : program.program->kernels) {
    tickets |= HasTickets(*program.program, kernel);
  }
  std::vector<std::vector<WarpLog>> followed(tickets ? launches.size() : 0);
  std::vector<std::string> faults(followed.size());
  Parallel(followed.size(), options_.threads, [&](size_t i) {
    std::vector<machine::WarpTickets> replay;
    for (const WarpLog& log : launches[i]) replay.push_back(log.tickets);
    followed[i] = OnMachine(program, workload, run, &replay, faults[i]);
  });
  for (const std::string& fault : faults) {
    if (out.fault.empty()) out.fault = fault;
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    Add(Compare(*program.program, tickets ? followed[i] : run.logs, launches[i]), out.comparison);
  }
}

// Records that a warp has room for at first: those of the machine's busiest warp and some to spare.
int64_t Rig::RoomOf(const CaseRun& run, size_t kernel) {
  int64_t most = 0;
  for (const WarpLog& log : run.logs) {
    if (log.kernel == kernel) most = std::max(most, static_cast<int64_t>(log.records.size()));
  }
  return most + kRecordsToSpare;
}

// A warp whose lanes go apart logs each of their ways, and one that draws tickets may draw all that
// there are: where a launch has no room for all its records it is repeated with the room they need.
Failure Rig::Launch(const Elaborated& program, CaseRun& run, uint32_t seed,
                    std::span<std::byte> image, std::vector<WarpLog>& logs) {
  const std::vector<std::byte> filled(image.begin(), image.end());
  for (size_t k = run.room.size(); k < run.plan.plan.kernels.size(); ++k)
    run.room.push_back(RoomOf(run, k));
  const std::vector<int64_t> room = run.room;
  Failure failure = LaunchOnce(program, run, seed, image, logs);
  if (!failure.ok() || run.room == room) return failure;
  std::copy(filled.begin(), filled.end(), image.begin());
  logs.clear();
  return LaunchOnce(program, run, seed, image, logs);
}

Failure Rig::LaunchOnce(const Elaborated& program, CaseRun& run, uint32_t seed,
                        std::span<std::byte> image, std::vector<WarpLog>& logs) {
  const auto& kernels = run.plan.plan.kernels;
  memory_.clear();
  std::vector<EventLogParameter> parameters(kernels.size());
  std::vector<void*> last;
  const std::vector<int64_t> limits = run.room;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const int64_t warps = CtasOf(kernels[k]) * kernels[k].block / compiler::ir::kLanes;
    const int64_t bytes = warps * limits[k] * kRecordBytes;
    if (bytes > kLogBytesMax) {
      return {cuda::kErrorOutOfMemory,
              absl::StrCat("a log of ", bytes, " bytes; at most ", kLogBytesMax, " are allowed")};
    }
    for (const int64_t size : {bytes, warps * static_cast<int64_t>(sizeof(uint32_t))}) {
      const DeviceMemory& made = memory_.emplace_back(*driver_, size);
      if (!made.failure().ok()) return made.failure();
      if (size == 0) continue;
      const auto zeroed = driver_->api().memset_d8_async(made.address(), 0, Size(size), stream_);
      if (zeroed != cuda::kSuccess) return {zeroed, "clear the log"};
    }
    parameters[k] = {.records = memory_[2 * k].address(),
                     .counts = memory_[2 * k + 1].address(),
                     .limit = static_cast<uint32_t>(limits[k]),
                     .seed = seed};
    last.push_back(&parameters[k]);
  }
  const DeviceMemory& there = memory_.emplace_back(*driver_, run.layout.bytes);
  if (!there.failure().ok()) return there.failure();
  if (auto f = cuda::Upload(*driver_, there.address(), image); !f.ok()) return f;
  if (auto f = module_->Launch(run.plan.plan, run.layout, there.address(), stream_, last); !f.ok())
    return f;
  if (auto f = cuda::Wait(*driver_, stream_, options_.launch_ms); !f.ok()) return f;
  if (!image.empty()) {
    const auto copied = driver_->api().memcpy_dtoh(image.data(), there.address(), image.size());
    if (copied != cuda::kSuccess) return {copied, "copy from the device"};
  }
  for (size_t k = 0; k < kernels.size(); ++k) {
    std::vector<EventLogRecord> records(Size(memory_[2 * k].bytes()) / sizeof(EventLogRecord));
    std::vector<uint32_t> counts(Size(memory_[2 * k + 1].bytes()) / sizeof(uint32_t));
    if (auto f = Download(*driver_, memory_[2 * k], records); !f.ok()) return f;
    if (auto f = Download(*driver_, memory_[2 * k + 1], counts); !f.ok()) return f;
    const auto warps = static_cast<int64_t>(counts.size());
    const int64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    const int64_t able = kLogBytesMax / (kRecordBytes * std::max<int64_t>(warps, 1));
    run.room[k] = std::max(run.room[k], std::min(most, able));
    auto of_kernel = FromDevice(*program.program, program.facts, k, CtasOf(kernels[k]), counts,
                                records, limits[k]);
    std::move(of_kernel.begin(), of_kernel.end(), std::back_inserter(logs));
  }
  return {};
}

absl::Status Rig::OnDevice(const Elaborated& program, const contract::Workload& workload,
                           CaseRun& run, Row& row) {
  CaseRow& out = row.cases.emplace_back(CaseRow{
      .name = run.sms == facts_.multiprocessors ? run.at->name
                                                : absl::StrCat(run.at->name, " SMS=", run.sms)});
  std::vector<std::vector<std::byte>> images;
  std::vector<runner::oracle::Run> views;
  std::vector<std::vector<WarpLog>> launches;
  for (int k = 0; k <= options_.seeds; ++k) {
    const launch::RunSpec spec = SpecOf(static_cast<uint64_t>(k));
    auto& image = images.emplace_back(Size(run.layout.bytes));
    auto filled =
        launch::FillRun(workload, *run.at, run.layout, spec, kInputSeed, image, options_.threads);
    if (!filled.ok()) return filled;
    std::vector<WarpLog> logs;
    const Failure failure = Launch(program, run, static_cast<uint32_t>(k), image, logs);
    if (!failure.ok()) {
      row.ended = Ended::kDeviceFault;
      row.detail = absl::StrCat("case ", out.name, ", seed ", k, ": ", failure.what, ": ",
                                driver_->NameOf(failure.result));
      dead_ = failure.result == cuda::kErrorNotReady || cuda::IsSticky(failure.result);
      return absl::OkStatus();
    }
    ++out.launches;
    launches.push_back(std::move(logs));
    views.push_back(launch::ViewOf(run.layout, spec, image));
  }
  CompareAll(program, workload, run, launches, out);
  const auto judged =
      runner::oracle::JudgeCase(workload, *run.at, kInputSeed, views, options_.threads);
  if (!judged.ok()) return judged.status();
  out.verdict = contract::ToString(judged->verdict);
  for (const auto& check : judged->checks) {
    if (check.outcome == runner::oracle::Outcome::kFail && out.detail.empty()) {
      out.detail = absl::StrCat(check.name, ": ", check.detail);
    }
  }
  return absl::OkStatus();
}

// A cluster has to fit into the few multiprocessors too.
std::vector<int64_t> Rig::SmsOf(const compiler::ir::Program& program) const {
  int64_t few = kFewSms;
  for (const auto& kernel : program.kernels) few = std::max(few, kernel.cluster);
  for (const compiler::ir::Symbol& symbol : program.symbols) {
    if (symbol.kind == compiler::ir::SymbolKind::kSms && facts_.multiprocessors > few) {
      return {facts_.multiprocessors, few};
    }
  }
  return {facts_.multiprocessors};
}

absl::StatusOr<Row> Rig::Run(const launch::ProgramText& text, const contract::Workload& workload) {
  Row row{.program = text.file, .binding = text.binding};
  launch::ProgramText here = text;
  here.arch = facts_.arch;
  compiler::diag::Report report;
  const Elaborated program = launch::Elaborate(here, report);
  const auto end = [&](Ended ended, absl::string_view detail) {
    row.ended = ended;
    row.detail = std::string(detail);
    return row;
  };
  if (program.program == nullptr || report.has_errors()) {
    if (TooLarge(text, report)) return end(Ended::kNotHere, report.diagnostics()[0].message);
    return end(Ended::kRefused,
               report.diagnostics().empty() ? "" : report.diagnostics()[0].message);
  }
  if (!compiler::arch::Admits(program.program->target, facts_.arch)) {
    return end(Ended::kNotHere, absl::StrCat("target ", program.program->target));
  }
  for (const auto& kernel : program.program->kernels) {
    if (HasTickets(*program.program, kernel)) row.tickets.push_back(kernel.name);
  }
  std::vector<CaseRun> runs;
  for (const contract::Case& at : workload.cases) {
    const bool wanted = options_.cases.empty()
                            ? at.tier == contract::Tier::kMachine
                            : std::count(options_.cases.begin(), options_.cases.end(), at.name) > 0;
    if (!wanted) continue;
    for (const int64_t sms : SmsOf(*program.program)) {
      auto plan = launch::PlanCase(program, workload, at, sms);
      // A member may be for sizes that the contract does not have.
      if (!plan.ok()) {
        return end(text.binding.empty() ? Ended::kRefused : Ended::kNotHere,
                   plan.status().message());
      }
      CaseRun& run = runs.emplace_back(CaseRun{.at = &at, .sms = sms, .plan = *std::move(plan)});
      run.layout = launch::LayOut(run.plan.plan);
    }
  }
  const auto cubin = Build(here, program, row);
  if (!cubin.ok()) return cubin.status();
  if (row.ended != Ended::kCompared) return row;
  Parallel(runs.size(), options_.threads, [&](size_t i) {
    runs[i].logs = OnMachine(program, workload, runs[i], nullptr, runs[i].fault);
  });
  module_.emplace(*driver_);
  std::vector<std::string> names;
  for (const auto& kernel : program.program->kernels) {
    names.push_back(compiler::facts::EmittedName(*program.program, kernel));
  }
  if (const Failure failure = module_->Load(*cubin, names); !failure.ok()) {
    return end(Ended::kDeviceFault,
               absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result)));
  }
  for (CaseRun& run : runs) {
    if (!run.fault.empty()) {
      return end(Ended::kMachineFault, absl::StrCat("case ", run.at->name, ": ", run.fault));
    }
    if (auto status = OnDevice(program, workload, run, row); !status.ok()) return status;
    if (row.ended != Ended::kCompared) break;
  }
  return row;
}

std::vector<std::map<std::string, int64_t>> MembersOf(const launch::ProgramText& text) {
  compiler::diag::Report report;
  const auto file = compiler::text::Parse(text.source, compiler::ops::Table(), report);
  if (report.has_errors() || file->programs.size() != 1) return {{}};
  const auto params = compiler::sema::Params(*file->programs[0], report);
  const Elaborated program = launch::Elaborate(text, report);
  if (report.has_errors() || program.program == nullptr) return {{}};
  bool objects = false;
  for (const auto& kernel : program.program->kernels) {
    objects |= !kernel.rings.empty() || !kernel.events.empty() || !kernel.barriers.empty();
  }
  std::vector<std::map<std::string, int64_t>> out = {{}};
  const int64_t size = objects ? compiler::sema::FamilySize(params) : 0;
  // Spread over the family, so that every parameter takes its ends.
  const int64_t count = std::min(size, static_cast<int64_t>(kMembersMax));
  for (int64_t k = 0; k < count && out.size() < kMembersMax; ++k) {
    const int64_t i = count > 1 ? k * (size - 1) / (count - 1) : 0;
    auto member = compiler::sema::FamilyMember(params, i);
    if (member != compiler::sema::DefaultBinding(params)) out.push_back(std::move(member));
  }
  return out;
}

}  // namespace device::events
