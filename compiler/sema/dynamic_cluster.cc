// Dynamic iters of clusters: one CTA asks for the place of a whole cluster that has not begun, the
// answer reaches all CTAs, and a further request comes after all have read the one before.
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

constexpr int64_t kStages = 2;
constexpr int64_t kAnswerWords = 2, kAnswerBytes = 16;

}  // namespace

void Elaborator::EmitEvent(std::string_view verb, ir::EventId event, ExprId use, Span span,
                           ir::Stmt more) {
  more.kind = ir::StmtKind::kOp;
  more.source = {span, 0};
  more.op = ops_.Find(verb);
  more.event = event;
  more.use = use;
  Emit(std::move(more));
}

void Elaborator::AnswersOfClusters(const text::Function& function) {
  const std::string name(function.name.text);
  const Span span = function.name.span;
  DynamicIter made{.function = &function,
                   .ticket = static_cast<ir::SharedId>(kernel_->shared.size()),
                   .told = static_cast<ir::EventId>(kernel_->events.size()),
                   .read = static_cast<ir::EventId>(kernel_->events.size() + 1)};
  kernel_->events.push_back(
      {.name = name + ".told", .stages = kStages, .count = 1, .declared = span});
  // One arrival of each warp that uses the iter, in all CTAs.
  kernel_->events.push_back(
      {.name = name + ".read", .stages = kStages, .count = 0, .declared = span});
  kernel_->shared.push_back({.name = name + ".answer",
                             .dtype = DType::kU64,
                             .shape = {kAnswerWords},
                             .stages = kStages,
                             .staged = true,
                             .group = shared_groups_++,
                             .declared = span});
  dynamic_.push_back(std::move(made));
}

// expect told@use bytes 16; by the first CTA: wait.cluster read@(use - 2); clc.try_cancel ..
// multicast all
void Elaborator::AskForCluster(const DynamicIter& iter, ir::LocalId use, Span span) {
  const auto number = [&](int64_t value) { return b_.Int(value, DType::kI32, span); };
  EmitEvent("expect", iter.told, LocalValue(use, span), span, {.bytes = number(kAnswerBytes)});
  std::vector<ir::StmtId> body = Into([&] {
    const ExprId before = ApplyOperator("-", span, {LocalValue(use, span), number(kStages)});
    EmitEvent("wait", iter.read, before, span, {.modifiers = {"cluster"}});
    Emit({.kind = ir::StmtKind::kOp,
          .source = {span, 0},
          .op = ops_.Find("clc.try_cancel"),
          .destination = AnswerView(iter, use, span),
          .on_event = iter.told,
          .on_use = LocalValue(use, span),
          .multicast = number((int64_t{1} << kernel_->cluster) - 1)});
  });
  const ExprId rank = b_.Add({.kind = ir::ExprKind::kBuiltin,
                              .type = {.dtype = DType::kI32},
                              .builtin = ir::BuiltinValue::kClusterRank},
                             span);
  Emit({.kind = ir::StmtKind::kIf,
        .source = {span, 0},
        .value = ApplyOperator("==", span, {rank, number(0)}),
        .body = std::move(body)});
}

}  // namespace compiler::sema
