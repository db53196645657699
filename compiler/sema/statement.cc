// Statements: bindings, assignments, loops and conditions.
#include <algorithm>

#include "compiler/sema/elaborator.h"
#include "compiler/sema/fragment.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kTypeOrValue{"CK1070", Severity::kError, Category::kType,
                                       "`{0}` has neither type nor value",
                                       "the type of a variable is written or comes from its value"};
constexpr diag::Def<Name> kAssignLet{"CK1040", Severity::kError, Category::kType,
                                     "`{0}` never changes", "only a `var` is assigned to"};
constexpr diag::Def<Name> kNotAssignable{"CK1041", Severity::kError, Category::kType,
                                         "`{0}` is no variable",
                                         "only a `var` is assigned to; "
                                         "memory is written by `st`"};
constexpr diag::Def<int64_t, int64_t> kPatternCount{"CK1042", Severity::kError, Category::kType,
                                                    "{0} names for {1} values",
                                                    "a pattern names each value"};
constexpr diag::Def<> kStepNotPositive{"CK1044", Severity::kError, Category::kType,
                                       "the step of a loop is at least 1",
                                       "the number of trips is fixed at entry"};
constexpr diag::Def<Name> kNotIterable{
    "CK1043", Severity::kError, Category::kType, "`{0}` cannot be looped over",
    "a loop runs over a range, a call of an iter, or a fragment"};
constexpr diag::Def<Name> kConditionNotBool{"CK1050", Severity::kError, Category::kType,
                                            "the condition is `{0}`", "a number is no condition"};
constexpr diag::Def<int64_t, int64_t> kArrayTooLarge{
    "CK6107", Severity::kError, Category::kLimit,
    "a register array of {0} elements; the limit is {1}",
    "a thread has at most 255 registers, and what does not fit lives in slow local memory"};
constexpr int64_t kMaxArrayElements = int64_t{1} << 14;

}  // namespace

void Elaborator::Emit(ir::Stmt stmt) {
  if (block_ == nullptr) return;
  stmt.dead = b_.dead > 0;
  block_->push_back(b_.AddStmt(std::move(stmt)));
}

void Elaborator::Block(const text::Block& block, bool tail) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] == nullptr || b_.exhausted()) continue;
    Statement(*block[i], tail && i + 1 == block.size());
  }
}

std::vector<ir::StmtId> Elaborator::Nested(const text::Block& block, bool dead, bool tail) {
  const Scoped scoped(*this);
  std::vector<ir::StmtId> body;
  std::vector<ir::StmtId>* saved = block_;
  block_ = &body;
  b_.dead += dead ? 1 : 0;
  Block(block, tail);
  b_.dead -= dead ? 1 : 0;
  block_ = saved;
  return body;
}

void Elaborator::Statement(const text::Stmt& stmt, bool tail) {
  using Kind = text::Stmt::Kind;
  const Deeper deeper(*this, stmt.span);
  if (!deeper) return;
  switch (stmt.kind) {
    case Kind::kFunction:
      if (stmt.function != nullptr) DeclareFunction(*stmt.function);
      return;
    case Kind::kLet:
    case Kind::kVar: return Let(stmt);
    case Kind::kAssign: return Assign(stmt);
    case Kind::kFor: return For(stmt);
    case Kind::kWhile: return While(stmt);
    case Kind::kIf: return If(stmt, tail);
    case Kind::kElect:
    case Kind::kOnce: return Elect(stmt);
    case Kind::kReturn: return Return(stmt, tail);
    case Kind::kYield: return Yield(stmt);
    case Kind::kOp: return Operation(stmt);
    case Kind::kCall: return CallStatement(stmt);
    case Kind::kError: return;
  }
}

// A scalar for an array target becomes an array of it; what is no constant is computed once.
ExprId Elaborator::BroadcastTo(ExprId value, const ir::Type& type, Span span,
                               std::string_view name) {
  const ir::Type found = b_.TypeOf(value);
  if (b_.IsUnknown(value) || !type.is_array() || !found.is_scalar()) return value;
  ExprId element = value;
  if (!b_.IsConst(value) && b_[value].kind != ir::ExprKind::kSymbol && CanHoist()) {
    const ir::LocalId local = NewLocal(std::string(name) + "_value", span, found, false);
    Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = local, .value = value});
    element = b_.Add({.kind = ir::ExprKind::kLocal, .type = found, .local = local}, span);
  }
  const std::vector<ExprId> elements(static_cast<size_t>(type.shape[0]), element);
  return b_.Add({.kind = ir::ExprKind::kArray, .type = type, .args = elements}, span);
}

void Elaborator::BindLet(const text::Ident& name, ExprId value, bool is_var, uint32_t keyword,
                         Span span) {
  if (b_.IsUnknown(value)) {
    Declare(name, EntityKind::kUnknown);
    return;
  }
  if (NameInOrder(name, value, is_var)) return;
  if (!is_var && (b_.IsConst(value) || !CanHoist())) {
    Declare(name, EntityKind::kValue).value = value;
    return;
  }
  const ir::LocalId local = NewLocal(name, b_.TypeOf(value), is_var);
  if (!in_role_) local_values_[static_cast<size_t>(local)] = value;
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = local, .value = value});
  Entity& entity = Declare(name, EntityKind::kLocal);
  entity.local = local;
  entity.keyword = keyword;
}

bool Elaborator::LetView(const text::Stmt& stmt) {
  if (stmt.value == nullptr || stmt.has_type || !NamesMemory(*stmt.value)) return false;
  const ViewRef view = View(*stmt.value);
  if (view.unknown || view.buffer == nullptr) {
    Declare(stmt.names[0], EntityKind::kUnknown);
    return true;
  }
  views_.push_back(Captured(view, stmt.names[0]));
  Declare(stmt.names[0], EntityKind::kView).view = &views_.back();
  return true;
}

void Elaborator::BindNames(const text::Stmt& stmt, const std::vector<ExprId>& values) {
  if (values.size() != stmt.names.size()) {
    report_.Add(kPatternCount, stmt.span, static_cast<int64_t>(stmt.names.size()),
                static_cast<int64_t>(values.size()));
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
    return;
  }
  const bool is_var = stmt.kind == text::Stmt::Kind::kVar;
  for (size_t i = 0; i < values.size(); ++i) {
    BindLet(stmt.names[i], values[i], is_var, stmt.span.begin, stmt.span);
  }
}

// let (a, b) = f(..), or of an instruction with two results.
void Elaborator::LetPattern(const text::Stmt& stmt) {
  const text::Expr& value = *stmt.value;
  if (value.kind == text::Expr::Kind::kPath) {
    const Entity* entity = Lookup(scope_, value.name.text);
    if (entity != nullptr && entity->kind == EntityKind::kFunction && !entity->function->is_iter &&
        value.postfixes.size() == 1 && value.postfixes[0].kind == text::Postfix::Kind::kCall) {
      return BindNames(stmt, Inline(*entity, value.postfixes[0], value.span));
    }
  }
  const ExprId id = Expr(stmt.value);
  const ir::Expr pair = b_[id];
  const bool is_pair = pair.kind == ir::ExprKind::kOp && pair.op->result == ir::ResultRule::kPair;
  if (!is_pair || stmt.names.size() != 2 || !CanHoist()) {
    if (!b_.IsUnknown(id)) {
      report_.Add(kPatternCount, stmt.span, static_cast<int64_t>(stmt.names.size()),
                  int64_t{is_pair ? 2 : 1});
    }
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
    return;
  }
  const bool is_var = stmt.kind == text::Stmt::Kind::kVar;
  const ir::Type second =
      pair.args.size() > 1 ? b_.TypeOf(pair.args[1]) : ir::Type{.dtype = DType::kI32};
  const ir::LocalId first_local = NewLocal(stmt.names[0], pair.type, is_var);
  const ir::LocalId second_local = NewLocal(stmt.names[1], second, is_var);
  Emit({.kind = ir::StmtKind::kPairLet,
        .source = {stmt.span, 0},
        .local = first_local,
        .second_local = second_local,
        .value = id});
  Declare(stmt.names[0], EntityKind::kLocal).local = first_local;
  Declare(stmt.names[1], EntityKind::kLocal).local = second_local;
}

void Elaborator::Let(const text::Stmt& stmt) {
  if (stmt.names.empty()) return;
  const bool is_var = stmt.kind == text::Stmt::Kind::kVar;
  if (!is_var && stmt.names.size() == 1 && LetView(stmt)) return;
  ir::Type type;
  const bool typed = stmt.has_type && ParseType(stmt.type, type);
  if (typed) CheckPlace(stmt.type.dtype, type.dtype, ir::Space::kRegister);
  if (typed && type.is_array() && type.shape[0] > kMaxArrayElements) {
    report_.Add(kArrayTooLarge, stmt.type.span, type.shape[0], kMaxArrayElements);
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
    return;
  }
  if (stmt.names.size() > 1 && stmt.value != nullptr) return LetPattern(stmt);
  ExprId value = ExprId::kNone;
  if (stmt.value != nullptr) {
    value = Expr(stmt.value);
    if (typed) {
      value = CoerceTo(value, type, stmt.value->span);
      value = BroadcastTo(value, type, stmt.value->span, stmt.names[0].text);
    }
    const bool fragment = typed && type.is_fragment();
    if (!typed || (!b_.IsUnknown(value) && !fragment)) {
      return BindLet(stmt.names[0], value, is_var, stmt.span.begin, stmt.span);
    }
  }
  if (!typed) {
    if (!stmt.has_type) {
      report_.Add(kTypeOrValue, stmt.names[0].span, Name{std::string(stmt.names[0].text)});
    }
    Declare(stmt.names[0], EntityKind::kUnknown);
    return;
  }
  // The type is written, so uses are checked against it even where the value is not known.
  const ir::LocalId local = NewLocal(stmt.names[0], type, is_var);
  if (value != ExprId::kNone && b_.IsUnknown(value)) value = ExprId::kNone;
  Emit({.kind = ir::StmtKind::kLet, .source = {stmt.span, 0}, .local = local, .value = value});
  Entity& entity = Declare(stmt.names[0], EntityKind::kLocal);
  entity.local = local;
  entity.keyword = stmt.span.begin;
}

ExprId Elaborator::Compound(const text::Stmt& stmt, ExprId current) {
  const ExprId value = Expr(stmt.value);
  const std::string_view token = stmt.token.substr(0, 1);
  const ExprId fused = Fused(token, nullptr, current, stmt.value, value, stmt.span);
  if (fused != ExprId::kNone) return fused;
  return ApplyOperator(token, stmt.span, {current, value});
}

void Elaborator::Assign(const text::Stmt& stmt) {
  const text::Expr* target = stmt.target;
  if (target == nullptr || target->kind != text::Expr::Kind::kPath) {
    Expr(stmt.value);
    return;
  }
  const Entity* entity = Resolve(target->name);
  const bool local = entity != nullptr && entity->kind == EntityKind::kLocal;
  if (!local) {
    if (entity != nullptr && entity->kind != EntityKind::kUnknown) {
      if (entity->kind == EntityKind::kValue) {
        report_.Add(kAssignLet, target->span, Name{std::string(entity->name)})
            .Label(entity->declared, "declared here");
      } else {
        report_.Add(kNotAssignable, target->span, Name{std::string(entity->name)})
            .Label(entity->declared, "declared here");
      }
    }
    Expr(stmt.value);
    return;
  }
  const ir::Local variable = kernel_->locals[static_cast<size_t>(entity->local)];
  if (!variable.is_var || entity->read_only) {
    auto built = report_.Add(kAssignLet, target->span, Name{variable.name})
                     .Label(variable.declared, "declared here");
    const uint32_t at = entity->keyword;
    if (at != 0 && program_->source.compare(at, 3, "let") == 0) {
      built.Fix("declare it as `var`", {{{at, at + 3}, "var"}}, Applicability::kMaybe);
    }
    Expr(stmt.value);
    return;
  }
  if (IsFragmentSlice(*target, variable.type)) return AssignSlice(stmt);
  const ExprId current = LocalPath(*target, *entity);
  ExprId value = stmt.token == "=" ? Expr(stmt.value) : Compound(stmt, current);
  // `.rows` and the like are constants of a fragment, reported where it was declared.
  if (b_.IsUnknown(current) || b_.IsConst(current)) return;
  const ir::Type type = b_.TypeOf(current);
  value = CoerceTo(value, type, stmt.value->span);
  value = BroadcastTo(value, type, stmt.span, variable.name);
  if (b_.IsUnknown(value)) return;
  std::vector<ExprId> indices;
  if (b_[current].kind == ir::ExprKind::kElement) {
    indices.assign(b_[current].args.begin() + 1, b_[current].args.end());
  }
  Emit({.kind = ir::StmtKind::kAssign,
        .source = {stmt.span, 0},
        .local = entity->local,
        .indices = std::move(indices),
        .value = value});
}

ExprId Elaborator::Condition(const text::Expr* expr) {
  const ExprId id = Expr(expr);
  if (b_.IsUnknown(id)) return id;
  const ir::Type& type = b_.TypeOf(id);
  if (type.is_scalar() && type.dtype == DType::kBool) return id;
  report_.Add(kConditionNotBool, expr->span, Name{ir::ToString(type)});
  return b_.Unknown(expr->span);
}

void Elaborator::For(const text::Stmt& stmt) {
  if (stmt.range.low != nullptr) return ForRange(stmt);
  const text::Expr* over = stmt.iterable;
  if (over == nullptr || over->kind != text::Expr::Kind::kPath) return;
  const Entity* entity = Resolve(over->name);
  if (entity != nullptr && entity->kind == EntityKind::kFunction && entity->function->is_iter &&
      over->postfixes.size() == 1 && over->postfixes[0].kind == text::Postfix::Kind::kCall) {
    return IterLoop(stmt, *entity);
  }
  if (entity != nullptr && entity->kind == EntityKind::kLocal) {
    const ir::Local& local = kernel_->locals[static_cast<size_t>(entity->local)];
    if (local.type.is_fragment()) return ForFragment(stmt, *entity);
  }
  if (entity != nullptr && entity->kind != EntityKind::kUnknown) {
    report_.Add(kNotIterable, over->span, Name{std::string(over->name.text)});
  }
  const Scoped scoped(*this);
  for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
  Nested(stmt.body, true);
}

void Elaborator::ForRange(const text::Stmt& stmt) {
  ExprId low = Integer(stmt.range.low);
  ExprId high = Integer(stmt.range.high);
  ExprId step = stmt.step == nullptr ? b_.Int(1, DType::kI32, stmt.span, true) : Integer(stmt.step);
  int64_t unroll = ir::kUnrollNone;
  if (stmt.unroll != nullptr) unroll = std::max<int64_t>(ConstOf(stmt.unroll, 1), 1);
  std::vector<ExprId*> bounds{&low, &high, &step};
  const bool good = Unify(bounds, stmt.range.span, "..");
  const ir::Type type = b_.TypeOf(good ? low : high);
  if (good && stmt.range.inclusive) {
    high = ApplyOperator("+", stmt.range.span, {high, b_.Int(1, type.dtype, stmt.range.span)});
  }
  if (const auto constant = b_.ConstInt(step); constant && *constant < 1) {
    if (b_.dead == 0) {
      report_.Add(kStepNotPositive, stmt.step == nullptr ? stmt.span : stmt.step->span);
    }
  }
  const Scoped scoped(*this);
  if (stmt.names.size() != 1) {
    report_.Add(kPatternCount, stmt.span, static_cast<int64_t>(stmt.names.size()), 1);
  }
  ir::LocalId local = ir::LocalId::kNone;
  if (good && !stmt.names.empty() && kernel_ != nullptr) {
    local = NewLocal(stmt.names[0], type, false);
    Declare(stmt.names[0], EntityKind::kLocal).local = local;
  } else {
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
  }
  std::vector<ir::StmtId> body = Nested(stmt.body, false);
  if (!good || local == ir::LocalId::kNone || b_.IsUnknown(high)) return;
  Emit({.kind = ir::StmtKind::kFor,
        .source = {stmt.span, 0},
        .local = local,
        .low = low,
        .high = high,
        .step = step,
        .unroll = unroll,
        .body = std::move(body)});
}

// for (r, e) in f: the loops over a thread's rows and columns.
void Elaborator::ForFragment(const text::Stmt& stmt, const Entity& fragment) {
  const ir::Type type = kernel_->locals[static_cast<size_t>(fragment.local)].type;
  const FragmentShape shape = PerThread(type);
  const int64_t extents[] = {shape.rows, shape.cols};
  const Scoped scoped(*this);
  if (stmt.names.size() != 2) {
    report_.Add(kPatternCount, stmt.span, static_cast<int64_t>(stmt.names.size()), 2);
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
    Nested(stmt.body, false);
    return;
  }
  ir::LocalId locals[2];
  for (size_t i = 0; i < 2; ++i) {
    locals[i] = NewLocal(stmt.names[i], {.dtype = DType::kI32}, false);
    Declare(stmt.names[i], EntityKind::kLocal).local = locals[i];
  }
  std::vector<ir::StmtId> body = Nested(stmt.body, false);
  std::vector<ir::StmtId>* outer = block_;
  for (size_t i = 2; i-- > 0;) {
    std::vector<ir::StmtId> wrapped;
    block_ = i == 0 ? outer : &wrapped;
    Emit({.kind = ir::StmtKind::kFor,
          .source = {stmt.span, 0},
          .local = locals[i],
          .low = b_.Int(0, DType::kI32, stmt.span),
          .high = b_.Int(extents[i], DType::kI32, stmt.span),
          .step = b_.Int(1, DType::kI32, stmt.span),
          .body = std::move(body)});
    body = std::move(wrapped);
  }
  block_ = outer;
}

void Elaborator::While(const text::Stmt& stmt) {
  ++no_hoist_;
  const ExprId condition = Condition(stmt.value);
  --no_hoist_;
  const bool never = b_.ConstInt(condition) == 0;
  std::vector<ir::StmtId> body = Nested(stmt.body, never);
  if (b_.IsUnknown(condition)) return;
  Emit({.kind = ir::StmtKind::kWhile,
        .source = {stmt.span, 0},
        .value = condition,
        .body = std::move(body)});
}

void Elaborator::If(const text::Stmt& stmt, bool tail) {
  const ExprId condition = Condition(stmt.value);
  if (tail && frame_ != nullptr && !frame_->result_types.empty()) return TailIf(stmt, condition);
  const auto known = b_.ConstInt(condition);
  std::vector<ir::StmtId> body = Nested(stmt.body, known == 0);
  std::vector<ir::StmtId> else_body = Nested(stmt.else_body, known && *known != 0);
  if (b_.IsUnknown(condition)) return;
  Emit({.kind = ir::StmtKind::kIf,
        .source = {stmt.span, 0},
        .value = condition,
        .body = std::move(body),
        .else_body = std::move(else_body)});
}

// Both branches of the last `if` of a fn may return: into variables, unless only one branch lives.
void Elaborator::TailIf(const text::Stmt& stmt, ExprId condition) {
  const auto known = b_.ConstInt(condition);
  if (known) {
    DeadBlock(*known != 0 ? stmt.else_body : stmt.body);
    const Scoped scoped(*this);
    Block(*known != 0 ? stmt.body : stmt.else_body, true);
    return;
  }
  const bool outermost = frame_->targets.empty();
  if (outermost) {
    for (const ir::Type& type : frame_->result_types) {
      const text::Ident& name = frame_->function->name;
      const ir::LocalId local = NewLocal(std::string(name.text) + "_result", stmt.span, type, true);
      Emit({.kind = ir::StmtKind::kLet, .source = {stmt.span, 0}, .local = local});
      frame_->targets.push_back(local);
    }
  }
  frame_->returned = false;
  std::vector<ir::StmtId> body = Nested(stmt.body, false, true);
  const bool first = frame_->returned;
  frame_->returned = false;
  std::vector<ir::StmtId> else_body = Nested(stmt.else_body, false, true);
  frame_->returned &= first;
  if (!b_.IsUnknown(condition)) {
    Emit({.kind = ir::StmtKind::kIf,
          .source = {stmt.span, 0},
          .value = condition,
          .body = std::move(body),
          .else_body = std::move(else_body)});
  }
  if (!outermost) return;
  frame_->results.clear();
  for (size_t i = 0; i < frame_->targets.size(); ++i) {
    frame_->results.push_back(b_.Add({.kind = ir::ExprKind::kLocal,
                                      .type = frame_->result_types[i],
                                      .local = frame_->targets[i]},
                                     stmt.span));
  }
}

// Scopes and types what is never run; what it returns goes nowhere.
void Elaborator::DeadBlock(const text::Block& block) {
  const Frame saved = *frame_;
  frame_->targets.clear();
  Nested(block, true, true);
  *frame_ = saved;
}

void Elaborator::Elect(const text::Stmt& stmt) {
  std::vector<ir::StmtId> body = Nested(stmt.body, false);
  const bool elect = stmt.kind == text::Stmt::Kind::kElect;
  Emit({.kind = elect ? ir::StmtKind::kElect : ir::StmtKind::kOnce,
        .source = {stmt.span, 0},
        .body = std::move(body)});
}

}  // namespace compiler::sema
