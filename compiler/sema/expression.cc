// Expressions: literals take the type of their use, names become what they stand for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/constant.h"
#include "compiler/sema/elaborator.h"
#include "compiler/sema/fragment.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kNotAValue{
    "CK1005", Severity::kError, Category::kType, "`{0}` is no value here",
    "an expression is made of numbers; barriers, events and functions "
    "have their own statements"};
constexpr diag::Def<Name> kViewAsValue{
    "CK1006", Severity::kError, Category::kType, "`{0}` is memory, not a value",
    "memory is read by `ld`, so that every access is visible in the source"};
constexpr diag::Def<Name> kOnlyInRole{"CK1020", Severity::kError, Category::kType,
                                      "`{0}` has a value only inside a role",
                                      "lanes, warps and threads are numbered within their role"};
constexpr diag::Def<Name> kNotAtLaunch{"CK1021", Severity::kError, Category::kType,
                                       "`{0}` is not known at launch",
                                       "the host computes this before any thread exists"};
constexpr diag::Def<Name> kNoPostfix{"CK1022", Severity::kError, Category::kType,
                                     "`{0}` has nothing to index, call or select",
                                     "it is one number"};
constexpr diag::Def<Name, int64_t> kArgArrayWhole{
    "CK1245", Severity::kError, Category::kType, "`{0}` has {1} values; name one of them",
    "an arg array lies in the kernel's parameters and is read element by element: `plan[i]`"};
constexpr diag::Def<Name, int64_t, int64_t> kElementCount{
    "CK1023", Severity::kError, Category::kType, "`{0}` takes {1} indices, {2} given",
    "registers are named one element at a time"};
constexpr diag::Def<> kRegisterSlice{
    "CK1051", Severity::kError, Category::kType, "a slice of registers",
    "registers are named one element or one whole array at a time"};
constexpr diag::Def<int64_t, int64_t> kElementRange{
    "CK1024", Severity::kError, Category::kType, "element {0} of an array of {1}",
    "indices of arrays are checked when they are constants, before anything runs"};
constexpr diag::Def<Name> kIntegerNeeded{"CK1025", Severity::kError, Category::kType,
                                         "an integer is needed, `{0}` found",
                                         "indices, bounds and counts are integers"};

bool IsProduct(const text::Expr* expr) {
  return expr != nullptr && expr->kind == text::Expr::Kind::kBinary && expr->token == "*";
}

std::string TypeName(const ir::Type& type) { return ir::ToString(type); }

}  // namespace

ExprId Elaborator::Expr(const text::Expr* expr) {
  if (expr == nullptr) return b_.Unknown({});
  const Deeper deeper(*this, expr->span);
  if (!deeper || b_.exhausted()) return b_.Unknown(expr->span);
  return ExprInner(*expr);
}

ExprId Elaborator::ExprInner(const text::Expr& expr) {
  using Kind = text::Expr::Kind;
  switch (expr.kind) {
    case Kind::kInt:
    case Kind::kFloat: return Literal(expr);
    case Kind::kBool: return b_.Bool(expr.int_value != 0, expr.span);
    case Kind::kPath: return Path(expr);
    case Kind::kUnary: return Unary(expr);
    case Kind::kBinary: return Binary(expr);
    case Kind::kArray: return Array(expr);
    case Kind::kLoad: return Load(expr);
    case Kind::kError: return b_.Unknown(expr.span);
  }
  return b_.Unknown(expr.span);
}

ExprId Elaborator::Literal(const text::Expr& expr) {
  if (expr.kind == text::Expr::Kind::kFloat) {
    double raw = expr.float_value;
    if (std::isfinite(raw)) raw = ir::ParseFloatToOdd(expr.literal).value_or(raw);
    return b_.Float(raw, DType::kF32, expr.span, true);
  }
  if (expr.int_value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return b_.Int(static_cast<int64_t>(expr.int_value), DType::kU64, expr.span);
  }
  const auto value = static_cast<int64_t>(expr.int_value);
  return b_.Int(value, ir::Fits(DType::kI32, value) ? DType::kI32 : DType::kI64, expr.span, true);
}

ExprId Elaborator::Unary(const text::Expr& expr) {
  if (expr.operands.size() != 1) return b_.Unknown(expr.span);
  const ExprId operand = Expr(expr.operands[0]);
  if (expr.token == "-" && b_.IsLiteral(operand)) {
    const ir::Expr& literal = b_[operand];
    if (literal.kind == ir::ExprKind::kFloat) {
      return b_.Float(-b_.Raw(operand), literal.type.dtype, expr.span, true);
    }
    if (literal.kind == ir::ExprKind::kInt) {
      const int64_t value = -literal.int_value;  // literals are at most INT64_MAX
      const DType type = ir::Fits(DType::kI32, value) ? DType::kI32 : DType::kI64;
      return b_.Int(value, type, expr.span, true);
    }
  }
  return ApplyOperator(expr.token, expr.span, {operand});
}

ExprId Elaborator::Logical(const text::Expr& expr) {
  const bool is_and = expr.token == "&&";
  const ExprId left = Condition(expr.operands[0]);
  const auto known = b_.ConstInt(left);
  const bool skipped = known && (*known != 0) != is_and;
  b_.dead += skipped ? 1 : 0;
  ++no_hoist_;
  const ExprId right = Condition(expr.operands[1]);
  --no_hoist_;
  b_.dead -= skipped ? 1 : 0;
  if (b_.IsUnknown(left)) return b_.Unknown(expr.span);
  if (skipped) return left;
  if (known || b_.IsUnknown(right)) return right;
  return b_.Add({.kind = is_and ? ir::ExprKind::kAnd : ir::ExprKind::kOr,
                 .type = {.dtype = DType::kBool},
                 .args = {left, right}},
                expr.span);
}

ExprId Elaborator::Fused(std::string_view token, const text::Expr* left_text, ExprId left,
                         const text::Expr* right_text, ExprId right, Span span) {
  if (kernel_ == nullptr || !kernel_->numerics_contract || (token != "+" && token != "-")) {
    return ExprId::kNone;
  }
  const ir::OpDef* fma = ops_.Find("fma");
  const ir::OpDef* times = ops_.FindOperator("*", 2);
  if (fma == nullptr || b_.IsUnknown(left) || b_.IsUnknown(right)) return ExprId::kNone;
  const auto product = [&](const text::Expr* text, ExprId id) {
    return IsProduct(text) && b_[id].kind == ir::ExprKind::kOp && b_[id].op == times &&
           b_.TypeOf(id).is_scalar() && ir::Info(b_.TypeOf(id).dtype).is_float;
  };
  const ir::Type type = b_.TypeOf(product(left_text, left) ? left : right);
  // A difference negates an operand, which f32x2 has no instruction for.
  if (token == "-" && type.dtype == DType::kF32x2) return ExprId::kNone;
  const auto negated = [&](ExprId id) { return b_.Operator("-", {id}, type, span); };
  if (product(left_text, left)) {
    if (!(b_.TypeOf(right) == type) && !b_.IsLiteral(right)) return ExprId::kNone;
    ExprId addend = Coerce(right, type.dtype, span);
    if (token == "-") addend = negated(addend);
    const std::vector<ExprId> factors = b_[left].args;
    return b_.Op(fma, {factors[0], factors[1], addend}, type, span);
  }
  if (product(right_text, right)) {
    if (!(b_.TypeOf(left) == type) && !b_.IsLiteral(left)) return ExprId::kNone;
    const ExprId addend = Coerce(left, type.dtype, span);
    std::vector<ExprId> factors = b_[right].args;
    if (token == "-") factors[0] = negated(factors[0]);
    return b_.Op(fma, {factors[0], factors[1], addend}, type, span);
  }
  return ExprId::kNone;
}

ExprId Elaborator::Binary(const text::Expr& expr) {
  if (expr.operands.size() != 2) return b_.Unknown(expr.span);
  if (expr.token == "&&" || expr.token == "||") return Logical(expr);
  const ExprId left = Expr(expr.operands[0]);
  const ExprId right = Expr(expr.operands[1]);
  const ExprId fused =
      Fused(expr.token, expr.operands[0], left, expr.operands[1], right, expr.span);
  if (fused != ExprId::kNone) return fused;
  return ApplyOperator(expr.token, expr.span, {left, right});
}

ExprId Elaborator::Array(const text::Expr& expr) {
  if (expr.operands.empty()) return b_.Unknown(expr.span);  // the parser has reported it
  std::vector<ExprId> elements;
  bool literal = true;
  for (const text::Expr* operand : expr.operands) {
    elements.push_back(Expr(operand));
    literal &= b_.IsLiteral(elements.back());
  }
  std::vector<ExprId*> all;
  for (ExprId& element : elements) all.push_back(&element);
  // Literals alone keep their freedom: the target of the array gives their type.
  const bool one_kind = std::all_of(elements.begin(), elements.end(), [&](ExprId id) {
    return b_.TypeOf(id) == b_.TypeOf(elements[0]);
  });
  if (!(literal && one_kind) && !Unify(all, expr.span, "[..]")) return b_.Unknown(expr.span);
  ir::Type type = b_.TypeOf(elements[0]);
  if (type.dtype == DType::kUnknown) return b_.Unknown(expr.span);
  type.shape = {static_cast<int64_t>(elements.size())};
  const ExprId id =
      b_.Add({.kind = ir::ExprKind::kArray, .type = type, .args = elements}, expr.span);
  if (literal) b_.MarkLiteral(id, 0);
  return id;
}

ExprId Elaborator::Integer(const text::Expr* expr) {
  const ExprId id = Expr(expr);
  if (b_.IsUnknown(id)) return id;
  const ir::Type& type = b_.TypeOf(id);
  if (type.is_scalar() && ir::Info(type.dtype).is_integer) return id;
  report_.Add(kIntegerNeeded, expr->span, Name{TypeName(type)});
  return b_.Unknown(expr->span);
}

ExprId Elaborator::Load(const text::Expr& expr) {
  const text::Expr* path = expr.operands.empty() ? nullptr : expr.operands[0];
  if (path == nullptr || path->kind != text::Expr::Kind::kPath) return b_.Unknown(expr.span);
  std::vector<std::string_view> parts{"ld"};
  for (const text::Ident& word : expr.modifiers) parts.push_back(word.text);
  size_t taken = 0;
  const ir::OpDef* op = ops_.FindLongest(parts, &taken);
  if (op == nullptr) return b_.Unknown(expr.span);
  const std::vector<text::Ident> words(expr.modifiers.begin() + (static_cast<long>(taken) - 1),
                                       expr.modifiers.end());
  std::vector<std::string_view> modifiers = Modifiers(*op, words, expr.span);
  if (launch_only_) report_.Add(kNotAtLaunch, expr.span, Name{"ld"});
  const ViewRef view = View(*path);
  ir::Type type;
  const bool known = AccessType(view, path->span, type);
  std::vector<ExprId> args;
  if (expr.operands.size() > 1) {
    const ExprId other = Expr(expr.operands[1]);
    args.push_back(known ? CoerceTo(other, type, expr.operands[1]->span) : other);
    if (b_.IsUnknown(args.back())) return b_.Unknown(expr.span);
  }
  if (!known || launch_only_) return b_.Unknown(expr.span);
  if (!op->Available()) {
    ReportInstruction(expr.span, op->name);
    return b_.Unknown(expr.span);
  }
  if (!OrderedScalar(*op, type, path->span)) return b_.Unknown(expr.span);
  const ExprId load = b_.Add({.kind = ir::ExprKind::kLoad,
                              .type = type,
                              .view = AddView(view, path->span),
                              .op = op,
                              .modifiers = std::move(modifiers),
                              .args = std::move(args)},
                             expr.span);
  return InOrder(load, view.buffer->name);
}

ExprId Elaborator::BuiltinPath(const text::Expr& expr, bool& found) {
  using ir::BuiltinValue;
  struct Row {
    std::string_view name, member;
    BuiltinValue value;
    bool in_role;
    bool at_launch;
  };
  static constexpr Row kRows[] = {{"lane", "", BuiltinValue::kLane, true, false},
                                  {"warp", "", BuiltinValue::kWarp, true, false},
                                  {"wg", "", BuiltinValue::kWg, true, false},
                                  {"thread", "", BuiltinValue::kThread, true, false},
                                  {"cta", "", BuiltinValue::kCta, false, false},
                                  {"cta", "x", BuiltinValue::kCtaX, false, false},
                                  {"cta", "y", BuiltinValue::kCtaY, false, false},
                                  {"cta", "z", BuiltinValue::kCtaZ, false, false},
                                  {"ctas", "", BuiltinValue::kCtas, false, false},
                                  {"clusters", "", BuiltinValue::kClusters, false, false},
                                  {"cluster", "id", BuiltinValue::kClusterId, false, false},
                                  {"cluster", "rank", BuiltinValue::kClusterRank, false, false}};
  const std::string_view member =
      expr.postfixes.size() == 1 && expr.postfixes[0].kind == text::Postfix::Kind::kMember
          ? expr.postfixes[0].member.text
          : std::string_view();
  found = true;
  if (expr.name.text == "SMS" && expr.postfixes.empty()) {
    return SmsValue(expr.span);
  }
  for (const Row& row : kRows) {
    const size_t postfixes = row.member.empty() ? 0 : 1;
    if (row.name != expr.name.text || row.member != member || expr.postfixes.size() != postfixes) {
      continue;
    }
    if (launch_only_) {
      report_.Add(kNotAtLaunch, expr.span, Name{std::string(row.name)});
      return b_.Unknown(expr.span);
    }
    if (row.in_role && !in_role_) {
      report_.Add(kOnlyInRole, expr.span, Name{std::string(row.name)});
      return b_.Unknown(expr.span);
    }
    return b_.Add(
        {.kind = ir::ExprKind::kBuiltin, .type = {.dtype = DType::kI32}, .builtin = row.value},
        expr.span);
  }
  found = false;
  return ExprId::kNone;
}

ExprId Elaborator::Path(const text::Expr& expr) {
  bool found = false;
  const ExprId builtin = BuiltinPath(expr, found);
  if (found) return builtin;
  if (Lookup(scope_, expr.name.text) == nullptr) {
    const ExprId applied = FunctionPath(expr, found);
    if (found) return applied;
  }
  const Entity* entity = Resolve(expr.name);
  if (entity == nullptr) {
    // Arguments and indices are still looked at: each may hold a fault of its own.
    for (const text::Postfix& postfix : expr.postfixes) {
      for (const text::Expr* arg : postfix.args) Expr(arg);
    }
    return b_.Unknown(expr.span);
  }
  return EntityPath(expr, *entity);
}

// `plan[i]`: the index may be computed by any thread; the values are those of the launch.
ExprId Elaborator::ArgElement(const text::Expr& expr, const Entity& entity) {
  const ir::Symbol& symbol = (*program_)[entity.symbol];
  const bool indexed =
      expr.postfixes.size() == 1 && expr.postfixes[0].kind == text::Postfix::Kind::kIndex;
  if (!indexed) {
    report_.Add(kArgArrayWhole, expr.span, Name{symbol.name}, symbol.elements);
    return b_.Unknown(expr.span);
  }
  const ExprId whole = b_.Add({.kind = ir::ExprKind::kSymbol,
                               .type = {.dtype = symbol.dtype, .shape = {symbol.elements}},
                               .symbol = entity.symbol},
                              expr.span);
  return Element(whole, expr.postfixes[0], expr.span);
}

ExprId Elaborator::EntityPath(const text::Expr& expr, const Entity& entity) {
  const std::string name(entity.name);
  switch (entity.kind) {
    case EntityKind::kUnknown: return b_.Unknown(expr.span);
    case EntityKind::kFunction: return Call(expr, entity);
    case EntityKind::kLocal: return LocalPath(expr, entity);
    case EntityKind::kSymbol: {
      const ir::Symbol& symbol = (*program_)[entity.symbol];
      if (symbol.elements > 0) return ArgElement(expr, entity);
      if (!expr.postfixes.empty()) break;
      return b_.Add(
          {.kind = ir::ExprKind::kSymbol, .type = {.dtype = symbol.dtype}, .symbol = entity.symbol},
          expr.span);
    }
    case EntityKind::kValue: {
      if (expr.postfixes.empty() || b_.IsUnknown(entity.value)) {
        if (!b_.IsConst(entity.value)) return entity.value;
        // A constant is named where it is used: the copy has that place.
        const ir::Expr constant = b_[entity.value];
        const bool literal = b_.IsLiteral(entity.value);
        const double raw = b_.Raw(entity.value);
        const ExprId copy = b_.Add(constant, expr.span);
        if (literal) b_.MarkLiteral(copy, raw);
        return copy;
      }
      if (b_.TypeOf(entity.value).is_array() && expr.postfixes.size() == 1 &&
          expr.postfixes[0].kind == text::Postfix::Kind::kIndex) {
        return Element(entity.value, expr.postfixes[0], expr.span);
      }
      break;
    }
    case EntityKind::kBuffer:
    case EntityKind::kGroup:
    case EntityKind::kView: {
      report_.Add(kViewAsValue, expr.span, Name{name})
          .Fix("load it", {{{expr.span.begin, expr.span.begin}, "ld "}}, Applicability::kMachine);
      return b_.Unknown(expr.span);
    }
    case EntityKind::kEvent:
    case EntityKind::kBarrier:
      report_.Add(kNotAValue, expr.span, Name{name});
      return b_.Unknown(expr.span);
  }
  report_.Add(kNoPostfix, expr.span, Name{name});
  return b_.Unknown(expr.span);
}

ExprId Elaborator::FragmentMember(const text::Expr& expr, ir::LocalId id) {
  const ir::Local& local = kernel_->locals[static_cast<size_t>(id)];
  const text::Postfix& first = expr.postfixes[0];
  const std::string_view member = first.member.text;
  const FragmentShape shape = PerThread(local.type);
  if (member == "rows") return b_.Int(shape.rows, DType::kI32, expr.span, true);
  if (member == "cols") return b_.Int(shape.cols, DType::kI32, expr.span, true);
  if ((member == "row" || member == "col") && expr.postfixes.size() == 2 &&
      expr.postfixes[1].kind == text::Postfix::Kind::kCall && expr.postfixes[1].args.size() == 1) {
    return FragmentCoordinate(expr, id, member == "row");
  }
  report_.Add(kNoPostfix, expr.span, Name{local.name});
  return b_.Unknown(expr.span);
}

bool Elaborator::ElementIndices(const ir::Type& type, const text::Postfix& postfix,
                                std::vector<ExprId>& indices) {
  std::vector<int64_t> extents = type.shape;
  if (type.is_fragment()) {
    const FragmentShape shape = PerThread(type);
    extents = {shape.rows, shape.cols};
  }
  bool good = true;
  for (size_t i = 0; i < postfix.indices.size(); ++i) {
    const text::Index& index = postfix.indices[i];
    if (index.kind != text::Index::Kind::kScalar) {
      if (index.offset != nullptr) Integer(index.offset);
      if (index.extent != nullptr) Integer(index.extent);
      if (good && type.is_fragment()) ReportSlice(index.span, type);
      if (good && !type.is_fragment()) report_.Add(kRegisterSlice, index.span);
      good = false;
      continue;
    }
    indices.push_back(Integer(index.offset));
    good &= !b_.IsUnknown(indices.back());
    const auto constant = b_.ConstInt(indices.back());
    if (constant && i < extents.size() && (*constant < 0 || *constant >= extents[i])) {
      if (b_.dead == 0) report_.Add(kElementRange, index.span, *constant, extents[i]);
      good = false;
    }
  }
  return good;
}

ExprId Elaborator::Element(ExprId array, const text::Postfix& postfix, Span span) {
  const ir::Type type = b_.TypeOf(array);
  std::vector<ExprId> indices;
  const bool good = ElementIndices(type, postfix, indices);
  const size_t rank = type.is_fragment() ? 2 : type.shape.size();
  if (postfix.indices.size() != rank) {
    const ir::Expr& whole = b_[array];
    const std::string name = whole.kind == ir::ExprKind::kLocal
                                 ? kernel_->locals[static_cast<size_t>(whole.local)].name
                                 : TypeName(type);
    report_.Add(kElementCount, span, Name{name}, static_cast<int64_t>(rank),
                static_cast<int64_t>(postfix.indices.size()));
    return b_.Unknown(span);
  }
  if (!good) return b_.Unknown(span);
  const auto constant = indices.size() == 1 ? b_.ConstInt(indices[0]) : std::nullopt;
  if (constant && b_[array].kind == ir::ExprKind::kArray) {
    return b_[array].args[static_cast<size_t>(*constant)];
  }
  std::vector<ExprId> args{array};
  args.insert(args.end(), indices.begin(), indices.end());
  return b_.Add(
      {.kind = ir::ExprKind::kElement, .type = {.dtype = type.dtype}, .args = std::move(args)},
      span);
}

ExprId Elaborator::LocalPath(const text::Expr& expr, const Entity& entity) {
  const ir::Local& local = kernel_->locals[static_cast<size_t>(entity.local)];
  if (local.type.dtype == DType::kUnknown) return b_.Unknown(expr.span);
  if (!expr.postfixes.empty() && local.type.is_fragment() &&
      expr.postfixes[0].kind == text::Postfix::Kind::kMember) {
    return FragmentMember(expr, entity.local);
  }
  if (IsFragmentSlice(expr, local.type)) return SliceValue(expr, ir::Type(local.type));
  const ExprId whole =
      b_.Add({.kind = ir::ExprKind::kLocal, .type = local.type, .local = entity.local}, expr.span);
  if (expr.postfixes.empty()) return whole;
  const text::Postfix& postfix = expr.postfixes[0];
  if (expr.postfixes.size() > 1 || postfix.kind != text::Postfix::Kind::kIndex ||
      local.type.is_scalar()) {
    report_.Add(kNoPostfix, expr.span, Name{local.name});
    return b_.Unknown(expr.span);
  }
  return Element(whole, postfix, expr.span);
}

}  // namespace compiler::sema
