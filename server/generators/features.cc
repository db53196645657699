#include "server/generators/features.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace server::generators {
namespace {

namespace ir = compiler::ir;

int64_t Product(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (const int64_t n : shape) product *= n;
  return product;
}

// How data and products move, the most special way first.
enum class Form : uint8_t { kPlain, kAsyncCopy, kTensorCopy, kWarpMma, kWarpgroupMma, kTensorMma };
constexpr const char* kFormWords[] = {"plain", "cp.async", "tma", "mma", "wgmma", "umma"};

Form FormOf(const ir::Stmt& stmt) {
  if (stmt.op == nullptr || stmt.dead) return Form::kPlain;
  const ir::Effects& effects = stmt.op->effects;
  if (effects.product) {
    switch (effects.engine) {
      case ir::ProductEngine::kWarp: return Form::kWarpMma;
      case ir::ProductEngine::kWarpgroup: return Form::kWarpgroupMma;
      case ir::ProductEngine::kTensorMemory: return Form::kTensorMma;
    }
  }
  if (effects.copy == ir::CopyEffect::kTensorLoad) return Form::kTensorCopy;
  return effects.copy == ir::CopyEffect::kAsyncCopy ? Form::kAsyncCopy : Form::kPlain;
}

// Elements of the widest constant slice of global memory.
int64_t WidestAccess(const ir::Program& program) {
  int64_t widest = 1;
  for (const ir::View& view : program.views) {
    if (view.space != ir::Space::kGlobal) continue;
    int64_t elements = 1;
    for (const ir::ViewIndex& index : view.index) {
      if (!index.is_slice || index.extent == ir::ExprId::kNone) continue;
      const ir::Expr& extent = program[index.extent];
      if (extent.kind == ir::ExprKind::kInt) elements *= std::max<int64_t>(extent.int_value, 1);
    }
    widest = std::max(widest, elements);
  }
  return widest;
}

bool NamesSms(const ir::Program& program, ir::ExprId id) {
  const ir::Expr& expr = program[id];
  if (expr.kind == ir::ExprKind::kSymbol && program[expr.symbol].kind == ir::SymbolKind::kSms) {
    return true;
  }
  return std::any_of(expr.args.begin(), expr.args.end(),
                     [&](ir::ExprId arg) { return NamesSms(program, arg); });
}

bool AddsAtomically(const ir::Program& program) {
  const auto adds = [](const ir::OpDef* op) { return op != nullptr && op->effects.atomic; };
  return std::any_of(program.stmts.begin(), program.stmts.end(),
                     [&](const ir::Stmt& s) { return adds(s.op); }) ||
         std::any_of(program.exprs.begin(), program.exprs.end(), [&](const ir::Expr& e) {
           return e.kind == ir::ExprKind::kAtomic && adds(e.op);
         });
}

// Elements in shared memory (one stage) and in the registers of all threads.
int64_t HeldBy(const ir::Kernel& kernel) {
  int64_t held = 0;
  for (const ir::SharedBuffer& buffer : kernel.shared) held += Product(buffer.shape);
  for (const ir::Local& local : kernel.locals) {
    if (local.role < 0 || local.type.shape.empty()) continue;
    const int64_t warps = kernel.roles[static_cast<size_t>(local.role)].warps;
    // A fragment's shape is that of the tile that its warps hold together.
    const int64_t holders = local.type.is_fragment() ? warps : warps * ir::kLanes;
    held += Product(local.type.shape) * holders;
  }
  return held;
}

}  // namespace

std::string FeaturesJson(const ir::Program& program, const compiler::facts::Facts& facts) {
  int64_t roles = 1, ring = 1, tile = 1, cluster = 1, warps = 1, shared = 0;
  bool persistent = false;
  Form form = Form::kPlain;
  for (const ir::Stmt& stmt : program.stmts) form = std::max(form, FormOf(stmt));
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::Kernel& kernel = program.kernels[k];
    roles = std::max(roles, static_cast<int64_t>(kernel.roles.size()));
    cluster = std::max(cluster, kernel.cluster);
    for (const ir::Ring& r : kernel.rings) ring = std::max(ring, r.stages);
    for (const ir::SharedBuffer& b : kernel.shared) ring = std::max(ring, b.stages);
    int64_t of_roles = 0;
    for (const ir::Role& role : kernel.roles) of_roles += role.warps;
    warps = std::max(warps, of_roles);
    tile = std::max(tile, HeldBy(kernel));
    for (const ir::ExprId axis : kernel.grid) persistent = persistent || NamesSms(program, axis);
    if (k < facts.kernels.size()) shared = std::max(shared, facts.kernels[k].shared_bytes);
  }
  nlohmann::json params = nlohmann::json::object();
  for (const ir::BoundParam& param : program.params) params[param.name] = param.value;
  return nlohmann::json{{"roles", roles},
                        {"ring", ring},
                        {"form", kFormWords[static_cast<size_t>(form)]},
                        {"tile", tile},
                        {"persistent", persistent},
                        {"split", AddsAtomically(program)},
                        {"cluster", cluster},
                        {"warps", warps},
                        {"access", WidestAccess(program)},
                        {"shared", shared},
                        {"params", params}}
      .dump();
}

}  // namespace server::generators
