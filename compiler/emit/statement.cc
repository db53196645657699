// Statements, one after the other as the author wrote them.
#include <limits>

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/ir/packed.h"

namespace compiler::emit {
namespace {

constexpr int64_t kWarpgroupWarps = 4;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

int64_t LargestOf(ir::DType type) {
  const ir::DTypeInfo& info = ir::Info(type);
  if (info.bits >= 64) return std::numeric_limits<int64_t>::max();
  return (int64_t{1} << (info.is_signed ? info.bits - 1 : info.bits)) - 1;
}

}  // namespace

void KernelEmitter::LineDirective(const ir::Stmt& stmt) {
  const int64_t line = lines_.LineOf(stmt.source.span.begin);
  out_.Directive(absl::StrCat("#line ", line, " \"", file_name_, "\""));
}

// Comments in asm text reach the PTX, where a finding is mapped back to the bytes of the source.
std::string KernelEmitter::SpanMarker(const ir::Stmt& stmt) const {
  return absl::StrCat("// @span ", stmt.source.span.begin, " ", stmt.source.span.end);
}

void KernelEmitter::Block(const std::vector<ir::StmtId>& block) {
  for (const ir::StmtId id : block) Statement(id);
}

void KernelEmitter::BlockIn(std::string_view opening, const std::vector<ir::StmtId>& block) {
  out_.Open(opening);
  names_.Open();
  Block(block);
  names_.Close();
  out_.Close();
}

void KernelEmitter::Statement(ir::StmtId id) {
  const ir::Stmt& stmt = program_[id];
  if (stmt.dead) return;
  LineDirective(stmt);
  fenced_before_ = std::exchange(just_fenced_, false);
  Lower(id, stmt);
  if (!stmt.body.empty() || !stmt.else_body.empty()) just_fenced_ = false;
}

void KernelEmitter::Lower(ir::StmtId id, const ir::Stmt& stmt) {
  switch (stmt.kind) {
    case ir::StmtKind::kLet: Let(stmt); return;
    case ir::StmtKind::kPairLet: PairLet(stmt); return;
    case ir::StmtKind::kAssign: Assign(stmt); return;
    case ir::StmtKind::kFor: For(stmt); return;
    case ir::StmtKind::kWhile:
      While(stmt);
      TensorFence(stmt, false);
      return;
    case ir::StmtKind::kIf: If(stmt); return;
    case ir::StmtKind::kElect:
      ++single_thread_;
      BlockIn(absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) {"), stmt.body);
      --single_thread_;
      return;
    case ir::StmtKind::kOnce:
      ++single_thread_;
      BlockIn(absl::StrCat("if (", Builtin(ir::BuiltinValue::kThread).code, " == 0) {"), stmt.body);
      --single_thread_;
      return;
    case ir::StmtKind::kOp:
      TensorFence(stmt, true);
      Operation(id, stmt);
      TensorFence(stmt, false);
      return;
  }
}

void KernelEmitter::Let(const ir::Stmt& stmt) {
  const ir::Local& local = kernel_.locals[static_cast<size_t>(stmt.local)];
  std::string value;
  hint_ = local.name;
  if (local.type.is_fragment()) {
    const std::string name = names_.Declare(local.name);
    out_.Line(absl::StrCat(FragmentText(local.type), " ", name, ";"));
    if (stmt.value != ir::ExprId::kNone) AssignFragment(name, local.type, stmt.value);
    locals_[stmt.local] = name;
    return;
  }
  if (stmt.value != ir::ExprId::kNone && IsElementwise(stmt.value)) {
    const std::string name = names_.Declare(local.name);
    Elementwise(program_[stmt.value], name);
    locals_[stmt.local] = name;
    return;
  }
  if (stmt.value != ir::ExprId::kNone) {
    value = local.type.is_scalar() ? Code(stmt.value) : ArrayValue(stmt.value, local.type);
    if (!local.is_var && local.type.is_scalar()) {
      if (const auto range = Range(stmt.value)) ranges_[stmt.local] = *range;
    }
  }
  const std::string name = names_.Declare(local.name);
  locals_[stmt.local] = name;
  const std::string type = TypeText(local.type);
  if (value.empty()) {
    out_.Line(absl::StrCat(type, " ", name, ";"));
  } else {
    out_.Line(absl::StrCat(local.is_var ? "" : "const ", type, " ", name, " = ", value, ";"));
  }
  SetCompanions(stmt.local, value.empty() ? "0" : name);
}

void KernelEmitter::PairLet(const ir::Stmt& stmt) {
  const std::string pair = Code(stmt.value);
  const ir::Local& first = kernel_.locals[static_cast<size_t>(stmt.local)];
  const ir::Local& second = kernel_.locals[static_cast<size_t>(stmt.second_local)];
  locals_[stmt.local] = names_.Declare(first.name);
  locals_[stmt.second_local] = names_.Declare(second.name);
  out_.Line(absl::StrCat(first.is_var || second.is_var ? "auto [" : "const auto [",
                         locals_[stmt.local], ", ", locals_[stmt.second_local], "] = ", pair, ";"));
}

// `s = s + x` as `s += x`; "" where it is none.
std::string KernelEmitter::CompoundAssignment(const std::string& target, const ir::Stmt& stmt) {
  const ir::Expr& value = program_[stmt.value];
  if (value.kind != ir::ExprKind::kOp || value.op->form != ir::Form::kOperator) return {};
  if (value.args.size() != 2 || kernel_.numerics_ftz || !value.type.is_scalar()) return {};
  const std::string_view token = value.op->name;
  if (token != "+" && token != "-" && token != "*") return {};
  if (ir::Info(value.type.dtype).bits < 32 || ir::IsPacked(value.type.dtype)) return {};
  const ir::Expr& left = program_[value.args[0]];
  if (left.kind != ir::ExprKind::kLocal && left.kind != ir::ExprKind::kElement) return {};
  if (Code(value.args[0]) != target) return {};
  return absl::StrCat(target, " ", Absl(token), "= ", Operand(value.args[1], kTernary), ";");
}

void KernelEmitter::Assign(const ir::Stmt& stmt) {
  hint_ = kernel_.locals[static_cast<size_t>(stmt.local)].name;
  std::string target = locals_.at(stmt.local);
  const ir::Type& whole = kernel_.locals[static_cast<size_t>(stmt.local)].type;
  if (whole.is_fragment()) {
    if (stmt.indices.empty()) return AssignFragment(target, whole, stmt.value);
    if (!IsTile(whole)) {
      out_.Line(absl::StrCat(target, ".set(", Code(stmt.indices[0]), ", ", Code(stmt.indices[1]),
                             ", ", Code(stmt.value), ");"));
      return;
    }
  }
  for (const ir::ExprId index : stmt.indices) absl::StrAppend(&target, "[", Code(index), "]");
  const std::string compound = CompoundAssignment(target, stmt);
  if (!compound.empty()) {
    out_.Line(compound);
    return StepsByOne(stmt) ? StepCompanions(stmt.local) : SetCompanions(stmt.local, target);
  }
  const ir::Type& type = kernel_.locals[static_cast<size_t>(stmt.local)].type;
  const bool whole_array = stmt.indices.empty() && type.is_array();
  out_.Line(absl::StrCat(target, " = ",
                         whole_array ? ArrayValue(stmt.value, type) : Code(stmt.value), ";"));
  SetCompanions(stmt.local, target);
}

// The bound as text that may be evaluated in every trip: kept in a constant unless it cannot
// change.
std::string KernelEmitter::Fixed(ir::ExprId id, const std::string& name, const std::string& type,
                                 int at_least) {
  if (IsStable(id)) return Operand(id, at_least);
  const std::string fixed = Fresh(name);
  out_.Line(absl::StrCat("const ", type, " ", fixed, " = ", Code(id), ";"));
  return fixed;
}

void KernelEmitter::For(const ir::Stmt& stmt) {
  const ir::Local& local = kernel_.locals[static_cast<size_t>(stmt.local)];
  const std::string type = TypeText(local.type);
  const ir::Expr& step_expr = program_[stmt.step];
  const bool by_one = step_expr.kind == ir::ExprKind::kInt && step_expr.int_value == 1;
  const auto low_range = Range(stmt.low);
  const auto high_range = Range(stmt.high);
  const auto step_range = Range(stmt.step);
  if (low_range && high_range) {
    ranges_[stmt.local] = {low_range->low, std::max(low_range->low, high_range->high - 1)};
  }
  // The variable may step past the last value before it is compared: that must not overflow.
  const bool plain = by_one || (high_range && step_range && step_range->low > 0 &&
                                high_range->high <= LargestOf(local.type.dtype) - step_range->high);
  const std::string high = Fixed(stmt.high, local.name + "_end", type, kShift);
  const std::string step = by_one ? "1" : Fixed(stmt.step, local.name + "_step", type, kPrefix);
  const std::string low =
      plain ? Code(stmt.low) : Fixed(stmt.low, local.name + "_begin", type, kAdditive);
  const std::string trips = plain ? "" : Fresh(local.name + "_trips");
  if (!plain) {
    out_.Line(absl::StrCat("const ", type, " ", trips, " = cake::trips(", low, ", ", high, ", ",
                           step, ");"));
  }
  SetCompanions(stmt.local, low);
  names_.Open();
  const std::string name = names_.Declare(local.name);
  const std::string trip = plain ? "" : Fresh(local.name + "_trip");
  if (stmt.unroll == ir::kUnrollRegisters) out_.Line("#pragma unroll");
  if (stmt.unroll > 0) out_.Line(absl::StrCat("#pragma unroll ", stmt.unroll));
  locals_[stmt.local] = name;
  if (plain) {
    const std::string advance =
        by_one ? absl::StrCat("++", name) : absl::StrCat(name, " += ", step);
    out_.Open(absl::StrCat("for (", type, " ", name, " = ", low, "; ", name, " < ", high, "; ",
                           advance, ") {"));
  } else {
    out_.Open(
        absl::StrCat("for (", type, " ", trip, " = 0; ", trip, " < ", trips, "; ++", trip, ") {"));
    out_.Line(absl::StrCat("const ", type, " ", name, " = ", low, " + ", trip, " * ", step, ";"));
  }
  names_.Open();
  Block(stmt.body);
  StepCompanions(stmt.local);
  names_.Close();
  out_.Close();
  names_.Close();
}

void KernelEmitter::While(const ir::Stmt& stmt) {
  Writer before = out_;
  out_ = before.Nested();
  out_.Indent();
  names_.Open();
  const std::string condition = Code(stmt.value);
  const Writer prologue = out_;
  out_ = std::move(before);
  if (prologue.text().empty()) {
    out_.Open(absl::StrCat("while (", condition, ") {"));
  } else {
    out_.Open("while (true) {");
    out_.Append(prologue);
    out_.Line(absl::StrCat("if (!(", condition, ")) break;"));
  }
  Block(stmt.body);
  names_.Close();
  out_.Close();
}

void KernelEmitter::If(const ir::Stmt& stmt) {
  const ir::Expr& condition = program_[stmt.value];
  if (condition.kind == ir::ExprKind::kInt) {  // the other side is dead
    BlockIn("{", condition.int_value != 0 ? stmt.body : stmt.else_body);
    return;
  }
  out_.Open(absl::StrCat("if (", Code(stmt.value), ") {"));
  names_.Open();
  Block(stmt.body);
  names_.Close();
  if (!stmt.else_body.empty()) {
    out_.Middle("} else {");
    names_.Open();
    Block(stmt.else_body);
    names_.Close();
  }
  out_.Close();
}

void KernelEmitter::Operation(ir::StmtId id, const ir::Stmt& stmt) {
  Require(stmt.op != nullptr && stmt.op->Available(), "instruction of this build");
  FenceReads(stmt);
  if (TensorStatement(stmt)) return;
  if (stmt.op->effects.product) return Product(id, stmt);
  if (stmt.op->effects.copy == ir::CopyEffect::kMatrixLoad ||
      stmt.op->effects.copy == ir::CopyEffect::kMatrixStore) {
    return MatrixCopy(stmt);
  }
  if (Copy(id, stmt) || CopyGroup(stmt) || ProductGroup(id, stmt)) return;
  if (stmt.op->form == ir::Form::kCopy && stmt.op->effects.writes_memory) {
    Store(stmt);
    return;
  }
  if (stmt.op->effects.atomic) return AtomicStatement(stmt);
  if (LaunchOrFence(stmt) || ClusterBarrier(stmt)) return;
  switch (stmt.op->effects.sync) {
    case ir::SyncEffect::kWarpSync:
    case ir::SyncEffect::kScopeSync: ScopeSync(stmt); return;
    case ir::SyncEffect::kNamedSync: NamedBarrier(stmt, "bar.sync"); return;
    case ir::SyncEffect::kNamedArrive: NamedBarrier(stmt, "bar.arrive"); return;
    case ir::SyncEffect::kPrefetch: Prefetch(stmt); return;
    default: break;
  }
  if (stmt.use != ir::ExprId::kNone) return EventStatement(stmt);
  Unreachable("instruction without a lowering");
}

void KernelEmitter::BarrierAsm(const ir::Stmt& stmt, std::string_view instruction,
                               const std::string& id, int64_t threads) {
  const bool constant = id.find_first_not_of("0123456789") == std::string::npos;
  const std::string input = constant ? "" : absl::StrCat(" \"r\"(", id, ") ");
  out_.Line(absl::StrCat("asm volatile(\"", Absl(instruction), " ", constant ? id : "%0", ", ",
                         threads, ";  ", SpanMarker(stmt), "\" ::", input, ": \"memory\");"));
}

void KernelEmitter::ScopeSync(const ir::Stmt& stmt) {
  if (stmt.word == "warp") {
    out_.Line("__syncwarp();");
    return;
  }
  constexpr EventVerb kVerb = EventVerb::kSync;
  const facts::RolePlacement& place = facts_.roles[role_index_];
  if (stmt.word == "wg") {
    const std::vector<int64_t>& ids = facts_.wg_sync_id[role_index_];
    Require(!ids.empty() && ids[0] >= 0, "barrier of `sync wg`");
    if (ids[0] == 0) {
      LogBarrier(kVerb, stmt, "0");
      out_.Line("__syncthreads();");
      LogPassed();
      return;
    }
    const std::string id = ids.size() == 1
                               ? absl::StrCat(ids[0])
                               : absl::StrCat(ids[0], " + ", Builtin(ir::BuiltinValue::kWg).code);
    LogBarrier(kVerb, stmt, id);
    BarrierAsm(stmt, "bar.sync", id, kWarpgroupWarps * ir::kLanes);
    LogPassed();
    return;
  }
  const int64_t id = stmt.word == "cta" ? 0 : facts_.role_sync_id[role_index_];
  Require(id >= 0, "barrier of `sync role`");
  LogBarrier(kVerb, stmt, absl::StrCat(id));
  if (id == 0) {
    out_.Line("__syncthreads();");
  } else {
    BarrierAsm(stmt, "bar.sync", absl::StrCat(id), place.warps * ir::kLanes);
  }
  LogPassed();
}

void KernelEmitter::NamedBarrier(const ir::Stmt& stmt, std::string_view instruction) {
  const facts::BarrierPlacement& place = facts_.barriers[static_cast<size_t>(stmt.barrier)];
  std::string id = absl::StrCat(place.first_id);
  if (stmt.barrier_index != ir::ExprId::kNone) {
    const ir::Expr& index = program_[stmt.barrier_index];
    id = index.kind == ir::ExprKind::kInt
             ? absl::StrCat(place.first_id + index.int_value)
             : absl::StrCat(place.first_id, " + ", Operand(stmt.barrier_index, kAdditive));
  }
  LogBarrier(stmt.op->effects.sync == ir::SyncEffect::kNamedSync ? EventVerb::kBarSync
                                                                 : EventVerb::kBarArrive,
             stmt, id);
  BarrierAsm(stmt, instruction, id, place.threads);
  if (stmt.op->effects.sync == ir::SyncEffect::kNamedSync) LogPassed();
}

}  // namespace compiler::emit
