// fn and iter: inlined where they are called, in the scope of their definition. The statements of a
// call run before the statement that contains it.
#include <algorithm>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, int64_t, int64_t> kArgumentCount{
    "CK1080", Severity::kError, Category::kType, "`{0}` takes {1} arguments, {2} given",
    "a call gives each parameter a value"};
constexpr diag::Def<Name, int64_t> kResultCount{
    "CK1081", Severity::kError, Category::kType, "`{0}` gives {1} values where one is needed",
    "several results are taken apart by a pattern: `let (a, b) = f(x)`"};
constexpr diag::Def<Name> kIterAsValue{"CK1082", Severity::kError, Category::kType,
                                       "`{0}` is an iter",
                                       "an iter is looped over: `for x in it(..) { .. }`"};
constexpr diag::Def<> kReturnNotLast{
    "CK1083", Severity::kError, Category::kType, "`return` is not the last statement of its fn",
    "calls are inlined and threads never leave early; both branches of a last `if` may return"};
constexpr diag::Def<Name> kMissingReturn{"CK1084", Severity::kError, Category::kType,
                                         "`{0}` does not return on every path",
                                         "a fn with results ends in `return`, or in an `if` whose "
                                         "branches both do"};
constexpr diag::Def<Name> kCallInCondition{"CK1087", Severity::kError, Category::kType,
                                           "`{0}` has statements and is called in a condition",
                                           "the statements of a call run before the statement that "
                                           "contains it; this condition is evaluated "
                                           "again, not at all, or by the host"};
constexpr diag::Def<Name> kConstArgument{"CK1088", Severity::kError, Category::kType,
                                         "`{0}` needs a constant",
                                         "a `const` parameter splits the code that is inlined"};
constexpr diag::Def<Name> kInOutArgument{
    "CK1047", Severity::kError, Category::kType, "`{0}` needs the name of a variable",
    "an `inout` parameter is another name of the caller's `var`"};
constexpr diag::Def<Name, Name, Name> kInOutType{
    "CK1089", Severity::kError, Category::kType, "`{0}` is `{1}`, the variable is `{2}`",
    "an `inout` parameter has exactly the type of its variable"};
constexpr diag::Def<int64_t, int64_t> kReturnCount{
    "CK1090", Severity::kError, Category::kType, "{0} values where {1} are declared",
    "the results of a fn or iter are declared after `->`"};
constexpr diag::Def<Name> kCallPostfix{"CK1091", Severity::kError, Category::kType,
                                       "`{0}` is a function",
                                       "its name is followed by its arguments and nothing else"};

int CountUses(const text::Expr* expr, std::string_view name) {
  if (expr == nullptr) return 0;
  int count = expr->kind == text::Expr::Kind::kPath && expr->name.text == name ? 1 : 0;
  for (const text::Expr* operand : expr->operands) count += CountUses(operand, name);
  for (const text::Postfix& postfix : expr->postfixes) {
    for (const text::Expr* arg : postfix.args) count += CountUses(arg, name);
    for (const text::Index& index : postfix.indices) {
      count += CountUses(index.offset, name) + CountUses(index.extent, name);
    }
    count += CountUses(postfix.use, name);
  }
  return count;
}

bool IsSingleReturn(const text::Function& function) {
  return function.body.size() == 1 && function.body[0] != nullptr &&
         function.body[0]->kind == text::Stmt::Kind::kReturn;
}

// Lets and one return: where nothing can be hoisted the lets become names of expressions.
bool IsExpressionLike(const text::Function& function) {
  for (size_t i = 0; i < function.body.size(); ++i) {
    const text::Stmt* stmt = function.body[i];
    if (stmt == nullptr) return false;
    const bool last = i + 1 == function.body.size();
    if (last && stmt->kind == text::Stmt::Kind::kReturn) return true;
    if (stmt->kind != text::Stmt::Kind::kLet || stmt->names.size() != 1) return false;
  }
  return false;
}

}  // namespace

void Elaborator::DeclareFunction(const text::Function& function) {
  if (function.unread_head) return;
  const ScopeNode* closure = scope_;
  {
    const Scoped scoped(*this);  // parameter names are unique among what the body sees
    for (const text::Parameter& parameter : function.parameters) {
      Declare(parameter.name, EntityKind::kUnknown);
    }
  }
  Entity& entity = Declare(function.name, EntityKind::kFunction);
  entity.function = &function;
  entity.closure = closure;
  if (!checking_uncalled_ && declared_functions_.insert(&function).second) {
    functions_.push_back(entity);
    if (function.is_dynamic) CheckDynamic(function);
  }
}

ExprId Elaborator::Call(const text::Expr& expr, const Entity& entity) {
  const Entity callee = entity;
  const std::string name(callee.name);
  if (expr.postfixes.size() != 1 || expr.postfixes[0].kind != text::Postfix::Kind::kCall) {
    report_.Add(kCallPostfix, expr.span, Name{name});
    return b_.Unknown(expr.span);
  }
  if (callee.function->is_iter) {
    report_.Add(kIterAsValue, expr.span, Name{name});
    return b_.Unknown(expr.span);
  }
  const std::vector<ExprId> results = Inline(callee, expr.postfixes[0], expr.span);
  if (results.size() == 1) return results[0];
  if (results.size() != 1 && !callee.function->results.empty() && results.empty()) {
    return b_.Unknown(expr.span);  // reported while inlining
  }
  report_.Add(kResultCount, expr.span, Name{name}, static_cast<int64_t>(results.size()));
  return b_.Unknown(expr.span);
}

Entity Elaborator::BindFragment(const text::Parameter& parameter, const text::Expr& arg) {
  Entity bound{
      .kind = EntityKind::kUnknown, .name = parameter.name.text, .declared = parameter.name.span};
  const bool bare = arg.kind == text::Expr::Kind::kPath && arg.postfixes.empty();
  const Entity* entity = bare ? Resolve(arg.name) : nullptr;
  // A slice is a value of its own; what an `inout` parameter makes of it goes back behind the call.
  Entity slice{.kind = EntityKind::kLocal};
  if (!bare && arg.kind == text::Expr::Kind::kPath) {
    const Entity* whole = Lookup(scope_, arg.name.text);
    if (whole != nullptr && whole->kind == EntityKind::kLocal &&
        IsFragmentSlice(arg, kernel_->locals[static_cast<size_t>(whole->local)].type)) {
      if (parameter.passing == "inout" && (whole->read_only || !NeedWritable(arg))) return bound;
      const ir::Type type = kernel_->locals[static_cast<size_t>(whole->local)].type;
      const ExprId value = SliceValue(arg, type, &bound.lent);
      if (b_.IsUnknown(value)) return bound;
      slice.local = b_[value].local;
      entity = &slice;
    }
  }
  if (entity == nullptr || entity->kind != EntityKind::kLocal) {
    if (!bare || (entity != nullptr && entity->kind != EntityKind::kUnknown)) {
      report_.Add(kInOutArgument, arg.span, Name{std::string(parameter.name.text)});
    }
    return bound;
  }
  const ir::Local& local = kernel_->locals[static_cast<size_t>(entity->local)];
  const bool inout = parameter.passing == "inout";
  if (inout && (!local.is_var || entity->read_only)) {
    report_.Add(kInOutArgument, arg.span, Name{std::string(parameter.name.text)})
        .Label(local.declared, "declared here");
    return bound;
  }
  ir::Type wanted;
  if (parameter.type.form != "frag" && ParseType(parameter.type, wanted) &&
      !(wanted == local.type)) {
    report_.Add(kInOutType, arg.span, Name{std::string(parameter.name.text)},
                Name{ir::ToString(wanted)}, Name{ir::ToString(local.type)});
    return bound;
  }
  bound.kind = EntityKind::kLocal;
  bound.local = entity->local;
  bound.read_only = !inout;
  if (!inout) bound.lent = {};
  return bound;
}

Entity Elaborator::BindByValue(const text::Parameter& parameter, const text::Expr& arg,
                               ArgUse use) {
  Entity bound{
      .kind = EntityKind::kUnknown, .name = parameter.name.text, .declared = parameter.name.span};
  ir::Type type;
  const bool typed = ParseType(parameter.type, type);
  if (typed) CheckPlace(parameter.type.dtype, type.dtype, ir::Space::kRegister);
  ExprId value = Expr(&arg);
  if (!typed) return bound;
  value = CoerceTo(value, type, arg.span);
  value = BroadcastTo(value, type, arg.span, parameter.name.text);
  bound.kind = EntityKind::kValue;
  bound.value = value;
  if (b_.IsUnknown(value)) {
    bound.kind = EntityKind::kUnknown;
    return bound;
  }
  if (parameter.passing == "const") {
    if (!b_.IsConst(value)) {
      report_.Add(kConstArgument, arg.span, Name{std::string(parameter.name.text)});
      bound.kind = EntityKind::kUnknown;
    }
    return bound;
  }
  const ir::Expr& expr = b_[value];
  const bool leaf = expr.args.empty() && expr.kind != ir::ExprKind::kLoad;
  const bool simple = leaf || expr.kind == ir::ExprKind::kElement;
  if (b_.IsConst(value) || !CanHoist() || use == ArgUse::kOnce ||
      (simple && use == ArgUse::kOneExpression) || (leaf && IsStable(value))) {
    return bound;
  }
  const ir::LocalId local = NewLocal(parameter.name, type, false);
  Emit({.kind = ir::StmtKind::kLet, .source = {arg.span, 0}, .local = local, .value = value});
  bound.kind = EntityKind::kLocal;
  bound.local = local;
  return bound;
}

Entity Elaborator::BindParameter(const text::Parameter& parameter, const text::Expr& arg,
                                 ArgUse use) {
  if (parameter.type.form == "frag" || parameter.passing == "inout" ||
      !parameter.type.form.empty()) {
    return BindFragment(parameter, arg);
  }
  return BindByValue(parameter, arg, use);
}

bool Elaborator::BindParameters(const text::Function& function, const text::Postfix& call,
                                Span span, bool single_return, std::vector<Entity>& bound) {
  if (call.args.size() != function.parameters.size()) {
    report_
        .Add(kArgumentCount, span, Name{std::string(function.name.text)},
             static_cast<int64_t>(function.parameters.size()),
             static_cast<int64_t>(call.args.size()))
        .Label(function.name.span, "defined here");
    for (const text::Expr* arg : call.args) Expr(arg);
    return false;
  }
  for (size_t i = 0; i < call.args.size(); ++i) {
    const text::Parameter& parameter = function.parameters[i];
    if (call.args[i] == nullptr) return false;
    // An argument that the one expression names once is put where it is named.
    ArgUse use = single_return ? ArgUse::kOneExpression : ArgUse::kStatements;
    if (single_return) {
      int uses = 0;
      for (const text::Expr* value : function.body[0]->values) {
        uses += CountUses(value, parameter.name.text);
      }
      if (uses <= 1) use = ArgUse::kOnce;
    }
    bound.push_back(BindParameter(parameter, *call.args[i], use));
  }
  return true;
}

std::vector<ExprId> Elaborator::Inline(const Entity& entity, const text::Postfix& call, Span span) {
  const Entity callee = entity;
  const text::Function& function = *callee.function;
  const Deeper deeper(*this, span);
  if (!deeper || b_.exhausted()) return {};
  called_.insert(&function);
  const bool single_return = IsSingleReturn(function);
  if (!CanHoist() && !IsExpressionLike(function)) {
    report_.Add(kCallInCondition, span, Name{std::string(function.name.text)})
        .Label(function.name.span, "defined here");
    return {};
  }
  std::vector<Entity> bound;
  if (!BindParameters(function, call, span, single_return, bound)) return {};
  if (faulty_.contains(&function)) {
    return std::vector<ExprId>(function.results.size(), b_.Unknown(span));
  }
  const size_t faults = report_.diagnostics().size() - absent_.size();
  const ScopeNode* saved_scope = scope_;
  const int32_t saved_instance = b_.instance;
  Frame* saved_frame = frame_;
  program_->instances.push_back(
      {.parent = saved_instance, .call = span, .function = std::string(function.name.text)});
  b_.instance = static_cast<int32_t>(program_->instances.size() - 1);
  scope_ = callee.closure;
  const std::vector<Entity> parameters = bound;
  for (Entity& parameter : bound) {
    nodes_.push_back({std::move(parameter), scope_});
    scope_ = &nodes_.back();
  }
  const Builder::Mark before = b_.Here();
  Frame frame{.function = &function};
  for (const text::TypeExpr& type : function.results) {
    ir::Type result;
    ParseType(type, result);
    frame.result_types.push_back(result);
  }
  frame_ = &frame;
  active_.push_back(&function);
  Block(function.body, true);
  active_.pop_back();
  ReturnSlices(parameters, before, span);
  if (!frame.returned && !frame.result_types.empty() && !b_.exhausted()) {
    report_.Add(kMissingReturn, function.name.span, Name{std::string(function.name.text)});
    frame.results.clear();
  }
  if (report_.diagnostics().size() - absent_.size() != faults) faulty_.insert(&function);
  frame_ = saved_frame;
  b_.instance = saved_instance;
  scope_ = saved_scope;
  return frame.results;
}

void Elaborator::Return(const text::Stmt& stmt, bool tail) {
  std::vector<ExprId> values;
  for (const text::Expr* value : stmt.values) values.push_back(Expr(value));
  if (frame_ == nullptr || frame_->function->is_iter) return;  // the parser has reported it
  if (!tail) {
    report_.Add(kReturnNotLast, stmt.span);
    frame_->returned = true;
    return;
  }
  frame_->returned = true;
  if (values.size() != frame_->result_types.size()) {
    report_.Add(kReturnCount, stmt.span, static_cast<int64_t>(values.size()),
                static_cast<int64_t>(frame_->result_types.size()));
    values.resize(frame_->result_types.size(), b_.Unknown(stmt.span));
  }
  frame_->results.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    const Span span = i < stmt.values.size() ? stmt.values[i]->span : stmt.span;
    const ir::Type& type = frame_->result_types[i];
    values[i] =
        BroadcastTo(CoerceTo(values[i], type, span), type, span, frame_->function->name.text);
    frame_->results.push_back(values[i]);
    if (i >= frame_->targets.size() || b_.IsUnknown(values[i])) continue;
    Emit({.kind = ir::StmtKind::kAssign,
          .source = {stmt.span, 0},
          .local = frame_->targets[i],
          .value = values[i]});
  }
}

void Elaborator::IterLoop(const text::Stmt& stmt, const Entity& entity) {
  const Entity callee = entity;
  const text::Function& function = *callee.function;
  const Scoped scoped(*this);
  called_.insert(&function);
  std::vector<Entity> bound;
  const text::Postfix& call = stmt.iterable->postfixes[0];
  if (!BindParameters(function, call, stmt.iterable->span, false, bound)) {
    for (const text::Ident& name : stmt.names) Declare(name, EntityKind::kUnknown);
    Nested(stmt.body, false);
    return;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    if (bound[i].lent.local == ir::LocalId::kNone) continue;
    report_.Add(kInOutArgument, call.args[i]->span, Name{std::string(bound[i].name)});
  }
  Frame frame{.function = &function,
              .loop = &stmt,
              .loop_scope = scope_,
              .loop_instance = b_.instance,
              .loop_frame = frame_};
  for (const text::TypeExpr& type : function.results) {
    ir::Type result;
    ParseType(type, result);
    frame.result_types.push_back(result);
  }
  program_->instances.push_back({.parent = b_.instance,
                                 .call = stmt.iterable->span,
                                 .function = std::string(function.name.text)});
  b_.instance = static_cast<int32_t>(program_->instances.size() - 1);
  scope_ = callee.closure;
  for (Entity& parameter : bound) {
    nodes_.push_back({std::move(parameter), scope_});
    scope_ = &nodes_.back();
  }
  frame_ = &frame;
  active_.push_back(&function);
  if (function.is_dynamic) {
    DynamicLoop(function, stmt.iterable->span);
  } else {
    Block(function.body);
  }
  active_.pop_back();
  frame_ = frame.loop_frame;
  b_.instance = frame.loop_instance;
}

// The body of the consuming loop stands where the iter yields, in the scope of the loop.
void Elaborator::Yield(const text::Stmt& stmt) {
  std::vector<ExprId> values;
  for (const text::Expr* value : stmt.values) values.push_back(Expr(value));
  if (frame_ == nullptr || !frame_->function->is_iter) return;  // the parser has reported it
  Frame& frame = *frame_;
  if (values.size() != frame.result_types.size()) {
    report_.Add(kReturnCount, stmt.span, static_cast<int64_t>(values.size()),
                static_cast<int64_t>(frame.result_types.size()));
    values.resize(frame.result_types.size(), b_.Unknown(stmt.span));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Span span = i < stmt.values.size() ? stmt.values[i]->span : stmt.span;
    values[i] = CoerceTo(values[i], frame.result_types[i], span);
  }
  if (frame.loop == nullptr || ++frame.yields > 1) return;
  const Scoped scoped(*this);
  const int32_t iter_instance = b_.instance;
  scope_ = frame.loop_scope;
  b_.instance = frame.loop_instance;
  frame_ = frame.loop_frame;
  BindNames(*frame.loop, values);
  Block(frame.loop->body);
  frame_ = &frame;
  b_.instance = iter_instance;
}

// A body that nothing calls is scoped and typed once, with parameters of unknown value.
void Elaborator::CheckBody(const Entity& entity) {
  const text::Function& function = *entity.function;
  ir::Kernel outside;
  const bool in_kernel = kernel_ != nullptr;
  if (!in_kernel) kernel_ = &outside;
  const Builder::Mark mark = b_.Here();
  const size_t locals = kernel_->locals.size();
  const size_t instances = program_->instances.size();
  std::vector<ir::StmtId> body;
  const Scoped scoped(*this);
  std::vector<ir::StmtId>* saved_block = block_;
  Frame* saved_frame = frame_;
  block_ = &body;
  ++b_.dead;
  in_role_ = checking_uncalled_ = true;
  scope_ = entity.closure;
  for (const text::Parameter& parameter : function.parameters) {
    ir::Type type;
    const bool typed = ParseType(parameter.type, type);
    const ir::LocalId local = NewLocal(parameter.name, type, parameter.passing == "inout");
    nodes_.push_back({{.kind = typed ? EntityKind::kLocal : EntityKind::kUnknown,
                       .name = parameter.name.text,
                       .declared = parameter.name.span,
                       .local = local},
                      scope_});
    scope_ = &nodes_.back();
  }
  Frame frame{.function = &function};
  for (const text::TypeExpr& type : function.results) {
    ir::Type result;
    ParseType(type, result);
    frame.result_types.push_back(result);
  }
  frame_ = &frame;
  active_.push_back(&function);
  Block(function.body, !function.is_iter);
  active_.pop_back();
  if (!function.is_iter && !frame.returned && !frame.result_types.empty()) {
    report_.Add(kMissingReturn, function.name.span, Name{std::string(function.name.text)});
  }
  frame_ = saved_frame;
  block_ = saved_block;
  --b_.dead;
  in_role_ = checking_uncalled_ = false;
  b_.RollBack(mark);
  program_->instances.resize(instances);
  kernel_->locals.resize(locals);
  local_values_.resize(locals);
  if (!in_kernel) kernel_ = nullptr;
}

void Elaborator::CheckUncalled(size_t first) {
  for (size_t i = first; i < functions_.size() && !b_.exhausted(); ++i) {
    if (!called_.contains(functions_[i].function)) CheckBody(Entity(functions_[i]));
  }
  functions_.resize(std::min(first, functions_.size()));
}

}  // namespace compiler::sema
