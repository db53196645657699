// Operands of rings and events.
#include <algorithm>

#include "compiler/facts/copies.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {
bool SpinsOnTest(const ir::Program& program, const ir::Stmt& stmt) {
  if (stmt.kind != ir::StmtKind::kWhile || !stmt.body.empty()) return false;
  const ir::Expr& condition = program[stmt.value];
  return condition.op != nullptr && condition.op->algebra == ir::Algebra::kNot &&
         program[condition.args[0]].kind == ir::ExprKind::kTest;
}

void RoleCompiler::EventOperands(const ir::Stmt& stmt, Sync& sync) {
  if (stmt.use == ir::ExprId::kNone) return;
  sync.ring = static_cast<int32_t>(stmt.ring);
  sync.event = static_cast<int32_t>(stmt.event);
  sync.use = Expression(stmt.use)[0];
  if (stmt.bytes != ir::ExprId::kNone) sync.bytes = Expression(stmt.bytes)[0];
  sync.relaxed =
      std::find(stmt.modifiers.begin(), stmt.modifiers.end(), "relaxed") != stmt.modifiers.end();
  sync.cluster =
      std::find(stmt.modifiers.begin(), stmt.modifiers.end(), "cluster") != stmt.modifiers.end();
  if (stmt.remote != ir::ExprId::kNone) sync.remote = Expression(stmt.remote)[0];
  sync.pair = ir::OfPair(stmt);
  sync.with_copies = sync.effect == ir::SyncEffect::kCommit &&
                     facts::FilledByAsyncCopies(program_, kernel_, role_, stmt.ring);
  if (!Arrives(sync.effect)) return;
  const EventArray array{
      .ring = sync.ring,
      .event = sync.event,
      .empty = sync.effect == ir::SyncEffect::kRelease,
      .remote = sync.remote != kNoRegister || sync.pair ||
                (sync.ring >= 0 && kernel_.rings[static_cast<size_t>(sync.ring)].cluster)};
  if (std::find(code_.arrives.begin(), code_.arrives.end(), array) == code_.arrives.end()) {
    code_.arrives.push_back(array);
  }
}

Registers RoleCompiler::Test(const ir::Expr& expr) {
  const Sync sync{.stmt = stmt_,
                  .effect = ir::SyncEffect::kWait,
                  .ring = static_cast<int32_t>(expr.ring),
                  .event = static_cast<int32_t>(expr.event),
                  .use = Expression(expr.use)[0],
                  .spins = SpinsOnTest(program_, program_[stmt_])};
  const Registers out = Temporaries(1);
  code_.syncs.push_back(sync);
  Emit({.code = Code::kTest, .dst = out[0], .a = static_cast<int32_t>(code_.syncs.size() - 1)});
  return out;
}

}  // namespace compiler::machine
