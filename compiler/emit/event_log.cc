// Instrumented builds: one call of the device's logger in front of each operation, with the very
// texts of address and parity that its instruction gets.
#include "compiler/emit/event_log.h"

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"

namespace compiler::emit {

std::string_view ToString(EventVerb verb) {
  constexpr std::string_view kNames[kEventVerbs] = {
      "acquire",    "commit",          "wait",   "release", "arrive", "arrive.thread",
      "expect",     "cp.async.arrive", "test",   "load",    "sync",   "bar.sync",
      "bar.arrive", "grid.sync",       "ticket", "answer"};
  const int index = static_cast<int>(verb) - 1;
  return index >= 0 && index < kEventVerbs ? kNames[index] : std::string_view();
}

namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string VerbText(EventVerb verb) {
  return absl::StrCat(static_cast<int>(verb), " /*", Absl(ToString(verb)), "*/");
}

}  // namespace

void KernelEmitter::DeclareLog(Writer& out) {
  if (!log_events_) return;
  out.Line(absl::StrCat("cake::", progress_ ? "progress" : "event",
                        "_logger cake_log(cake_log_to, ",
                        facts_.mbarriers > 0 ? "cake::shared_address(cake_smem)" : "0u", ");"));
}

std::string KernelEmitter::LogOperands(EventVerb verb, const std::string& address,
                                       const std::string& parity, ir::ExprId use,
                                       diag::Span place) {
  return absl::StrCat(VerbText(verb), ", ", address, ", ",
                      parity.empty() ? absl::StrCat(kNoParity) : parity, ", ", Code(use), ", ",
                      lines_.LineOf(place.begin));
}

void KernelEmitter::LogUse(EventVerb verb, LoggedBy by, const ir::Stmt& stmt, ir::ExprId use,
                           const std::string& address, const std::string& parity,
                           const std::string& guard) {
  if (!log_events_) return;
  if (progress_ && verb != EventVerb::kAcquire && verb != EventVerb::kWait) return;
  const char* method = by == LoggedBy::kWarp     ? "warp"
                       : by == LoggedBy::kThread ? "thread"
                                                 : "threads";
  out_.Line(absl::StrCat(guard, "cake_log.", method, "(",
                         LogOperands(verb, address, parity, use, stmt.source.span), ");"));
}

Text KernelEmitter::LoggedTest(const ir::Expr& expr, const Text& test, const std::string& address,
                               const std::string& parity) {
  if (!log_events_) return test;
  return {absl::StrCat("cake_log.tested(", test.code, ", ",
                       LogOperands(EventVerb::kTest, address, parity, expr.use, expr.source.span),
                       ")")};
}

void KernelEmitter::LogBarrier(EventVerb verb, const ir::Stmt& stmt, const std::string& id) {
  if (!log_events_ || (progress_ && verb == EventVerb::kBarArrive)) return;
  out_.Line(absl::StrCat("cake_log.barrier(", VerbText(verb), ", ", id, ", ",
                         lines_.LineOf(stmt.source.span.begin), ");"));
}

std::string KernelEmitter::LoggedTicket(const ir::Expr& expr, const std::string& call) const {
  const bool answer = expr.kind == ir::ExprKind::kOp;
  const bool noted = answer || program_[expr.view].space == ir::Space::kGlobal;
  if (!log_events_ || progress_ || !noted) return call;
  const EventVerb verb = answer ? EventVerb::kAnswer : EventVerb::kTicket;
  return absl::StrCat("cake_log.ticket(", VerbText(verb), ", ", call, ", ",
                      lines_.LineOf(expr.source.span.begin), ")");
}

void KernelEmitter::LogDelay() {
  if (log_events_ && !progress_) out_.Line("cake_log.jitter();");
}

void KernelEmitter::LogPassed(const std::string& guard) {
  if (progress_) out_.Line(guard + "cake_log.passed();");
}

void KernelEmitter::LogEnded() {
  if (progress_) out_.Line("cake_log.ended();");
}

}  // namespace compiler::emit
