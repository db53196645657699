// Rings and events: their declarations, the uses that statements and `test` name, and which role
// may do what to a ring.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;
using ir::SyncEffect;

constexpr diag::Def<Name, Name> kNotAnEvent{
    "CK1120", Severity::kError, Category::kType, "`{0}` takes no `{1}`",
    "`acquire`, `commit` and `release` name a use of a ring; `arrive` and `expect` one of an "
    "event; `wait` and `test` one of either"};
constexpr diag::Def<Name> kNoUse{
    "CK1121", Severity::kError, Category::kType, "`{0}` is named without saying which use",
    "`@k` is use number k: stage k modulo the stages, generation k divided by them"};
constexpr diag::Def<Name, Name> kOfEvent{
    "CK1122", Severity::kError, Category::kType, "`{0}` of event `{1}`, which has no slots",
    "a ring hands slots over and back; an event only counts arrivals"};
constexpr diag::Def<Name, Name> kOfRing{
    "CK1123", Severity::kError, Category::kType, "`{0}` of ring `{1}`, whose slots are handed over",
    "the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind "
    "`to`"};
constexpr diag::Def<Name, Name, Name> kNotFrom{
    "CK1124", Severity::kError, Category::kType,
    "role `{0}` is not behind `from` of ring `{1}` and "
    "does `{2}`",
    "the arrivals that fill and free a slot are counted from the roles that the ring names"};
constexpr diag::Def<Name, Name, Name> kNotTo{
    "CK1125", Severity::kError, Category::kType,
    "role `{0}` is not behind `to` of ring `{1}` and "
    "does `{2}`",
    "the arrivals that fill and free a slot are counted from the roles that the ring names"};
constexpr diag::Def<Name, int64_t, int64_t> kBadCount{
    "CK1126", Severity::kError, Category::kType, "`{0}` counts {1} arrivals, outside 1..={2}",
    "PTX ISA, mbarrier: the expected arrival count is a positive number of 20 bits"};
constexpr diag::Def<Name> kUseType{"CK1127", Severity::kError, Category::kType,
                                   "a use index of type `{0}`", "uses are counted in i32"};
constexpr diag::Def<Name, int64_t> kNegativeUse{
    "CK1128", Severity::kError, Category::kType, "`{0}` at use {1}",
    "uses count from 0; a wait before the first passes, an arrival would count into the first"};
constexpr diag::Def<Name> kNoBytes{
    "CK1129", Severity::kError, Category::kType, "`{0}` takes no `bytes`",
    "only `expect` says how many bytes its arrival brings; `commit` counts the loads of its warp"};
constexpr diag::Def<Name> kNothingFollows{
    "CK1130", Severity::kError, Category::kType, "`{0}` at a use is followed by something",
    "a use of a ring or event is whole: `R@k`; its fields are memory: `R.field@k[..]`"};
constexpr diag::Def<Name, int64_t> kBadStages{"CK1131", Severity::kError, Category::kType,
                                              "`{0}` has {1} stages",
                                              "a ring or event has at least one stage"};

constexpr int64_t kMaxArrivals = (int64_t{1} << 20) - 1;

bool IsRingVerb(SyncEffect effect) {
  return effect == SyncEffect::kAcquire || effect == SyncEffect::kCommit ||
         effect == SyncEffect::kRelease;
}

}  // namespace

int64_t Elaborator::ArrivalCount(const text::Expr* expr, std::string_view name) {
  const int64_t count = ConstOf(expr, 1);
  if (count >= 1 && count <= kMaxArrivals) return count;
  if (b_.dead == 0) {
    report_.Add(kBadCount, expr->span, Name{std::string(name)}, count, kMaxArrivals);
  }
  return 1;
}

int64_t Elaborator::EventStages(const text::KernelItem& item) {
  const int64_t stages = ConstOf(item.extent, 1);
  if (stages >= 1) return stages;
  if (b_.dead == 0) {
    report_.Add(kBadStages, item.extent->span, Name{std::string(item.name.text)}, stages);
  }
  return 1;
}

void Elaborator::Ring(const text::KernelItem& item) {
  const std::string name(item.name.text);
  ir::Ring ring{.name = name, .declared = item.name.span};
  ring.stages = EventStages(item);
  if (item.full != nullptr) ring.full = ArrivalCount(item.full, name);
  if (item.empty != nullptr) ring.empty = ArrivalCount(item.empty, name);
  ring.cluster = item.cluster_scope;
  if (item.cluster_scope) NeedCluster(item.span, "ring .. cluster");
  groups_.push_back({.name = name, .is_ring = true, .staged = true});
  Group& group = groups_.back();
  if (b_.dead == 0) {
    group.ring = static_cast<ir::RingId>(kernel_->rings.size());
    kernel_->rings.push_back(ring);
    ring_items_.push_back(&item);
  }
  const size_t first = kernel_->shared.size();
  shared_group_ = shared_groups_++;
  SharedFields(group, item.fields, ring.stages);
  shared_group_ = -1;
  for (size_t i = first; i < kernel_->shared.size(); ++i) {
    kernel_->shared[i].ring = group.ring;
    kernel_->rings[static_cast<size_t>(group.ring)].fields.push_back(static_cast<ir::SharedId>(i));
  }
  Declare(item.name, EntityKind::kGroup).group = &group;
}

void Elaborator::Event(const text::KernelItem& item) {
  const std::string name(item.name.text);
  ir::Event event{.name = name, .declared = item.name.span};
  event.stages = EventStages(item);
  event.count = ArrivalCount(item.value, name);
  ir::EventId id = ir::EventId::kNone;
  if (b_.dead == 0) {
    id = static_cast<ir::EventId>(kernel_->events.size());
    kernel_->events.push_back(std::move(event));
  }
  Declare(item.name, EntityKind::kEvent).event = id;
}

// Roles may be declared after the rings that name them.
void Elaborator::FinishRings() {
  const auto resolve = [&](const std::vector<text::Ident>& names, std::vector<int>& roles) {
    for (const text::Ident& name : names) {
      for (size_t r = 0; r < kernel_->roles.size(); ++r) {
        const auto role = static_cast<int>(r);
        if (kernel_->roles[r].name != name.text) continue;
        if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
      }
    }
  };
  for (size_t i = 0; i < ring_items_.size(); ++i) {
    if (ring_items_[i] == nullptr) continue;  // a mailbox
    resolve(ring_items_[i]->from, kernel_->rings[i].from);
    resolve(ring_items_[i]->to, kernel_->rings[i].to);
  }
  ring_items_.clear();
  for (size_t r = 0; r < kernel_->roles.size(); ++r) {
    CheckRingUses(kernel_->roles[r].body, static_cast<int>(r));
  }
}

void Elaborator::CheckRingUses(const std::vector<ir::StmtId>& body, int role) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = (*program_)[id];
    if (stmt.dead) continue;
    if (stmt.op != nullptr && stmt.ring != ir::RingId::kNone) {
      CheckRingUse(stmt, stmt.ring, *stmt.op, role);
    }
    std::vector<ExprId> pending;
    ir::AppendOwnExprs(*program_, stmt, pending);
    while (!pending.empty()) {
      const ExprId expr = pending.back();
      pending.pop_back();
      if (b_[expr].ring != ir::RingId::kNone) CheckRingUse(stmt, b_[expr].ring, *b_[expr].op, role);
      ir::AppendOperands(*program_, b_[expr], pending);
    }
    CheckRingUses(stmt.body, role);
    CheckRingUses(stmt.else_body, role);
  }
}

void Elaborator::CheckRingUse(const ir::Stmt& stmt, ir::RingId id, const ir::OpDef& op, int role) {
  const ir::Ring& ring = kernel_->rings[static_cast<size_t>(id)];
  const SyncEffect effect = op.effects.sync;
  const bool fills = effect == SyncEffect::kAcquire || effect == SyncEffect::kCommit;
  const std::vector<int>& allowed = fills ? ring.from : ring.to;
  // A name that is no role has been reported where the ring is declared.
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), role) != allowed.end()) return;
  const ir::Role& by = kernel_->roles[static_cast<size_t>(role)];
  report_
      .Add(fills ? kNotFrom : kNotTo, stmt.source.span, Name{by.name}, Name{ring.name},
           Name{std::string(op.name)})
      .Label(ring.declared, "declared here");
}

bool Elaborator::EventUse(const text::Expr* operand, const ir::OpDef& op, EventOperand& out) {
  if (operand == nullptr || operand->kind != text::Expr::Kind::kPath) return false;
  const Entity* entity = Resolve(operand->name);
  const text::Postfix* use = nullptr;
  for (const text::Postfix& postfix : operand->postfixes) {
    if (postfix.kind == text::Postfix::Kind::kUse && use == nullptr) use = &postfix;
  }
  const ExprId index = use == nullptr ? ExprId::kNone : Integer(use->use);
  if (entity == nullptr || entity->kind == EntityKind::kUnknown) return false;
  const Name name{std::string(entity->name)};
  const Name verb{std::string(op.name)};
  const SyncEffect effect = op.effects.sync;
  const bool ring = entity->kind == EntityKind::kGroup && entity->group->is_ring;
  if (!ring && entity->kind != EntityKind::kEvent) {
    report_.Add(kNotAnEvent, operand->span, verb, name).Label(entity->declared, "declared here");
    return false;
  }
  if (!ring && IsRingVerb(effect)) {
    auto built = report_.Add(kOfEvent, operand->span, verb, name);
    built.Label(entity->declared, "declared here");
    return false;
  }
  if (ring && !IsRingVerb(effect) && effect != SyncEffect::kWait) {
    report_.Add(kOfRing, operand->span, verb, name).Label(entity->declared, "declared here");
    return false;
  }
  if (use == nullptr) {
    report_.Add(kNoUse, operand->span, name);
    return false;
  }
  if (operand->postfixes.size() != 1) {
    report_.Add(kNothingFollows, operand->span, name);
    return false;
  }
  if (!EventAt(*operand, op, out)) return false;
  if (!UseIndex(index, op, out)) return false;
  out.ring = ring ? entity->group->ring : ir::RingId::kNone;
  out.event = ring ? ir::EventId::kNone : entity->event;
  return out.ring != ir::RingId::kNone || out.event != ir::EventId::kNone;
}

bool Elaborator::UseIndex(ExprId index, const ir::OpDef& op, EventOperand& out) {
  if (b_.IsUnknown(index)) return false;
  const Span span = b_[index].source.span;
  if (b_.IsConst(index)) index = Coerce(index, DType::kI32, span);
  if (b_.IsUnknown(index)) return false;
  if (b_.TypeOf(index).dtype != DType::kI32) {
    report_.Add(kUseType, span, Name{ir::ToString(b_.TypeOf(index))});
    return false;
  }
  const auto constant = b_.ConstInt(index);
  const bool passes = op.effects.sync == SyncEffect::kWait;
  if (constant && *constant < 0 && !passes) {
    if (b_.dead == 0) report_.Add(kNegativeUse, span, Name{std::string(op.name)}, *constant);
    return false;
  }
  out.use = index;
  return true;
}

void Elaborator::EventOperation(const text::Stmt& stmt, ir::Stmt& out) {
  EventOperand at;
  const bool good = EventUse(stmt.operand, *stmt.op, at);
  if (stmt.bytes != nullptr) {
    out.bytes = Integer(stmt.bytes);
    if (stmt.op->effects.sync != SyncEffect::kExpect) {
      report_.Add(kNoBytes, stmt.bytes->span, Name{std::string(stmt.op->name)});
      return;
    }
    if (b_.IsUnknown(out.bytes)) return;
    out.bytes = Coerce(out.bytes, DType::kI32, stmt.bytes->span);
    if (b_.IsUnknown(out.bytes)) return;
  }
  if (!good) return;
  out.ring = at.ring;
  out.event = at.event;
  out.use = at.use;
  out.remote = at.remote;
}

ExprId Elaborator::TestCall(const text::Expr& expr, const ir::OpDef& op,
                            const text::Postfix& call) {
  EventOperand at;
  if (call.args.empty() || !EventUse(call.args[0], op, at)) return b_.Unknown(expr.span);
  return b_.Add({.kind = ir::ExprKind::kTest,
                 .type = {.dtype = DType::kBool},
                 .ring = at.ring,
                 .event = at.event,
                 .use = at.use,
                 .op = &op},
                expr.span);
}

}  // namespace compiler::sema
