#include "compiler/machine/role_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace compiler::machine {

size_t ElementCount(const ir::Type& type) {
  if (type.is_fragment()) return static_cast<size_t>(ir::MapOf(type).Elements());
  size_t count = 1;
  for (int64_t extent : type.shape) {
    const auto size = static_cast<size_t>(std::max<int64_t>(extent, 0));
    if (size != 0 && count > kMaxRegisters / size) return kMaxRegisters + 1;
    count *= size;
  }
  return count;
}

bool Overlap(const Registers& a, Registers b) {
  std::sort(b.begin(), b.end());
  return std::any_of(a.begin(), a.end(),
                     [&](Register r) { return std::binary_search(b.begin(), b.end(), r); });
}

absl::StatusOr<RoleCode> RoleCompiler::Compile(int role) {
  role_ = static_cast<size_t>(role);
  for (size_t i = 0; i < kernel_.locals.size(); ++i) {
    const ir::Local& local = kernel_.locals[i];
    if (local.role != role && local.role != -1) continue;
    if (local.type.is_fragment() && ir::FindForm(local.type.form) == nullptr)
      Fail("such fragments");
    const size_t elements = ElementCount(local.type);
    if (static_cast<size_t>(next_temporary_) + elements > kMaxRegisters) {
      TooLarge("registers", kMaxRegisters);
      return status_;
    }
    Registers registers(elements);
    for (Register& r : registers) r = next_temporary_++;
    locals_[static_cast<ir::LocalId>(i)] = std::move(registers);
  }
  temporaries_peak_ = next_temporary_;
  Body(kernel_.lets);
  Body(kernel_.roles[static_cast<size_t>(role)].body);
  Emit({.code = Code::kEnd});
  if (!status_.ok()) return status_;
  code_.registers = temporaries_peak_;
  code_.fixed_registers = static_cast<Register>(code_.constants.size() + builtins_.size());
  return std::move(code_);
}

void RoleCompiler::Body(const std::vector<ir::StmtId>& body) {
  for (ir::StmtId id : body) Statement(id);
}

void RoleCompiler::Statement(ir::StmtId id) {
  const ir::Stmt& stmt = program_[id];
  if (stmt.dead || !status_.ok()) return;
  const Register base = next_temporary_;
  const ir::StmtId outer = std::exchange(stmt_, id);
  if (stmt.kind != ir::StmtKind::kWhile) {
    Emit({.code = Code::kStatement, .a = static_cast<int32_t>(id)});
  }
  switch (stmt.kind) {
    case ir::StmtKind::kLet: Let(stmt, id); break;
    case ir::StmtKind::kPairLet: PairLet(stmt); break;
    case ir::StmtKind::kAssign: Assign(stmt); break;
    case ir::StmtKind::kFor: For(stmt, id); break;
    case ir::StmtKind::kWhile: While(stmt, id); break;
    case ir::StmtKind::kIf: If(stmt); break;
    case ir::StmtKind::kElect:
    case ir::StmtKind::kOnce: OneLane(stmt); break;
    case ir::StmtKind::kOp: Operation(stmt, id); break;
  }
  stmt_ = outer;
  next_temporary_ = base;
}

void RoleCompiler::Let(const ir::Stmt& stmt, ir::StmtId id) {
  const Registers& local = LocalRegisters(stmt.local);
  const bool opaque = Opaque(stmt.local);
  if (stmt.value != ir::ExprId::kNone) {
    return MoveTo(local, Expression(stmt.value, &local), opaque);
  }
  const int32_t origin =
      AddOrigin({.kind = OriginKind::kRegister, .stmt = id, .local = stmt.local});
  for (Register r : local) {
    Emit({.code = Code::kUndefine, .dst = r, .a = opaque ? 1 : 0, .b = origin});
  }
}

void RoleCompiler::PairLet(const ir::Stmt& stmt) {
  const Registers both = PairCall(program_[stmt.value], stmt.value, nullptr);
  MoveTo(LocalRegisters(stmt.local), {both[0]});
  MoveTo(LocalRegisters(stmt.second_local), {both[1]});
}

void RoleCompiler::Assign(const ir::Stmt& stmt) {
  const Registers& local = LocalRegisters(stmt.local);
  // The value goes straight to its place where the instruction computes lane by lane; an exchange
  // among lanes must not see its own results.
  const ir::Expr& whole = program_[stmt.value];
  const bool in_place = whole.kind == ir::ExprKind::kOp && whole.op != nullptr &&
                        whole.op->scope == ir::Scope::kThread;
  if (stmt.indices.empty()) {
    return MoveTo(local, Expression(stmt.value, in_place ? &local : nullptr), Opaque(stmt.local));
  }
  if (stmt.indices.size() == 2) return SetFragment(stmt);
  const ir::Expr& index = program_[stmt.indices[0]];
  const Register value = Expression(stmt.value)[0];
  if (index.kind == ir::ExprKind::kInt && index.int_value >= 0 &&
      index.int_value < static_cast<int64_t>(local.size())) {
    return MoveTo({local[static_cast<size_t>(index.int_value)]}, {value}, Opaque(stmt.local));
  }
  const Register at = Expression(stmt.indices[0])[0];
  Emit({.code = Code::kSetElement, .a = AddList(local, Opaque(stmt.local)), .b = at, .c = value});
}

void RoleCompiler::For(const ir::Stmt& stmt, ir::StmtId id) {
  const Register low = Expression(stmt.low)[0];
  const Register high = Expression(stmt.high)[0];
  const Register step =
      stmt.step == ir::ExprId::kNone ? ConstantRegister(1) : Expression(stmt.step)[0];
  // Trips and step are fixed at entry, whatever the body does to the names in them.
  const Registers loop = Temporaries(2);
  const Register variable = LocalRegisters(stmt.local)[0];
  Emit({.code = Code::kMove, .dst = loop[1], .a = step});
  const size_t enter =
      Emit({.code = Code::kFor, .dst = variable, .a = low, .b = high, .c = loop[0]});
  const int32_t body = Here();
  Body(stmt.body);
  Emit({.code = Code::kStatement, .a = static_cast<int32_t>(id)});
  Emit({.code = Code::kForNext, .dst = variable, .c = loop[0], .target = body});
  PatchHere(enter);
}

void RoleCompiler::While(const ir::Stmt& stmt, ir::StmtId id) {
  Emit({.code = Code::kWhile});
  const int32_t test = Here();
  Emit({.code = Code::kStatement, .a = static_cast<int32_t>(id)});
  const Register condition = Expression(stmt.value)[0];
  const size_t leave = Emit({.code = Code::kWhileTest, .a = condition});
  Body(stmt.body);
  Emit({.code = Code::kJump, .target = test});
  PatchHere(leave);
}

void RoleCompiler::If(const ir::Stmt& stmt) {
  const Register condition = Expression(stmt.value)[0];
  const size_t branch = Emit({.code = Code::kIf, .a = condition});
  Body(stmt.body);
  if (stmt.else_body.empty()) {
    PatchHere(branch);
  } else {
    const size_t other = Emit({.code = Code::kElse});
    code_.code[branch].target = static_cast<int32_t>(other);
    Body(stmt.else_body);
    PatchHere(other);
  }
  Emit({.code = Code::kEndFrame});
}

void RoleCompiler::OneLane(const ir::Stmt& stmt) {
  const Code code = stmt.kind == ir::StmtKind::kElect ? Code::kElect : Code::kOnce;
  const size_t enter = Emit({.code = code});
  Body(stmt.body);
  PatchHere(enter);
  Emit({.code = Code::kEndFrame});
}

void RoleCompiler::Operation(const ir::Stmt& stmt, ir::StmtId id) {
  if (stmt.op->effects.sync == ir::SyncEffect::kPrefetch) {
    // Only the address counts: in bounds, as any access.
    return void(Emit({.code = Code::kPrefetch, .a = MakeAccess(stmt.destination)}));
  }
  if (stmt.op->effects.sync != ir::SyncEffect::kNone) return SyncStatement(stmt, id);
  if (TensorStatement(stmt, id)) return;
  if (stmt.op->effects.product) return MakeProduct(stmt);
  if (stmt.op->effects.copy == ir::CopyEffect::kMatrixLoad ||
      stmt.op->effects.copy == ir::CopyEffect::kMatrixStore) {
    return MakeMatrixCopy(stmt);
  }
  if (stmt.op->effects.atomic) return AtomicStatement(stmt);
  if (CopyStatement(stmt, id)) return;
  if (stmt.op->form != ir::Form::kCopy || stmt.destination == ir::ViewId::kNone ||
      stmt.value == ir::ExprId::kNone || !stmt.op->effects.writes_memory) {
    return Fail(
        absl::StrCat("`", absl::string_view(stmt.op->name.data(), stmt.op->name.size()), "`"));
  }
  Registers values = Expression(stmt.value);
  const int32_t access = MakeAccess(stmt.destination);
  Access& store = code_.accesses[static_cast<size_t>(access)];
  // A scalar literal is stored to every element of a vector target.
  if (values.size() == 1) values.resize(store.element_offsets.size(), values[0]);
  if (values.size() != store.element_offsets.size()) return Fail("a store of another width");
  store.values = std::move(values);
  store.ordering = ir::OrderingOf(*stmt.op, stmt.modifiers);
  store.opaque = Opaque(stmt.destination);
  store.same_for_all = program_[stmt.value].level <= ir::Level::kLaunch;
  Emit({.code = Code::kStore, .a = access});
}

void RoleCompiler::SyncStatement(const ir::Stmt& stmt, ir::StmtId id) {
  Sync sync{.stmt = id, .effect = stmt.op->effects.sync};
  sync.fence_scope = ir::ParseSyncScope(stmt.word);
  if (sync.effect == ir::SyncEffect::kScopeSync) {
    for (ir::Scope scope : {ir::Scope::kWarp, ir::Scope::kWg, ir::Scope::kRole, ir::Scope::kCta}) {
      if (ir::ToString(scope) == stmt.word) sync.scope = scope;
    }
    if (sync.scope == ir::Scope::kWarp) sync.effect = ir::SyncEffect::kWarpSync;
    if (stmt.word == "cluster") sync.effect = ir::SyncEffect::kClusterSync;
  }
  if (sync.effect == ir::SyncEffect::kNamedSync || sync.effect == ir::SyncEffect::kNamedArrive) {
    sync.barrier = static_cast<int32_t>(stmt.barrier);
    if (stmt.barrier_index != ir::ExprId::kNone) sync.index = Expression(stmt.barrier_index)[0];
    if (std::find(code_.barriers.begin(), code_.barriers.end(), sync.barrier) ==
        code_.barriers.end()) {
      code_.barriers.push_back(sync.barrier);
    }
  }
  if (sync.effect == ir::SyncEffect::kClusterArrive) sync.relaxed = !stmt.modifiers.empty();
  EventOperands(stmt, sync);
  code_.syncs.push_back(sync);
  Emit({.code = Code::kSync, .a = static_cast<int32_t>(code_.syncs.size() - 1)});
}

const Registers& RoleCompiler::LocalRegisters(ir::LocalId local) {
  const auto it = locals_.find(local);
  if (it != locals_.end()) return it->second;
  Fail("a local of another role");
  return locals_.try_emplace(local, Registers{Temporary()}).first->second;
}

Register RoleCompiler::Temporary() {
  const Register r = next_temporary_++;
  temporaries_peak_ = std::max(temporaries_peak_, next_temporary_);
  return r;
}

Registers RoleCompiler::Temporaries(size_t count) {
  if (static_cast<size_t>(next_temporary_) + count > kMaxRegisters) {
    TooLarge("registers", kMaxRegisters);
    return Registers(count > kMaxRegisters ? 1 : count, 0);
  }
  Registers registers(count);
  for (Register& r : registers) r = Temporary();
  return registers;
}

int32_t RoleCompiler::AddOrigin(Origin origin) {
  kernel_code_.origins.push_back(origin);
  return static_cast<int32_t>(kernel_code_.origins.size() - 1);
}

int32_t RoleCompiler::AddList(Registers registers, bool opaque) {
  code_.lists.push_back(std::move(registers));
  code_.opaque_lists.push_back(opaque);
  return static_cast<int32_t>(code_.lists.size() - 1);
}

void RoleCompiler::MoveTo(const Registers& to, const Registers& from, bool opaque) {
  if (from.size() != 1 && from.size() != to.size()) return Fail("a copy of another width");
  Registers sources(to.size(), from[0]);
  if (from.size() > 1) sources = from;
  const bool overlap = from.size() > 1 && sources != to && Overlap(sources, to);
  if (overlap) {  // a = [a[1], a[0]]: every element is read before any is written
    const Registers copies = Temporaries(to.size());
    for (size_t i = 0; i < to.size(); ++i) {
      Emit({.code = Code::kMove, .dst = copies[i], .a = sources[i], .b = opaque ? 1 : 0});
    }
    sources = copies;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (sources[i] == to[i]) continue;
    Emit({.code = Code::kMove, .dst = to[i], .a = sources[i], .b = opaque ? 1 : 0});
  }
}

void RoleCompiler::TooLarge(std::string_view what, size_t limit) {
  if (!status_.ok()) return;
  status_ = absl::ResourceExhaustedError(absl::StrCat(
      "more than ", limit, " ", absl::string_view(what.data(), what.size()), " of a role"));
}

void RoleCompiler::Fail(std::string what) {
  if (status_.ok()) status_ = absl::UnimplementedError(absl::StrCat("the machine has no ", what));
}

}  // namespace compiler::machine
