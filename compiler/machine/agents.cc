#include "compiler/machine/agents.h"

#include <algorithm>

namespace compiler::machine {
namespace {

bool Uses(const ir::Program& program, const std::vector<ir::StmtId>& body,
          std::initializer_list<ir::CopyEffect> effects) {
  return std::any_of(body.begin(), body.end(), [&](ir::StmtId id) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) return false;
    const bool itself = stmt.op != nullptr && std::find(effects.begin(), effects.end(),
                                                        stmt.op->effects.copy) != effects.end();
    return itself || Uses(program, stmt.body, effects) || Uses(program, stmt.else_body, effects);
  });
}

bool Multiplies(const ir::Program& program, const std::vector<ir::StmtId>& body) {
  return std::any_of(body.begin(), body.end(), [&](ir::StmtId id) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) return false;
    const bool itself = stmt.op != nullptr && stmt.op->effects.product &&
                        stmt.op->effects.engine == ir::ProductEngine::kWarpgroup;
    return itself || Multiplies(program, stmt.body) || Multiplies(program, stmt.else_body);
  });
}

}  // namespace

Agents::Agents(const ir::Program& program, const ir::Kernel& kernel, size_t mbarriers, size_t first)
    : first_(first) {
  using ir::CopyEffect;
  for (const ir::Role& role : kernel.roles) {
    warps_ += static_cast<size_t>(std::max<int64_t>(role.warps, 0));
    has_copies_ = has_copies_ || Uses(program, role.body, {CopyEffect::kAsyncCopy});
    has_stores_ = has_stores_ || Uses(program, role.body,
                                      {CopyEffect::kTensorStore, CopyEffect::kTensorReduce,
                                       CopyEffect::kBulkStore, CopyEffect::kBulkReduce});
    has_loads_ = has_loads_ ||
                 Uses(program, role.body,
                      {CopyEffect::kTensorLoad, CopyEffect::kBulkLoad, CopyEffect::kRemoteStore,
                       CopyEffect::kLaunchCancel, CopyEffect::kGatherLoad});
    has_products_ = has_products_ || Multiplies(program, role.body);
  }
  count_ = warps_;
  copies_ = count_;
  if (has_copies_) count_ += warps_;
  reads_ = count_;
  if (has_stores_) count_ += warps_;
  writes_ = count_;
  if (has_stores_) count_ += warps_;
  products_ = count_;
  if (has_products_) count_ += warps_;
  has_tensor_ = !kernel.tmem.empty();
  tensor_ = count_;
  if (has_tensor_) count_ += 4 * warps_;
  loads_ = count_;
  if (has_loads_) count_ += mbarriers;
}

size_t Agents::WarpOf(AgentId agent) const {
  const size_t number = agent - first_;
  return number < loads_ && warps_ != 0 ? number % warps_ : 0;
}

}  // namespace compiler::machine
