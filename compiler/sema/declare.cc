// Names and written types.
#include <algorithm>
#include <array>

#include "compiler/ir/fragment.h"
#include "compiler/sema/elaborator.h"
#include "compiler/text/parse.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kUnknownName{
    "CK1001", Severity::kError, Category::kType, "unknown name `{0}`",
    "a name is visible from its declaration to the end of its block; a fn sees the names that are "
    "visible where it is defined"};
constexpr diag::Def<Name> kNameTaken{
    "CK1002", Severity::kError, Category::kType, "`{0}` is already visible here",
    "names are unique among the visible ones, so that each name means one thing"};
constexpr diag::Def<Name> kBuiltinMisused{
    "CK1027", Severity::kError, Category::kType, "built-in `{0}` cannot be used like this",
    "built-in values are numbers, built-in functions are called; neither is memory or a loop"};
constexpr diag::Def<Name> kReservedName{"CK1003", Severity::kError, Category::kType,
                                        "`{0}` is a built-in name",
                                        "built-in values and functions cannot be declared again"};
constexpr diag::Def<Name> kDeadName{
    "CK1004", Severity::kError, Category::kType, "`{0}` does not exist in this member",
    "its declaration stands under a condition that is false for these params"};
constexpr diag::Def<Name> kUnknownDType{"CK1016", Severity::kError, Category::kType,
                                        "unknown data type `{0}`",
                                        "the data types are a closed list"};
constexpr diag::Def<> kConstantNeeded{
    "CK1017", Severity::kError, Category::kType, "this must be a constant",
    "sizes, counts and types are known before any thread runs: literals, `const`, `param` and "
    "arithmetic of them"};
constexpr diag::Def<Name> kRecursion{"CK1009", Severity::kError, Category::kType,
                                     "`{0}` calls itself",
                                     "each call is inlined, so a fn cannot call itself"};
constexpr diag::Def<int64_t> kBadExtent{"CK1019", Severity::kError, Category::kType,
                                        "an extent of {0}; extents are at least 1",
                                        "a register array or shared buffer has elements"};
constexpr diag::Def<int64_t, int64_t> kWalkTooDeep{
    "CK6104", Severity::kError, Category::kLimit,
    "nesting and inlined calls are {0} levels deep here; the limit is {1}",
    "each call is inlined where it stands"};
constexpr int kMaxDepthLevels = 400;

constexpr std::array<std::string_view, 13> kBuiltinValues = {
    "lane", "warp", "wg",  "thread", "cta",  "cluster", "clusters",
    "ctas", "SMS",  "inf", "nan",    "true", "false"};
// The functions that every program reads as such. Other names of the instruction
// table may be declared again, and then mean the declaration.
constexpr std::array<std::string_view, 13> kBuiltinFunctions = {
    "ld",    "min",  "max",     "select", "fma", "cvt",   "bitcast",
    "lanes", "shfl", "ceildiv", "test",   "abs", "atomic"};
constexpr std::array<std::string_view, 9> kForms = {"wgmma",       "wgmma.a",      "mma",
                                                    "mma.a",       "mma.b",        "tmem.32x32b",
                                                    "tmem.16x64b", "tmem.16x128b", "tmem.16x256b"};

}  // namespace

Elaborator::Deeper::Deeper(Elaborator& e, Span span) : e_(e) {
  ++e.depth_;
  ok_ = e.depth_ <= kMaxDepthLevels;
  if (!ok_ && !e.too_deep_reported_) {
    e.too_deep_reported_ = true;
    e.report_.Add(kWalkTooDeep, span, e.depth_, kMaxDepthLevels);
  }
}

bool Elaborator::IsReserved(std::string_view name) const {
  const auto is = [&](std::string_view word) { return word == name; };
  return std::any_of(kBuiltinValues.begin(), kBuiltinValues.end(), is) ||
         std::any_of(kBuiltinFunctions.begin(), kBuiltinFunctions.end(), is);
}

Entity& Elaborator::Declare(const text::Ident& name, EntityKind kind) {
  if (IsReserved(name.text)) {
    report_.Add(kReservedName, name.span, Name{std::string(name.text)});
  } else if (const Entity* old = Lookup(scope_, name.text); old != nullptr && !name.text.empty()) {
    report_.Add(kNameTaken, name.span, Name{std::string(name.text)})
        .Label(old->declared, "declared here");
  }
  nodes_.push_back({{.kind = kind, .name = name.text, .declared = name.span}, scope_});
  nodes_.back().entity.dead = b_.dead > 0;
  scope_ = &nodes_.back();
  return nodes_.back().entity;
}

void Elaborator::ReportUnknownName(const text::Ident& name) {
  if (file_.unread.contains(name.text)) return;
  for (const text::Function* function : active_) {
    if (function->name.text == name.text) {
      report_.Add(kRecursion, name.span, Name{std::string(name.text)})
          .Label(function->name.span, "defined here");
      return;
    }
  }
  if (IsReserved(name.text)) {
    report_.Add(kBuiltinMisused, name.span, Name{std::string(name.text)});
    return;
  }
  std::vector<std::string_view> known(kBuiltinValues.begin(), kBuiltinValues.end());
  for (const ScopeNode* node = scope_; node != nullptr; node = node->parent) {
    known.push_back(node->entity.name);
  }
  for (const ir::OpDef& op : ops_.ops()) {
    if (op.form == ir::Form::kFunction) known.push_back(op.name);
  }
  // Every short name is near every other one.
  const std::string nearest = name.text.size() < 2 ? "" : text::Nearest(name.text, known);
  auto built = report_.Add(kUnknownName, name.span, Name{std::string(name.text)});
  if (!nearest.empty()) {
    built.Fix("use `" + nearest + "`", {{name.span, nearest}}, Applicability::kMaybe);
  }
}

const Entity* Elaborator::Resolve(const text::Ident& name) {
  const Entity* entity = Lookup(scope_, name.text);
  if (entity == nullptr) {
    ReportUnknownName(name);
    return nullptr;
  }
  if (entity->dead && b_.dead == 0) {
    report_.Add(kDeadName, name.span, Name{std::string(name.text)})
        .Label(entity->declared, "declared here");
    return nullptr;
  }
  return entity;
}

DType Elaborator::ParseDTypeName(const text::Ident& name) {
  const auto dtype = ir::ParseDType(name.text);
  if (!dtype) {
    std::vector<std::string_view> known;
    for (int i = 1; i <= static_cast<int>(ir::kLastDType); ++i) {
      known.push_back(ir::ToString(static_cast<DType>(i)));
    }
    const std::string nearest = text::Nearest(name.text, known);
    auto built = report_.Add(kUnknownDType, name.span, Name{std::string(name.text)});
    if (!nearest.empty()) {
      built.Fix("use `" + nearest + "`", {{name.span, nearest}}, Applicability::kMaybe);
    }
    return DType::kUnknown;
  }
  return *dtype;
}

int64_t Elaborator::ConstOf(const text::Expr* expr, int64_t fallback) {
  const ExprId id = Expr(expr);
  if (b_.IsUnknown(id)) return fallback;
  const auto value = b_.ConstInt(id);
  if (!value) {
    report_.Add(kConstantNeeded, expr->span);
    return fallback;
  }
  return *value;
}

std::vector<int64_t> Elaborator::ConstShape(const std::vector<text::Expr*>& shape) {
  std::vector<int64_t> extents;
  for (const text::Expr* expr : shape) {
    int64_t extent = ConstOf(expr, 1);
    if (extent < 1) {
      if (b_.dead == 0) report_.Add(kBadExtent, expr->span, extent);
      extent = 1;
    }
    extents.push_back(extent);
  }
  return extents;
}

bool Elaborator::ParseType(const text::TypeExpr& type, ir::Type& out) {
  if (type.form == "frag") return false;
  out.dtype = ParseDTypeName(type.dtype);
  out.shape = ConstShape(type.shape);
  if (!type.form.empty()) {
    const auto form = std::find(kForms.begin(), kForms.end(), type.form);
    if (form != kForms.end()) out.form = *form;
    return type.shape.size() == 2 && FragmentType(type, out);  // others the parser reports
  }
  return out.dtype != DType::kUnknown;
}

ir::LocalId Elaborator::NewLocal(std::string name, Span declared, ir::Type type, bool is_var) {
  kernel_->locals.push_back({.name = std::move(name),
                             .type = std::move(type),
                             .is_var = is_var,
                             .role = role_index_,
                             .declared = declared});
  local_values_.push_back(ExprId::kNone);
  return static_cast<ir::LocalId>(kernel_->locals.size() - 1);
}

ir::LocalId Elaborator::NewLocal(const text::Ident& name, ir::Type type, bool is_var) {
  return NewLocal(std::string(name.text), name.span, std::move(type), is_var);
}

}  // namespace compiler::sema
