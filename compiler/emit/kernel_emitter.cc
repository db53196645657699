#include "compiler/emit/kernel_emitter.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/require.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"
#include "compiler/ir/walk.h"

namespace compiler::emit {
namespace {

constexpr int64_t kWarpgroupWarps = 4;
constexpr int64_t kSmemAlignmentBytes = 1024;  // the largest swizzle pattern repeats after 1,024

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

struct BuiltinRow {
  ir::BuiltinValue value;
  std::string_view name;
  bool of_role;
};

constexpr BuiltinRow kBuiltins[] = {
    {ir::BuiltinValue::kLane, "lane", true},
    {ir::BuiltinValue::kWarp, "warp", true},
    {ir::BuiltinValue::kWg, "wg", true},
    {ir::BuiltinValue::kThread, "thread", true},
    {ir::BuiltinValue::kCta, "cta", false},
    {ir::BuiltinValue::kCtaX, "cta_x", false},
    {ir::BuiltinValue::kCtaY, "cta_y", false},
    {ir::BuiltinValue::kCtaZ, "cta_z", false},
    {ir::BuiltinValue::kCtas, "ctas", false},
    {ir::BuiltinValue::kClusterId, "cluster_id", false},
    {ir::BuiltinValue::kClusterRank, "cluster_rank", false},
    {ir::BuiltinValue::kClusters, "clusters", false},
};

void CollectWritten(const ir::Program& program, const std::vector<ir::StmtId>& block,
                    std::set<ir::TensorId>& written) {
  for (const ir::StmtId id : block) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) continue;
    std::vector<ir::ViewId> views;
    ir::AppendWrittenViews(program, stmt, views);
    for (const ir::ViewId view : views) {
      if (program[view].space == ir::Space::kGlobal) written.insert(program[view].tensor);
    }
    CollectWritten(program, stmt.body, written);
    CollectWritten(program, stmt.else_body, written);
  }
}

// Whether other threads may change memory between two accesses of the block: ordered accesses,
// fences, a barrier of the grid.
bool OrdersMemory(const ir::Program& program, const std::vector<ir::StmtId>& block) {
  bool orders = false;
  facts::ForEachStmt(program, block, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.op != nullptr) {
      const ir::SyncEffect sync = stmt.op->effects.sync;
      orders |= ir::OrderingOf(*stmt.op, stmt.modifiers).strong || sync == ir::SyncEffect::kFence ||
                sync == ir::SyncEffect::kFenceSc || sync == ir::SyncEffect::kGridSync;
    }
    for (const ir::ExprId root : facts::OwnExprs(program, stmt)) {
      facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
        orders |= expr.op != nullptr && ir::OrderingOf(*expr.op, expr.modifiers).strong;
      });
    }
  });
  return orders;
}

// "blockIdx.x" of a grid of one extent, else the linear number, x fastest.
std::string LinearCta(size_t extents) {
  if (extents == 1) return "blockIdx.x";
  if (extents == 2) return "blockIdx.x + gridDim.x * blockIdx.y";
  return "blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)";
}

std::string CtaCount(size_t extents) {
  if (extents == 1) return "gridDim.x";
  if (extents == 2) return "gridDim.x * gridDim.y";
  return "gridDim.x * gridDim.y * gridDim.z";
}

}  // namespace

KernelEmitter::KernelEmitter(const ir::Program& program, const ir::Kernel& kernel,
                             const facts::KernelFacts& facts, const facts::CopyFacts& copies,
                             std::string name, std::string_view file_name,
                             const EmitOptions& options)
    : program_(program),
      kernel_(kernel),
      facts_(facts),
      copies_(copies),
      name_(std::move(name)),
      file_name_(file_name),
      log_events_(options.log_events || options.progress),
      progress_(options.progress),
      lines_(program.source) {
  CollectWritten(program, kernel.lets, written_);
  for (const ir::Role& role : kernel.roles) CollectWritten(program, role.body, written_);
  if (facts.cooperative) written_.insert(facts.grid_word);
  if (facts.map_words != ir::TensorId::kNone) written_.insert(facts.map_words);
  for (const ir::Role& role : kernel.roles) ordered_ |= OrdersMemory(program, role.body);
}

bool KernelEmitter::SingleRole() const {
  return kernel_.roles.size() == 1 && facts_.roles[0].warps * ir::kLanes == facts_.threads;
}

bool KernelEmitter::Aliased(ir::TensorId id) const {
  return std::any_of(program_.aliases.begin(), program_.aliases.end(),
                     [&](const auto& pair) { return pair.first == id || pair.second == id; });
}

// May be read through the path that does not see writes of this kernel. A kernel that may start
// early must not, for what an earlier one writes: the load could move before its `pdl.wait`.
bool KernelEmitter::ReadOnly(ir::TensorId id) const {
  if (written_.contains(id) || Aliased(id)) return false;
  return !kernel_.pdl || !program_[id].written_by_program;
}

void KernelEmitter::DeclareParameters() {
  if (log_events_) {
    names_.Declare("cake_log");
    names_.Declare("cake_log_to");
  }
  for (const ir::Tensor& tensor : program_.tensors) tensors_.push_back(names_.Declare(tensor.name));
  for (const ir::Symbol& symbol : program_.symbols) symbols_.push_back(names_.Declare(symbol.name));
  for (const ir::SharedBuffer& buffer : kernel_.shared) {
    std::string name = buffer.name;  // a field's has a point
    std::replace(name.begin(), name.end(), '.', '_');
    shared_.push_back(names_.Declare(name));
  }
  for (const facts::TensorMap& map : copies_.maps) {
    tensor_maps_.push_back(names_.Declare(map.name));
  }
  if (!kernel_.tmem.empty()) tmem_base_ = names_.Declare("tmem");
  for (const ir::TmemBuffer& buffer : kernel_.tmem) tmem_.push_back(names_.Declare(buffer.name));
  NameMbarriers();
  for (const BuiltinRow& row : kBuiltins) builtins_[row.value] = names_.Declare(row.name);
}

std::string KernelEmitter::Signature() {
  std::vector<std::string> parameters;
  const auto add = [&](bool workspace) {
    for (size_t i = 0; i < program_.tensors.size(); ++i) {
      const ir::Tensor& tensor = program_.tensors[i];
      const auto id = static_cast<ir::TensorId>(i);
      if ((tensor.direction == ir::Direction::kWorkspace) != workspace) continue;
      parameters.push_back(absl::StrCat(
          written_.contains(id) ? "" : "const ", Absl(ir::Info(tensor.dtype).cuda), "* ",
          ReadOnly(id) || (written_.contains(id) && !Aliased(id) && !ordered_) ? "__restrict__ "
                                                                               : "",
          tensors_[i]));
    }
  };
  add(false);
  add(true);
  for (size_t i = 0; i < program_.symbols.size(); ++i) {
    const ir::Symbol& symbol = program_.symbols[i];
    // Indexed where it lies in the parameters: without the attribute a copy in local memory is
    // made.
    const std::string type =
        symbol.elements > 0
            ? absl::StrCat("const __grid_constant__ ",
                           TypeText({.dtype = symbol.dtype, .shape = {symbol.elements}}))
            : std::string(ir::Info(symbol.dtype).cuda);
    parameters.push_back(absl::StrCat(type, " ", symbols_[i]));
  }
  for (const std::string& map : tensor_maps_) {
    parameters.push_back(absl::StrCat("const __grid_constant__ cake::tensor_map ", map));
  }
  if (log_events_) parameters.push_back("const __grid_constant__ cake::event_log cake_log_to");
  std::string attributes =
      absl::StrCat("__launch_bounds__(", facts_.threads, ", ", kernel_.ctas_per_sm, ")");
  if (kernel_.cluster > 1) {
    absl::StrAppend(&attributes, " __cluster_dims__(", kernel_.cluster, ", 1, 1)");
  }
  return absl::StrCat("extern \"C\" __global__ void ", attributes, "\n", name_, "(\n    ",
                      absl::StrJoin(parameters, ",\n    "), ") {");
}

void KernelEmitter::DeclareBuiltins(Writer& out, bool of_role, int64_t first_warp) {
  const int64_t first_thread = first_warp * ir::kLanes;
  // A remainder, where it is one, is known not to be negative: addresses made of it cost less.
  const int64_t warps = of_role && role_ != nullptr ? role_->warps : 1;
  const bool remainder =
      warps > 1 && std::has_single_bit(static_cast<uint64_t>(warps)) && first_warp % warps == 0;
  const auto within = [&](std::string_view index, int64_t first, int64_t count) {
    if (first == 0) return std::string(index);
    return absl::StrCat(absl::string_view(index.data(), index.size()), remainder ? " % " : " - ",
                        remainder ? count : first);
  };
  const std::string thread = within("threadIdx.x", first_thread, warps * ir::kLanes);
  const std::string warp = within("threadIdx.x / 32", first_warp, warps);
  const size_t extents = kernel_.grid.size();
  const auto value_of = [&](ir::BuiltinValue value) -> std::string {
    switch (value) {
      case ir::BuiltinValue::kLane: return "threadIdx.x % 32";
      case ir::BuiltinValue::kWarp: return warp;
      case ir::BuiltinValue::kWg:
        // The same in all lanes, and known to be: descriptors are made of it.
        return absl::StrCat("__shfl_sync(0xffffffffu, ", first_warp == 0 ? "" : "(", thread,
                            first_warp == 0 ? "" : ")", " / ", kWarpgroupWarps * ir::kLanes,
                            ", 0)");
      case ir::BuiltinValue::kThread: return thread;
      case ir::BuiltinValue::kCta: return LinearCta(extents);
      case ir::BuiltinValue::kCtaX: return "blockIdx.x";
      case ir::BuiltinValue::kCtaY: return "blockIdx.y";
      case ir::BuiltinValue::kCtaZ: return "blockIdx.z";
      case ir::BuiltinValue::kCtas: return CtaCount(extents);
      case ir::BuiltinValue::kClusterId:
        return absl::StrCat("(", LinearCta(extents), ") / ", kernel_.cluster);
      case ir::BuiltinValue::kClusterRank: return absl::StrCat("blockIdx.x % ", kernel_.cluster);
      case ir::BuiltinValue::kClusters:
        return absl::StrCat("(", CtaCount(extents), ") / ", kernel_.cluster);
    }
    Unreachable("builtin value");
  };
  for (const BuiltinRow& row : kBuiltins) {
    if (row.of_role != of_role || !used_.contains(row.value)) continue;
    out.Line(absl::StrCat("const int ", builtins_[row.value], " = ", value_of(row.value), ";"));
    if (of_role) used_.erase(row.value);
  }
}

void KernelEmitter::DeclareShared(Writer& out) {
  if (used_shared_.empty() && facts_.mbarriers == 0 && facts_.tmem_columns == 0) return;
  out.Line(absl::StrCat("extern __shared__ __align__(", kSmemAlignmentBytes,
                        ") unsigned char cake_smem[];"));
  for (const ir::SharedId id : used_shared_) {
    const auto i = static_cast<size_t>(id);
    const std::string type(ir::Info(kernel_.shared[i].dtype).cuda);
    const int64_t offset = facts_.shared[i].offset_bytes;
    out.Line(absl::StrCat(type, "* const ", shared_[i], " = reinterpret_cast<", type,
                          "*>(cake_smem", offset == 0 ? "" : absl::StrCat(" + ", offset), ");"));
  }
}

// PTX ISA, setmaxnreg: gives back or takes registers beyond what the launch bounds gave each warp.
void KernelEmitter::EmitRegisterBudget(const ir::Role& role) {
  if (role.regs == 0) return;
  constexpr int64_t kRegisters = 65536;
  constexpr int64_t kMostRegisters = 255;
  const int64_t given =
      facts::LaunchRegisters(kRegisters, kMostRegisters, facts_.threads, kernel_.ctas_per_sm);
  if (role.regs == given) return;
  out_.Line(absl::StrCat("asm volatile(\"setmaxnreg.", role.regs < given ? "dec" : "inc",
                         ".sync.aligned.u32 ", role.regs, ";  // @span ", role.declared.begin, " ",
                         role.declared.end, "\");"));
}

void KernelEmitter::EmitRole(size_t index) {
  role_ = &kernel_.roles[index];
  role_index_ = index;
  Writer before = out_;
  out_ = before.Nested();
  names_.Open();
  load_counters_.clear();
  DeclareLoadCounters(role_->body);
  FindProducts(role_->body);
  Block(role_->body);
  EndTogether();
  names_.Close();
  const Writer body = out_;
  out_ = std::move(before);
  DeclareBuiltins(out_, true, facts_.roles[index].first_warp);
  out_.Append(body);
  role_ = nullptr;
}

// Roles [first, result) share warpgroups: each begins in the one where the role before it ends.
size_t KernelEmitter::EndOfSharing(size_t first) const {
  size_t end = first + 1;
  for (; end < facts_.roles.size(); ++end) {
    const facts::RolePlacement& before = facts_.roles[end - 1];
    const int64_t last = before.first_warp + std::max<int64_t>(before.warps, 1) - 1;
    if (facts_.roles[end].first_warp / kWarpgroupWarps != last / kWarpgroupWarps) break;
  }
  return end;
}

std::string KernelEmitter::WarpRange(int64_t first, int64_t end) const {
  const std::string below = absl::StrCat(warp_index_, " < ", end);
  return first == 0 ? below : absl::StrCat(warp_index_, " >= ", first, " && ", below);
}

// With register budgets the warps of whole warpgroups stand in one branch, those that pad them
// included: all of a warpgroup execute setmaxnreg. Warps that give registers back wait for nobody,
// so the order of the branches does not matter.
void KernelEmitter::EmitRoles() {
  if (SingleRole()) {
    EmitRegisterBudget(kernel_.roles[0]);
    EmitRole(0);
    return;
  }
  warp_index_ = names_.Declare("warp_index");
  out_.Line("// The same in all lanes, and known to be: roles do not diverge.");
  out_.Line(
      absl::StrCat("const int ", warp_index_, " = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);"));
  // One chain: what a role needs is then not kept in registers while another one runs.
  const auto branch = [&](bool first, int64_t first_warp, int64_t end_warp,
                          const std::string& comment) {
    const std::string condition =
        absl::StrCat("if (", WarpRange(first_warp, end_warp), ") {", comment);
    if (first) return out_.Open(condition);
    out_.Middle(absl::StrCat("} else ", condition));
  };
  for (size_t i = 0; i < kernel_.roles.size();) {
    const size_t begin = i;
    const size_t end = EndOfSharing(i);
    const ir::Role* budget = nullptr;
    for (size_t r = i; r < end && budget == nullptr; ++r) {
      if (kernel_.roles[r].regs > 0) budget = &kernel_.roles[r];
    }
    const facts::RolePlacement& last = facts_.roles[end - 1];
    const int64_t first_warp = facts_.roles[i].first_warp;
    const int64_t end_warp =
        (last.first_warp + last.warps + kWarpgroupWarps - 1) / kWarpgroupWarps * kWarpgroupWarps;
    const bool padded = last.first_warp + last.warps != end_warp || end > i + 1;
    const bool together = budget != nullptr && padded;
    if (together) {
      branch(begin == 0, first_warp, end_warp, "");
      EmitRegisterBudget(*budget);
    }
    for (; i < end; ++i) {
      const facts::RolePlacement& place = facts_.roles[i];
      branch(i == (together ? begin : 0), place.first_warp, place.first_warp + place.warps,
             absl::StrCat("  // role ", kernel_.roles[i].name));
      if (budget != nullptr && !together) EmitRegisterBudget(*budget);
      EmitRole(i);
    }
    if (together) out_.Close();
  }
  out_.Close();
}

std::string KernelEmitter::Run() {
  DeclareParameters();
  names_.Open();
  out_.Indent();
  for (const ir::Role& role : kernel_.roles) FindCounters(role.body);
  for (const ir::Role& role : kernel_.roles) FindCompanions(role.body);
  Block(kernel_.lets);
  EmitRoles();
  LogEnded();
  FreeTmem();
  const Writer body = out_;
  out_ = Writer();
  out_.Open(Signature());
  DeclareBuiltins(out_, false, 0);
  DeclareShared(out_);
  AllocateTmem(out_);
  PrefetchMaps(out_);
  DeclareMbarriers(out_);
  BeginTogether(out_);
  DeclareTmem(out_);
  DeclareLog(out_);
  out_.Append(body);
  out_.Close();
  return out_.text();
}

}  // namespace compiler::emit
