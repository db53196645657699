#include "tests/device/mutants/run.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/arch/device.h"
#include "compiler/emit/emit.h"
#include "runner/cuda/jitter.h"
#include "runner/cuda/run_once.h"
#include "runner/launch/image.h"
#include "runner/oracle/judge.h"
#include "runner/worker/program_cache.h"

extern char** environ;

namespace device::mutants {
namespace {

using runner::cuda::DeviceMemory;
using runner::cuda::Failure;
using runner::launch::Elaborated;
namespace cuda = runner::cuda;
namespace contract = runner::contract;
namespace launch = runner::launch;

constexpr uint64_t kInputSeed = 20'260'130;
// Programs that divide their work by SMS also run with few, so that their rings go round often.
constexpr int64_t kFewSms = 2;

size_t Size(int64_t value) { return static_cast<size_t>(value); }

// Launch k: its own poison, the same inputs, delays but for the first.
launch::RunSpec SpecOf(int k) {
  return {.poison = static_cast<uint64_t>(k) + 1, .jitter_seed = static_cast<uint32_t>(k)};
}

std::vector<int64_t> SmsOf(const compiler::ir::Program& program, int64_t all) {
  int64_t few = kFewSms;
  for (const auto& kernel : program.kernels) few = std::max(few, kernel.cluster);
  const bool divides = std::ranges::any_of(program.symbols, [](const auto& symbol) {
    return symbol.kind == compiler::ir::SymbolKind::kSms;
  });
  return divides && all > few ? std::vector<int64_t>{few, all} : std::vector<int64_t>{all};
}

bool SameOutputs(const contract::Workload& workload, const runner::oracle::Run& a,
                 const runner::oracle::Run& b) {
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    const bool compared = contract::FindCompare(workload, a.buffers[i].name) != nullptr;
    if (compared && !std::ranges::equal(a.buffers[i].data, b.buffers[i].data)) return false;
  }
  return true;
}

// A changed program may have other tensors than its contract.
void NoRun(const absl::Status& why, Row& row) {
  row.seen = Seen::kNoRun;
  row.detail = std::string(why.message());
}

}  // namespace

std::string_view ToString(Seen seen) {
  constexpr std::string_view kWords[] = {"same", "wrong",    "varies", "fault",
                                         "hang", "no_build", "no_run"};
  return kWords[static_cast<size_t>(seen)];
}

struct Rig::CaseRun {
  const contract::Case* at = nullptr;
  std::string name;
  launch::CasePlan plan;
  launch::Layout layout;
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

// The cubin of the build with delays; "" with what the row says where there is none.
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
  row.seen = Seen::kNoBuild;
  row.detail = absl::StrCat(build->reason, build->log.substr(0, 300));
  return std::string();
}

// The largest cases of the machine tier; none, and why in the row, where no launch is planned.
std::vector<Rig::CaseRun> Rig::CasesOf(const Elaborated& program,
                                       const contract::Workload& workload, Row& row) const {
  std::vector<CaseRun> runs;
  for (const contract::Case& at : workload.cases) {
    if (at.tier != contract::Tier::kMachine) continue;
    for (const int64_t sms : SmsOf(*program.program, facts_.multiprocessors)) {
      auto plan = launch::PlanCase(program, workload, at, sms);
      if (!plan.ok()) {
        row.detail = std::string(plan.status().message());
        continue;
      }
      const bool all = sms == facts_.multiprocessors;
      CaseRun& run =
          runs.emplace_back(CaseRun{.at = &at,
                                    .name = all ? at.name : absl::StrCat(at.name, " SMS=", sms),
                                    .plan = *std::move(plan)});
      run.layout = launch::LayOut(run.plan.plan);
    }
  }
  std::ranges::stable_sort(
      runs, [](const auto& a, const auto& b) { return a.layout.bytes > b.layout.bytes; });
  runs.resize(std::min(runs.size(), Size(options_.cases)));
  return runs;
}

Failure Rig::Launch(const CaseRun& run, const cuda::Module& module, uint32_t seed,
                    std::span<std::byte> image) {
  const DeviceMemory memory(*driver_, run.layout.bytes);
  if (!memory.failure().ok()) return memory.failure();
  if (auto failure = cuda::Upload(*driver_, memory.address(), image); !failure.ok()) return failure;
  cuda::JitterParameters jitter;
  if (auto failure = jitter.Make(*driver_, run.plan.plan, seed, stream_); !failure.ok())
    return failure;
  runner::child::Spans spans;
  return cuda::RunOnce({.driver = *driver_, .stream = stream_, .launch_ms = options_.launch_ms},
                       module, run.plan.plan, run.layout, jitter.last(), image, memory, spans);
}

void Rig::RunCase(const contract::Workload& workload, const CaseRun& run,
                  const cuda::Module& module, Row& row) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<std::byte>> images;
  std::vector<runner::oracle::Run> views;
  row.at = run.name;
  for (int k = 0; k <= options_.seeds; ++k) {
    const launch::RunSpec spec = SpecOf(k);
    auto& image = images.emplace_back(Size(run.layout.bytes));
    const auto filled = launch::FillRun(workload, *run.at, run.layout, spec, kInputSeed, image, 1);
    if (!filled.ok()) return NoRun(filled, row);
    const auto start = Clock::now();
    const Failure failure = Launch(run, module, spec.jitter_seed, image);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    if (!failure.ok()) {
      const bool hang =
          failure.result == cuda::kErrorNotReady || failure.result == cuda::kErrorLaunchTimeout;
      dead_ = hang || cuda::IsSticky(failure.result);
      row.seen = hang ? Seen::kHang : dead_ ? Seen::kFault : Seen::kNoRun;
      row.detail =
          absl::StrCat("seed ", k, ": ", failure.what, ": ", driver_->NameOf(failure.result));
      return;
    }
    ++row.launches;
    row.delayed += spec.jitter_seed != 0 ? 1 : 0;
    row.longest_ms = std::max(row.longest_ms, took.count());
    views.push_back(launch::ViewOf(run.layout, spec, image));
  }
  const auto judged = runner::oracle::JudgeCase(workload, *run.at, kInputSeed, views, 1);
  if (!judged.ok()) return NoRun(judged.status(), row);
  if (judged->verdict == contract::Verdict::kCorrect) return;
  const bool alike = std::ranges::all_of(
      views, [&](const auto& view) { return SameOutputs(workload, views[0], view); });
  const bool left_out = judged->verdict == contract::Verdict::kIncompleteOutput;  // its poison
  row.seen = alike || left_out ? Seen::kWrong : Seen::kVaries;
  row.detail = std::string(contract::ToString(judged->verdict));
  for (const auto& check : judged->checks) {
    if (check.outcome != runner::oracle::Outcome::kFail) continue;
    absl::StrAppend(&row.detail, "; ", check.name, ": ", check.detail);
  }
}

absl::StatusOr<Row> Rig::Run(const launch::ProgramText& text, const contract::Workload& workload) {
  Row row{.seen = Seen::kNoBuild};
  launch::ProgramText here = text;
  here.arch = facts_.arch;
  compiler::diag::Report report;
  const Elaborated program = launch::Elaborate(here, report);
  if (program.program == nullptr || report.has_errors()) {
    row.detail = report.diagnostics().empty() ? "" : report.diagnostics()[0].message;
    return row;
  }
  const std::vector<CaseRun> runs = CasesOf(program, workload, row);
  row.seen = runs.empty() ? Seen::kNoRun : Seen::kSame;
  if (runs.empty()) return row;
  row.detail.clear();
  const auto cubin = Build(here, program, row);
  if (!cubin.ok()) return cubin.status();
  if (row.seen != Seen::kSame) return row;
  std::vector<std::string> names;
  for (const auto& kernel : program.program->kernels) {
    names.push_back(compiler::facts::EmittedName(*program.program, kernel));
  }
  cuda::Module module(*driver_);
  if (const Failure failure = module.Load(*cubin, names); !failure.ok()) {
    row.seen = Seen::kNoRun;
    row.detail = absl::StrCat(failure.what, ": ", driver_->NameOf(failure.result));
    return row;
  }
  for (const CaseRun& run : runs) {
    RunCase(workload, run, module, row);
    if (row.seen != Seen::kSame) break;
  }
  return row;
}

}  // namespace device::mutants
