// Copies between memories, as the machine runs them.
#include <utility>

#include "compiler/facts/copies.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {

bool RoleCompiler::CopyStatement(const ir::Stmt& stmt, ir::StmtId id) {
  const ir::CopyEffect effect = stmt.op->effects.copy;
  if (effect == ir::CopyEffect::kRemoteStore) return RemoteStore(stmt, id), true;
  if (effect == ir::CopyEffect::kLaunchCancel) return LaunchCancel(stmt, id), true;
  if (effect == ir::CopyEffect::kMapUpdate) return SetTensorMap(stmt, id), true;
  const bool by_lane = effect == ir::CopyEffect::kAsyncCopy;
  if (!by_lane && !facts::IsTensorCopy(effect) && !facts::IsBulkCopy(effect)) return false;
  Copy copy{.stmt = id, .effect = effect, .opaque = Opaque(stmt.destination)};
  if (!stmt.modifiers.empty()) copy.reduction = stmt.modifiers.front();
  copy.to = by_lane ? MakeAccess(stmt.destination) : MakeBox(stmt.destination);
  copy.from = by_lane ? MakeAccess(stmt.source_view) : MakeBox(stmt.source_view);
  if (!status_.ok()) return true;
  if (stmt.else_value != ir::ExprId::kNone) {
    code_.accesses[static_cast<size_t>(copy.from)].outside = Temporary();
  }
  for (const int32_t access : {copy.to, copy.from}) {
    code_.accesses[static_cast<size_t>(access)].origin =
        AddOrigin({.kind = OriginKind::kMemory,
                   .stmt = id,
                   .view = code_.accesses[static_cast<size_t>(access)].view});
  }
  copy.ring = static_cast<int32_t>(stmt.on_ring);
  copy.event = static_cast<int32_t>(stmt.on_event);
  if (stmt.on_use != ir::ExprId::kNone) copy.use = Expression(stmt.on_use)[0];
  if (stmt.multicast != ir::ExprId::kNone) copy.multicast = Expression(stmt.multicast)[0];
  for (const ir::ExprId row : stmt.gather_rows) copy.rows.push_back(Expression(row)[0]);
  if (stmt.end != ir::ExprId::kNone) copy.end = Expression(stmt.end)[0];
  copy.end_dimension = static_cast<size_t>(stmt.end_dimension);
  code_.copies.push_back(copy);
  Emit({.code = Code::kCopy, .a = static_cast<int32_t>(code_.copies.size() - 1)});
  return true;
}

// tensormap.set: its view is the last element that is inside.
void RoleCompiler::SetTensorMap(const ir::Stmt& stmt, ir::StmtId id) {
  Copy copy{.stmt = id, .effect = stmt.op->effects.copy};
  copy.to = copy.from = MakeBox(stmt.source_view);
  if (!status_.ok()) return;
  copy.end = Expression(stmt.end)[0];
  copy.end_dimension = static_cast<size_t>(stmt.end_dimension);
  code_.copies.push_back(copy);
  Emit({.code = Code::kCopy, .a = static_cast<int32_t>(code_.copies.size() - 1)});
}

// st.async: the values of registers, so one access.
void RoleCompiler::RemoteStore(const ir::Stmt& stmt, ir::StmtId id) {
  Copy copy{.stmt = id, .effect = stmt.op->effects.copy};
  Registers values = Expression(stmt.value);
  copy.to = copy.from = MakeAccess(stmt.destination);
  if (!status_.ok()) return;
  Access& store = code_.accesses[static_cast<size_t>(copy.to)];
  if (values.size() == 1) values.resize(store.element_offsets.size(), values[0]);
  if (values.size() != store.element_offsets.size()) return Fail("a store of another width");
  store.values = std::move(values);
  copy.event = static_cast<int32_t>(stmt.on_event);
  copy.use = Expression(stmt.on_use)[0];
  code_.copies.push_back(copy);
  Emit({.code = Code::kCopy, .a = static_cast<int32_t>(code_.copies.size() - 1)});
}

// clc.try_cancel: the two words of the answer, which always matter.
void RoleCompiler::LaunchCancel(const ir::Stmt& stmt, ir::StmtId id) {
  Copy copy{.stmt = id, .effect = stmt.op->effects.copy};
  copy.to = copy.from = MakeBox(stmt.destination);
  if (!status_.ok()) return;
  copy.ring = static_cast<int32_t>(stmt.on_ring);
  copy.event = static_cast<int32_t>(stmt.on_event);
  copy.use = Expression(stmt.on_use)[0];
  if (stmt.multicast != ir::ExprId::kNone) copy.multicast = Expression(stmt.multicast)[0];
  code_.copies.push_back(copy);
  Emit({.code = Code::kCopy, .a = static_cast<int32_t>(code_.copies.size() - 1)});
}

// A view of any size that one thread names: an offset and an extent a dimension.
int32_t RoleCompiler::MakeBox(ir::ViewId id) {
  code_.accesses.push_back(AccessOf(id));
  return static_cast<int32_t>(code_.accesses.size() - 1);
}

}  // namespace compiler::machine
