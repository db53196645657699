#include "verifier/trip_coverage.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/trips.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<int64_t, int64_t> kTooFewTrips{
    "CK2590", Severity::kAdvice, Category::kUnproven,
    "no run of the machine repeats this loop more than {0} times; {1} would show all that can go "
    "wrong",
    "a slot, generation or group that is used again too early is first touched by the trip that "
    "comes round to it: stages, lag and the constants of conditions, and 3 trips more"};

constexpr Def<Name> kCountsInFloats{
    "CK2594", Severity::kAdvice, Category::kUnproven,
    "no run shows that this loop ends at every size: it ends by the float `{0}`, which it sets",
    "a sum of floats stops growing where what is added is less than half of its last place; the "
    "machine runs small shapes"};

constexpr size_t kMaxLoopsNamed = 4;
constexpr size_t kMaxNestsLookedAt = 64;  // a program of more is bounded

// Whether no thread makes more than `trips` trips, whatever the guard admits.
bool NeverMore(const KernelAnalysis& analysis, ir::StmtId loop, int64_t trips) {
  const Prover prover(analysis.atoms);
  for (const CountedLoop& counted : analysis.loops) {
    if (counted.stmt != loop || counted.step == 0) continue;
    int64_t most = 0;
    if (__builtin_mul_overflow(trips, counted.step, &most)) return false;
    return prover.AtMost(counted.room, Linear::Constant(most), counted.facts);
  }
  return false;
}

// Every run makes all its trips.
bool IsFixed(const ir::Program& program, const ir::Stmt& loop) {
  return loop.kind == ir::StmtKind::kFor && program[loop.low].kind == ir::ExprKind::kInt &&
         program[loop.high].kind == ir::ExprKind::kInt &&
         (loop.step == ir::ExprId::kNone || program[loop.step].kind == ir::ExprKind::kInt);
}

// Whether one shape that ran repeats both loops of a nest so often that slots come round, or as
// often as each was seen to.
bool RanTogether(const ir::Program& program, const LoopNeed& outer, const LoopNeed& inner,
                 const Selection& selection, const Exploration& exploration) {
  const int64_t most_outer = exploration.trips[static_cast<size_t>(outer.loop)];
  const int64_t most_inner = exploration.trips[static_cast<size_t>(inner.loop)];
  if (most_outer <= 1) return true;  // nothing to meet
  const TripCounter outer_counter(program, outer), inner_counter(program, inner);
  const std::vector<std::string>&ran = exploration.instances, &slim = exploration.without_data;
  const int64_t enough =
      std::min(std::max(outer.trips, inner.trips),
               std::min(most_outer, outer.trips) * std::min(most_inner, inner.trips));
  for (const auto* shapes : {&selection.trips, &selection.shapes, &exploration.larger}) {
    for (const Shape& shape : *shapes) {
      if (std::find(ran.begin(), ran.end(), shape.text) == ran.end() &&
          std::find(slim.begin(), slim.end(), shape.text) == slim.end()) {
        continue;
      }
      const std::optional<int64_t> o = outer_counter.At(shape.values);
      const std::optional<int64_t> i = inner_counter.At(shape.values);
      if (!o || !i) return most_outer >= outer.trips && most_inner >= inner.trips;
      if (*o >= 2 && *i >= 1 && *o >= enough / *i + (enough % *i != 0)) return true;
    }
  }
  return false;
}

void AppendWords(const ir::Program& program, const std::vector<LoopSeen>& loops, bool bounded,
                 std::string& words) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (i == kMaxLoopsNamed) {
      absl::StrAppend(&words, "; ", loops.size() - i, " more such loops");
      return;
    }
    const size_t begin = std::min<size_t>(loops[i].span.begin, program.source.size());
    const auto end = program.source.begin() + static_cast<std::ptrdiff_t>(begin);
    absl::StrAppend(&words, "; loop in line ", 1 + std::count(program.source.begin(), end, '\n'),
                    bounded ? ": at most " : ": ", loops[i].seen,
                    loops[i].seen == 1 ? " trip run" : " trips run");
    if (bounded) {
      absl::StrAppend(&words, " of ", loops[i].needed, " needed");
    } else {
      absl::StrAppend(&words, ", no shape has more");
    }
  }
}

}  // namespace

TripCoverage CoverageOfTrips(const ir::Program& program, const std::vector<KernelAnalysis>& kernels,
                             const Selection& selection, const Exploration& exploration) {
  // By place: the worst of its inlined bodies.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<bool, LoopSeen>> places;
  const std::vector<LoopNeed> needs = LoopsToRepeat(program);
  size_t nested = 0;
  for (const LoopNeed& need : needs) {
    const int64_t seen = exploration.trips[static_cast<size_t>(need.loop)];
    if (!exploration.launched[need.kernel] || seen == 0) continue;
    if (IsClosed(exploration.closures, need.loop)) continue;
    bool together = true;
    if (need.outer >= 0) {
      together = ++nested <= kMaxNestsLookedAt &&
                 RanTogether(program, needs[static_cast<size_t>(need.outer)], need, selection,
                             exploration);
    }
    if (seen >= need.trips && together) continue;
    const ir::Stmt& loop = program[need.loop];
    if (IsFixed(program, loop)) continue;
    const bool bounded = !together || need.kernel >= kernels.size() ||
                         !NeverMore(kernels[need.kernel], need.loop, seen);
    const LoopSeen here{loop.source.span, seen, need.trips};
    const auto [at, added] = places.try_emplace({here.span.begin, here.span.end}, bounded, here);
    const bool worse = bounded != at->second.first ? bounded : seen < at->second.second.seen;
    if (!added && worse) at->second = {bounded, here};
  }
  TripCoverage coverage;
  for (const auto& [place, found] : places) {
    (found.first ? coverage.bounded : coverage.complete).push_back(found.second);
  }
  return coverage;
}

TripBound BoundOfTrips(const ir::Program& program, const std::vector<KernelAnalysis>& kernels,
                       const Exploration& exploration, size_t kernel) {
  TripBound bound;
  for (const LoopNeed& need : LoopsToRepeat(program)) {
    const int64_t seen = exploration.trips[static_cast<size_t>(need.loop)];
    if (need.kernel != kernel || IsFixed(program, program[need.loop])) continue;
    bound.ran = std::max(bound.ran, seen);
    bound.more = bound.more || kernel >= kernels.size() ||
                 !NeverMore(kernels[kernel], need.loop, seen);
  }
  return bound;
}

bool LoopsHaveRun(const ir::Program& program, const Exploration& exploration) {
  const std::vector<LoopNeed> needs = LoopsToRepeat(program);
  return std::all_of(needs.begin(), needs.end(), [&](const LoopNeed& need) {
    return !exploration.launched[need.kernel] ||
           exploration.trips[static_cast<size_t>(need.loop)] >= need.trips;
  });
}

std::string TripWords(const ir::Program& program, const TripCoverage& coverage) {
  std::string words;
  AppendWords(program, coverage.bounded, true, words);
  AppendWords(program, coverage.complete, false, words);
  return words;
}

compiler::diag::Report CountedInFloats(const ir::Program& program,
                                       const Exploration& exploration) {
  compiler::diag::Report report;
  std::set<uint32_t> places;  // a body that is inlined several times is one loop
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::Kernel& kernel = program.kernels[k];
    const auto look = [&](ir::StmtId, const ir::Stmt& loop) {
      if (loop.kind != ir::StmtKind::kWhile || loop.dead) return;
      std::set<ir::LocalId> set;
      compiler::facts::ForEachStmt(program, loop.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        if (stmt.kind == ir::StmtKind::kAssign) set.insert(stmt.local);
      });
      compiler::facts::ForEachExpr(program, loop.value, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.kind != ir::ExprKind::kLocal || !set.contains(expr.local)) return;
        if (!ir::Info(expr.type.dtype).is_float) return;
        const compiler::diag::Span& span = program[loop.value].source.span;
        if (!places.insert(span.begin).second) return;
        report.Add(kCountsInFloats, span,
                   Name{kernel.locals[static_cast<size_t>(expr.local)].name});
      });
    };
    if (!exploration.launched[k]) continue;
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, look);
    }
  }
  return report;
}

compiler::diag::Report TripAdvice(const TripCoverage& coverage) {
  compiler::diag::Report report;
  for (const LoopSeen& loop : coverage.bounded) {
    report.Add(kTooFewTrips, loop.span, loop.seen, loop.needed)
        .Fix("count the trips from dims, and let the guard admit small shapes with that many", {},
             Applicability::kManual);
  }
  return report;
}

}  // namespace verifier
