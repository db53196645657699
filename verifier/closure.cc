#include "verifier/closure.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/closure_forms.h"
#include "verifier/prover.h"

namespace verifier {
namespace {

using compiler::facts::ForEachExpr;
using compiler::facts::ForEachStmt;
using compiler::machine::Cut;
using ir::ExprId;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;

constexpr int64_t kMostPeriod = 64;
constexpr int64_t kMostPending = 64;

// Whether a statement itself hands over, waits, or touches memory that other threads have.
bool Matters(const ir::Program& program, const Stmt& stmt) {
  if (stmt.kind == StmtKind::kOp && stmt.op != nullptr &&
      stmt.op->effects.sync != ir::SyncEffect::kNone &&
      stmt.op->effects.sync != ir::SyncEffect::kPrefetch) {
    return true;
  }
  if (stmt.kind == StmtKind::kOp && stmt.op != nullptr &&
      stmt.op->effects.copy != ir::CopyEffect::kNone) {
    return true;
  }
  const auto shared = [&](ir::ViewId view) {
    return view != ir::ViewId::kNone && program[view].space != ir::Space::kGlobal;
  };
  bool matters = shared(stmt.destination) || shared(stmt.source_view) || shared(stmt.left_view) ||
                 shared(stmt.right_view) || shared(stmt.accumulator_view);
  for (const ExprId root : compiler::facts::OwnExprs(program, stmt)) {
    ForEachExpr(program, root, [&](ExprId, const ir::Expr& expr) {
      matters |= shared(expr.view) || expr.kind == ExprKind::kTest ||
                 expr.kind == ExprKind::kAtomic ||
                 (expr.op != nullptr && expr.op->effects.collective);
    });
  }
  return matters;
}

bool MattersInside(const ir::Program& program, const std::vector<StmtId>& body) {
  bool matters = false;
  ForEachStmt(program, body,
              [&](StmtId, const Stmt& stmt) { matters = matters || Matters(program, stmt); });
  return matters;
}

bool IsFixed(const ir::Program& program, const Stmt& loop) {
  return program[loop.low].kind == ExprKind::kInt && program[loop.high].kind == ExprKind::kInt;
}

// One kernel's plan.
class Planner {
 public:
  Planner(const ir::Program& program, const KernelAnalysis& analysis)
      : program_(program),
        analysis_(analysis),
        kernel_(program.kernels[analysis.kernel]),
        ring_uses_(kernel_.rings.size()),
        event_uses_(kernel_.events.size()) {}

  std::optional<ClosurePlan> Make() {
    plan_.cuts.kernel = analysis_.kernel;
    plan_.cuts.loops.assign(kernel_.roles.size(), StmtId::kNone);
    bool any = false;
    for (size_t role = 0; role < kernel_.roles.size(); ++role) {
      for (const StmtId id : kernel_.roles[role].body) any = Statement(role, id) || any;
    }
    if (!any) return std::nullopt;
    PendingGroups();
    if (kernel_.cluster > 1) Refuse("CTAs of a cluster");
    if (!kernel_.tmem.empty()) Refuse("tensor memory");
    for (size_t r = 0; r < ring_uses_.size(); ++r) {
      plan_.cuts.ring_uses.push_back(ring_uses_[r].value_or(0));
      Round(kernel_.rings[r].stages, ring_uses_[r].value_or(0));
    }
    for (size_t e = 0; e < event_uses_.size(); ++e) {
      plan_.cuts.event_uses.push_back(event_uses_[e].value_or(0));
      Round(kernel_.events[e].stages, event_uses_[e].value_or(0));
    }
    if (plan_.period > kMostPeriod) Refuse("slots that come round after very many trips");
    return plan_;
  }

 private:
  void Refuse(const std::string& why) {
    if (plan_.why_not.empty()) plan_.why_not = why;
  }

  void Round(int64_t stages, int64_t slope) {
    if (slope == 0 || plan_.period > kMostPeriod) return;
    plan_.period = std::lcm(plan_.period, stages / std::gcd(stages, slope));
  }

  // A statement at the top of a role; true: it is a loop of the plan, or should be one.
  bool Statement(size_t role, StmtId id) {
    const Stmt& stmt = program_[id];
    if (stmt.dead) return false;
    if (stmt.kind == StmtKind::kFor && MattersInside(program_, stmt.body)) {
      if (IsFixed(program_, stmt)) return false;
      if (plan_.cuts.loops[role] != StmtId::kNone) Refuse("two loops one after the other");
      plan_.cuts.loops[role] = id;
      if (plan_.loop == StmtId::kNone) plan_.loop = id;
      Loop(stmt);
      return true;
    }
    bool inside = stmt.kind == StmtKind::kWhile && MattersInside(program_, stmt.body);
    for (const auto* body : {&stmt.body, &stmt.else_body}) {
      ForEachStmt(program_, *body, [&](StmtId, const Stmt& inner) {
        const bool loop = inner.kind == StmtKind::kFor || inner.kind == StmtKind::kWhile;
        inside = inside || (loop && MattersInside(program_, inner.body) &&
                            !(inner.kind == StmtKind::kFor && IsFixed(program_, inner)));
      });
    }
    if (inside) Refuse("loops that stand under a condition or end by one");
    return inside;
  }

  void Loop(const Stmt& loop) {
    Forms forms(program_, kernel_, loop);
    if (forms.bounds().empty()) Refuse("trips that data or variables decide");
    if (bounds_.empty()) bounds_ = forms.bounds();
    if (bounds_ != forms.bounds()) Refuse("roles whose trips differ");
    Body(forms, loop.body);
    plan_.first = std::max(plan_.first, forms.first());
    plan_.last = std::max(plan_.last, forms.last());
  }

  void Body(Forms& forms, const std::vector<StmtId>& body) {
    for (const StmtId id : body) {
      const Stmt& stmt = program_[id];
      if (stmt.dead || (!Matters(program_, stmt) && !MattersInside(program_, stmt.body) &&
                        !MattersInside(program_, stmt.else_body))) {
        continue;
      }
      if (stmt.kind == StmtKind::kWhile) Refuse("a loop inside that ends by a condition");
      if (stmt.kind == StmtKind::kFor) {
        if (!IsFixed(program_, stmt)) Refuse("a loop inside whose trips are no constant");
      }
      if (stmt.kind == StmtKind::kIf) Condition(forms, stmt.value);
      if (stmt.kind == StmtKind::kOp) Instruction(forms, stmt);
      Views(forms, stmt);
      Body(forms, stmt.body);
      Body(forms, stmt.else_body);
    }
  }

  void Condition(Forms& forms, ExprId id) {
    const ir::Expr& expr = program_[id];
    const bool logical = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr ||
                         (expr.kind == ExprKind::kOp && expr.op->algebra == ir::Algebra::kNot);
    if (logical) {
      for (const ExprId part : expr.args) Condition(forms, part);
      return;
    }
    const Form form = forms.Of(id);
    if (!form.known) return Refuse("a condition that is no threshold and no remainder");
    plan_.period = std::lcm(plan_.period, form.round);
    if (!form.threshold) return Steady(forms, id);
    const bool compares = expr.kind == ExprKind::kOp && expr.op->algebra >= ir::Algebra::kEqual &&
                          expr.op->algebra <= ir::Algebra::kGreaterEqual;
    if (!compares) Refuse("a condition behind a name");
  }

  // What is the same in every trip is the same for every trip count.
  void Steady(const Forms& forms, ExprId id) {
    if (const std::string why = forms.WhyItFollows(id); !why.empty()) Refuse(why);
  }

  void Instruction(Forms& forms, const Stmt& stmt) {
    Uses(forms, stmt.ring, stmt.event, stmt.use);
    Uses(forms, stmt.on_ring, stmt.on_event, stmt.on_use);
    for (const ExprId id : {stmt.bytes, stmt.amount, stmt.remote, stmt.multicast}) {
      if (id != ExprId::kNone && !forms.Of(id).fixed()) {
        Refuse("bytes, groups or CTAs whose number changes");
      }
      Steady(forms, id);
    }
    if (stmt.barrier_index != ExprId::kNone) {
      const Form index = forms.Of(stmt.barrier_index);
      if (!index.known || index.slope != 0 || index.threshold) Refuse("barriers by number");
      Steady(forms, stmt.barrier_index);
      plan_.period = std::lcm(plan_.period, index.round);
    }
    if (stmt.op->effects.copy == ir::CopyEffect::kLaunchCancel) Refuse("cluster launch control");
  }

  void Uses(Forms& forms, ir::RingId ring, ir::EventId event, ExprId use) {
    if (use == ExprId::kNone) return;
    const Form form = forms.Of(use);
    if (!form.known || form.round > 1 || form.threshold || form.slope < 0) {
      return Refuse("uses that do not go on by a constant");
    }
    Steady(forms, use);
    std::optional<int64_t>& slope = ring != ir::RingId::kNone
                                        ? ring_uses_[static_cast<size_t>(ring)]
                                        : event_uses_[static_cast<size_t>(event)];
    if (slope && *slope != form.slope) Refuse("uses of one ring that go on differently");
    slope = form.slope;
  }

  void Views(Forms& forms, const Stmt& stmt) {
    for (const ir::ViewId view :
         {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view}) {
      Shared(forms, view);
    }
    for (const ExprId root : compiler::facts::OwnExprs(program_, stmt)) {
      ForEachExpr(program_, root, [&](ExprId, const ir::Expr& expr) {
        Shared(forms, expr.view);
        if (expr.kind == ExprKind::kTest) Refuse("a test of an event");
        if (expr.kind == ExprKind::kAtomic) Refuse("atomics");
      });
    }
  }

  void Shared(Forms& forms, ir::ViewId id) {
    if (id == ir::ViewId::kNone || program_[id].space == ir::Space::kGlobal) return;
    const ir::View& view = program_[id];
    if (view.space != ir::Space::kShared) return Refuse("tensor memory");
    if (view.stage != ExprId::kNone) {
      const Form stage = forms.Of(view.stage);
      if (!stage.known || stage.threshold) return Refuse("a stage that data decides");
      Steady(forms, view.stage);
      plan_.period = std::lcm(plan_.period, stage.round);
      Round(kernel_.shared[static_cast<size_t>(view.shared)].stages, stage.slope);
    }
    for (const ir::ViewIndex& index : view.index) {
      if (index.offset == ExprId::kNone) continue;
      const Form offset = forms.Of(index.offset);
      if (!offset.known || offset.slope != 0 || offset.threshold) {
        return Refuse("places in shared memory that the trip or data decide");
      }
      Steady(forms, index.offset);
      plan_.period = std::lcm(plan_.period, offset.round);
    }
  }

  void PendingGroups() {
    for (const ir::Role& role : kernel_.roles) {
      ForEachStmt(program_, role.body, [&](StmtId, const Stmt& stmt) {
        if (stmt.amount == ExprId::kNone) return;
        const ir::Expr& amount = program_[stmt.amount];
        const bool constant = amount.kind == ExprKind::kInt && amount.int_value <= kMostPending;
        if (!constant) Refuse("waits whose pending groups are no constant");
      });
    }
  }

  const ir::Program& program_;
  const KernelAnalysis& analysis_;
  const ir::Kernel& kernel_;
  std::vector<std::optional<int64_t>> ring_uses_, event_uses_;
  std::string bounds_;  // of the loops
  ClosurePlan plan_;
};

// The first cut of one CTA whose state comes again after a multiple of the period.
std::optional<Closure> OfCta(const ClosurePlan& plan, const std::vector<const Cut*>& cuts) {
  std::map<std::tuple<int64_t, uint64_t, uint64_t>, int64_t> seen;  // trips by version and state
  for (const Cut* cut : cuts) {
    if (cut->trips < plan.first) continue;
    const auto [at, added] = seen.try_emplace({cut->version, cut->low, cut->high}, cut->trips);
    const int64_t period = cut->trips - at->second;
    if (added || period % plan.period != 0) continue;
    return Closure{
        .after = at->second, .states = period, .needed = cut->trips + plan.last + cut->ahead};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClosurePlan> PlanClosure(const ir::Program& program, const KernelAnalysis& analysis) {
  return Planner(program, analysis).Make();
}

std::vector<KernelClosure> PlanClosures(const ir::Program& program,
                                        const std::vector<KernelAnalysis>& kernels) {
  std::vector<KernelClosure> all;
  for (const KernelAnalysis& analysis : kernels) {
    std::optional<ClosurePlan> plan = PlanClosure(program, analysis);
    if (!plan) continue;
    KernelClosure& closure = all.emplace_back(KernelClosure{.plan = *std::move(plan)});
    const Prover prover(analysis.atoms);
    for (const CountedLoop& counted : analysis.loops) {
      if (counted.stmt != closure.plan.loop) continue;
      closure.always_runs = prover.AtMost(Linear::Constant(1), counted.room, counted.facts);
    }
  }
  return all;
}

bool IsClosed(const std::vector<KernelClosure>& closures, StmtId loop) {
  return std::any_of(closures.begin(), closures.end(), [&](const KernelClosure& closure) {
    const std::vector<StmtId>& loops = closure.plan.cuts.loops;
    return std::find(loops.begin(), loops.end(), loop) != loops.end() && closure.Closed();
  });
}

std::string KernelClosure::Words(const ir::Program& program) const {
  const StmtId loop = plan.loop;
  std::string where = "the loops of a kernel";
  if (loop != StmtId::kNone) {
    const size_t begin = std::min<size_t>(program[loop].source.span.begin, program.source.size());
    const auto end = program.source.begin() + static_cast<std::ptrdiff_t>(begin);
    where = absl::StrCat("the loop in line ", 1 + std::count(program.source.begin(), end, '\n'));
  }
  if (Closed()) {
    return absl::StrCat("; every trip count of ", where,
                        ": what is known of shared memory and barriers after ", found->after,
                        found->after == 1 ? " trip" : " trips", " is known again ", found->states,
                        found->states == 1 ? " trip later" : " trips later");
  }
  if (!plan.why_not.empty()) return absl::StrCat("; ", where, " not closed: ", plan.why_not);
  if (!found) {
    return absl::StrCat("; ", where, " not closed: no state came again in ", cuts,
                        cuts == 1 ? " cut" : " cuts");
  }
  return absl::StrCat("; ", where, " not closed: not every launch of 0 to ", found->needed,
                      " trips ran");
}

bool KernelClosure::Closed() const {
  if (!found) return false;
  for (int64_t trips = always_runs ? 1 : 0; trips <= found->needed; ++trips) {
    if (!ran.contains(trips)) return false;
  }
  return true;
}

std::optional<Closure> FindClosure(const ClosurePlan& plan, const std::vector<Cut>& cuts) {
  std::map<int64_t, std::vector<const Cut*>> by_cta;
  for (const Cut& cut : cuts) by_cta[cut.cta].push_back(&cut);
  std::optional<Closure> all;
  for (const auto& [cta, own] : by_cta) {
    const std::optional<Closure> one = OfCta(plan, own);
    if (!one) return std::nullopt;
    if (!all) all = one;
    all->after = std::max(all->after, one->after);
    all->states = std::max(all->states, one->states);
    all->needed = std::max(all->needed, one->needed);
  }
  return all;
}

}  // namespace verifier
