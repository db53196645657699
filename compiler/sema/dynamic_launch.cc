// Dynamic iters whose tickets are CTAs that have not begun (cluster launch control): where the grid
// has a CTA for each value of the loop, a CTA begins with its own number and takes those of others
// over, until a request is refused.
#include <charconv>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

constexpr int64_t kMailboxStages = 2;
constexpr int kFirstWithLaunchControl = 100;  // compute capability
constexpr int64_t kAnswerWords = 2;

int CapabilityOf(std::string_view target) {
  int capability = 0;
  if (target.starts_with("sm_")) {
    std::from_chars(target.data() + 3, target.data() + target.size(), capability);
  }
  return capability;
}

}  // namespace

// Whether two values of the host are written alike.
bool Elaborator::SameAtLaunch(ExprId a, ExprId b) const {
  if (a == b) return true;
  const ir::Expr &left = b_[a], &right = b_[b];
  if (left.kind != right.kind || left.type != right.type) return false;
  switch (left.kind) {
    case ir::ExprKind::kInt: return left.int_value == right.int_value;
    case ir::ExprKind::kSymbol: return left.symbol == right.symbol;
    case ir::ExprKind::kBuiltin: return left.builtin == right.builtin;
    case ir::ExprKind::kOp: break;
    default: return false;
  }
  if (left.op != right.op || left.modifiers != right.modifiers) return false;
  if (left.args.size() != right.args.size()) return false;
  for (size_t i = 0; i < left.args.size(); ++i) {
    if (!SameAtLaunch(left.args[i], right.args[i])) return false;
  }
  return true;
}

bool Elaborator::TicketsAreCtas(ExprId high) {
  const bool has = CapabilityOf(program_->target) >= kFirstWithLaunchControl;
  if (!has || kernel_->grid.size() != 1) return false;
  if (b_.IsUnknown(kernel_->grid[0])) return false;
  return SameAtLaunch(Hosted(high, b_[high].source.span), kernel_->grid[0]);
}

// The mailbox that brings the answers.
Elaborator::DynamicIter& Elaborator::Answers(const text::Function& function) {
  for (DynamicIter& known : dynamic_) {
    if (known.function == &function) return known;
  }
  const std::string name(function.name.text);
  if (kernel_->cluster > 1) {
    AnswersOfClusters(function);
    return dynamic_.back();
  }
  dynamic_.push_back({.function = &function,
                      .ring = static_cast<ir::RingId>(kernel_->rings.size()),
                      .ticket = static_cast<ir::SharedId>(kernel_->shared.size())});
  kernel_->rings.push_back({.name = name,
                            .stages = kMailboxStages,
                            .fields = {dynamic_.back().ticket},
                            .from = {role_index_},
                            .full = 1,
                            .declared = function.name.span});
  ring_items_.push_back(nullptr);
  kernel_->shared.push_back({.name = name + ".answer",
                             .dtype = DType::kU64,
                             .shape = {kAnswerWords},
                             .stages = kMailboxStages,
                             .staged = true,
                             .ring = dynamic_.back().ring,
                             .group = shared_groups_++,
                             .declared = function.name.span});
  return dynamic_.back();
}

ir::ViewId Elaborator::AnswerView(const DynamicIter& iter, ir::LocalId use, Span span) {
  return b_.AddView({.space = ir::Space::kShared,
                     .shared = iter.ticket,
                     .stage = LocalValue(use, span),
                     .index = {{.offset = b_.Int(0, DType::kI32, span),
                                .extent = b_.Int(kAnswerWords, DType::kI32, span),
                                .is_slice = true}},
                     .source = {span, 0}});
}

ExprId Elaborator::AnswerWord(ir::LocalId words, int64_t word, Span span) {
  return b_.Add({.kind = ir::ExprKind::kElement,
                 .type = {.dtype = DType::kU64},
                 .args = {LocalValue(words, span), b_.Int(word, DType::kI32, span)}},
                span);
}

// acquire; clc.try_cancel; commit
void Elaborator::AskForCta(const DynamicIter& iter, ir::LocalId use, Span span) {
  const auto verb = [&](std::string_view name) {
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find(name),
          .ring = iter.ring,
          .use = LocalValue(use, span)});
  };
  verb("acquire");
  Emit({.kind = ir::StmtKind::kOp,
        .source = {span, 0},
        .op = ops_.Find("clc.try_cancel"),
        .destination = AnswerView(iter, use, span),
        .on_ring = iter.ring,
        .on_use = LocalValue(use, span)});
  verb("commit");
}

// ask; body of `current`; wait; current = what the answer says; release
void Elaborator::TakeCta(const DynamicIter& iter, const text::Stmt& loop, ExprId high,
                         ir::LocalId use, ir::LocalId /*more*/, ir::LocalId current) {
  const Span span = loop.range.span;
  const ir::Type i32{.dtype = DType::kI32};
  const bool clusters = iter.told != ir::EventId::kNone;
  const auto builtin = [&](ir::BuiltinValue value) {
    return b_.Add({.kind = ir::ExprKind::kBuiltin, .type = i32, .builtin = value}, span);
  };
  const auto number = [&](int64_t value) { return b_.Int(value, DType::kI32, span); };
  const auto hand_over = [&](std::string_view name) {
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find(name),
          .ring = iter.ring,
          .use = LocalValue(use, span)});
  };
  if (iter.roles[0] == role_index_) {
    std::vector<ir::StmtId> body =
        Into([&] { clusters ? AskForCluster(iter, use, span) : AskForCta(iter, use, span); });
    const ExprId first = ApplyOperator("==", span, {builtin(ir::BuiltinValue::kWarp), number(0)});
    Emit({.kind = ir::StmtKind::kIf, .source = {span, 0}, .value = first, .body = std::move(body)});
  }
  const ir::LocalId ticket = NewLocal(loop.names[0], i32, false);
  Emit({.kind = ir::StmtKind::kLet,
        .source = {span, 0},
        .local = ticket,
        .value = LocalValue(current, span)});
  {
    const Scoped scoped(*this);
    Declare(loop.names[0], EntityKind::kLocal).local = ticket;
    Block(loop.body);
  }
  if (clusters) {
    EmitEvent("wait", iter.told, LocalValue(use, span), span);
  } else {
    hand_over("wait");
  }
  const ir::LocalId words = NewLocal(std::string(loop.names[0].text) + "_answer", span,
                                     {.dtype = DType::kU64, .shape = {kAnswerWords}}, false);
  const ExprId load = b_.Add({.kind = ir::ExprKind::kLoad,
                              .type = {.dtype = DType::kU64, .shape = {kAnswerWords}},
                              .view = AnswerView(iter, use, span),
                              .op = ops_.Find("ld")},
                             span);
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = words, .value = load});
  const ExprId next = b_.Add({.kind = ir::ExprKind::kOp,
                              .type = i32,
                              .op = ops_.Find("clc.cta"),
                              .args = {AnswerWord(words, 0, span), AnswerWord(words, 1, span)}},
                             span);
  Emit({.kind = ir::StmtKind::kAssign, .source = {span, 0}, .local = current, .value = next});
  if (!clusters) return hand_over("release");
  // The first CTA of the cluster that never begins; each CTA works in the place of one.
  const ExprId granted = ApplyOperator("<=", span, {number(0), LocalValue(current, span)});
  const ExprId below = ApplyOperator("<", span, {LocalValue(current, span), high});
  const ExprId both = b_.Add(
      {.kind = ir::ExprKind::kAnd, .type = {.dtype = DType::kBool}, .args = {granted, below}},
      span);
  std::vector<ir::StmtId> own = Into([&] {
    Emit({.kind = ir::StmtKind::kAssign,
          .source = {span, 0},
          .local = current,
          .value = ApplyOperator(
              "+", span, {LocalValue(current, span), builtin(ir::BuiltinValue::kClusterRank)})});
  });
  Emit({.kind = ir::StmtKind::kIf, .source = {span, 0}, .value = both, .body = std::move(own)});
  EmitEvent("arrive", iter.read, LocalValue(use, span), span, {.remote = number(0)});
}

}  // namespace compiler::sema
