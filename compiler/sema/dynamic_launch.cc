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
  if (!has || kernel_->cluster != 1 || kernel_->grid.size() != 1) return false;
  if (b_.IsUnknown(kernel_->grid[0])) return false;
  return SameAtLaunch(Hosted(high, b_[high].source.span), kernel_->grid[0]);
}

// The mailbox that brings the answers.
Elaborator::DynamicIter& Elaborator::Answers(const text::Function& function) {
  for (DynamicIter& known : dynamic_) {
    if (known.function == &function) return known;
  }
  const std::string name(function.name.text);
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

// ask; body of `current`; wait; current = what the answer says; release
void Elaborator::TakeCta(const DynamicIter& iter, const text::Stmt& loop, ExprId /*high*/,
                         ir::LocalId use, ir::LocalId /*more*/, ir::LocalId current) {
  const Span span = loop.range.span;
  const ir::Type i32{.dtype = DType::kI32};
  const auto verb = [&](std::string_view name) {
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find(name),
          .ring = iter.ring,
          .use = LocalValue(use, span)});
  };
  const auto answer = [&] {
    return b_.AddView({.space = ir::Space::kShared,
                       .shared = iter.ticket,
                       .stage = LocalValue(use, span),
                       .index = {{.offset = b_.Int(0, DType::kI32, span),
                                  .extent = b_.Int(kAnswerWords, DType::kI32, span),
                                  .is_slice = true}},
                       .source = {span, 0}});
  };
  if (kernel_->rings[static_cast<size_t>(iter.ring)].from[0] == role_index_) {
    std::vector<ir::StmtId> body = Into([&] {
      verb("acquire");
      Emit({.kind = ir::StmtKind::kOp,
            .source = {span, 0},
            .op = ops_.Find("clc.try_cancel"),
            .destination = answer(),
            .on_ring = iter.ring,
            .on_use = LocalValue(use, span)});
      verb("commit");
    });
    const ExprId warp = b_.Add(
        {.kind = ir::ExprKind::kBuiltin, .type = i32, .builtin = ir::BuiltinValue::kWarp}, span);
    const ExprId first = ApplyOperator("==", span, {warp, b_.Int(0, DType::kI32, span)});
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
  verb("wait");
  const ir::LocalId words = NewLocal(std::string(loop.names[0].text) + "_answer", span,
                                     {.dtype = DType::kU64, .shape = {kAnswerWords}}, false);
  const ExprId load = b_.Add({.kind = ir::ExprKind::kLoad,
                              .type = {.dtype = DType::kU64, .shape = {kAnswerWords}},
                              .view = answer(),
                              .op = ops_.Find("ld")},
                             span);
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = words, .value = load});
  std::vector<ExprId> halves;
  for (int64_t i = 0; i < kAnswerWords; ++i) {
    halves.push_back(b_.Add({.kind = ir::ExprKind::kElement,
                             .type = {.dtype = DType::kU64},
                             .args = {LocalValue(words, span), b_.Int(i, DType::kI32, span)}},
                            span));
  }
  const ExprId next = b_.Add(
      {.kind = ir::ExprKind::kOp, .type = i32, .op = ops_.Find("clc.cta"), .args = halves}, span);
  Emit({.kind = ir::StmtKind::kAssign, .source = {span, 0}, .local = current, .value = next});
  verb("release");
}

}  // namespace compiler::sema
