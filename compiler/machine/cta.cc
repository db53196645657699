#include "compiler/machine/cta.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/machine/values.h"

namespace compiler::machine {
namespace {

constexpr int64_t kWarpgroupWarps = 4;
// A warp that never blocks gives way after this many instructions, so that a loop which waits for
// another warp's store ends in a finding of that race and not only at the step limit.
constexpr int64_t kCanonicalSlice = int64_t{1} << 16;
// Slices of 1 to 256 instructions, as many short as long ones: short ones part neighbouring
// accesses.
constexpr uint64_t kSliceSizes = 9;

}  // namespace

size_t Cta::AgentsOf(const ir::Program& program, const ir::Kernel& kernel) {
  int64_t mbarriers = 0;
  for (const ir::Event& event : kernel.events) mbarriers += event.stages;
  for (const ir::Ring& ring : kernel.rings) mbarriers += 2 * ring.stages;
  return Agents(program, kernel, static_cast<size_t>(mbarriers)).count();
}

Cta::Cta(RunState& run, const ir::Kernel& kernel, const facts::KernelFacts& facts,
         const KernelCode& code, AgentSpace space)
    : run_(run),
      kernel_(kernel),
      facts_(facts),
      code_(code),
      space_(space),
      site_base_(static_cast<int32_t>(run.sites.size() - code.sites.size())),
      random_(run.options.schedule_seed + space.first) {
  // The last agent of a space stands for the kernels before.
  if (space_.agents == 0) space_.agents = AgentsOf(run.program, kernel) + 1;
  if (!run.options.clocks) space_.agents = 0;
  const auto number = static_cast<size_t>(&kernel - run.program.kernels.data());
  CtaScratch left = run.scratch.Take(number);
  MakeWarps(left);
  MakeBarriers();
  MakeMbarriers();
  agents_ = Agents(run.program, kernel, mbarriers_.size(), space_.first);
  int64_t bytes = facts.shared_bytes;
  for (const facts::SharedPlacement& place : facts.shared) {
    bytes = std::max(bytes, place.offset_bytes + place.total_bytes);
  }
  shared_ = std::move(left.shared);
  shared_.resize(static_cast<size_t>(bytes));
  regions_ = std::move(left.regions);
  MakeRegions();
  const Values* const matter = run.options.values;
  const bool contents = matter == nullptr || std::count(matter->tmem[number].begin(),
                                                        matter->tmem[number].end(), true) > 0;
  tensor_ = std::move(left.tensor);
  tensor_.Make(kernel, facts.tmem_columns, warps_.size(),
               {.contents = contents,
                .origins = run.options.check_definedness,
                .races = run.options.check_races});
}

Cta::~Cta() {
  CtaScratch left{
      .shared = std::move(shared_), .regions = std::move(regions_), .tensor = std::move(tensor_)};
  for (Warp& warp : warps_) left.registers.push_back(std::move(warp.registers));
  run_.scratch.Give(static_cast<size_t>(&kernel_ - run_.program.kernels.data()), std::move(left));
}

void Cta::MakeWarps(CtaScratch& left) {
  for (size_t role = 0; role < kernel_.roles.size(); ++role) {
    const RoleCode& code = code_.roles[role];
    for (int64_t i = 0; i < kernel_.roles[role].warps; ++i) {
      Warp& warp = warps_.emplace_back();
      warp.role = static_cast<int>(role);
      warp.index = static_cast<int>(i);
      warp.agent = static_cast<AgentId>(space_.first + warps_.size() - 1);
      warp.next_use.resize(kernel_.rings.size());
      const size_t at = warps_.size() - 1;
      if (at < left.registers.size()) warp.registers = std::move(left.registers[at]);
      warp.registers.Resize(code.fixed_registers, code.registers);
      for (const Constant& constant : code.constants) {
        warp.registers[constant.reg].bits.fill(constant.bits);
      }
    }
  }
}

void Cta::MakeBarriers() {
  for (size_t i = 0; i < kernel_.barriers.size(); ++i) {
    const ir::Barrier& declared = kernel_.barriers[i];
    first_named_.push_back(static_cast<int32_t>(barriers_.size()));
    for (int64_t n = 0; n < declared.count; ++n) {
      Barrier& barrier = barriers_.emplace_back();
      barrier.name = declared.count == 1 ? declared.name : absl::StrCat(declared.name, "[", n, "]");
      barrier.named = true;
      barrier.declared = static_cast<int32_t>(i);
      barrier.needed_threads = declared.threads;
    }
  }
  for (size_t role = 0; role < kernel_.roles.size(); ++role) {
    const int64_t warps = kernel_.roles[role].warps;
    role_barrier_.push_back(static_cast<int32_t>(barriers_.size()));
    Barrier& whole = barriers_.emplace_back();
    whole.name = "sync role";
    whole.scope = ir::Scope::kRole;
    whole.role = static_cast<int>(role);
    whole.needed_threads = warps * ir::kLanes;
    first_group_.push_back(static_cast<int32_t>(barriers_.size()));
    for (int64_t first = 0; first < warps; first += kWarpgroupWarps) {
      Barrier& group = barriers_.emplace_back();
      group.name = "sync wg";
      group.scope = ir::Scope::kWg;
      group.role = static_cast<int>(role);
      group.group = static_cast<int>(first / kWarpgroupWarps);
      group.needed_threads = std::min(kWarpgroupWarps, warps - first) * ir::kLanes;
    }
  }
  for (int32_t* whole : {&cta_barrier_, &grid_barrier_}) {
    *whole = static_cast<int32_t>(barriers_.size());
    Barrier& cta = barriers_.emplace_back();
    cta.name = whole == &cta_barrier_ ? "sync cta" : "grid.sync";
    cta.needed_threads = static_cast<int64_t>(warps_.size()) * ir::kLanes;
  }
}

void Cta::Run(int64_t cta, const facts::KernelLaunch& launch) {
  Start(cta, run_.serial, launch);
  while (!run_.stopped && !Done()) {
    if (!Advance() && !run_.stopped && !PollersMove() && !run_.stopped) Stuck(0);
  }
  if (!run_.stopped) End();
}

bool Cta::Advance() {
  if (run_.options.schedule_seed != 0) return Permuted();
  bool any = Canonical();
  while (cuts_ != nullptr && !run_.stopped && cuts_->Pass(*this)) any = Canonical() || any;
  return any;
}

bool Cta::Done() const {
  return std::all_of(warps_.begin(), warps_.end(),
                     [](const Warp& warp) { return warp.state == WarpState::kDone; });
}

bool Cta::Canonical() {
  bool any = false;
  for (WakePollers(); !run_.stopped && Ready() != 0; WakePollers()) {
    any = true;
    for (Warp& warp : warps_) {
      if (warp.state == WarpState::kReady) Resume(warp, kCanonicalSlice);
      if (run_.stopped) break;
    }
  }
  return any;
}

bool Cta::AdvanceOne() {
  WakePollers();
  const size_t ready = Ready();
  if (ready == 0 || run_.stopped) return false;
  size_t chosen = random_() % ready;
  for (Warp& warp : warps_) {
    if (warp.state != WarpState::kReady || chosen-- != 0) continue;
    const uint64_t longest = uint64_t{1} << random_() % kSliceSizes;
    Resume(warp, static_cast<int64_t>(random_() % longest + 1));
    break;
  }
  return true;
}

bool Cta::Permuted() {
  bool any = false;
  while (AdvanceOne()) any = true;
  return any;
}

size_t Cta::Ready() const {
  return static_cast<size_t>(std::count_if(warps_.begin(), warps_.end(), [](const Warp& warp) {
    return warp.state == WarpState::kReady;
  }));
}

void Cta::Start(int64_t cta, uint32_t serial, const facts::KernelLaunch& launch) {
  serial_ = serial;
  Restart(cta, launch);
}

void Cta::Restart(int64_t cta, const facts::KernelLaunch& launch) {
  cta_ = cta;
  at_grid_ = waited_ = false;
  grants_ = 0;
  refusal_.reset();
  map_uses_.clear();
  shared_words_.Clear();
  if (alone_ != nullptr) alone_->Restart();
  for (Warp& warp : warps_) {
    warp.Restart(space_.agents);
    warp.cta = cta;
    if (kernel_.cluster > 1) warp.clocks.ordered = Clock(space_.agents);
    SetBuiltins(warp, launch);
  }
  StartLogs();
  cuts_ = Cuts::Start(*this);
  for (Barrier& barrier : barriers_) barrier.Restart(space_.agents);
  for (Mbarrier& mbarrier : mbarriers_) mbarrier.Restart();
  RestartGroups();
  RestartRegions();
  std::fill(shared_.begin(), shared_.end(), std::byte{0xff});
  shared_rules_.StartCta();
  tensor_.Restart();
  if (space_.serial == 0) run_.global_rules.StartCta();
}

void Cta::SetBuiltins(Warp& warp, const facts::KernelLaunch& launch) {
  const int64_t total = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const int64_t cluster = std::max<int64_t>(launch.cluster, 1);
  for (const BuiltinRegister& builtin : code_.roles[static_cast<size_t>(warp.role)].builtins) {
    // Of the first lane.
    const auto value = [&]() -> int64_t {
      switch (builtin.value) {
        case ir::BuiltinValue::kLane: return 0;
        case ir::BuiltinValue::kWarp: return warp.index;
        case ir::BuiltinValue::kWg: return warp.index / kWarpgroupWarps;
        case ir::BuiltinValue::kThread: return warp.index * ir::kLanes;
        case ir::BuiltinValue::kCta: return cta_;
        case ir::BuiltinValue::kCtaX: return cta_ % launch.grid[0];
        case ir::BuiltinValue::kCtaY: return cta_ / launch.grid[0] % launch.grid[1];
        case ir::BuiltinValue::kCtaZ: return cta_ / (launch.grid[0] * launch.grid[1]);
        case ir::BuiltinValue::kCtas: return total;
        case ir::BuiltinValue::kClusterId: return cta_ / cluster;
        case ir::BuiltinValue::kClusterRank: return cta_ % cluster;
        case ir::BuiltinValue::kClusters: return total / cluster;
      }
      return 0;
    };
    ir::LaneVector& vector = warp.registers[builtin.reg];
    vector.bits.fill(static_cast<uint64_t>(value()));
    const bool by_lane = builtin.value == ir::BuiltinValue::kLane ||
                         builtin.value == ir::BuiltinValue::kThread;
    for (size_t lane = 0; by_lane && lane < ir::kLanes; ++lane) vector.bits[lane] += lane;
  }
}

}  // namespace compiler::machine
