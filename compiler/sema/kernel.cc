// Kernel items: launch shape, shared memory, barriers, roles; and the order of the checks that need
// the whole kernel.
#include <algorithm>

#include "compiler/sema/elaborator.h"
#include "compiler/sema/in_flight.h"
#include "compiler/sema/levels.h"
#include "compiler/sema/registers.h"
#include "compiler/text/parse.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kNoGrid{"CK1092", Severity::kError, Category::kType,
                                  "kernel `{0}` has no grid",
                                  "the number of CTAs is part of the kernel"};
constexpr diag::Def<> kSecondGrid{"CK1093", Severity::kError, Category::kType, "a second grid",
                                  "a kernel is launched once"};
constexpr diag::Def<int64_t> kGridRank{"CK1094", Severity::kError, Category::kType,
                                       "a grid of {0} dimensions; 1 to 3 are possible",
                                       "CTAs are numbered by x, y and z"};
constexpr diag::Def<Name> kNoRole{"CK1095", Severity::kError, Category::kType,
                                  "kernel `{0}` has no role",
                                  "code runs in roles; the simplest kernel has one"};
constexpr diag::Def<Name> kRoleTwice{"CK1096", Severity::kError, Category::kType,
                                     "role `{0}` is declared twice",
                                     "each role is one group of warps"};
constexpr diag::Def<Name> kUnknownRole{"CK1097", Severity::kError, Category::kType,
                                       "no role `{0}` in this kernel",
                                       "a ring names the roles that fill and empty it"};
constexpr diag::Def<int64_t> kSwizzleAmount{
    "CK1098", Severity::kError, Category::kType, "a swizzle of {0} bytes; 32, 64 and 128 exist",
    "the hardware's shared-memory swizzles have these periods"};
constexpr diag::Def<int64_t> kPaddingAmount{"CK1099", Severity::kError, Category::kType,
                                            "a padding of {0} elements",
                                            "padding lengthens each row by at least one element"};
constexpr diag::Def<Name, int64_t> kBadCount{"CK1100", Severity::kError, Category::kType,
                                             "`{0}` is declared {1} times",
                                             "stages and arrays are at least 1"};
constexpr diag::Def<int64_t> kNoCtas{"CK1260", Severity::kError, Category::kType, "{0} CTAs an SM",
                                     "a launch has one at least"};
constexpr diag::Def<> kSecondCtas{"CK1261", Severity::kError, Category::kType,
                                  "a second `ctas_per_sm`", "a kernel is compiled in one way"};
constexpr diag::Def<Name> kNotHosted{"CK1101", Severity::kError, Category::kType,
                                     "`{0}` comes from the device",
                                     "the host computes grids before any thread runs"};

}  // namespace

void Elaborator::SetNumerics(const text::KernelItems& items) {
  for (const text::KernelItem* item : items) {
    if (item == nullptr || item->kind != text::KernelItem::Kind::kNumerics) continue;
    kernel_->numerics_contract |= item->contract;
    kernel_->numerics_ftz |= item->ftz;
  }
}

void Elaborator::CtasPerSm(const text::KernelItem& item) {
  const int64_t ctas = ConstOf(item.value, 1);
  if (b_.dead > 0) return;
  if (ctas_seen_) report_.Add(kSecondCtas, item.span);
  ctas_seen_ = true;
  if (ctas < 1) report_.Add(kNoCtas, item.span, ctas);
  kernel_->ctas_per_sm = std::max<int64_t>(ctas, 1);
}

void Elaborator::Kernel(const text::Kernel& kernel) {
  program_->kernels.push_back(
      {.name = std::string(kernel.name.text), .pdl = kernel.pdl, .declared = kernel.name.span});
  const Scoped scoped(*this);
  const size_t first_function = functions_.size();
  if (kernel.when != nullptr) {
    launch_only_ = true;
    const ExprId when = Condition(kernel.when);
    launch_only_ = false;
    if (!b_.IsUnknown(when)) program_->kernels.back().when = when;
  }
  kernel_ = &program_->kernels.back();
  local_values_.clear();
  hosted_.clear();
  role_names_.clear();
  has_grid_ = has_cluster_ = cluster_seen_ = ctas_seen_ = false;
  sms_read_ = {};
  eithers_ = shared_groups_ = 0;
  dynamic_.clear();
  patched_maps_.clear();
  std::vector<ir::StmtId> lets;
  block_ = &lets;
  SetNumerics(kernel.items);
  FindCluster(kernel.items);
  KernelItems(kernel.items);
  CheckRingRoles(kernel.items);
  block_ = nullptr;
  kernel_->lets = std::move(lets);
  CheckUncalled(first_function);
  FinishKernel(kernel);
  kernel_ = nullptr;
}

void Elaborator::FinishKernel(const text::Kernel& kernel) {
  const bool broken = std::any_of(kernel.items.begin(), kernel.items.end(), [](const auto* item) {
    return item == nullptr || item->kind == text::KernelItem::Kind::kError;
  });
  if (!has_grid_ && !broken) report_.Add(kNoGrid, kernel.name.span, Name{kernel_->name});
  if (kernel_->roles.empty() && !broken) {
    report_.Add(kNoRole, kernel.name.span, Name{kernel_->name});
  }
  FinishRings();
  CheckExpectBytes();
  CheckCtaGroups();
  ApplyTensorMaps();
  if (b_.exhausted()) return;
  CheckRegisterIndices(*program_, *kernel_, report_);
  InferLevels(*program_, *kernel_, report_);
  CheckInFlight(*program_, *kernel_, report_);
}

void Elaborator::KernelItems(const text::KernelItems& items) {
  for (const text::KernelItem* item : items) {
    if (item != nullptr && !b_.exhausted()) KernelItem(*item);
  }
}

void Elaborator::KernelItem(const text::KernelItem& item) {
  using Kind = text::KernelItem::Kind;
  const Deeper deeper(*this, item.span);
  if (!deeper) return;
  switch (item.kind) {
    case Kind::kGrid: return Grid(item);
    case Kind::kCluster: return Cluster(item);
    case Kind::kCtasPerSm: return CtasPerSm(item);
    case Kind::kNumerics: return;
    case Kind::kConst: {
      const ExprId value = Expr(item.value);
      if (!b_.IsUnknown(value) && !b_.IsConst(value)) ConstOf(item.value, 0);
      Declare(item.name, EntityKind::kValue).value = value;
      return;
    }
    case Kind::kLet:
      if (item.let != nullptr) Let(*item.let);
      return;
    case Kind::kFunction:
      if (item.function != nullptr) DeclareFunction(*item.function);
      return;
    case Kind::kRole: return Role(item);
    case Kind::kShared: return Shared(item);
    case Kind::kTmem: return Tmem(item);
    case Kind::kRing: return Ring(item);
    case Kind::kEvent: return Event(item);
    case Kind::kBarrier: return Barrier(item);
    case Kind::kTensorMaps: return TensorMaps(item);
    case Kind::kIf: {
      const bool live = ConstOf(item.value, 1) != 0;
      b_.dead += live ? 0 : 1;
      KernelItems(item.items);
      b_.dead -= live ? 0 : 1;
      return;
    }
    case Kind::kEither:
      alternatives_.push_back({.either = eithers_++});
      for (const text::KernelItems& alternative : item.alternatives) {
        KernelItems(alternative);
        ++alternatives_.back().branch;
      }
      alternatives_.pop_back();
      return;
    case Kind::kError: return;
  }
}

ExprId Elaborator::Hosted(ExprId value, Span span) {
  const Deeper deeper(*this, span);
  if (!deeper || b_.exhausted()) return b_.Unknown(span);
  if (const auto known = hosted_.find(value); known != hosted_.end()) return known->second;
  const ExprId hosted = HostedInner(value, span);
  hosted_.emplace(value, hosted);
  return hosted;
}

ExprId Elaborator::HostedInner(ExprId value, Span span) {
  const ir::Expr expr = b_[value];
  if (b_.IsUnknown(value)) return value;
  if (expr.kind == ir::ExprKind::kLocal) {
    const ExprId stands_for = local_values_[static_cast<size_t>(expr.local)];
    if (stands_for != ExprId::kNone) return Hosted(stands_for, span);
    report_.Add(kNotHosted, span, Name{kernel_->locals[static_cast<size_t>(expr.local)].name});
    return b_.Unknown(span);
  }
  const bool access = expr.kind == ir::ExprKind::kLoad || expr.kind == ir::ExprKind::kAtomic;
  if (access || expr.kind == ir::ExprKind::kBuiltin) {
    report_.Add(kNotHosted, span, Name{access ? std::string(expr.op->name) : "cta"})
        .Label(expr.source.span, "read here");
    return b_.Unknown(span);
  }
  ir::Expr copy = expr;
  bool changed = false;
  for (ExprId& arg : copy.args) {
    const ExprId hosted = Hosted(arg, span);
    changed |= hosted != arg;
    arg = hosted;
    if (b_.IsUnknown(hosted)) return hosted;
  }
  return changed ? b_.Add(std::move(copy), expr.source.span) : value;
}

void Elaborator::Grid(const text::KernelItem& item) {
  if (has_grid_ && b_.dead == 0) report_.Add(kSecondGrid, item.span);
  has_grid_ |= b_.dead == 0;
  if (item.values.empty() || item.values.size() > 3) {
    report_.Add(kGridRank, item.span, static_cast<int64_t>(item.values.size()));
  }
  std::vector<ExprId> grid;
  for (const text::Expr* extent : item.values) {
    const ExprId value = LaunchValue(extent);
    grid.push_back(b_.IsUnknown(value) ? value : Hosted(value, extent->span));
  }
  if (b_.dead == 0) kernel_->grid = std::move(grid);
}

bool Elaborator::SharedForm(const text::FormSpec& form, ir::SharedBuffer& buffer) {
  if (form.kind == "swizzle") {
    buffer.form = ir::SharedForm::kSwizzle;
    buffer.form_amount = ConstOf(form.amount, 128);
    const int64_t amount = buffer.form_amount;
    if (amount == 32 || amount == 64 || amount == 128) return true;
    report_.Add(kSwizzleAmount, form.span, amount);
    return false;
  }
  if (form.kind == "padded") {
    buffer.form = ir::SharedForm::kPadded;
    buffer.form_amount = ConstOf(form.amount, 1);
    if (buffer.form_amount > 0) return true;
    report_.Add(kPaddingAmount, form.span, buffer.form_amount);
    return false;
  }
  return true;
}

const Buffer* Elaborator::SharedBuffer(const text::Ident& name, const std::string& full_name,
                                       const text::TypeExpr& written, const text::FormSpec& form,
                                       bool staged, int64_t stages, bool in_build) {
  ir::Type type;
  ParseType(written, type);
  CheckInMemory(written.dtype, type.dtype, ir::Space::kShared);
  ir::SharedBuffer shared{.name = full_name,
                          .dtype = type.dtype,
                          .shape = type.shape,
                          .stages = stages,
                          .staged = staged,
                          .group = shared_group_,
                          .alternatives = alternatives_,
                          .declared = name.span};
  SharedForm(form, shared);
  buffers_.push_back({.name = full_name,
                      .space = ir::Space::kShared,
                      .dtype = type.dtype,
                      .staged = staged,
                      .declared = name.span});
  Buffer& buffer = buffers_.back();
  for (int64_t extent : type.shape) {
    buffer.shape.push_back(b_.Int(extent, DType::kI32, name.span));
  }
  if (in_build && b_.dead == 0) {
    kernel_->shared.push_back(std::move(shared));
    buffer.shared = static_cast<ir::SharedId>(kernel_->shared.size() - 1);
  }
  return &buffer;
}

void Elaborator::SharedFields(Group& group, const text::Fields& fields, int64_t stages) {
  for (const text::Field& field : fields) {
    if (!field.alternatives.empty()) {
      alternatives_.push_back({.either = eithers_++});
      for (const text::Fields& alternative : field.alternatives) {
        SharedFields(group, alternative, stages);
        ++alternatives_.back().branch;
      }
      alternatives_.pop_back();
      continue;
    }
    const std::string full = group.name + "." + std::string(field.name.text);
    group.fields.emplace_back(
        field.name.text,
        SharedBuffer(field.name, full, field.type, field.form, group.staged, stages, true));
  }
}

void Elaborator::Shared(const text::KernelItem& item) {
  const bool staged = item.extent != nullptr;
  int64_t stages = staged ? ConstOf(item.extent, 1) : 1;
  const std::string name(item.name.text);
  if (stages < 1) {
    if (b_.dead == 0) report_.Add(kBadCount, item.extent->span, Name{name}, stages);
    stages = 1;
  }
  if (!item.has_fields) {
    const Buffer* buffer =
        SharedBuffer(item.name, name, item.type, item.form, staged, stages, true);
    Declare(item.name, EntityKind::kBuffer).buffer = buffer;
    return;
  }
  groups_.push_back({.name = name, .staged = staged});
  Group& group = groups_.back();
  shared_group_ = shared_groups_++;
  SharedFields(group, item.fields, stages);
  shared_group_ = -1;
  Declare(item.name, EntityKind::kGroup).group = &group;
}

void Elaborator::Barrier(const text::KernelItem& item) {
  const std::string name(item.name.text);
  ir::Barrier barrier{.name = name, .declared = item.name.span};
  if (item.extent != nullptr) barrier.count = ConstOf(item.extent, 1);
  if (barrier.count < 1) {
    report_.Add(kBadCount, item.extent->span, Name{name}, barrier.count);
    barrier.count = 1;
  }
  if (item.value != nullptr) barrier.threads = ConstOf(item.value, 32);
  ir::BarrierId id = ir::BarrierId::kNone;
  if (b_.dead == 0) {
    kernel_->barriers.push_back(std::move(barrier));
    id = static_cast<ir::BarrierId>(kernel_->barriers.size() - 1);
  }
  Declare(item.name, EntityKind::kBarrier).barrier = id;
}

void Elaborator::Role(const text::KernelItem& item) {
  for (const text::Ident& other : role_names_) {
    if (other.text != item.name.text || b_.dead > 0) continue;
    report_.Add(kRoleTwice, item.name.span, Name{std::string(item.name.text)})
        .Label(other.span, "declared here");
  }
  role_names_.push_back(item.name);
  ir::Role role{.name = std::string(item.name.text), .declared = item.name.span};
  role.warps = ConstOf(item.warps, 1);
  if (item.regs != nullptr) role.regs = ConstOf(item.regs, 0);
  const bool live = b_.dead == 0;
  if (live) {
    kernel_->roles.push_back(std::move(role));
    role_index_ = static_cast<int>(kernel_->roles.size() - 1);
  }
  in_role_ = true;
  std::vector<ir::StmtId> body = Nested(item.body, false);
  if (live) kernel_->roles[static_cast<size_t>(role_index_)].body = std::move(body);
  in_role_ = false;
  role_index_ = -1;
}

void Elaborator::CheckRingRoles(const text::KernelItems& items) {
  std::vector<std::string_view> known;
  for (const text::Ident& role : role_names_) known.push_back(role.text);
  for (const text::KernelItem* item : items) {
    if (item == nullptr) continue;
    if (item->kind == text::KernelItem::Kind::kIf) CheckRingRoles(item->items);
    for (const text::KernelItems& alternative : item->alternatives) CheckRingRoles(alternative);
    for (const std::vector<text::Ident>* side : {&item->from, &item->to}) {
      for (const text::Ident& name : *side) {
        if (std::find(known.begin(), known.end(), name.text) != known.end()) continue;
        const std::string nearest = text::Nearest(name.text, known);
        auto built = report_.Add(kUnknownRole, name.span, Name{std::string(name.text)});
        if (nearest.empty()) continue;
        built.Fix("use `" + nearest + "`", {{name.span, nearest}}, Applicability::kMaybe);
      }
    }
  }
}

}  // namespace compiler::sema
