#include "verifier/coverage.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "compiler/machine/machine.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;
using compiler::diag::Span;

constexpr Def<> kNeverExecuted{
    "CK2571", Severity::kAdvice, Category::kUnproven, "no run of the machine gets here",
    "races, deadlocks and unwritten values are looked for by running the program at small shapes "
    "with arbitrary data; what no run executes has been type-checked and proven in bounds, no "
    "more"};
constexpr Def<Name> kOneSide{
    "CK2532", Severity::kAdvice, Category::kUnproven,
    "no run of the machine finds this {0}",
    "races, deadlocks and unwritten values are looked for by running the program at small shapes; "
    "what it does where the condition has the other value, a step left out or taken, has not been "
    "seen"};

constexpr size_t kMaxPlacesNamed = 4;
constexpr size_t kMaxPlacesLookedAt = 64;  // whether a thread may reach them at all

class Finder {
 public:
  Finder(const ir::Program& program, const Exploration& exploration, Missing& missing)
      : program_(program), exploration_(exploration), missing_(missing) {}

  // `conditions`: what decides whether the body runs.
  void Block(const std::vector<ir::StmtId>& body, const std::vector<ir::ExprId>& conditions) {
    bool in_run = false;
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (exploration_.executed[static_cast<size_t>(id)]) {
        in_run = false;
        Executed(id, stmt);
      } else if (!in_run) {
        in_run = true;
        missing_.statements.push_back(id);
        Wanted(conditions);
      }
    }
  }

 private:
  void Executed(ir::StmtId id, const ir::Stmt& stmt) {
    const std::vector<ir::ExprId> decides = stmt.kind == ir::StmtKind::kFor
                                                ? std::vector{stmt.low, stmt.high}
                                                : std::vector{stmt.value};
    Block(stmt.body, decides);
    Block(stmt.else_body, decides);
    if (stmt.kind == ir::StmtKind::kFor) return Loop(id, stmt);
    if (stmt.kind != ir::StmtKind::kIf) return;
    // A side without statements shows only in how many threads the other has.
    for (const bool truth : {false, true}) {
      const std::vector<ir::StmtId>& other = truth ? stmt.else_body : stmt.body;
      if (!Silent(truth ? stmt.body : stmt.else_body)) continue;
      if (Lanes(other) != exploration_.lanes[static_cast<size_t>(id)]) continue;
      missing_.sides.push_back({id, truth});
      Wanted(decides);
    }
  }

  // One that runs may be left out.
  void Loop(ir::StmtId id, const ir::Stmt& stmt) {
    const auto at = static_cast<size_t>(id);
    const bool fixed = program_[stmt.low].kind == ir::ExprKind::kInt &&
                       program_[stmt.high].kind == ir::ExprKind::kInt;
    if (fixed || exploration_.trips[at] == 0 || exploration_.left_out[at]) return;
    if (!exploration_.never_left_out.empty() && exploration_.never_left_out[at]) return;
    missing_.sides.push_back({id, false});
    Wanted({stmt.low, stmt.high});
  }

  void Wanted(const std::vector<ir::ExprId>& conditions) {
    if (!conditions.empty()) missing_.conditions.push_back(conditions);
  }

  bool Silent(const std::vector<ir::StmtId>& body) const {
    return std::all_of(body.begin(), body.end(), [&](ir::StmtId id) { return program_[id].dead; });
  }

  // Threads that entered the body; -1 where nothing in it tells. A `while` counts its iterations.
  int64_t Lanes(const std::vector<ir::StmtId>& body) const {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (stmt.kind == ir::StmtKind::kWhile) return -1;
      return exploration_.lanes[static_cast<size_t>(id)];
    }
    return -1;
  }

  const ir::Program& program_;
  const Exploration& exploration_;
  Missing& missing_;
};

// "condition true", "`k` above `6`".
std::string Outcome(const ir::Program& program, const Undecided& undecided) {
  const ir::Expr& expr = program[undecided.decision.expr];
  const bool high = undecided.outcome == undecided.decision.high;
  if (undecided.decision.watch == compiler::machine::Watch::kTruth)
    return high ? "condition true" : "condition false";
  const auto text = [&](ir::ExprId id) {
    const std::string_view source = compiler::facts::TextOf(program, program[id].source.span);
    return absl::StrCat("`", std::string(source), "`");
  };
  const compiler::machine::Order order = *compiler::machine::OrderIn(program, expr);
  const bool quotient = (undecided.decision.high & compiler::machine::kOutcomeEqual) != 0;
  const std::string_view how = !high ? " below " : quotient ? " at least " : " above ";
  return absl::StrCat("with ", text(expr.args[order.left]), std::string(how),
                      order.right ? text(expr.args[*order.right]) : absl::StrCat(order.number));
}

std::string Words(const ir::Program& program, const std::vector<Span>& places) {
  if (places.empty()) return "";
  std::string lines;
  for (size_t i = 0; i < places.size() && i < kMaxPlacesNamed; ++i) {
    const auto begin =
        static_cast<std::ptrdiff_t>(std::min<size_t>(places[i].begin, program.source.size()));
    absl::StrAppend(&lines, i == 0 ? "" : ", ",
                    1 + std::count(program.source.begin(), program.source.begin() + begin, '\n'));
  }
  if (places.size() > kMaxPlacesNamed) absl::StrAppend(&lines, ", ..");
  return absl::StrCat("; ", places.size(), places.size() == 1 ? " place" : " places",
                      " never executed (line ", lines, ")");
}

}  // namespace

Missing MissingOf(const ir::Program& program, const Exploration& exploration, size_t kernel) {
  Missing missing;
  if (!exploration.launched[kernel]) return missing;
  Finder finder(program, exploration, missing);
  for (const ir::Role& role : program.kernels[kernel].roles) finder.Block(role.body, {});
  if (exploration.outcomes.empty()) return missing;
  // What keeps a whole condition from an outcome is named with that.
  std::vector<ir::ExprId> whole;
  for (const auto& group : missing.conditions) {
    whole.insert(whole.end(), group.begin(), group.end());
  }
  const auto part_of_one = [&](const Span& span) {
    return std::any_of(whole.begin(), whole.end(), [&](ir::ExprId id) {
      if (id == ir::ExprId::kNone) return false;
      const Span& condition = program[id].source.span;
      return condition.begin <= span.begin && span.end <= condition.end;
    });
  };
  for (const Decision& decision : DecisionsOf(program, program.kernels[kernel])) {
    const uint8_t seen = exploration.outcomes[static_cast<size_t>(decision.expr)];
    for (const uint8_t outcome : {decision.low, decision.high}) {
      if (seen == 0 || (seen & outcome) != 0) continue;
      if (part_of_one(program[decision.expr].source.span)) continue;
      missing.decisions.push_back({decision, outcome});
      missing.conditions.push_back({decision.expr});
    }
  }
  return missing;
}

std::string ReportMissing(const ir::Program& program, const compiler::facts::Facts& facts,
                          const std::vector<KernelAnalysis>& kernels,
                          const Exploration& exploration, compiler::diag::Report& report) {
  // In source order; a body that is inlined several times is one place. Nothing: statements.
  std::map<std::pair<uint32_t, uint32_t>, std::optional<Name>> places;
  size_t looked_at = 0;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Missing missing = MissingOf(program, exploration, k);
    if (missing.empty()) continue;
    // Reading the kernels again costs as much as the first time.
    looked_at += missing.statements.size() + missing.sides.size() + missing.decisions.size();
    Watched impossible;
    if (looked_at <= kMaxPlacesLookedAt) {
      Watched watched{.statements = {missing.statements.begin(), missing.statements.end()}};
      for (const Side& side : missing.sides) watched.sides.emplace(side.stmt, side.truth);
      for (const Undecided& undecided : missing.decisions)
        watched.decisions.emplace(undecided.decision.expr, undecided.outcome);
      impossible = Impossible(program, facts, kernels[k], watched);
    }
    for (const ir::StmtId id : missing.statements) {
      const Span& span = program[id].source.span;
      if (!impossible.statements.contains(id)) places.try_emplace({span.begin, span.end});
    }
    for (const Side& side : missing.sides) {
      if (impossible.sides.contains({side.stmt, side.truth})) continue;
      const ir::Stmt& stmt = program[side.stmt];
      const bool loop = stmt.kind == ir::StmtKind::kFor;
      const Span& span = loop ? program[stmt.high].source.span : program[stmt.value].source.span;
      const char* outcome = loop         ? "loop without an iteration"
                            : side.truth ? "condition true"
                                         : "condition false";
      places.try_emplace({span.begin, span.end}, Name{outcome});
    }
    for (const Undecided& undecided : missing.decisions) {
      const Decision& decision = undecided.decision;
      if (impossible.decisions.contains({decision.expr, undecided.outcome})) continue;
      const Span& span = program[decision.expr].source.span;
      places.try_emplace({span.begin, span.end}, Name{Outcome(program, undecided)});
    }
  }
  std::vector<Span> spans;
  for (const auto& [place, outcome] : places) {
    const Span span = spans.emplace_back(Span{place.first, place.second});
    if (outcome) {
      report.Add(kOneSide, span, *outcome);
    } else {
      report.Add(kNeverExecuted, span);
    }
  }
  return Words(program, spans);
}

}  // namespace verifier
