// Clusters: the item of a kernel, the ranks that `at` names, the masks of multicast loads, stores
// that complete bytes on another CTA's event.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;
using ir::CopyEffect;
using ir::SyncEffect;

constexpr diag::Def<int64_t> kClusterSize{"CK1420", Severity::kError, Category::kType,
                                          "a cluster of {0} CTAs",
                                          "a cluster is a number of CTAs side by side in x, at "
                                          "least 1"};
constexpr diag::Def<Name> kClusterLate{
    "CK1421", Severity::kError, Category::kType, "`cluster` stands behind {0}",
    "`SMS` is rounded down to whole clusters and ranks are counted from their size: `cluster` "
    "comes before the roles, and before what reads `SMS`"};
constexpr diag::Def<Name> kNoCluster{
    "CK1422", Severity::kError, Category::kType, "`{0}` in a kernel without `cluster`",
    "CTAs reach each other's shared memory only inside a cluster, which the launch forms"};
constexpr diag::Def<> kSecondCluster{"CK1423", Severity::kError, Category::kType,
                                     "a second `cluster`", "a kernel is launched in one way"};
constexpr diag::Def<Name, Name> kNotRemote{"CK1424", Severity::kError, Category::kType,
                                           "`{0}` takes no `at`: {1}",
                                           "loads, stores, atomics and arrivals reach the shared "
                                           "memory of other CTAs of the cluster; `tma.load .. "
                                           "multicast` fills that of several"};
constexpr diag::Def<int64_t, int64_t> kRank{
    "CK1425", Severity::kError, Category::kType, "rank {0} of a cluster of {1}",
    "the CTAs of a cluster have the ranks 0 up to its size"};
constexpr diag::Def<int64_t, int64_t, int64_t> kMask{
    "CK1426", Severity::kError, Category::kType,
    "a multicast mask of {0} in a cluster of {1}; masks are 1..={2}",
    "bit r of the mask stands for the CTA of rank r, and somebody has to receive the copy"};
constexpr diag::Def<Name> kGlobalAt{
    "CK1427", Severity::kError, Category::kType, "`{0}` is in global memory, which has no ranks",
    "`at` names the shared memory of another CTA; global memory is the same for all"};
constexpr diag::Def<Name> kExpectBytes{
    "CK1428", Severity::kError, Category::kType,
    "`expect` on `{0}`, where multicast loads complete, does not say its bytes",
    "the bytes that reach this CTA come from the loads of several CTAs: `expect E@k bytes n`"};
constexpr diag::Def<int64_t> kStoreBytes{
    "CK1429", Severity::kError, Category::kType,
    "`st.async` of {0} bytes a thread; it moves 4, 8 or 16",
    "PTX ISA, st.async: one, two or four 32-bit words, or one or two 64-bit ones"};
constexpr diag::Def<> kStoreAt{
    "CK1430", Severity::kError, Category::kType, "the destination of `st.async` names no rank",
    "it stores to shared memory of a cluster member: `st.async V at r <- x on E@k`; a CTA's own "
    "memory is written by `st`"};
constexpr diag::Def<> kStoreOn{"CK1431", Severity::kError, Category::kType,
                               "`st.async` does not say what its bytes complete",
                               "the receiver learns of the store by its event alone: `on E@k`"};
constexpr diag::Def<Name> kStoreEvent{"CK1432", Severity::kError, Category::kType,
                                      "`st.async` on `{0}`, which is no event of its own",
                                      "the bytes complete on an `event` of the receiving CTA, "
                                      "whose `expect` says how many come; `at` "
                                      "stands behind the destination and holds for both"};
constexpr diag::Def<Name> kRankType{"CK1433", Severity::kError, Category::kType,
                                    "a rank or mask of type `{0}`", "ranks and masks are i32"};

}  // namespace

void Elaborator::FindCluster(const text::KernelItems& items) {
  for (const text::KernelItem* item : items) {
    if (item == nullptr) continue;
    if (item->kind == text::KernelItem::Kind::kCluster) has_cluster_ = true;
    FindCluster(item->items);
  }
}

void Elaborator::Cluster(const text::KernelItem& item) {
  const int64_t size = ConstOf(item.value, 1);
  if (b_.dead > 0) return;
  if (cluster_seen_) report_.Add(kSecondCluster, item.span);
  cluster_seen_ = true;
  if (size < 1) {
    report_.Add(kClusterSize, item.span, size);
    return;
  }
  if (sms_read_.end != 0 || !kernel_->roles.empty()) {
    const bool sms = sms_read_.end != 0;
    report_.Add(kClusterLate, item.span, Name{sms ? "a use of `SMS`" : "a role"})
        .Label(sms ? sms_read_ : kernel_->roles[0].declared, "here")
        .Fix("state `cluster` first", {}, Applicability::kManual);
  }
  kernel_->cluster = size;
  if (size > 1 && sms_ != ir::SymbolId::kNone) LeastSms(size);
}

// A device that runs the kernel holds a cluster.
void Elaborator::LeastSms(int64_t size) {
  ir::Symbol& symbol = program_->symbols[static_cast<size_t>(sms_)];
  symbol.low = std::max(symbol.low, std::min(size, symbol.high));
}

// In a kernel with clusters `SMS` counts those that whole clusters fill.
ExprId Elaborator::SmsValue(Span span) {
  const ExprId sms = b_.Add(
      {.kind = ir::ExprKind::kSymbol, .type = {.dtype = DType::kI32}, .symbol = Sms()}, span);
  if (kernel_ == nullptr) return sms;
  if (!cluster_seen_ && sms_read_.end == 0) sms_read_ = span;
  const int64_t size = kernel_->cluster;
  if (size <= 1) return sms;
  LeastSms(size);
  const ExprId clusters = ApplyOperator("/", span, {sms, b_.Int(size, DType::kI32, span)});
  return ApplyOperator("*", span, {clusters, b_.Int(size, DType::kI32, span)});
}

bool Elaborator::NeedCluster(Span span, std::string_view what) {
  if (has_cluster_ || b_.dead > 0) return has_cluster_;
  report_.Add(kNoCluster, span, Name{std::string(what)})
      .Fix("say `cluster 2` at the beginning of the kernel", {}, Applicability::kManual);
  return false;
}

// An i32, kNone where it is wrong.
ExprId Elaborator::ClusterNumber(const text::Expr& expr) {
  ExprId value = Integer(&expr);
  if (b_.IsUnknown(value)) return ExprId::kNone;
  if (b_.IsConst(value)) value = Coerce(value, DType::kI32, expr.span);
  if (b_.IsUnknown(value)) return ExprId::kNone;
  if (b_.TypeOf(value).dtype == DType::kI32) return value;
  report_.Add(kRankType, expr.span, Name{ir::ToString(b_.TypeOf(value))});
  return ExprId::kNone;
}

ExprId Elaborator::RemoteRank(const text::Expr& rank, Span span) {
  const ExprId value = ClusterNumber(rank);
  if (value == ExprId::kNone || !NeedCluster(span, "at")) return ExprId::kNone;
  const auto constant = b_.ConstInt(value);
  if (!constant || (*constant >= 0 && *constant < kernel_->cluster)) return value;
  if (b_.dead == 0) report_.Add(kRank, rank.span, *constant, kernel_->cluster);
  return ExprId::kNone;
}

void Elaborator::ViewAt(const text::Expr& expr, ViewRef& view) {
  if (expr.remote == nullptr) return;
  if (view.buffer != nullptr && view.buffer->space == ir::Space::kGlobal && !view.unknown) {
    Integer(expr.remote);
    report_.Add(kGlobalAt, expr.span, Name{view.buffer->name});
    view.unknown = true;
    return;
  }
  view.remote = RemoteRank(*expr.remote, expr.span);
  view.unknown = view.unknown || view.remote == ExprId::kNone;
}

bool Elaborator::RefuseAt(ExprId remote, Span span, std::string_view name, std::string_view why) {
  if (remote == ExprId::kNone) return true;
  report_.Add(kNotRemote, span, Name{std::string(name)}, Name{std::string(why)});
  return false;
}

// An operand of a product or of a matrix copy. PTX ISA, ldmatrix, matrix descriptors and tensor
// memory addressing: none of them names another CTA.
bool Elaborator::InOwnCta(const ViewRef& view, Span span, std::string_view name) {
  return RefuseAt(view.remote, span, name, "its operands lie in the memory of its own CTA");
}

// Only arrivals reach mbarriers of other CTAs (PTX ISA, mbarrier: test_wait and try_wait take
// shared::cta alone).
bool Elaborator::EventAt(const text::Expr& operand, const ir::OpDef& op, EventOperand& out) {
  if (operand.remote == nullptr) return true;
  switch (op.effects.sync) {
    case SyncEffect::kArrive:
    case SyncEffect::kArriveThread:
    case SyncEffect::kExpect:
      out.remote = RemoteRank(*operand.remote, operand.span);
      return out.remote != ExprId::kNone;
    default: break;
  }
  Integer(operand.remote);
  const bool ring = op.effects.sync == SyncEffect::kAcquire ||
                    op.effects.sync == SyncEffect::kCommit ||
                    op.effects.sync == SyncEffect::kRelease;
  return RefuseAt(b_.Int(0, DType::kI32, operand.span), operand.span, op.name,
                  ring ? "the slots of all CTAs are handed over together by `ring .. cluster`"
                       : "a CTA waits at its own mbarriers; others arrive there");
}

bool Elaborator::Multicast(const text::Stmt& stmt, ir::Stmt& out) {
  if (stmt.multicast == nullptr) return true;
  const ExprId mask = ClusterNumber(*stmt.multicast);
  if (mask == ExprId::kNone || !NeedCluster(stmt.multicast->span, "multicast")) return false;
  const int64_t all = (int64_t{1} << std::min<int64_t>(kernel_->cluster, 30)) - 1;
  const auto constant = b_.ConstInt(mask);
  if (constant && (*constant < 1 || *constant > all)) {
    if (b_.dead == 0) {
      report_.Add(kMask, stmt.multicast->span, *constant, kernel_->cluster, all);
    }
    return false;
  }
  out.multicast = mask;
  return true;
}

// st.async V at r <- x on E@k: registers to the shared memory of a cluster member.
void Elaborator::RemoteStore(const text::Stmt& stmt) {
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = stmt.op};
  if (stmt.destination == nullptr || stmt.source == nullptr) return;
  const ViewRef view = View(*stmt.destination);
  ir::Type type;
  bool good = AccessType(view, stmt.destination->span, type);
  ExprId value = Expr(stmt.source);
  if (good && view.remote == ExprId::kNone) {
    report_.Add(kStoreAt, stmt.destination->span);
    good = false;
  }
  if (good) {
    const int64_t elements = type.shape.empty() ? 1 : type.shape[0];
    const int64_t bytes = elements * ir::Info(type.dtype).bits / 8;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
      report_.Add(kStoreBytes, stmt.span, bytes);
      good = false;
    }
  }
  EventOperand at;
  if (stmt.on_event == nullptr) {
    report_.Add(kStoreOn, stmt.span);
    good = false;
  } else {
    good = EventUse(stmt.on_event, *stmt.op, at) && good;
    if (good && at.event == ir::EventId::kNone) {
      report_.Add(kStoreEvent, stmt.on_event->span,
                  Name{kernel_->rings[static_cast<size_t>(at.ring)].name});
      good = false;
    }
  }
  if (!good || b_.IsUnknown(value)) {
    b_.Unknown(stmt.span);
    return;
  }
  value = BroadcastTo(CoerceTo(value, type, stmt.source->span), type, stmt.source->span,
                      view.buffer->name);
  if (b_.IsUnknown(value)) return;
  out.value = value;
  out.destination = AddView(view, stmt.destination->span);
  out.on_event = at.event;
  out.on_use = at.use;
  Emit(std::move(out));
}

// `expect` without bytes counts the loads of its own warp, which says nothing of multicast ones.
void Elaborator::CheckExpectBytes() {
  std::vector<ir::EventId> shared;
  const auto visit = [&](const auto& self, const std::vector<ir::StmtId>& body,
                         const auto& look) -> void {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = (*program_)[id];
      if (stmt.dead) continue;
      look(stmt);
      self(self, stmt.body, look);
      self(self, stmt.else_body, look);
    }
  };
  const auto each = [&](const auto& look) {
    for (const ir::Role& role : kernel_->roles) visit(visit, role.body, look);
  };
  each([&](const ir::Stmt& stmt) {
    if (stmt.multicast != ExprId::kNone && stmt.on_event != ir::EventId::kNone) {
      shared.push_back(stmt.on_event);
    }
  });
  if (shared.empty()) return;
  each([&](const ir::Stmt& stmt) {
    if (stmt.op == nullptr || stmt.op->effects.sync != SyncEffect::kExpect) return;
    if (stmt.bytes != ExprId::kNone ||
        std::find(shared.begin(), shared.end(), stmt.event) == shared.end()) {
      return;
    }
    report_.Add(kExpectBytes, stmt.source.span,
                Name{kernel_->events[static_cast<size_t>(stmt.event)].name});
  });
}

}  // namespace compiler::sema
