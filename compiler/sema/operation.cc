// Instructions that are statements. Those with semantics become nodes; of the others the operands
// are scoped and typed, and one diagnostic says that the instruction is not in this build.
#include <algorithm>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kNotABarrier{"CK1071", Severity::kError, Category::kType,
                                       "`{0}` is no barrier",
                                       "`bar.sync` and `bar.arrive` name a declared `barrier`"};
constexpr diag::Def<Name, Name> kClauseNotHere{
    "CK1072", Severity::kError, Category::kType, "`{0}` takes no `{1}`",
    "the clauses of a copy belong to copies that run beside the thread"};
constexpr diag::Def<Name> kBarrierIndex{
    "CK1073", Severity::kError, Category::kType, "`{0}` is named without saying which one",
    "`barrier B[n]` declares n barriers; `B[i]` is one of them"};
constexpr diag::Def<Name> kValueDropped{"CK1074", Severity::kError, Category::kType,
                                        "the value of `{0}` is dropped",
                                        "a call that stands alone is there for what it does"};
constexpr diag::Def<Name, int64_t, int64_t> kBarrierRange{
    "CK1075", Severity::kError, Category::kType, "barrier {1} of `{0}`, which declares {2}",
    "barrier indices are checked when they are constants, before anything runs"};

// Statements whose operand is a use of a ring or event.
bool IsEvent(ir::SyncEffect effect) {
  switch (effect) {
    case ir::SyncEffect::kAcquire:
    case ir::SyncEffect::kCommit:
    case ir::SyncEffect::kWait:
    case ir::SyncEffect::kRelease:
    case ir::SyncEffect::kArrive:
    case ir::SyncEffect::kArriveThread:
    case ir::SyncEffect::kExpect:
    case ir::SyncEffect::kTensorCommit:
    case ir::SyncEffect::kAsyncArrive: return true;
    default: return false;
  }
}

}  // namespace

void Elaborator::Operation(const text::Stmt& stmt) {
  if (stmt.op == nullptr) return;
  const ir::OpDef& op = *stmt.op;
  if (TensorOperation(stmt)) return;
  if (op.effects.product || op.effects.copy == ir::CopyEffect::kMatrixLoad ||
      op.effects.copy == ir::CopyEffect::kMatrixStore) {
    return MatrixOperation(stmt);
  }
  if (CopyOperation(stmt) || GroupOperation(stmt)) return;
  if (op.Available() && op.form == ir::Form::kCopy && op.effects.writes_memory &&
      !op.effects.reads_memory) {
    return Store(stmt);
  }
  if (op.Available() && op.form == ir::Form::kSync) return SyncOperation(stmt);
  if (op.Available() && op.form == ir::Form::kCallStatement && stmt.value != nullptr) {
    return AtomicStatement(*stmt.value, op);
  }
  OutsideOperation(stmt);
}

void Elaborator::RejectClauses(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  const std::pair<const text::Expr*, std::string_view> clauses[] = {{stmt.on_event, "on"},
                                                                    {stmt.multicast, "multicast"},
                                                                    {stmt.else_value, "else"},
                                                                    {stmt.scale_a, "scale"}};
  for (const auto& [clause, word] : clauses) {
    if (clause == nullptr) continue;
    report_.Add(kClauseNotHere, clause->span, Name{std::string(op.name)}, Name{std::string(word)});
  }
}

void Elaborator::Store(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  std::vector<std::string_view> modifiers = Modifiers(op, stmt.modifiers, stmt.op_name.span);
  RejectClauses(stmt);
  if (stmt.destination == nullptr || stmt.source == nullptr) return;
  const ViewRef view = View(*stmt.destination);
  ir::Type type;
  const bool known = AccessType(view, stmt.destination->span, type);
  ExprId value = Expr(stmt.source);
  if (!known || b_.IsUnknown(value)) {
    b_.Unknown(stmt.span);
    return;
  }
  if (type.is_array() && b_.TypeOf(value).is_scalar() && !b_.IsConst(value)) {
    // Only a literal spreads over a vector; the mismatch is reported with both types.
    value = b_.Add({.kind = ir::ExprKind::kArray,
                    .type = {.dtype = b_.TypeOf(value).dtype, .shape = {1}},
                    .args = {value}},
                   stmt.source->span);
  }
  value = CoerceTo(value, type, stmt.source->span);
  value = BroadcastTo(value, type, stmt.source->span, view.buffer->name);
  WritesTensor(view, stmt.destination->span);
  if (b_.IsUnknown(value) || !OrderedScalar(op, type, stmt.destination->span)) return;
  Emit({.kind = ir::StmtKind::kOp,
        .source = {stmt.span, 0},
        .value = value,
        .op = &op,
        .modifiers = std::move(modifiers),
        .destination = AddView(view, stmt.destination->span)});
}

void Elaborator::BarrierOperation(const text::Stmt& stmt, ir::Stmt& out) {
  const text::Expr* operand = stmt.operand;
  if (operand == nullptr || operand->kind != text::Expr::Kind::kPath) return;
  const Entity* entity = Resolve(operand->name);
  if (entity == nullptr || entity->kind == EntityKind::kUnknown) return;
  if (entity->kind != EntityKind::kBarrier) {
    report_.Add(kNotABarrier, operand->span, Name{std::string(entity->name)});
    return;
  }
  const ir::Barrier* barrier = entity->barrier == ir::BarrierId::kNone
                                   ? nullptr
                                   : &kernel_->barriers[static_cast<size_t>(entity->barrier)];
  const bool indexed = operand->postfixes.size() == 1 &&
                       operand->postfixes[0].kind == text::Postfix::Kind::kIndex &&
                       operand->postfixes[0].indices.size() == 1 &&
                       operand->postfixes[0].indices[0].kind == text::Index::Kind::kScalar;
  ExprId index = b_.Int(0, DType::kI32, operand->span);
  if (indexed) {
    index = Integer(operand->postfixes[0].indices[0].offset);
  } else if (!operand->postfixes.empty() || (barrier != nullptr && barrier->count > 1)) {
    report_.Add(kBarrierIndex, operand->span, Name{std::string(entity->name)});
    return;
  }
  if (b_.IsUnknown(index) || barrier == nullptr) return;
  const auto constant = b_.ConstInt(index);
  if (constant && (*constant < 0 || *constant >= barrier->count)) {
    if (b_.dead == 0) {
      report_.Add(kBarrierRange, operand->span, Name{barrier->name}, *constant, barrier->count);
    }
    return;
  }
  out.barrier = entity->barrier;
  out.barrier_index = index;
}

void Elaborator::SyncOperation(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = &op};
  out.modifiers = Modifiers(op, stmt.modifiers, stmt.op_name.span);
  if (op.sync_operand == ir::SyncOperand::kWord) {
    const auto word = std::find(op.words.begin(), op.words.end(), stmt.word.text);
    if (word != op.words.end()) {
      out.word = *word;
    } else {
      const auto& outside = op.words_outside;
      if (std::find(outside.begin(), outside.end(), stmt.word.text) != outside.end()) {
        ReportInstruction(stmt.span, std::string(op.name) + " " + std::string(stmt.word.text));
        return;
      }
      b_.Unknown(stmt.span);  // the parser has reported the word
      return;
    }
  }
  if (ir::OfPair(out) && !NeedPair(stmt)) {
    b_.Unknown(stmt.span);
    return;
  }
  if (op.effects.sync == ir::SyncEffect::kPrefetch) return PrefetchOperation(stmt, out);
  const bool named = op.effects.sync == ir::SyncEffect::kNamedSync ||
                     op.effects.sync == ir::SyncEffect::kNamedArrive;
  if (named) {
    BarrierOperation(stmt, out);
    if (out.barrier == ir::BarrierId::kNone) {
      b_.Unknown(stmt.span);
      return;
    }
  }
  if (IsEvent(op.effects.sync)) {
    EventOperation(stmt, out);
    if (out.use == ExprId::kNone) {
      b_.Unknown(stmt.span);
      return;
    }
  }
  Emit(std::move(out));
}

// An operand of an instruction without semantics: its indices are kept for the level check.
void Elaborator::OutsideOperand(const text::Expr* expr, ir::Stmt& out) {
  if (expr == nullptr) return;
  const auto keep = [&](ExprId id) {
    if (id != ExprId::kNone && !b_.IsUnknown(id)) out.indices.push_back(id);
  };
  if (expr->kind != text::Expr::Kind::kPath) {
    Expr(expr);
    return;
  }
  const Entity* entity = Lookup(scope_, expr->name.text);
  if (entity == nullptr) {
    bool found = false;
    BuiltinPath(*expr, found);
    if (!found) Expr(expr);
    return;
  }
  const bool whole_slot =
      entity->kind == EntityKind::kGroup &&
      (expr->postfixes.empty() || expr->postfixes[0].kind != text::Postfix::Kind::kMember);
  if (whole_slot || entity->kind == EntityKind::kEvent || entity->kind == EntityKind::kBarrier) {
    for (const text::Postfix& postfix : expr->postfixes) {
      if (postfix.use != nullptr) keep(Integer(postfix.use));
      for (const text::Index& index : postfix.indices) {
        if (index.offset != nullptr) keep(Integer(index.offset));
      }
    }
    if (expr->remote != nullptr) Integer(expr->remote);
    return;
  }
  if (NamesMemory(*expr)) {
    const ViewRef view = View(*expr);
    keep(view.stage);
    for (const ir::ViewIndex& index : view.index) keep(index.offset);
    return;
  }
  Expr(expr);
}

void Elaborator::OutsideOperation(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  ReportInstruction(stmt.op_name.span, op.name);
  Modifiers(op, stmt.modifiers, stmt.op_name.span);
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = &op};
  for (const text::Expr* operand :
       {stmt.destination, stmt.source, stmt.left, stmt.right, stmt.zero, stmt.scale_a, stmt.scale_b,
        stmt.on_event, stmt.multicast, stmt.else_value, stmt.operand, stmt.bytes}) {
    OutsideOperand(operand, out);
  }
  if (b_.dead == 0) Emit(std::move(out));
}

void Elaborator::CallStatement(const text::Stmt& stmt) {
  const text::Expr* call = stmt.value;
  if (call == nullptr || call->kind != text::Expr::Kind::kPath) return;
  const Entity* entity = Lookup(scope_, call->name.text);
  if (entity != nullptr && entity->kind == EntityKind::kFunction && !entity->function->is_iter &&
      call->postfixes.size() == 1 && call->postfixes[0].kind == text::Postfix::Kind::kCall) {
    Inline(*entity, call->postfixes[0], call->span);
    return;
  }
  std::vector<std::string_view> parts{call->name.text};
  for (const text::Postfix& postfix : call->postfixes) {
    if (postfix.kind != text::Postfix::Kind::kMember) break;
    parts.push_back(postfix.member.text);
  }
  const ir::OpDef* op = entity == nullptr ? ops_.FindLongest(parts, nullptr) : nullptr;
  if (op != nullptr && op->Available() && op->effects.atomic) {
    return AtomicStatement(*call, *op);
  }
  if (op != nullptr && op->form == ir::Form::kCallStatement) {
    ReportInstruction(call->span, op->name);
    ir::Stmt out;
    for (const text::Postfix& postfix : call->postfixes) {
      for (const text::Expr* arg : postfix.args) OutsideOperand(arg, out);
    }
    return;
  }
  const ExprId value = Expr(call);
  if (b_.IsUnknown(value)) return;
  std::string name(call->name.text);
  for (size_t i = 1; i < parts.size(); ++i) name += "." + std::string(parts[i]);
  report_.Add(kValueDropped, call->span, Name{std::move(name)});
}

}  // namespace compiler::sema
