#include "tests/device/ops/run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "compiler/arch/device.h"
#include "compiler/facts/launch.h"
#include "runner/child/json_field.h"
#include "runner/contract/workload.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "runner/worker/program_cache.h"

extern char** environ;

namespace device::ops {
namespace {

using compiler::ir::DType;
using runner::contract::Workload;

constexpr int64_t kSetupMs = 60'000, kLoadMs = 60'000, kCaseMs = 60'000;
constexpr uint64_t kSeed = 20'260'101;
// Sizes that an example may want: the first one that its guards admit is taken.
constexpr int64_t kSizes[] = {128, 256, 100, 64, 512, 1024, 32, 16, 4096, 1};

// The numbers of every dim and arg; nullopt: no size fits.
std::optional<compiler::ir::LaunchValues> ValuesOf(const runner::launch::Elaborated& program) {
  for (const int64_t size : kSizes) {
    std::map<std::string, int64_t> named;
    for (const auto& symbol : program.program->symbols) named[symbol.name] = size;
    auto values = compiler::facts::BindLaunch(*program.program, named);
    if (values.ok() && compiler::facts::CheckGuard(*program.program, *values).ok()) return *values;
  }
  return std::nullopt;
}

// Operands: small numbers, or the edges of the type (every integer, infinities, NaNs, subnormals).
// `exact`: small multiples of a power of two, whose sums are the same in any order and any type.
runner::contract::Generator OperandsOf(const std::string& tensor, DType dtype, bool edges,
                                       bool exact, const compiler::ir::ApproxDomain& domain) {
  using runner::contract::Dist;
  const auto& info = compiler::ir::Info(dtype);
  runner::contract::Generator out{.tensor = tensor};
  if (info.is_float && exact) {
    out.dist = Dist::kTies;
    out.first = 4;
    out.second = edges ? 0.5 : 1;
    return out;
  }
  if (info.is_float && !edges && !domain.Everywhere()) {
    out.dist = Dist::kUniform;
    out.first = domain.low;
    out.second = domain.high;
    return out;
  }
  if (info.is_float) {
    out.dist = edges ? Dist::kSpecials : Dist::kNormal;
    out.first = edges ? 0.5 : 0;
    out.second = edges ? 1e3 : 4;
    return out;
  }
  out.dist = Dist::kUniform;
  const double low = info.is_signed ? -std::ldexp(1.0, info.bits - 1) : 0;
  const double high = std::ldexp(1.0, info.is_signed ? info.bits - 1 : info.bits) - 1;
  out.first = edges ? low : std::max(low, -9.0);
  out.second = edges ? high : std::min(high, 9.0);
  return out;
}

// Whether a contract on its contents says how far apart neighbours are: it then holds offsets. All
// dims have one size, so they end where the tensor does that they lead into.
bool HasSteps(const compiler::ir::Program& program, std::string_view tensor) {
  using Kind = compiler::ir::ContentContract::Kind;
  return std::ranges::any_of(program.contracts, [&](const auto& contract) {
    return contract.kind == Kind::kSteps &&
           program.tensors[static_cast<size_t>(contract.tensor)].name == tensor;
  });
}

// Whether the hardware adds up in an order of its own: tensor cores, and what several agents add to
// one word.
bool SumsInAnyOrder(const compiler::ir::Program& program) {
  using compiler::ir::CopyEffect;
  for (const auto& stmt : program.stmts) {
    if (stmt.op == nullptr) continue;
    const auto& effects = stmt.op->effects;
    if (effects.product || effects.atomic || effects.copy == CopyEffect::kTensorReduce ||
        effects.copy == CopyEffect::kBulkReduce) {
      return true;
    }
  }
  return false;
}

// A contract that asks for nothing: it only says which bytes go in.
absl::StatusOr<Workload> ContractOf(const runner::launch::Elaborated& program, bool edges,
                                    const compiler::ir::ApproxDomain& domain) {
  const auto values = ValuesOf(program);
  if (!values) return absl::FailedPreconditionError("no size fits its guards");
  auto plan =
      compiler::facts::PlanLaunch(*program.program, program.facts, *values, program.canonical_hash);
  if (!plan.ok()) return plan.status();
  const bool exact = SumsInAnyOrder(*program.program);
  Workload out;
  out.name = "use";
  runner::contract::Case one{.name = "case"};
  for (const auto& tensor : plan->tensors) {
    if (tensor.direction == compiler::ir::Direction::kWorkspace) continue;
    runner::contract::Tensor mine{.name = tensor.name, .dtype = tensor.dtype};
    for (const int64_t extent : tensor.shape) mine.shape.push_back(absl::StrCat(extent));
    mine.role = tensor.direction == compiler::ir::Direction::kIn ? runner::contract::Role::kIn
                : tensor.direction == compiler::ir::Direction::kOut
                    ? runner::contract::Role::kOut
                    : runner::contract::Role::kInOut;
    mine.content = runner::contract::Content::kAny;
    if (HasSteps(*program.program, tensor.name)) {
      out.generators.push_back({.tensor = tensor.name,
                                .dist = runner::contract::Dist::kOffsets,
                                .range = absl::StrCat(tensor.shape[0] - 1)});
    } else if (mine.role != runner::contract::Role::kOut) {
      out.generators.push_back(OperandsOf(tensor.name, tensor.dtype, edges, exact, domain));
    }
    out.tensors.push_back(std::move(mine));
  }
  for (size_t i = 0; i < program.program->symbols.size(); ++i) {
    const auto& symbol = program.program->symbols[i];
    if (symbol.kind != compiler::ir::SymbolKind::kArg) continue;
    out.args.push_back({.name = symbol.name, .dtype = symbol.dtype, .value = 2});
  }
  out.cases.push_back(std::move(one));
  return out;
}

constexpr std::string_view kOperand = "a";  // as programs of one operand call it

// The operands of the results in `slot`, where the bound holds for some of them only: functions of
// one operand have a domain. The operand is itself compared as it is.
std::span<const std::byte> OperandBytes(const runner::launch::Layout& layout,
                                        const runner::launch::Slot& slot, const Bound& bound,
                                        std::span<std::byte> image) {
  if (bound.domain.Everywhere() || slot.name == kOperand) return {};
  for (const auto& other : layout.slots) {
    if (other.name == kOperand && other.dtype == slot.dtype && other.bytes == slot.bytes) {
      return runner::launch::DataOf(other, image);
    }
  }
  return {};
}

std::string FirstMessage(const std::string& diagnostics_json) {
  const auto in = nlohmann::json::parse(diagnostics_json, nullptr, false);
  const auto& list = in.is_object() && in.contains("diagnostics") ? in["diagnostics"] : in;
  if (!list.is_array() || list.empty() || !list[0].is_object()) return "";
  return absl::StrCat(list[0].value("code", ""), " ", list[0].value("message", ""));
}

}  // namespace

std::string_view ToString(Ended ended) {
  switch (ended) {
    case Ended::kCompared: return "compared";
    case Ended::kRefused: return "refused";
    case Ended::kNotHere: return "not_here";
    case Ended::kMachineFault: return "machine_fault";
    case Ended::kNoBuild: return "no_build";
    case Ended::kDeviceFault: return "device_fault";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Rig>> Rig::Start(const RigOptions& options) {
  std::unique_ptr<Rig> rig(new Rig(options));
  rig->sandbox_ = runner::child::Establish(options.worker, runner::child::Level::kL1);
  if (!options.libcuda.empty()) {  // a fake driver is configured by the environment
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (std::string_view(*variable).starts_with("CAKE_FAKE_")) {
        rig->environment_.emplace_back(*variable);
      }
    }
    rig->visible_.push_back(options.work_dir);
  }
  auto compiler = runner::compile::Compiler::Start({.worker = options.worker,
                                                    .nvrtc = options.libnvrtc,
                                                    .sandbox = rig->sandbox_,
                                                    .environment = rig->environment_,
                                                    .visible = rig->visible_});
  if (!compiler.ok()) return compiler.status();
  rig->compiler_ = *std::move(compiler);
  if (auto status = rig->StartChildren(); !status.ok()) return status;
  rig->device_json_ = rig->gpu_->device_json();
  const auto device = nlohmann::json::parse(rig->device_json_, nullptr, false);
  rig->arch_ = runner::child::TextField(device, "arch");
  return rig;
}

absl::Status Rig::StartChildren() {
  if (machine_ == nullptr || !machine_->alive()) {
    auto machine =
        runner::worker::EvalChild::Start({.worker = options_.worker, .sandbox = sandbox_});
    if (!machine.ok()) return machine.status();
    machine_ = *std::move(machine);
  }
  if (gpu_ != nullptr && gpu_->alive()) return absl::OkStatus();
  auto gpu = runner::worker::EvalChild::Start({.worker = options_.worker,
                                               .cuda = true,
                                               .libcuda = options_.libcuda,
                                               .libcupti = options_.libcupti,
                                               .sandbox = sandbox_,
                                               .environment = environment_,
                                               .visible = visible_});
  if (!gpu.ok()) return gpu.status();
  gpu_ = *std::move(gpu);
  return absl::OkStatus();
}

absl::StatusOr<Outcome> Rig::RunOn(const std::string& source, const Bound& bound, bool edges) {
  if (auto status = StartChildren(); !status.ok()) return status;
  runner::launch::ProgramText text{.source = source, .file = "use.cake"};
  compiler::diag::Report report;
  const auto program = runner::launch::Elaborate(text, report);
  if (program.program == nullptr) return Outcome{Ended::kRefused, "does not elaborate"};
  if (!compiler::arch::Admits(program.program->target, arch_)) {
    return Outcome{Ended::kNotHere, absl::StrCat("target ", program.program->target)};
  }
  auto contract = ContractOf(program, edges, bound.domain);
  if (!contract.ok()) return Outcome{Ended::kRefused, std::string(contract.status().message())};
  runner::launch::Setup setup{
      .workload = *std::move(contract), .program = text, .seed = kSeed, .cases = {"case"}};
  const runner::launch::CaseRequest request{.name = "case", .runs = {{.poison = 1}}};

  auto there = machine_->Setup(setup, "candidate", kSetupMs);
  if (!there.ok()) return Outcome{Ended::kMachineFault, std::string(there.status().message())};
  if (!there->rejected_json.empty()) {
    return Outcome{Ended::kRefused, FirstMessage(there->rejected_json)};
  }
  if (!there->program.refused.empty()) {
    return Outcome{Ended::kRefused, there->program.refused.begin()->second};
  }
  auto want = machine_->RunCase(request, kCaseMs);
  if (!want.ok()) return Outcome{Ended::kMachineFault, std::string(want.status().message())};
  using Reply = runner::launch::CaseReply::Outcome;
  if (want->reply.outcome != Reply::kFinished) {
    return Outcome{Ended::kMachineFault, absl::StrCat(want->reply.code, " ", want->reply.detail)};
  }

  setup.emit = true;
  auto here = gpu_->Setup(setup, "candidate", kSetupMs);
  if (!here.ok()) return Outcome{Ended::kDeviceFault, std::string(here.status().message())};
  if (!options_.libcuda.empty()) {
    auto put =
        runner::worker::PutProgram(options_.work_dir + "/programs", here->program.canonical_hash,
                                   {source, "", text.file, "", {}});
    if (!put.ok()) return put;
  }
  auto build = compiler_->Compile({.cuda = here->program.cuda,
                                   .file_name = "use.cake.cu",
                                   .arch = arch_,
                                   .options = here->program.options});
  if (!build.ok()) return build.status();
  if (build->outcome != runner::compile::Outcome::kBuilt) {
    return Outcome{Ended::kNoBuild, absl::StrCat(build->reason, build->log.substr(0, 400))};
  }
  auto loaded = gpu_->Load("candidate", build->cubin, kLoadMs);
  if (!loaded.ok()) return Outcome{Ended::kDeviceFault, std::string(loaded.status().message())};
  auto got = gpu_->RunCase(request, kCaseMs);
  if (!got.ok()) return Outcome{Ended::kDeviceFault, std::string(got.status().message())};
  if (got->reply.outcome != Reply::kFinished) {
    if (got->reply.sticky) gpu_.reset();  // its context is dead
    return Outcome{Ended::kDeviceFault, absl::StrCat(got->reply.code, " ", got->reply.detail)};
  }
  Outcome out{Ended::kCompared, ""};
  for (const auto& slot : want->reply.layout.slots) {
    if (slot.workspace) continue;
    Compare(slot.dtype, runner::launch::DataOf(slot, want->image.bytes()),
            runner::launch::DataOf(slot, got->image.bytes()),
            OperandBytes(want->reply.layout, slot, bound, want->image.bytes()), bound,
            out.distance);
  }
  if (out.distance.outside > 0) {
    out.detail = absl::StrCat("element ", out.distance.first_outside, " is outside the bound");
  }
  return out;
}

absl::StatusOr<std::vector<Outcome>> Rig::Run(const UseProgram& program, const Bound& bound) {
  std::vector<Outcome> out;
  for (const bool edges : {false, true}) {
    if (edges && program.is_example && !bound.domain.Everywhere()) break;
    auto one = RunOn(program.source, bound, edges);
    if (!one.ok()) return one.status();
    out.push_back(*std::move(one));
    if (out.back().ended == Ended::kRefused || out.back().ended == Ended::kNotHere) break;
  }
  return out;
}

}  // namespace device::ops
