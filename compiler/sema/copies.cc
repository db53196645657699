// Copies that run beside the thread: cp.async, bulk and tensor copies, and the groups they close
// and wait for.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/packed.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;
using ir::CopyEffect;

constexpr diag::Def<Name, Name, Name> kDirection{
    "CK1150", Severity::kError, Category::kType, "`{0}` copies from {1} to {2}",
    "each asynchronous copy is an instruction for one direction"};
constexpr diag::Def<Name, Name, Name, Name> kElementTypes{
    "CK1151", Severity::kError, Category::kType, "`{0}` is {1} and `{2}` is {3}",
    "a copy moves bytes as they are; values are converted in registers"};
constexpr diag::Def<Name, Name, Name, Name> kShapes{
    "CK1152", Severity::kError, Category::kType, "`{0}` covers [{1}] and `{2}` covers [{3}]",
    "both sides of a copy have the same extents, dimensions with a single index left out"};
constexpr diag::Def<int64_t> kAsyncBytes{
    "CK1153", Severity::kError, Category::kType,
    "`cp.async` of {0} bytes a thread; it moves 4, 8 or 16",
    "PTX ISA, cp.async: the size of one thread's copy is 4, 8 or 16 bytes"};
constexpr diag::Def<> kNotZero{
    "CK1154", Severity::kError, Category::kType, "the `else` of `cp.async` is not 0",
    "the hardware fills what it does not read with zeros (PTX ISA, cp.async: src-size)"};
constexpr diag::Def<Name, Name, Name> kCacheWord{
    "CK1155", Severity::kError, Category::kType, "`{0}` is no cache hint of `{1}`, which takes {2}",
    "PTX ISA, cache operators and eviction priorities: each instruction has its own"};
constexpr diag::Def<Name, int64_t> kTensorRank{
    "CK1156", Severity::kError, Category::kType,
    "`{0}` has {1} dimensions; a tensor map has 1 to 5",
    "the coordinates of a tensor copy are part of the instruction"};
constexpr diag::Def<Name> kInnermostStride{
    "CK1157", Severity::kError, Category::kType,
    "the last dimension of `{0}` is not known to be contiguous",
    "a tensor map has no stride for its innermost dimension; declare it with stride 1"};
constexpr diag::Def<Name> kExtentOfCopy{
    "CK1158", Severity::kError, Category::kType, "an extent of `{0}` is no constant",
    "how much one copy moves is fixed when the program is compiled"};
constexpr diag::Def<Name, Name> kNoPlainView{"CK1159", Severity::kError, Category::kType,
                                             "`{0}` takes no `{1}` view",
                                             "a copy keeps the order of the elements and stays "
                                             "inside the CTA"};
constexpr diag::Def<Name, Name> kNoEvent{
    "CK1160", Severity::kError, Category::kType,
    "nothing says when the `{0}` into `{1}` is complete",
    "a load into a slot of a ring completes on the ring; any other one says `on E@k`"};
constexpr diag::Def<Name> kRingAndEvent{
    "CK1161", Severity::kError, Category::kType,
    "`{0}` is in a slot of a ring, and `on` names another event",
    "the load completes on the mbarrier that says the slot full, whose bytes `commit` counts"};
constexpr diag::Def<Name, Name, Name> kReduction{
    "CK1162", Severity::kError, Category::kType, "`{0}` has no {1} of {2}",
    "PTX ISA, cp.reduce.async.bulk: add of 32-bit and unsigned 64-bit integers, f16, bf16 and "
    "f32; min and max of integers, f16 and bf16; and, or, xor of 32 and 64 bits; inc and dec of "
    "u32"};
constexpr diag::Def<Name> kGroupCount{
    "CK1163", Severity::kError, Category::kType, "`{0}` needs a constant of at least 0",
    "how many groups may stay pending is part of the instruction"};
constexpr diag::Def<Name, Name> kClause{"CK1165", Severity::kError, Category::kType,
                                        "`{0}` takes no `{1}`",
                                        "`on` belongs to loads that complete on an event, `else` "
                                        "to `cp.async`"};
constexpr diag::Def<Name, Name> kNotInMap{
    "CK1166", Severity::kError, Category::kType, "`{0}` is {1}, which no tensor map has",
    "tensor maps describe integers of 8 to 64 bits and floats of 16 and 32 bits"};

constexpr diag::Def<Name, Name> kCoordinate{
    "CK1167", Severity::kError, Category::kType, "a coordinate of `{0}` is {1}",
    "the coordinates of a tensor copy are 32-bit numbers of elements, as dims are"};

constexpr int64_t kPaddedRowBytes = 128;
constexpr diag::Def<Name> kPaddedRows{
    "CK1219", Severity::kError, Category::kHardware,
    "`{0}` is not `swizzle 128`, which numbers of 6 and 4 bits are padded into",
    "CUDA driver API, cuTensorMapEncodeTiled: a box of these types is 128 numbers wide, padded to "
    "128 bytes, and products read it swizzled"};

bool IsTensorCopy(CopyEffect effect) {
  return effect == CopyEffect::kTensorLoad || effect == CopyEffect::kTensorStore ||
         effect == CopyEffect::kTensorReduce || effect == CopyEffect::kGatherLoad;
}
bool IsReduction(CopyEffect effect) {
  return effect == CopyEffect::kTensorReduce || effect == CopyEffect::kBulkReduce;
}
bool IsLoad(CopyEffect effect) {
  return effect == CopyEffect::kAsyncCopy || effect == CopyEffect::kTensorLoad ||
         effect == CopyEffect::kBulkLoad || effect == CopyEffect::kGatherLoad;
}

bool CompletesOnEvent(CopyEffect effect) {
  return effect == CopyEffect::kTensorLoad || effect == CopyEffect::kBulkLoad ||
         effect == CopyEffect::kLaunchCancel || effect == CopyEffect::kGatherLoad;
}

bool Reduces(std::string_view word, DType type) {
  const bool narrow_float = type == DType::kF16 || type == DType::kBF16;
  const bool word32 = type == DType::kI32 || type == DType::kU32;
  const bool word64 = type == DType::kI64 || type == DType::kU64;
  if (word == "add") return word32 || narrow_float || type == DType::kU64 || type == DType::kF32;
  if (word == "min" || word == "max") return word32 || word64 || narrow_float;
  if (word == "inc" || word == "dec") return type == DType::kU32;
  return word32 || word64;
}

}  // namespace

bool Elaborator::CopyOperation(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  if (op.effects.copy == CopyEffect::kNone || op.effects.copy == CopyEffect::kStore ||
      op.effects.copy == CopyEffect::kMatrixLoad || op.effects.copy == CopyEffect::kMatrixStore) {
    return false;
  }
  if (op.effects.copy == CopyEffect::kRemoteStore) return RemoteStore(stmt), true;
  if (op.effects.copy == CopyEffect::kLaunchCancel) return LaunchCancel(stmt), true;
  if (op.effects.copy == CopyEffect::kGatherLoad) return GatherCopy(stmt), true;
  if (op.effects.copy == CopyEffect::kMapUpdate) return SetTensorMap(stmt), true;
  if (stmt.destination == nullptr || stmt.source == nullptr) return true;
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = &op};
  out.modifiers = Modifiers(op, stmt.modifiers, stmt.op_name.span);
  bool good = CopyClauses(stmt, out);
  const ViewRef to = View(*stmt.destination);
  if (!NamesMemory(*stmt.source)) {
    if (stmt.source->kind == text::Expr::Kind::kPath && Resolve(stmt.source->name) == nullptr) {
      b_.Unknown(stmt.span);
      return true;
    }
    report_.Add(kDirection, stmt.source->span, Name{std::string(op.name)},
                Name{IsLoad(op.effects.copy) ? "global memory" : "shared memory"},
                Name{IsLoad(op.effects.copy) ? "shared memory" : "global memory"});
    b_.Unknown(stmt.span);
    return true;
  }
  const ViewRef from = View(*stmt.source);
  if (to.unknown || from.unknown) {
    b_.Unknown(stmt.span);
    return true;
  }
  good = CopySides(stmt, to, from) && good;
  if (op.effects.copy == CopyEffect::kAsyncCopy) {
    good = good && ThreadCopy(stmt, to, from, out);
  } else {
    good = good && BoxCopy(stmt, to, from);
  }
  if (IsReduction(op.effects.copy) && !out.modifiers.empty() && good &&
      !Reduces(out.modifiers[0], to.buffer->dtype)) {
    report_.Add(kReduction, stmt.op_name.span, Name{std::string(op.name)},
                Name{std::string(out.modifiers[0])},
                Name{std::string(ir::ToString(to.buffer->dtype))});
    good = false;
  }
  if (!good) {
    b_.Unknown(stmt.span);
    return true;
  }
  WritesTensor(to, stmt.destination->span);
  out.destination = AddView(to, stmt.destination->span);
  out.source_view = AddView(from, stmt.source->span);
  if (!LoadsOn(stmt, to, out)) {
    b_.Unknown(stmt.span);
    return true;
  }
  Emit(std::move(out));
  return true;
}

// `cache` and `else`; `on` is read with the destination, which may make it needless.
bool Elaborator::CopyClauses(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  const bool by_thread = op.effects.copy == CopyEffect::kAsyncCopy;
  const bool on_event = CompletesOnEvent(op.effects.copy);
  bool good = true;
  const auto refuse = [&](const text::Expr* clause, std::string_view word) {
    if (clause == nullptr) return;
    report_.Add(kClause, clause->span, Name{std::string(op.name)}, Name{std::string(word)});
    good = false;
  };
  if (!by_thread) refuse(stmt.else_value, "else");
  if (!on_event) refuse(stmt.on_event, "on");
  if (!on_event) refuse(stmt.multicast, "multicast");
  good = good && Multicast(stmt, out);
  if (stmt.cache_hint.text.empty()) return good;
  static constexpr std::array<std::string_view, 3> kWords = {"evict_first", "evict_last", "cached"};
  const size_t count = by_thread ? 3 : 2;
  const auto end = kWords.begin() + static_cast<ptrdiff_t>(count);
  const auto word = std::find(kWords.begin(), end, stmt.cache_hint.text);
  if (word == end) {
    report_.Add(
        kCacheWord, stmt.cache_hint.span, Name{std::string(stmt.cache_hint.text)},
        Name{std::string(op.name)},
        Name{by_thread ? "cached, evict_first or evict_last" : "evict_first or evict_last"});
    return false;
  }
  out.cache = *word;
  return good;
}

// Directions and element types.
bool Elaborator::CopySides(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from) {
  const ir::OpDef& op = *stmt.op;
  const bool load = IsLoad(op.effects.copy);
  const ir::Space source = load ? ir::Space::kGlobal : ir::Space::kShared;
  const ir::Space target = load ? ir::Space::kShared : ir::Space::kGlobal;
  if (from.buffer->space != source || to.buffer->space != target) {
    const Span span = from.buffer->space != source ? stmt.source->span : stmt.destination->span;
    report_.Add(kDirection, span, Name{std::string(op.name)},
                Name{std::string(ir::ToString(source))}, Name{std::string(ir::ToString(target))});
    return false;
  }
  for (const ViewRef* view : {&to, &from}) {
    const Span span = view == &to ? stmt.destination->span : stmt.source->span;
    if (!RefuseAt(view->remote, span, op.name,
                  "copies beside the thread stay in its CTA, but for loads with `multicast`")) {
      return false;
    }
    if (view->transposed) {
      report_.Add(kNoPlainView, span, Name{std::string(op.name)}, Name{"transposed"});
      return false;
    }
    // Declared outside of this build; reported there.
    if (view->buffer->space == ir::Space::kShared && view->buffer->shared == ir::SharedId::kNone &&
        b_.dead == 0) {
      return false;
    }
  }
  if (to.buffer->dtype == from.buffer->dtype) return true;
  if (op.effects.copy == CopyEffect::kTensorLoad &&
      ir::PackedTypeOf(to.buffer->dtype) == from.buffer->dtype) {
    return PadsNumbers(stmt, to);
  }
  report_.Add(kElementTypes, stmt.source->span, Name{from.buffer->name},
              Name{std::string(ir::ToString(from.buffer->dtype))}, Name{to.buffer->name},
              Name{std::string(ir::ToString(to.buffer->dtype))});
  return false;
}

// CUDA driver API, cuTensorMapEncodeTiled: of the packed types a box is 128 numbers wide, and the
// swizzle is none or 128 bytes; products need the latter.
bool Elaborator::PadsNumbers(const text::Stmt& stmt, const ViewRef& to) {
  const ir::SharedBuffer& buffer = kernel_->shared[static_cast<size_t>(to.buffer->shared)];
  if (buffer.form == ir::SharedForm::kSwizzle && buffer.form_amount == kPaddedRowBytes) return true;
  if (b_.dead > 0) return false;
  report_.Add(kPaddedRows, stmt.destination->span, Name{buffer.name})
      .Label(buffer.declared, "declared here")
      .Fix("declare it `swizzle 128`", {}, Applicability::kManual);
  return false;
}

// cp.async: one vector access of each thread on both sides.
bool Elaborator::ThreadCopy(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from,
                            ir::Stmt& out) {
  ir::Type to_type, from_type;
  if (!AccessType(to, stmt.destination->span, to_type) ||
      !AccessType(from, stmt.source->span, from_type)) {
    return false;
  }
  const auto elements = [](const ir::Type& type) {
    return type.shape.empty() ? int64_t{1} : type.shape[0];
  };
  if (elements(to_type) != elements(from_type)) {
    report_.Add(kShapes, stmt.source->span, Name{from.buffer->name},
                Name{absl::StrCat(elements(from_type))}, Name{to.buffer->name},
                Name{absl::StrCat(elements(to_type))});
    return false;
  }
  const int64_t bytes = elements(to_type) * ir::Info(to_type.dtype).bits / 8;
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    report_.Add(kAsyncBytes, stmt.span, bytes);
    return false;
  }
  if (stmt.else_value == nullptr) return true;
  const ExprId value = Coerce(Expr(stmt.else_value), to_type.dtype, stmt.else_value->span);
  if (b_.IsUnknown(value)) return false;
  const ir::Expr& constant = b_[value];
  const bool zero = (constant.kind == ir::ExprKind::kInt && constant.int_value == 0) ||
                    (constant.kind == ir::ExprKind::kFloat && constant.float_value == 0);
  if (!zero) {
    report_.Add(kNotZero, stmt.else_value->span)
        .Fix("fill with zeros",
             {{stmt.else_value->span, ir::Info(to_type.dtype).is_float ? "0.0" : "0"}},
             Applicability::kMaybe);
    return false;
  }
  out.else_value = value;
  return true;
}

// Extents of the dimensions that are slices; empty and reported where one is no constant.
bool Elaborator::BoxExtents(const ViewRef& view, Span span, std::vector<int64_t>& extents) {
  for (const ir::ViewIndex& index : view.index) {
    if (!index.is_slice) continue;
    if (b_.IsUnknown(index.extent)) return false;
    const auto extent = b_.ConstInt(index.extent);
    if (!extent || *extent < 1) {
      report_.Add(kExtentOfCopy, span, Name{view.buffer->name});
      return false;
    }
    extents.push_back(*extent);
  }
  return true;
}

bool Elaborator::BoxCopy(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from) {
  const ir::OpDef& op = *stmt.op;
  std::vector<int64_t> to_extents, from_extents;
  if (!BoxExtents(to, stmt.destination->span, to_extents) ||
      !BoxExtents(from, stmt.source->span, from_extents)) {
    return false;
  }
  // In numbers, where the tensor has several in an element.
  if (to.buffer->dtype != from.buffer->dtype && !from_extents.empty()) {
    from_extents.back() *= ir::NumbersOf(from.buffer->dtype);
  }
  if (to_extents != from_extents) {
    report_.Add(kShapes, stmt.source->span, Name{from.buffer->name},
                Name{absl::StrJoin(from_extents, ", ")}, Name{to.buffer->name},
                Name{absl::StrJoin(to_extents, ", ")});
    return false;
  }
  if (!IsTensorCopy(op.effects.copy)) return true;
  const bool load = IsLoad(op.effects.copy);
  const ViewRef& tensor = load ? from : to;
  const Span span = load ? stmt.source->span : stmt.destination->span;
  const auto rank = static_cast<int64_t>(tensor.index.size());
  if (rank < 1 || rank > 5) {
    report_.Add(kTensorRank, span, Name{tensor.buffer->name}, rank);
    return false;
  }
  if (!tensor.buffer->last_dim_contiguous) {
    report_.Add(kInnermostStride, span, Name{tensor.buffer->name})
        .Label(tensor.buffer->declared, "declared here");
    return false;
  }
  const ir::DTypeInfo& info = ir::Info(tensor.buffer->dtype);
  if (info.bits < 8 || ir::IsPacked(info.dtype)) {
    report_.Add(kNotInMap, span, Name{tensor.buffer->name}, Name{std::string(info.name)});
    return false;
  }
  for (const ir::ViewIndex& index : tensor.index) {
    if (index.offset == ExprId::kNone || b_.IsUnknown(index.offset)) continue;
    if (b_.TypeOf(index.offset).dtype == DType::kI32 || b_.IsConst(index.offset)) continue;
    report_.Add(kCoordinate, b_[index.offset].source.span, Name{tensor.buffer->name},
                Name{std::string(ir::ToString(b_.TypeOf(index.offset).dtype))});
    return false;
  }
  return true;
}

// The mbarrier that a load completes bytes on: of the ring whose slot it fills, or the event behind
// `on`.
bool Elaborator::LoadsOn(const text::Stmt& stmt, const ViewRef& to, ir::Stmt& out) {
  if (!CompletesOnEvent(stmt.op->effects.copy)) return true;
  EventOperand at;
  const bool live = to.buffer->shared != ir::SharedId::kNone;
  const ir::RingId ring =
      live ? kernel_->shared[static_cast<size_t>(to.buffer->shared)].ring : ir::RingId::kNone;
  if (ring == ir::RingId::kNone && stmt.on_event == nullptr) {
    if (live) {
      report_.Add(kNoEvent, stmt.span, Name{std::string(stmt.op->name)}, Name{to.buffer->name})
          .Label(to.buffer->declared, "no slot of a ring")
          .Fix("say `on E@k`", {}, Applicability::kManual);
    }
    return false;
  }
  if (ring != ir::RingId::kNone && stmt.on_event != nullptr) {
    report_.Add(kRingAndEvent, stmt.on_event->span, Name{to.buffer->name})
        .Label(kernel_->rings[static_cast<size_t>(ring)].declared, "declared here");
    return false;
  }
  if (ring == ir::RingId::kNone) {
    if (!EventUse(stmt.on_event, *stmt.op, at)) return false;
  } else {
    if (!UseIndex(to.stage, *stmt.op, at)) return false;
    at.ring = ring;
  }
  out.on_ring = at.ring;
  out.on_event = at.event;
  out.on_use = at.use;
  return true;
}

bool Elaborator::GroupOperation(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  if (op.effects.sync != ir::SyncEffect::kAsyncWait &&
      op.effects.sync != ir::SyncEffect::kBulkWait &&
      op.effects.sync != ir::SyncEffect::kProductWait) {
    return false;
  }
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = &op};
  out.modifiers = Modifiers(op, stmt.modifiers, stmt.op_name.span);
  if (stmt.operand == nullptr) return true;
  out.amount = Integer(stmt.operand);
  if (b_.IsUnknown(out.amount)) return true;
  const auto amount = b_.ConstInt(out.amount);
  if (!amount || *amount < 0) {
    report_.Add(kGroupCount, stmt.operand->span, Name{std::string(op.name)});
    b_.Unknown(stmt.span);
    return true;
  }
  Emit(std::move(out));
  return true;
}

}  // namespace compiler::sema
