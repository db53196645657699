// Dynamic iters: which CTA takes which value is decided while the kernel runs. They become nodes
// that every reader knows: a zeroed workspace word that hands out tickets by atomic.add, and a
// mailbox ring in which the first role that uses the iter passes each ticket of its CTA to all
// roles that do.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr int64_t kMailboxStages = 2;  // the next ticket is drawn while the last is worked on
constexpr int64_t kLastUse = 2147483647;

constexpr diag::Def<Name> kNotTickets{
    "CK1247", Severity::kError, Category::kType,
    "the body of `dynamic iter {0}` is not one loop `for .. in cta .. e step ctas`",
    "a ticket stands where the CTA's number stood: marked `dynamic` or not, the CTAs take the same "
    "values in all, and tickets decide who takes which"};
constexpr diag::Def<Name> kParameters{
    "CK1248", Severity::kError, Category::kType, "`dynamic iter {0}` has parameters",
    "the roles of a CTA work on the same tickets, so the iter is the same for all of them"};
constexpr diag::Def<Name, Name> kUsedTwice{
    "CK1249", Severity::kError, Category::kType, "role `{0}` uses `dynamic iter {1}` twice",
    "a ticket is taken once: the first loop leaves none for the second"};
constexpr diag::Def<Name> kBound{
    "CK1250", Severity::kError, Category::kType,
    "the end of `dynamic iter {0}` is no `i32` known at launch",
    "tickets are numbered across the whole grid, so every CTA must count to the same number"};

bool IsName(const text::Expr* expr, std::string_view name) {
  return expr != nullptr && expr->kind == text::Expr::Kind::kPath && expr->name.text == name &&
         expr->postfixes.empty() && expr->remote == nullptr;
}

// The loop that tickets run through; null where the body is not of the form.
const text::Stmt* TicketLoop(const text::Function& function) {
  if (function.body.size() != 1 || function.body[0] == nullptr) return nullptr;
  const text::Stmt& loop = *function.body[0];
  if (loop.kind != text::Stmt::Kind::kFor || loop.names.size() != 1) return nullptr;
  const bool strided = IsName(loop.range.low, "cta") && IsName(loop.step, "ctas");
  return strided && loop.unroll == nullptr ? &loop : nullptr;
}

// A role that takes what the loading role drew: the ring, or the event where there is none, counts
// its warps.
void AddReader(ir::Kernel& kernel, int role, ir::RingId ring, ir::EventId read) {
  if (ring != ir::RingId::kNone) {
    kernel.rings[static_cast<size_t>(ring)].to.push_back(role);
    return;
  }
  const int64_t warps = kernel.roles[static_cast<size_t>(role)].warps;
  kernel.events[static_cast<size_t>(read)].count += warps * kernel.cluster;
}

}  // namespace

void Elaborator::CheckDynamic(const text::Function& function) {
  const Name name{std::string(function.name.text)};
  if (!function.parameters.empty()) report_.Add(kParameters, function.name.span, name);
  if (TicketLoop(function) == nullptr) {
    report_.Add(kNotTickets, function.name.span, name)
        .Fix(absl::StrCat("write `iter ", name.text,
                          "` for a fixed schedule, or `for t in cta .. n step ctas` as its loop"),
             {}, Applicability::kManual);
  }
}

bool Elaborator::KnownAtLaunch(ExprId id) const {
  std::vector<ExprId> pending{id};
  while (!pending.empty()) {
    const ir::Expr& expr = b_[pending.back()];
    pending.pop_back();
    switch (expr.kind) {
      case ir::ExprKind::kLoad:
      case ir::ExprKind::kAtomic:
      case ir::ExprKind::kTest: return false;
      case ir::ExprKind::kBuiltin:
        if (expr.builtin != ir::BuiltinValue::kCtas) return false;
        break;
      case ir::ExprKind::kLocal: {
        const ExprId value = local_values_[static_cast<size_t>(expr.local)];
        if (value == ExprId::kNone) return false;
        pending.push_back(value);
        break;
      }
      default: ir::AppendOperands(*program_, expr, pending);
    }
  }
  return true;
}

Elaborator::DynamicIter& Elaborator::Tickets(const text::Function& function) {
  for (DynamicIter& known : dynamic_) {
    if (known.function == &function) return known;
  }
  const std::string name(function.name.text);
  DynamicIter made{.function = &function,
                   .ring = static_cast<ir::RingId>(kernel_->rings.size()),
                   .ticket = static_cast<ir::SharedId>(kernel_->shared.size()),
                   .word = static_cast<ir::TensorId>(program_->tensors.size())};
  kernel_->rings.push_back({.name = name,
                            .stages = kMailboxStages,
                            .fields = {made.ticket},
                            .from = {role_index_},
                            .full = 1,
                            .declared = function.name.span});
  ring_items_.push_back(nullptr);
  kernel_->shared.push_back({.name = name + ".ticket",
                             .dtype = DType::kI32,
                             .shape = {1},
                             .stages = kMailboxStages,
                             .staged = true,
                             .ring = made.ring,
                             .group = shared_groups_++,
                             .declared = function.name.span});
  const ExprId one = b_.Int(1, DType::kI64, function.name.span);
  program_->tensors.push_back({.name = absl::StrCat(kernel_->name, ".", name),
                               .direction = ir::Direction::kWorkspace,
                               .dtype = DType::kI32,
                               .shape = {one},
                               .strides = {one},
                               .zero = true,
                               .written_by_program = true,
                               .declared = function.name.span});
  dynamic_.push_back(made);
  return dynamic_.back();
}

std::vector<ir::StmtId> Elaborator::Into(const std::function<void()>& make) {
  const Scoped scoped(*this);
  std::vector<ir::StmtId> body;
  std::vector<ir::StmtId>* saved = block_;
  block_ = &body;
  make();
  block_ = saved;
  return body;
}

ExprId Elaborator::LocalValue(ir::LocalId local, Span span) {
  return b_.Add({.kind = ir::ExprKind::kLocal,
                 .type = kernel_->locals[static_cast<size_t>(local)].type,
                 .local = local},
                span);
}

// Warp 0 of the first role draws: acquire, one lane takes a ticket and stores it, commit.
void Elaborator::DrawTicket(const DynamicIter& iter, ir::LocalId use, Span span) {
  const auto verb = [&](std::string_view name) {
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find(name),
          .ring = iter.ring,
          .use = LocalValue(use, span)});
  };
  const auto draw = [&] {
    const ExprId zero = b_.Int(0, DType::kI32, span), one = b_.Int(1, DType::kI32, span);
    const ir::ViewId word = b_.AddView({.space = ir::Space::kGlobal,
                                        .tensor = iter.word,
                                        .index = {{.offset = zero}},
                                        .source = {span, 0}});
    const ExprId ticket = b_.Add({.kind = ir::ExprKind::kAtomic,
                                  .type = {.dtype = DType::kI32},
                                  .view = word,
                                  .op = ops_.Find("atomic.add"),
                                  .modifiers = {"relaxed", "gpu"},
                                  .args = {one}},
                                 span);
    const ir::LocalId drawn = NewLocal("drawn", span, {.dtype = DType::kI32}, false);
    Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = drawn, .value = ticket});
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .value = LocalValue(drawn, span),
          .op = ops_.Find("st"),
          .destination = TicketView(iter, use, span)});
  };
  std::vector<ir::StmtId> body = Into([&] {
    verb("acquire");
    std::vector<ir::StmtId> lane = Into(draw);
    Emit({.kind = ir::StmtKind::kElect, .source = {span, 0}, .body = std::move(lane)});
    verb("commit");
  });
  const ExprId warp = b_.Add({.kind = ir::ExprKind::kBuiltin,
                              .type = {.dtype = DType::kI32},
                              .builtin = ir::BuiltinValue::kWarp},
                             span);
  const ExprId first = ApplyOperator("==", span, {warp, b_.Int(0, DType::kI32, span)});
  Emit({.kind = ir::StmtKind::kIf, .source = {span, 0}, .value = first, .body = std::move(body)});
}

ir::ViewId Elaborator::TicketView(const DynamicIter& iter, ir::LocalId use, Span span) {
  return b_.AddView({.space = ir::Space::kShared,
                     .shared = iter.ticket,
                     .stage = LocalValue(use, span),
                     .index = {{.offset = b_.Int(0, DType::kI32, span)}},
                     .source = {span, 0}});
}

// while more { draw; wait; ticket; release; if it is below the end { body } else { no more } }
void Elaborator::DynamicLoop(const text::Function& function, Span use_span) {
  const text::Stmt* loop = TicketLoop(function);
  const bool fixed = loop == nullptr || !function.parameters.empty() || b_.dead > 0 ||
                     role_index_ < 0 || checking_uncalled_;
  if (fixed) return Block(function.body);  // reported, or never run
  const Name name{std::string(function.name.text)};
  const Span span = loop->range.span;
  ExprId high = Integer(loop->range.high);
  ExprId zero = b_.Int(0, DType::kI32, span);
  if (!Unify({&zero, &high}, span, "..")) return Block(function.body);
  if (loop->range.inclusive) {
    high = ApplyOperator("+", span, {high, b_.Int(1, b_.TypeOf(high).dtype, span)});
  }
  if (b_.IsUnknown(high)) return Block(function.body);
  if (b_.TypeOf(high).dtype != DType::kI32 || !KnownAtLaunch(high)) {
    report_.Add(kBound, loop->range.high->span, name);
    return Block(function.body);
  }
  const bool ctas = TicketsAreCtas(high);
  DynamicIter& found = ctas ? Answers(function) : Tickets(function);
  if (!found.roles.empty() && found.roles.back() == role_index_) {
    const Name role{kernel_->roles[static_cast<size_t>(role_index_)].name};
    report_.Add(kUsedTwice, use_span, role, name).Label(function.name.span, "declared here");
    return Block(function.body);
  }
  found.roles.push_back(role_index_);
  AddReader(*kernel_, role_index_, found.ring, found.read);
  const DynamicIter iter = found;  // the body may make others
  const ir::Type i32{.dtype = DType::kI32}, boolean{.dtype = DType::kBool};
  const std::string stem(function.name.text);
  const ir::LocalId use = NewLocal(stem + "_use", span, i32, true);
  const ir::LocalId more = ctas ? use : NewLocal(stem + "_more", span, boolean, true);
  const auto set = [&](ir::StmtKind kind, ir::LocalId local, ExprId value) {
    Emit({.kind = kind, .source = {span, 0}, .local = local, .value = value});
  };
  set(ir::StmtKind::kLet, use, b_.Int(0, DType::kI32, span));
  if (!ctas) set(ir::StmtKind::kLet, more, b_.Bool(true, span));
  const ir::LocalId current = ctas ? NewLocal(stem + "_cta", span, i32, true) : use;
  if (ctas) {
    set(ir::StmtKind::kLet, current,
        b_.Add({.kind = ir::ExprKind::kBuiltin, .type = i32, .builtin = ir::BuiltinValue::kCta},
               span));
  }
  const ExprId countable =
      ApplyOperator("<", span, {LocalValue(use, span), b_.Int(kLastUse, DType::kI32, span)});
  ExprId left = LocalValue(more, span);
  if (ctas) {  // -1 behind an answer that says no
    const ExprId value = LocalValue(current, span);
    const ExprId counted = ApplyOperator("<=", span, {b_.Int(0, DType::kI32, span), value});
    left = b_.Add({.kind = ir::ExprKind::kAnd,
                   .type = boolean,
                   .args = {counted, ApplyOperator("<", span, {value, high})}},
                  span);
  }
  const ExprId condition =
      b_.Add({.kind = ir::ExprKind::kAnd, .type = boolean, .args = {left, countable}}, span);
  std::vector<ir::StmtId> body = Into([&] {
    if (ctas) {
      TakeCta(iter, *loop, high, use, more, current);
    } else {
      TakeTicket(iter, *loop, high, use, more);
    }
    set(ir::StmtKind::kAssign, use,
        ApplyOperator("+", span, {LocalValue(use, span), b_.Int(1, DType::kI32, span)}));
  });
  Emit({.kind = ir::StmtKind::kWhile,
        .source = {span, 0},
        .value = condition,
        .high = high,  // the tickets of all CTAs together: not evaluated, an estimate reads it
        .body = std::move(body)});
}

void Elaborator::TakeTicket(const DynamicIter& iter, const text::Stmt& loop, ExprId high,
                            ir::LocalId use, ir::LocalId more) {
  const Span span = loop.range.span;
  const ir::Type i32{.dtype = DType::kI32}, boolean{.dtype = DType::kBool};
  const auto verb = [&](std::string_view name) {
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find(name),
          .ring = iter.ring,
          .use = LocalValue(use, span)});
  };
  const std::vector<int>& drawing = kernel_->rings[static_cast<size_t>(iter.ring)].from;
  if (drawing[0] == role_index_) DrawTicket(iter, use, span);
  verb("wait");
  const ExprId load = b_.Add({.kind = ir::ExprKind::kLoad,
                              .type = i32,
                              .view = TicketView(iter, use, span),
                              .op = ops_.Find("ld")},
                             span);
  const ir::LocalId ticket = NewLocal(loop.names[0], i32, false);
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = ticket, .value = load});
  verb("release");
  const ExprId value = LocalValue(ticket, span);
  const ExprId counted = ApplyOperator("<=", span, {b_.Int(0, DType::kI32, span), value});
  const ExprId below = ApplyOperator("<", span, {value, high});
  const ExprId taken =
      b_.Add({.kind = ir::ExprKind::kAnd, .type = boolean, .args = {counted, below}}, span);
  std::vector<ir::StmtId> work = Into([&] {
    Declare(loop.names[0], EntityKind::kLocal).local = ticket;
    Block(loop.body);
  });
  std::vector<ir::StmtId> end = Into([&] {
    Emit({.kind = ir::StmtKind::kAssign,
          .source = {span, 0},
          .local = more,
          .value = b_.Bool(false, span)});
  });
  Emit({.kind = ir::StmtKind::kIf,
        .source = {span, 0},
        .value = taken,
        .body = std::move(work),
        .else_body = std::move(end)});
}

}  // namespace compiler::sema
