#include "compiler/machine/machine.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"
#include "compiler/machine/compile.h"
#include "compiler/machine/cta.h"
#include "compiler/machine/grid.h"
#include "compiler/machine/run_state.h"
#include "compiler/machine/units.h"

namespace compiler::machine {
namespace {

// Registers of all warps of one CTA, a bound for kernels of untrusted size.
constexpr int64_t kRegisterBytes = int64_t{1} << 30;
// Beyond, the agents have no numbers left anyway.
constexpr int64_t kMaxCtasSideBySide = int64_t{1} << 16;

// By TensorId: whether any statement stores to it.
std::vector<bool> StoredTensors(const ir::Program& program) {
  std::vector<bool> stored(program.tensors.size());
  std::vector<ir::ViewId> views;
  for (const ir::Stmt& stmt : program.stmts) {
    if (stmt.dead) continue;
    views.clear();
    ir::AppendWrittenViews(program, stmt, views);
    for (const ir::ViewId id : views) {
      const ir::TensorId tensor = program[id].tensor;
      if (tensor != ir::TensorId::kNone) stored[static_cast<size_t>(tensor)] = true;
    }
  }
  return stored;
}

// Joins the plan's tensors (by name) to the program's and to the host bytes.
absl::Status BindTensors(RunState& run, const Memory& memory, const std::vector<bool>& stored) {
  if (memory.tensors.size() != run.plan.tensors.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the plan has ", run.plan.tensors.size(),
                                                   " tensors, the memory ", memory.tensors.size()));
  }
  for (const ir::Tensor& tensor : run.program.tensors) {
    const auto plan =
        std::find_if(run.plan.tensors.begin(), run.plan.tensors.end(),
                     [&](const facts::TensorPlan& p) { return p.name == tensor.name; });
    if (plan == run.plan.tensors.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the plan has no tensor ", tensor.name));
    }
    TensorState state;
    state.plan = &*plan;
    state.plan_index = static_cast<size_t>(plan - run.plan.tensors.begin());
    const std::span<std::byte> bytes = memory.tensors[state.plan_index];
    if (static_cast<int64_t>(bytes.size()) < plan->bytes) {
      return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor.name, " needs ", plan->bytes,
                                                     " bytes, the memory has ", bytes.size()));
    }
    state.data = bytes.data();
    state.bytes = plan->bytes;
    state.element_bytes = std::max(ir::Info(plan->dtype).bits / 8, 1);
    const bool input =
        plan->direction == ir::Direction::kIn || plan->direction == ir::Direction::kInOut;
    if (plan->zero && state.bytes > 0 && !run.options.zeroed) {
      std::memset(state.data, 0, static_cast<size_t>(state.bytes));
    }
    state.fully_defined = input || plan->zero;
    if (!state.fully_defined || stored[run.tensors.size()]) {
      state.elements = Zeros(static_cast<size_t>(state.bytes / state.element_bytes));
    }
    run.tensors.push_back(std::move(state));
  }
  return absl::OkStatus();
}

// Tensors whose host bytes overlap form one group; those that nothing writes need no shadow.
void MakeShadowGroups(RunState& run, const std::vector<bool>& stored,
                      const std::vector<int64_t>& units) {
  std::vector<size_t> order(run.tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(run.tensors[a].data, a) < std::pair(run.tensors[b].data, b);
  });
  for (size_t index : order) {
    TensorState& tensor = run.tensors[index];
    if (tensor.bytes == 0) continue;
    ShadowGroup* group = run.groups.empty() ? nullptr : &run.groups.back();
    if (group == nullptr || tensor.data >= group->base + group->bytes) {
      group = &run.groups.emplace_back();
      group->base = tensor.data;
      group->unit_bytes = units[index];
    }
    const int64_t distance = tensor.data - group->base;
    group->bytes = std::max(group->bytes, distance + tensor.bytes);
    group->unit_bytes = std::gcd(std::gcd(group->unit_bytes, units[index]), distance);
    group->written = group->written || stored[index];
    tensor.group = static_cast<int>(run.groups.size() - 1);
  }
  for (ShadowGroup& group : run.groups) {
    if (!group.written) continue;
    group.memory = std::make_unique<ShadowMemory>(
        static_cast<size_t>(group.bytes / group.unit_bytes + 1), run.scratch.pages);
  }
  for (TensorState& tensor : run.tensors) {
    if (tensor.group >= 0 && !run.groups[static_cast<size_t>(tensor.group)].written) {
      tensor.group = -1;
    }
  }
}

// The CTAs of a launch in the order in which they run, those of a cluster one after the other.
// Grids of untrusted size are never listed.
class CtaOrder {
 public:
  CtaOrder(const Options& options, const facts::KernelLaunch& launch)
      : cluster_(std::max<int64_t>(launch.cluster, 1)) {
    total_ = launch.grid[0] * launch.grid[1] * launch.grid[2] / cluster_;
    constexpr int64_t kMaxShuffled = 1 << 16;
    for (const int64_t cta : options.ctas) {
      const int64_t cluster = cta / cluster_;
      if (cta < 0 || cluster >= total_) continue;
      if (std::find(listed_.begin(), listed_.end(), cluster) == listed_.end() || cluster_ == 1) {
        listed_.push_back(cluster);
      }
    }
    is_listed_ = !options.ctas.empty();
    if (options.schedule_seed == 0 || total_ > kMaxShuffled) return;
    if (!is_listed_) {
      listed_.resize(static_cast<size_t>(total_));
      std::iota(listed_.begin(), listed_.end(), int64_t{0});
      is_listed_ = true;
    }
    std::mt19937_64 random(options.schedule_seed);
    std::shuffle(listed_.begin(), listed_.end(), random);
  }
  int64_t size() const {
    return (is_listed_ ? static_cast<int64_t>(listed_.size()) : total_) * cluster_;
  }
  int64_t operator[](int64_t i) const {
    const int64_t at = i / cluster_;
    return (is_listed_ ? listed_[static_cast<size_t>(at)] : at) * cluster_ + i % cluster_;
  }

 private:
  int64_t cluster_ = 1;
  int64_t total_ = 0;  // clusters; of one CTA each where there are none
  bool is_listed_ = false;
  std::vector<int64_t> listed_;
};

// False, and the run stopped, when the kernel's code or registers are beyond what a run may use.
bool FitsMachine(RunState& run, const ir::Kernel& kernel, const KernelCode& code) {
  int64_t bytes = 0;
  for (size_t role = 0; role < kernel.roles.size(); ++role) {
    bytes += kernel.roles[role].warps * static_cast<int64_t>(sizeof(ir::LaneVector)) *
             (code.roles[role].registers + code.roles[role].fixed_registers);
  }
  if (bytes <= kRegisterBytes) return true;
  run.findings.SizeLimit(kernel, kRegisterBytes);
  run.Stop(Outcome::kLimit);
  return false;
}

// Which CTAs of earlier kernels may still run when this kernel starts: none, unless it is marked
// `pdl`. Then those of the kernel before, and of the ones that could still run when that started.
void StartsAfter(RunState& run, size_t index) {
  const ir::Kernel& kernel = run.program.kernels[index];
  const bool early = run.plan.kernels[index].pdl && run.previous != nullptr;
  if (early && run.previous_early && run.never_waited >= 0) {
    run.findings.EarlyChain(kernel, *run.previous, run.never_waited);
  }
  // What the kernel before waited for has ended when this one has waited for it.
  if (!early) run.early_serial = run.serial + 1;
  run.launch_serial = run.serial + 1;
  run.never_waited = -1;
  run.previous = &kernel;
  run.previous_early = early;
}

void RunClusters(RunState& run, const ir::Kernel& kernel, const KernelCode& code,
                 const facts::KernelLaunch& launch, const CtaOrder& order) {
  const auto index = static_cast<size_t>(&kernel - run.program.kernels.data());
  ClusterRun clusters(run, kernel, run.facts.kernels[index], code, launch);
  const int64_t max_ctas = run.options.max_lane_statements / ir::kLanes;
  for (int64_t i = 0; i < order.size() && !run.stopped; i += kernel.cluster) {
    if (run.CtasStarted() > max_ctas) {
      run.findings.CtaLimit(kernel, max_ctas);
      return run.Stop(Outcome::kLimit);
    }
    if (run.pool.Begin(i / kernel.cluster)) clusters.Run(order[i]);
  }
}

// Of one kernel; that of an earlier run where it fits.
absl::StatusOr<const KernelCode*> CodeOf(const RunState& run, size_t kernel,
                                         const Layouts& layouts) {
  std::map<size_t, KernelCode>& codes = run.scratch.codes;
  const auto known = codes.find(kernel);
  if (known != codes.end() && Relaunch(run.values, layouts, known->second)) return &known->second;
  absl::StatusOr<KernelCode> code =
      Compile(run.program, run.program.kernels[kernel], run.values, layouts, run.options.values);
  if (!code.ok()) return code.status();
  code->orders_ctas = OrdersCtas(run.program, run.program.kernels[kernel]);
  return &(codes[kernel] = *std::move(code));
}

// Of the kernels that are launched, with the units that all of them leave of the tensors.
std::vector<absl::StatusOr<const KernelCode*>> CompileAll(const RunState& run, Units& units) {
  Layouts layouts;
  for (const TensorState& tensor : run.tensors) layouts.tensors.push_back(tensor.plan->strides);
  std::vector<absl::StatusOr<const KernelCode*>> all;
  NarrowUnits({}, layouts, units);
  for (size_t i = 0; i < run.program.kernels.size(); ++i) {
    all.emplace_back(nullptr);
    if (run.plan.kernels[i].skipped) continue;
    layouts.shared.clear();
    for (const facts::SharedPlacement& placement : run.facts.kernels[i].shared) {
      layouts.shared.push_back(placement.strides);
    }
    all.back() = CodeOf(run, i, layouts);
    if (all.back().ok()) NarrowUnits(**all.back(), layouts, units);
  }
  return all;
}

absl::Status RunKernel(RunState& run, size_t index,
                       const absl::StatusOr<const KernelCode*>& compiled) {
  const ir::Kernel& kernel = run.program.kernels[index];
  const facts::KernelFacts& facts = run.facts.kernels[index];
  const facts::KernelLaunch& launch = run.plan.kernels[index];
  if (launch.skipped) return absl::OkStatus();
  if (absl::IsResourceExhausted(compiled.status())) {
    run.findings.SizeLimit(kernel, kRegisterBytes);
    run.Stop(Outcome::kLimit);
    return absl::OkStatus();
  }
  if (!compiled.ok()) return compiled.status();
  const KernelCode& code = **compiled;
  if (!FitsMachine(run, kernel, code)) return absl::OkStatus();
  for (const Site& site : code.sites) run.sites.push_back({&kernel, site});
  StartsAfter(run, index);
  const CtaOrder order(run.options, launch);
  const int64_t group = std::max<int64_t>(kernel.cluster, 1);
  run.pool.Start(order.size() / group, run.options.schedule_seed,
                 [&](int64_t i) { return order[i * group]; });
  run.FollowLaunch(kernel);
  if (code.orders_ctas && order.size() <= kMaxCtasSideBySide) {
    std::vector<int64_t> ctas;
    for (int64_t i = 0; i < order.size(); ++i) ctas.push_back(order[i]);
    Grid(run, kernel, facts, code, launch).Run(ctas);
    return absl::OkStatus();
  }
  if (kernel.cluster > 1) {
    RunClusters(run, kernel, code, launch, order);
    return absl::OkStatus();
  }
  Cta machine(run, kernel, facts, code);
  // A CTA without statements costs time too: it counts as one statement of one warp.
  const int64_t max_ctas = run.options.max_lane_statements / ir::kLanes;
  for (int64_t i = 0; i < order.size() && !run.stopped; ++i) {
    if (run.CtasStarted() > max_ctas) {
      run.findings.CtaLimit(kernel, max_ctas);
      run.Stop(Outcome::kLimit);
      break;
    }
    if (!run.pool.Begin(i)) continue;
    ++run.serial;
    run.ctas.push_back(order[i]);
    machine.Run(order[i], launch);
  }
  return absl::OkStatus();
}

void Finish(RunState& run) {
  Result& result = run.result;
  run.findings.Finish();
  result.written.resize(run.plan.tensors.size());
  for (const TensorState& tensor : run.tensors) {
    if (!run.options.record_written) break;
    std::vector<bool>& flags = result.written[tensor.plan_index];
    flags.resize(tensor.elements.size());
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = (tensor.elements[i] & kWrittenHere) != 0;
  }
  if (result.outcome == Outcome::kFinished && result.report.has_errors()) {
    result.outcome = Outcome::kFault;
  }
  result.report.Sort();
  NoteUnwritten(run);
}

}  // namespace

absl::StatusOr<Result> Run(const ir::Program& program, const facts::Facts& facts,
                           const facts::LaunchPlan& plan, const ir::LaunchValues& values,
                           const Memory& memory, const Options& options) {
  if (plan.kernels.size() != program.kernels.size() ||
      facts.kernels.size() != program.kernels.size() ||
      values.values.size() != program.symbols.size()) {
    return absl::InvalidArgumentError("plan, facts and values are of another program");
  }
  if (!options.clocks && (options.check_races || options.hash_order || options.cuts != nullptr)) {
    return absl::InvalidArgumentError("races, orders and cuts are told by clocks");
  }
  Result result;
  result.statements.resize(program.stmts.size());
  if (options.values != nullptr) result.outcomes.resize(options.values->watched.size());
  Scratch own;
  RunState run{.program = program,
               .facts = facts,
               .plan = plan,
               .values = values,
               .options = options,
               .result = result,
               .findings = Findings(program, values, result.report),
               .scratch = options.scratch != nullptr ? *options.scratch : own};
  run.scratch.records.StartRun();
  if (options.replay != nullptr) {
    for (const WarpTickets& warp : *options.replay) {
      run.replay[{warp.kernel, warp.cta, warp.role, warp.warp}] = &warp;
    }
  }
  const std::vector<bool> stored = StoredTensors(program);
  if (absl::Status status = BindTensors(run, memory, stored); !status.ok()) return status;
  Units units;
  const std::vector<absl::StatusOr<const KernelCode*>> codes = CompileAll(run, units);
  if (options.check_races) MakeShadowGroups(run, stored, units);
  for (size_t i = 0; i < program.kernels.size() && !run.stopped; ++i) {
    if (absl::Status status = RunKernel(run, i, codes[i]); !status.ok()) return status;
  }
  Finish(run);
  run.scratch.serial = run.serial;
  if (absl::Status status = CheckExplained(result); !status.ok()) return status;
  return result;
}

ScratchPtr MakeScratch() { return ScratchPtr(new Scratch); }
void FreeScratch::operator()(Scratch* scratch) const { delete scratch; }

absl::Status CheckExplained(const Result& result) {
  const bool stopped = result.outcome == Outcome::kFault || result.outcome == Outcome::kDeadlock;
  if (!stopped || result.report.has_errors()) return absl::OkStatus();
  return absl::InternalError("the machine stopped the run and does not say why");
}

}  // namespace compiler::machine
