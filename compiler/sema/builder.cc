#include "compiler/sema/builder.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "compiler/ir/constant.h"
#include "compiler/ir/packed.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr diag::Def<Name> kConstantFails{
    "CK1018", Severity::kError, Category::kType, "`{0}` of these constants has no value",
    "an expression of constants is computed once, before any thread runs, by the same rule as the "
    "instruction"};
constexpr diag::Def<int64_t, int64_t> kTooManyNodes{
    "CK6102", Severity::kError, Category::kLimit,
    "the elaborated program needs {0} nodes up to here; the limit is {1}",
    "each call of a fn or iter is inlined, so calls that call others twice double the program"};
constexpr diag::Def<int64_t, int64_t> kTooDeep{
    "CK6103", Severity::kError, Category::kLimit,
    "an expression is {0} levels deep after inlining; the limit is {1}",
    "every reader of the tree walks it to its depth"};
constexpr int64_t kMaxExprDepthLevels = 512;
constexpr int kMaxCallLabels = 6;

const ir::Limits kLimits;

}  // namespace

bool Builder::IsConst(ExprId id) const {
  const ir::Expr& expr = program_[id];
  return expr.type.dtype != DType::kUnknown &&
         (expr.kind == ir::ExprKind::kInt || expr.kind == ir::ExprKind::kFloat);
}

std::optional<int64_t> Builder::ConstInt(ExprId id) const {
  const ir::Expr& expr = program_[id];
  if (expr.kind != ir::ExprKind::kInt || expr.type.dtype == DType::kUnknown) return std::nullopt;
  return expr.int_value;
}

void Builder::MarkLiteral(ExprId id, double raw) {
  meta_[static_cast<size_t>(id)].literal = true;
  meta_[static_cast<size_t>(id)].raw = raw;
}

void Builder::MeasureView(ir::ViewId id, Meta& meta) const {
  if (id == ir::ViewId::kNone) return;
  const ir::View& view = program_[id];
  const auto add = [&](ExprId part) {
    if (part == ExprId::kNone) return;
    const Meta& m = meta_[static_cast<size_t>(part)];
    meta.depth = std::max(meta.depth, m.depth + 1);
    meta.size = std::min<int64_t>(meta.size + m.size, int64_t{1} << 40);
  };
  add(view.stage);
  add(view.remote);
  for (const ir::ViewIndex& index : view.index) {
    add(index.offset);
    add(index.extent);
  }
}

Builder::Meta Builder::Measure(const ir::Expr& expr) const {
  Meta meta;
  for (ExprId arg : expr.args) {
    const Meta& m = meta_[static_cast<size_t>(arg)];
    meta.depth = std::max(meta.depth, m.depth + 1);
    meta.size = std::min<int64_t>(meta.size + m.size, int64_t{1} << 40);
  }
  MeasureView(expr.view, meta);
  return meta;
}

void Builder::ReportLimit(diag::Span span, int64_t needed) {
  if (exhausted_) return;
  exhausted_ = true;
  auto built = report_.Add(kTooManyNodes, span, needed, kLimits.elaborated_nodes);
  int32_t at = instance;
  for (int i = 0; i < kMaxCallLabels && at != 0; ++i) {
    const ir::Instance& call = program_.instances[static_cast<size_t>(at)];
    built.Label(call.call, "in the inlined call of `" + call.function + "` here");
    at = call.parent;
  }
}

void Builder::Spend(int64_t nodes, diag::Span span) {
  spent_nodes_ += nodes;
  if (spent_nodes_ > kLimits.elaborated_nodes) ReportLimit(span, spent_nodes_);
}

ExprId Builder::Add(ir::Expr expr, diag::Span span) {
  expr.source = {span, instance};
  Meta meta = Measure(expr);
  if (meta.depth > kMaxExprDepthLevels) {
    if (!exhausted_) report_.Add(kTooDeep, span, meta.depth, kMaxExprDepthLevels);
    exhausted_ = true;
    expr = {.source = {span, instance}};
    meta = {};
  }
  if (meta.size > kLimits.elaborated_nodes) {
    ReportLimit(span, meta.size);
    expr = {.source = {span, instance}};
    meta = {};
  }
  if (expr.kind == ir::ExprKind::kSymbol) expr.level = ir::Level::kLaunch;
  for (ExprId arg : expr.args) expr.level = ir::Narrower(expr.level, program_[arg].level);
  Spend(1, span);
  program_.exprs.push_back(std::move(expr));
  meta_.push_back(meta);
  return static_cast<ExprId>(program_.exprs.size() - 1);
}

ExprId Builder::Int(int64_t value, DType type, diag::Span span, bool literal) {
  const ExprId id =
      Add({.kind = ir::ExprKind::kInt, .type = {.dtype = type}, .int_value = value}, span);
  meta_[static_cast<size_t>(id)].literal = literal;
  return id;
}

ExprId Builder::Float(double raw, DType type, diag::Span span, bool literal) {
  const ExprId id = Add({.kind = ir::ExprKind::kFloat,
                         .type = {.dtype = type},
                         .float_value = ir::RoundTo(type, raw)},
                        span);
  if (literal) MarkLiteral(id, raw);
  return id;
}

ExprId Builder::Unknown(diag::Span span) {
  if (dead == 0 && !first_unknown) first_unknown = span;
  return Add({.kind = ir::ExprKind::kInt, .type = {.dtype = DType::kUnknown}}, span);
}

std::optional<ExprId> Builder::Fold(const ir::Expr& expr, diag::Span span) {
  if (expr.op->meaning == nullptr || expr.op->scope != ir::Scope::kThread || !expr.type.is_scalar())
    return std::nullopt;
  std::vector<ir::LaneVector> values(expr.args.size());
  std::vector<const ir::LaneVector*> in;
  bool literals = true;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (!IsConst(expr.args[i])) return std::nullopt;
    const ir::Expr& arg = program_[expr.args[i]];
    literals &= IsLiteral(expr.args[i]);
    values[i].bits[0] = arg.kind == ir::ExprKind::kInt
                            ? static_cast<uint64_t>(arg.int_value)
                            : ir::EncodeFloat(arg.type.dtype, arg.float_value);
    in.push_back(&values[i]);
  }
  ir::LaneVector result;
  ir::LaneVector second;
  ir::LaneVector* out[] = {&result, &second};
  const std::string_view error =
      expr.op->meaning({.in = in,
                        .out = out,
                        .operand_type = program_[expr.args[0]].type.dtype,
                        .result_type = expr.type.dtype,
                        .modifiers = expr.modifiers,
                        .width = expr.width,
                        .mask = 1});
  if (!error.empty()) {
    if (dead == 0) {
      report_.Add(kConstantFails, span, Name{std::string(expr.op->name)})
          .Label(span, std::string(error));
    }
    return Unknown(span);
  }
  if (ir::Info(expr.type.dtype).is_float) {
    // A float constant is one number: halves that differ stay an operation.
    const double value = ir::DecodeFloat(expr.type.dtype, result.bits[0]);
    if (ir::IsPacked(expr.type.dtype) &&
        ir::EncodeFloat(expr.type.dtype, value) != result.bits[0]) {
      return std::nullopt;
    }
    return Float(ir::DecodeFloat(expr.type.dtype, result.bits[0]), expr.type.dtype, span);
  }
  const bool literal = literals && ir::Info(expr.type.dtype).is_integer;
  return Int(static_cast<int64_t>(result.bits[0]), expr.type.dtype, span, literal);
}

ExprId Builder::Op(const ir::OpDef* op, std::vector<ExprId> args, ir::Type type, diag::Span span,
                   std::vector<std::string_view> modifiers, int width) {
  for (ExprId arg : args) {
    if (IsUnknown(arg)) return Unknown(span);
  }
  ir::Expr expr{.kind = ir::ExprKind::kOp,
                .type = std::move(type),
                .source = {span, instance},
                .op = op,
                .modifiers = std::move(modifiers),
                .width = width,
                .args = std::move(args)};
  if (!expr.args.empty() && op->result != ir::ResultRule::kPair) {
    if (auto folded = Fold(expr, span)) return *folded;
  }
  return Add(std::move(expr), span);
}

ExprId Builder::Operator(std::string_view token, std::vector<ExprId> args, ir::Type type,
                         diag::Span span) {
  const ir::OpDef* op = ops_.FindOperator(token, static_cast<int>(args.size()));
  if (op == nullptr) return Unknown(span);
  return Op(op, std::move(args), std::move(type), span);
}

ExprId Builder::Convert(ExprId value, DType to, diag::Span span) {
  const ir::OpDef* cvt = ops_.Find("cvt");
  if (cvt == nullptr || IsUnknown(value)) return Unknown(span);
  ir::Type type = TypeOf(value);
  type.dtype = to;
  const bool literal = IsLiteral(value);
  const ExprId id = Op(cvt, {value}, std::move(type), span, {ir::ToString(to)});
  if (literal && program_[id].kind == ir::ExprKind::kInt) MarkLiteral(id, 0);
  return id;
}

ExprId Builder::AddIndex(ExprId a, ExprId b, diag::Span span) {
  if (IsUnknown(a) || IsUnknown(b)) return Unknown(span);
  if (ConstInt(a) == 0) return b;
  if (ConstInt(b) == 0) return a;
  return Operator("+", {a, b}, TypeOf(a), span);
}

ir::ViewId Builder::AddView(ir::View view) {
  view.source.instance = instance;
  Meta meta;
  program_.views.push_back(std::move(view));
  const auto id = static_cast<ir::ViewId>(program_.views.size() - 1);
  MeasureView(id, meta);
  Spend(meta.size, program_.views.back().source.span);
  return id;
}

ir::StmtId Builder::AddStmt(ir::Stmt stmt) {
  stmt.source.instance = instance;
  const diag::Span span = stmt.source.span;
  int64_t size = 1;
  const auto add = [&](ExprId part) {
    if (part != ExprId::kNone) size += meta_[static_cast<size_t>(part)].size;
  };
  for (ExprId part : stmt.indices) add(part);
  for (ExprId part : {stmt.value, stmt.low, stmt.high, stmt.step, stmt.barrier_index}) add(part);
  Spend(size, span);
  program_.stmts.push_back(std::move(stmt));
  return static_cast<ir::StmtId>(program_.stmts.size() - 1);
}

Builder::Mark Builder::Here() const {
  return {program_.exprs.size(), program_.stmts.size(), program_.views.size()};
}

void Builder::RollBack(const Mark& mark) {
  program_.exprs.resize(mark.exprs);
  program_.stmts.resize(mark.stmts);
  program_.views.resize(mark.views);
  meta_.resize(mark.exprs);
}

}  // namespace compiler::sema
