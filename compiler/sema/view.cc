// Views: a path over memory becomes one index per declared dimension of the buffer it names.
#include <algorithm>

#include "compiler/ir/constant.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kNotMemory{"CK1007", Severity::kError, Category::kType,
                                     "`{0}` is not memory",
                                     "loads, stores and copies name tensors, shared memory, fields "
                                     "of rings, or views of them"};
constexpr diag::Def<Name, int64_t, int64_t> kIndexCount{
    "CK1033", Severity::kError, Category::kType, "`{0}` has {1} dimensions here, {2} indices given",
    "each dimension has one index: a number, a slice `a:+n`, or `:`"};
constexpr diag::Def<Name> kStageMissing{
    "CK1034", Severity::kError, Category::kType, "`{0}` has stages and no `@` says which",
    "a staged buffer is several of one shape; `@k` names stage k modulo their number"};
constexpr diag::Def<Name> kNoStages{"CK1035", Severity::kError, Category::kType,
                                    "`{0}` has no stages", "only `X[n]` declares stages"};
constexpr diag::Def<Name, Name> kNoField{"CK1036", Severity::kError, Category::kType,
                                         "`{0}` has no field `{1}`",
                                         "the fields of a slot are those in its braces"};
constexpr diag::Def<Name> kFieldMissing{"CK1028", Severity::kError, Category::kType,
                                        "`{0}` has fields and none is named",
                                        "an access names one field of a slot: `X.field@k[..]`"};
constexpr diag::Def<int64_t> kAccessBytes{"CK1037", Severity::kError, Category::kType,
                                          "an access of {0} bytes; a thread moves 1, 2, 4, 8 or 16",
                                          "the load and store instructions exist in these widths"};
constexpr diag::Def<Name> kAccessShape{
    "CK1038", Severity::kError, Category::kType,
    "`{0}` is sliced in a dimension that is not contiguous",
    "a vector access covers neighbouring elements, so only the last dimension may be a slice, and "
    "its stride must be 1"};
constexpr diag::Def<> kExtentNotConstant{"CK1039", Severity::kError, Category::kType,
                                         "the extent of this slice is no constant",
                                         "the width of an access is part of the instruction"};
constexpr diag::Def<Name> kNoSuchPostfix{"CK1069", Severity::kError, Category::kType,
                                         "`{0}` cannot be followed by this",
                                         "a view is a name, a field, `@k`, indices and `.T`, in "
                                         "this order"};

// 32 bytes of global memory at once: sm_100 and later (PTX ISA, ld: `.v8` of 32-bit types).
bool HasWideVectors(std::string_view target) {
  int capability = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') capability = capability * 10 + (c - '0');
  }
  return capability >= 100;
}

constexpr diag::Def<Name, Name> kNoThreadAccess{
    "CK1218", Severity::kError, Category::kType,
    "`{0}` holds {1}, which threads neither load nor store",
    "numbers of 6 and 4 bits begin inside of bytes: `tma.load` brings them to shared memory, and "
    "`umma` reads them there"};

}  // namespace

bool Elaborator::NamesMemory(const text::Expr& expr) {
  if (expr.kind != text::Expr::Kind::kPath) return false;
  const Entity* entity = Lookup(scope_, expr.name.text);
  return entity != nullptr &&
         (entity->kind == EntityKind::kBuffer || entity->kind == EntityKind::kGroup ||
          entity->kind == EntityKind::kView);
}

ViewRef Elaborator::View(const text::Expr& expr) {
  ViewRef unknown{.unknown = true};
  const Deeper deeper(*this, expr.span);
  if (!deeper || expr.kind != text::Expr::Kind::kPath) return unknown;
  const Entity* entity = Resolve(expr.name);
  if (entity == nullptr) {
    for (const text::Postfix& postfix : expr.postfixes) {
      for (const text::Index& index : postfix.indices) {
        if (index.offset != nullptr) Integer(index.offset);
        if (index.extent != nullptr) Integer(index.extent);
      }
    }
    return unknown;
  }
  return ViewOf(expr, *entity);
}

ViewRef Elaborator::ViewOf(const text::Expr& expr, const Entity& entity) {
  ViewRef view{.unknown = true};
  size_t next = 0;
  switch (entity.kind) {
    case EntityKind::kUnknown: return view;
    case EntityKind::kView: view = *entity.view; break;
    case EntityKind::kBuffer: view.buffer = entity.buffer; break;
    case EntityKind::kGroup: {
      const auto& fields = entity.group->fields;
      const bool member =
          !expr.postfixes.empty() && expr.postfixes[0].kind == text::Postfix::Kind::kMember;
      const std::string_view name = member ? expr.postfixes[0].member.text : std::string_view();
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const auto& f) { return f.first == name; });
      if (field == fields.end()) {
        if (member) {
          report_.Add(kNoField, expr.postfixes[0].span, Name{entity.group->name},
                      Name{std::string(name)});
        } else {
          report_.Add(kFieldMissing, expr.span, Name{entity.group->name});
        }
        return view;
      }
      view.buffer = field->second;
      next = 1;
      break;
    }
    default: report_.Add(kNotMemory, expr.span, Name{std::string(entity.name)}); return view;
  }
  if (entity.kind != EntityKind::kView) {
    view.unknown = view.buffer->dtype == DType::kUnknown;
    for (ExprId extent : view.buffer->shape) {
      view.index.push_back({b_.Int(0, DType::kI32, expr.span), extent, true});
    }
  }
  for (; next < expr.postfixes.size(); ++next) {
    const text::Postfix& postfix = expr.postfixes[next];
    switch (postfix.kind) {
      case text::Postfix::Kind::kUse: StageView(view, postfix); break;
      case text::Postfix::Kind::kIndex: IndexView(view, postfix); break;
      case text::Postfix::Kind::kTranspose: view.transposed = !view.transposed; break;
      case text::Postfix::Kind::kMember:
      case text::Postfix::Kind::kCall:
        report_.Add(kNoSuchPostfix, postfix.span, Name{std::string(entity.name)});
        view.unknown = true;
    }
  }
  ViewAt(expr, view);
  if (view.buffer != nullptr && view.buffer->staged && view.stage == ExprId::kNone) {
    report_.Add(kStageMissing, expr.span, Name{view.buffer->name});
    view.unknown = true;
  }
  return view;
}

void Elaborator::StageView(ViewRef& view, const text::Postfix& postfix) {
  const ExprId use = Integer(postfix.use);
  if (!view.buffer->staged || view.stage != ExprId::kNone) {
    report_.Add(kNoStages, postfix.span, Name{view.buffer->name});
    view.unknown = true;
    return;
  }
  view.stage = use;
}

void Elaborator::IndexView(ViewRef& view, const text::Postfix& postfix) {
  std::vector<size_t> open;  // dimensions that are still slices
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (view.index[d].is_slice) open.push_back(d);
  }
  const bool counts = postfix.indices.size() == open.size();
  if (!counts) {
    report_.Add(kIndexCount, postfix.span, Name{view.buffer->name},
                static_cast<int64_t>(open.size()), static_cast<int64_t>(postfix.indices.size()));
    view.unknown = true;
  }
  for (size_t i = 0; i < postfix.indices.size(); ++i) {
    const text::Index& index = postfix.indices[i];
    if (index.kind == text::Index::Kind::kAll) continue;
    ExprId offset = Integer(index.offset);
    const ExprId extent =
        index.kind == text::Index::Kind::kSlice ? Integer(index.extent) : ExprId::kNone;
    if (b_.IsUnknown(offset) || (extent != ExprId::kNone && b_.IsUnknown(extent))) {
      view.unknown = true;
    }
    if (!counts || view.unknown) continue;
    ir::ViewIndex& target = view.index[open[i]];
    ExprId base = target.offset;
    if (b_.ConstInt(base) != 0) {
      std::vector<ExprId*> both{&base, &offset};
      if (!Unify(both, index.span, "+")) continue;
    }
    target.offset = b_.AddIndex(base, offset, index.span);
    if (index.kind == text::Index::Kind::kSlice) {
      target.extent = extent;
    } else {
      target.extent = b_.Int(1, DType::kI32, index.span);
      target.is_slice = false;
    }
  }
}

// Whether naming the expression later gives the value it has now: no variable and no load in it.
bool Elaborator::IsStable(ExprId id) const {
  const ir::Expr& expr = b_[id];
  if (expr.kind == ir::ExprKind::kLoad || expr.kind == ir::ExprKind::kAtomic) return false;
  if (expr.kind == ir::ExprKind::kLocal) {
    return !kernel_->locals[static_cast<size_t>(expr.local)].is_var;
  }
  return std::all_of(expr.args.begin(), expr.args.end(), [&](ExprId a) { return IsStable(a); });
}

// A view bound by `let` keeps the place it has now: indices that could change become lets of their
// own.
ViewRef Elaborator::Captured(ViewRef view, const text::Ident& name) {
  if (!CanHoist()) return view;  // evaluated here and now, with the expression around it
  int copies = 0;
  const auto capture = [&](ExprId& id) {
    if (id == ExprId::kNone || b_.IsUnknown(id) || IsStable(id)) return;
    const Span span = b_[id].source.span;
    const ir::Type type = b_.TypeOf(id);
    const ir::LocalId local =
        NewLocal(std::string(name.text) + "_" + std::to_string(copies++), name.span, type, false);
    Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = local, .value = id});
    id = b_.Add({.kind = ir::ExprKind::kLocal, .type = type, .local = local}, span);
  };
  capture(view.stage);
  for (ir::ViewIndex& index : view.index) {
    capture(index.offset);
    capture(index.extent);
  }
  capture(view.remote);
  return view;
}

ir::ViewId Elaborator::AddView(const ViewRef& view, Span span) {
  return b_.AddView({.space = view.buffer->space,
                     .tensor = view.buffer->tensor,
                     .shared = view.buffer->shared,
                     .tmem = view.buffer->tmem,
                     .stage = view.stage,
                     .index = view.index,
                     .transposed = view.transposed,
                     .remote = view.remote,
                     .source = {span, 0}});
}

// The register type of one thread's access to the view; reports what no instruction can do.
bool Elaborator::AccessType(const ViewRef& view, Span span, ir::Type& type) {
  if (view.unknown || view.buffer == nullptr) return false;
  type = {.dtype = view.buffer->dtype};
  if (view.buffer->space == ir::Space::kTmem) {
    ReportTensorMemory(view, "an access of one thread", span);
    return false;
  }
  if (view.buffer->space != ir::Space::kGlobal && view.buffer->shared == ir::SharedId::kNone &&
      b_.dead == 0) {
    return false;  // declared outside of this build; reported there
  }
  const bool packed = ir::NumbersOf(type.dtype) == 4;
  if (packed || ir::PackedTypeOf(type.dtype) != DType::kUnknown) {
    if (b_.dead == 0) {
      report_.Add(kNoThreadAccess, span, Name{view.buffer->name},
                  Name{std::string(ir::ToString(type.dtype))});
    }
    return false;
  }
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (!view.index[d].is_slice) continue;
    const ExprId extent_id = view.index[d].extent;
    if (b_.IsUnknown(extent_id)) return false;
    const auto extent = b_.ConstInt(extent_id);
    if (d + 1 != view.index.size() || !view.buffer->last_dim_contiguous || view.transposed) {
      report_.Add(kAccessShape, span, Name{view.buffer->name});
      return false;
    }
    if (!extent) {
      report_.Add(kExtentNotConstant, span);
      return false;
    }
    const int64_t bytes = *extent * ir::Info(type.dtype).bits / 8;
    const bool wide =
        bytes == 32 && view.buffer->space == ir::Space::kGlobal && HasWideVectors(program_->target);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16 && !wide) {
      if (b_.dead == 0) report_.Add(kAccessBytes, span, bytes);
      return false;
    }
    type.shape = {*extent};
  }
  return type.dtype != DType::kUnknown;
}

}  // namespace compiler::sema
