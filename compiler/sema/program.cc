// Items of a program: params, dims, tensors, args, and the order in which all of it is elaborated.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "compiler/ir/constant.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, int64_t> kValueOutsideDomain{
    "CK1053", Severity::kError, Category::kType, "param `{0}` has no value {1} in its domain",
    "a member binds each param to one value of its declared domain"};
constexpr diag::Def<Name> kUnknownParam{"CK1054", Severity::kError, Category::kType,
                                        "the program has no param `{0}`",
                                        "a binding names the params of the program"};
constexpr diag::Def<Name, int64_t, int64_t> kBadRange{
    "CK1055", Severity::kError, Category::kType,
    "`{0}` has the range {1}..={2}, which is empty or "
    "does not fit i32",
    "a dim is an i32 of at least 0"};
// CUDA C++ Programming Guide, function parameters: 4 KB of them before sm_70 toolkits of 12.1; half
// is left to tensors, dims and tensor maps.
constexpr int64_t kMaxArgArrayBytes = 2048;
constexpr diag::Def<int64_t, int64_t, int64_t> kArgArray{
    "CK1244", Severity::kError, Category::kType,
    "this arg has {0} dimensions and {1} bytes; it may have 1 and at most {2}",
    "an arg array lies in the kernel's parameters, which have 4 KiB for everything"};
constexpr diag::Def<Name, int64_t> kNegativeDim{
    "CK1240", Severity::kError, Category::kType, "`{0}` may be {1}, and no dim is negative",
    "a dim is the extent of tensors, grids and loops; what may be negative is an `arg`"};
constexpr diag::Def<Name, int64_t, int64_t> kStrideCount{
    "CK1056", Severity::kError, Category::kType, "`{0}` has {1} dimensions and {2} strides",
    "each dimension has one stride, in elements"};
constexpr diag::Def<Name> kNotATensor{"CK1057", Severity::kError, Category::kType,
                                      "`{0}` is no tensor",
                                      "`alias` names two tensors that may overlap"};
constexpr diag::Def<> kNotLaunchInteger{
    "CK1058", Severity::kError, Category::kType, "this must be an integer known at launch",
    "the host computes shapes, strides and grids from dims, args and constants"};
constexpr diag::Def<> kNoKernel{"CK1059", Severity::kError, Category::kType,
                                "the program has no kernel", "a program is one or more launches"};

constexpr int64_t kI32Max = std::numeric_limits<int32_t>::max();

}  // namespace

Elaborator::Elaborator(const text::File& file, const text::Program& program, const Binding& binding,
                       const ir::OpTable& ops, diag::Report& report)
    : file_(file),
      syntax_(program),
      binding_(binding),
      ops_(ops),
      report_(report),
      program_(std::make_unique<ir::Program>()),
      b_(*program_, ops, report) {
  program_->name = std::string(program.name.text);
  program_->target = std::string(program.target.text);
  program_->source = file.source;
}

std::unique_ptr<ir::Program> Elaborator::Run(bool broken_text) {
  diag::Report ignored;  // Elaborate() has reported what is wrong with the domains
  for (ParamDomain& param : Params(syntax_, ignored)) {
    domains_.insert_or_assign(param.name, std::move(param));
  }
  CheckBinding();
  for (const text::Item* item : syntax_.items) {
    if (item != nullptr && !b_.exhausted()) Item(*item);
  }
  CheckUncalled(0);
  if (!b_.exhausted()) CheckLaunches();
  const bool any_kernel =
      std::any_of(syntax_.items.begin(), syntax_.items.end(), [](const text::Item* item) {
        return item != nullptr && item->kind != text::Item::Kind::kError && item->kernel != nullptr;
      });
  if (!any_kernel && !broken_text && !report_.has_errors())
    report_.Add(kNoKernel, syntax_.name.span);
  return report_.has_errors() ? nullptr : std::move(program_);
}

void Elaborator::CheckBinding() {
  for (const auto& [name, value] : binding_) {
    if (domains_.count(name) == 0) report_.Add(kUnknownParam, syntax_.name.span, Name{name});
  }
}

void Elaborator::Item(const text::Item& item) {
  using Kind = text::Item::Kind;
  switch (item.kind) {
    case Kind::kAlias: return Alias(item);
    case Kind::kDim: return Dims(item);
    case Kind::kParam: return Param(item);
    case Kind::kConst: {
      if (item.names.empty()) return;
      launch_only_ = true;
      const ExprId value = Expr(item.value);
      launch_only_ = false;
      if (!b_.IsUnknown(value) && !b_.IsConst(value)) ConstOf(item.value, 0);
      Declare(item.names[0], EntityKind::kValue).value = value;
      return;
    }
    case Kind::kTensor: {
      const ir::Direction direction = item.direction == "out"     ? ir::Direction::kOut
                                      : item.direction == "inout" ? ir::Direction::kInOut
                                                                  : ir::Direction::kIn;
      for (const text::TensorDecl& decl : item.tensors) {
        Tensor(decl, direction, item.is_static, false);
      }
      return;
    }
    case Kind::kWorkspace:
      for (const text::TensorDecl& decl : item.tensors) {
        Tensor(decl, ir::Direction::kWorkspace, false, item.zero);
      }
      return;
    case Kind::kArg: return Args(item);
    case Kind::kWhere:
      for (const text::WhereClause& clause : item.clauses) Where(clause);
      return;
    case Kind::kFunction:
      if (item.function != nullptr) DeclareFunction(*item.function);
      return;
    case Kind::kKernel:
      if (item.kernel != nullptr) Kernel(*item.kernel);
      return;
    case Kind::kError: return;
  }
}

ir::SymbolId Elaborator::AddSymbol(ir::Symbol symbol) {
  program_->symbols.push_back(std::move(symbol));
  return static_cast<ir::SymbolId>(program_->symbols.size() - 1);
}

ir::SymbolId Elaborator::Sms() {
  if (sms_ == ir::SymbolId::kNone) {
    sms_ = AddSymbol(
        {.name = "SMS", .kind = ir::SymbolKind::kSms, .low = 1, .high = 1024, .has_range = true});
  }
  return sms_;
}

void Elaborator::ReportNegativeDim(const text::Range& range, const ir::Symbol& symbol) {
  auto added = report_.Add(kNegativeDim, range.span, Name{symbol.name}, symbol.low);
  if (symbol.high < 0) return;
  added.Fix(absl::StrCat("let `", symbol.name, "` begin at 0"), {{range.low->span, "0"}},
            diag::Applicability::kMachine);
}

void Elaborator::Dims(const text::Item& item) {
  for (size_t i = 0; i < item.names.size(); ++i) {
    const text::Ident& name = item.names[i];
    ir::Symbol symbol{.name = std::string(name.text), .high = kI32Max, .declared = name.span};
    if (i < item.ranges.size() && item.ranges[i].low != nullptr) {
      const text::Range& range = item.ranges[i];
      symbol.low = ConstOf(range.low, 0);
      const int64_t high = ConstOf(range.high, kI32Max);
      symbol.high = range.inclusive ? high : high - 1;
      symbol.has_range = true;
      const bool bad = symbol.low > symbol.high || symbol.high > kI32Max;
      if (bad || symbol.low < 0) {
        if (bad)
          report_.Add(kBadRange, range.span, Name{symbol.name}, symbol.low, symbol.high);
        else
          ReportNegativeDim(range, symbol);
        symbol.low = 0;
        symbol.high = kI32Max;
      }
    }
    const ir::SymbolId id = AddSymbol(std::move(symbol));
    const Entity* old = Lookup(scope_, name.text);
    const bool is_param =
        std::any_of(program_->params.begin(), program_->params.end(),
                    [&](const ir::BoundParam& param) { return param.name == name.text; });
    if (old != nullptr && old->kind == EntityKind::kValue && is_param) {
      PinDim(name.text, b_.ConstInt(old->value).value_or(0), name.span);
      continue;
    }
    Entity& entity = Declare(name, EntityKind::kSymbol);
    entity.symbol = id;
  }
}

void Elaborator::PinDim(std::string_view name, int64_t value, Span span) {
  for (size_t i = 0; i < program_->symbols.size(); ++i) {
    ir::Symbol& symbol = program_->symbols[i];
    if (symbol.name != name || symbol.kind != ir::SymbolKind::kDim) continue;
    if (value < symbol.low || value > symbol.high) {
      report_.Add(kBadRange, span, Name{symbol.name}, value, value)
          .Label(symbol.declared, "the dim's range");
      return;
    }
    symbol.low = symbol.high = value;
    symbol.has_range = true;
    const ExprId dim = b_.Add({.kind = ir::ExprKind::kSymbol,
                               .type = {.dtype = DType::kI32},
                               .symbol = static_cast<ir::SymbolId>(i)},
                              span);
    const ExprId pinned =
        b_.Operator("==", {dim, b_.Int(value, DType::kI32, span)}, {.dtype = DType::kBool}, span);
    if (!b_.IsUnknown(pinned)) program_->guards.push_back({pinned, {span, 0}});
  }
}

void Elaborator::Param(const text::Item& item) {
  if (item.names.empty()) return;
  const text::Ident& name = item.names[0];
  const ParamDomain& param = domains_.find(name.text)->second;
  int64_t value = param.default_value;
  if (const auto bound = binding_.find(param.name); bound != binding_.end()) {
    value = bound->second;
    if (std::find(param.values.begin(), param.values.end(), value) == param.values.end()) {
      report_.Add(kValueOutsideDomain, name.span, Name{param.name}, value);
    }
  }
  program_->params.push_back({std::string(name.text), value});
  const DType type = ir::Fits(DType::kI32, value) ? DType::kI32 : DType::kI64;
  const ExprId id = b_.Int(value, type, name.span, true);
  const Entity* old = Lookup(scope_, name.text);
  if (old != nullptr && old->kind == EntityKind::kSymbol) {
    // A param that names a dim specialises it: from here the name is the constant.
    PinDim(name.text, value, name.span);
    nodes_.push_back(
        {{.kind = EntityKind::kValue, .name = name.text, .declared = name.span, .value = id},
         scope_});
    scope_ = &nodes_.back();
    return;
  }
  Declare(name, EntityKind::kValue).value = id;
}

// How many elements an arg array has; -1, reported, when it cannot be one.
int64_t Elaborator::ArgElements(const text::TypeExpr& type, DType dtype) {
  const std::vector<int64_t> shape = ConstShape(type.shape);
  const int64_t element_bytes = std::max(1, ir::Info(dtype).bits / 8);
  if (shape.size() == 1 && shape[0] >= 1 && shape[0] * element_bytes <= kMaxArgArrayBytes) {
    return shape[0];
  }
  report_.Add(kArgArray, type.span, static_cast<int64_t>(shape.size()),
              shape.empty() ? 0 : shape[0] * element_bytes, kMaxArgArrayBytes);
  return -1;
}

void Elaborator::Args(const text::Item& item) {
  for (size_t i = 0; i < item.names.size() && i < item.types.size(); ++i) {
    const text::TypeExpr& written = item.types[i];
    const DType dtype = ParseDTypeName(written.dtype);
    CheckInMemory(written.dtype, dtype, ir::Space::kRegister);
    const int64_t elements = written.has_shape ? ArgElements(written, dtype) : 0;
    ir::Symbol symbol{.name = std::string(item.names[i].text),
                      .kind = ir::SymbolKind::kArg,
                      .dtype = dtype,
                      .elements = elements,
                      .declared = item.names[i].span};
    const ir::DTypeInfo& info = ir::Info(dtype);
    if (info.is_integer) {
      symbol.low = info.is_signed ? (info.bits == 64 ? std::numeric_limits<int64_t>::min()
                                                     : -(int64_t{1} << (info.bits - 1)))
                                  : 0;
      symbol.high = info.bits == 64 ? std::numeric_limits<int64_t>::max()
                                    : (int64_t{1} << (info.bits - (info.is_signed ? 1 : 0))) - 1;
    }
    const ir::SymbolId id = AddSymbol(std::move(symbol));
    Entity& entity =
        Declare(item.names[i], elements < 0 || dtype == DType::kUnknown ? EntityKind::kUnknown
                                                                        : EntityKind::kSymbol);
    entity.symbol = id;
  }
}

ExprId Elaborator::LaunchValue(const text::Expr* expr) {
  const bool saved = launch_only_;
  launch_only_ = true;
  const ExprId value = Expr(expr);
  launch_only_ = saved;
  if (b_.IsUnknown(value)) return value;
  const ir::Type& type = b_.TypeOf(value);
  if (!type.is_scalar() || !ir::Info(type.dtype).is_integer) {
    report_.Add(kNotLaunchInteger, expr->span);
    return b_.Unknown(expr->span);
  }
  return value;
}

void Elaborator::Strides(const text::TensorDecl& decl, ir::Tensor& tensor) {
  const size_t rank = tensor.shape.size();
  if (!decl.has_strides) {
    tensor.strides.resize(rank, ExprId::kNone);
    ExprId stride = b_.Int(1, DType::kI64, decl.span);
    for (size_t d = rank; d-- > 0;) {
      tensor.strides[d] = stride;
      if (d == 0) break;
      const ExprId extent = Coerce(tensor.shape[d], DType::kI64, decl.span);
      stride = b_.ConstInt(stride) == 1
                   ? extent
                   : b_.Operator("*", {stride, extent}, {.dtype = DType::kI64}, decl.span);
    }
    return;
  }
  tensor.declared_strides = true;
  if (decl.strides.size() != rank) {
    report_.Add(kStrideCount, decl.span, Name{tensor.name}, static_cast<int64_t>(rank),
                static_cast<int64_t>(decl.strides.size()));
  }
  for (const text::Expr* expr : decl.strides) {
    if (expr->kind == text::Expr::Kind::kPath && expr->postfixes.empty() &&
        Lookup(scope_, expr->name.text) == nullptr && !IsReserved(expr->name.text)) {
      const ir::SymbolId id = AddSymbol({.name = std::string(expr->name.text),
                                         .kind = ir::SymbolKind::kStride,
                                         .dtype = DType::kI64,
                                         .low = std::numeric_limits<int64_t>::min(),
                                         .high = std::numeric_limits<int64_t>::max(),
                                         .declared = expr->span});
      Declare(expr->name, EntityKind::kSymbol).symbol = id;
    }
    const ExprId value = LaunchValue(expr);
    tensor.strides.push_back(b_.IsUnknown(value) ? value : Coerce(value, DType::kI64, expr->span));
  }
  tensor.strides.resize(rank, b_.Int(1, DType::kI64, decl.span));
}

void Elaborator::Tensor(const text::TensorDecl& decl, ir::Direction direction, bool is_static,
                        bool zero) {
  bool exists = true;
  if (decl.condition != nullptr) exists = ConstOf(decl.condition, 1) != 0;
  b_.dead += exists ? 0 : 1;
  ir::Tensor tensor{.name = std::string(decl.name.text),
                    .direction = direction,
                    .dtype = ParseDTypeName(decl.dtype),
                    .is_static = is_static,
                    .zero = zero,
                    .declared = decl.name.span};
  CheckInMemory(decl.dtype, tensor.dtype, ir::Space::kGlobal);
  for (const text::Expr* extent : decl.shape) tensor.shape.push_back(LaunchValue(extent));
  Strides(decl, tensor);
  buffers_.push_back({.name = tensor.name,
                      .space = ir::Space::kGlobal,
                      .dtype = tensor.dtype,
                      .shape = tensor.shape,
                      .declared = tensor.declared});
  Buffer& buffer = buffers_.back();
  if (!tensor.strides.empty()) {
    buffer.last_dim_contiguous = b_.ConstInt(tensor.strides.back()) == 1;
  }
  if (exists) {
    program_->tensors.push_back(std::move(tensor));
    buffer.tensor = static_cast<ir::TensorId>(program_->tensors.size() - 1);
  }
  Declare(decl.name, EntityKind::kBuffer).buffer = &buffer;
  b_.dead -= exists ? 0 : 1;
}

void Elaborator::Alias(const text::Item& item) {
  std::vector<ir::TensorId> ids;
  for (const text::Ident& name : item.names) {
    const Entity* entity = Resolve(name);
    if (entity == nullptr || entity->kind == EntityKind::kUnknown) return;
    if (entity->kind != EntityKind::kBuffer || entity->buffer->tensor == ir::TensorId::kNone) {
      report_.Add(kNotATensor, name.span, Name{std::string(name.text)});
      return;
    }
    ids.push_back(entity->buffer->tensor);
  }
  if (ids.size() == 2) program_->aliases.emplace_back(ids[0], ids[1]);
}

}  // namespace compiler::sema
