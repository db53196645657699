// Findings of the happens-before observer: races, divergence, barriers, deadlock.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name, int64_t, Name, int64_t> kSharedRace{
    "CK2020", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by warp {2} is not ordered after the `{3}` by warp {4}",
    "warps run at their own pace; only a barrier that both reach in between orders their accesses"};
constexpr Def<Name, Name, int64_t, Name, int64_t> kLaneRace{
    "CK2021", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by lane {2} is not ordered after the `{3}` by lane {4} of the same warp",
    "lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses"};
constexpr Def<Name, Name, int64_t, Name, int64_t> kGlobalRace{
    "CK2022", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` in global memory by warp {2} is not ordered after the `{3}` by warp {4}",
    "warps run at their own pace; only a barrier that both reach in between orders their accesses"};
constexpr Def<Name, Name, int64_t, Name, int64_t> kGridRace{
    "CK2023", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by CTA {2} is not ordered with the `{3}` by CTA {4}",
    "the CTAs of one kernel run in any order; what one writes, only a later kernel may touch"};
constexpr Def<Name> kDuplicateWrite{
    "CK2024", Severity::kWarning, Category::kSafety,
    "several threads write the same value to the same element of `{0}`",
    "the result does not depend on who is last, but all but one of the writes are wasted"};

constexpr Def<Name, int64_t> kDivergence{
    "CK2030", Severity::kError, Category::kSafety,
    "`{0}` is executed by {1} of the 32 lanes of a warp",
    "all lanes of a warp execute a collective together; the missing ones are somewhere else"};
constexpr Def<Name> kSites{
    "CK2031", Severity::kError, Category::kSafety,
    "warps of one role reach `{0}` at two different places",
    "the arrivals of one generation of a barrier come from one statement of each role"};
constexpr Def<Name, int64_t, int64_t> kMissingWarps{
    "CK2032", Severity::kError, Category::kSafety, "`{0}` is reached by {1} of {2} threads",
    "every thread of the scope must reach the barrier, the same number of times"};
constexpr Def<Name, int64_t, int64_t> kDeadlock{
    "CK2040", Severity::kError, Category::kSafety,
    "no warp can move: `{0}` has {1} of {2} arrivals",
    "a barrier opens when the declared number of threads has arrived"};
constexpr Def<Name, int64_t, int64_t> kUnconsumed{
    "CK2041", Severity::kError, Category::kSafety,
    "`{0}` holds {1} of {2} arrivals when the CTA ends",
    "arrivals that no generation uses up show that the two sides count differently"};
constexpr Def<Name, int64_t> kRecycled{
    "CK2042", Severity::kError, Category::kSafety,
    "a warp arrives at `{0}` without knowing that generation {1} is complete",
    "until it is complete the arrival counts into the old generation, which then opens too early"};
constexpr Def<Name, int64_t, int64_t> kBarrierIndex{"CK2044", Severity::kError, Category::kSafety,
                                                    "barrier index {1} of `{0}` is outside 0..{2}",
                                                    "there is no such barrier"};

// Whether `inner` is `outer` or below it.
bool Inside(ir::StmtId inner, ir::StmtId outer, const std::vector<ir::StmtId>& parents) {
  for (ir::StmtId s = inner; s != ir::StmtId::kNone; s = parents[static_cast<size_t>(s)]) {
    if (s == outer) return true;
  }
  return false;
}

}  // namespace

// A read that found nothing written comes too early, whichever of the two the run met first.
Race Findings::AsMeant(Race race) const {
  const bool early =
      race.kind == ConflictKind::kReadWrite && race.earlier.role != race.later.role &&
      std::any_of(unwritten_reads_.begin(), unwritten_reads_.end(), [&](const UnwrittenRead& read) {
        return read.origin.view == race.earlier_view && read.origin.stmt == race.earlier.stmt;
      });
  if (early) race.Swap();
  return race;
}

void Findings::RaceFound(const Race& found, const std::vector<ir::StmtId>& parents) {
  const Race race = AsMeant(found);
  const Place &first = race.earlier, &second = race.later;
  const bool grid = first.cta != second.cta;
  const bool same_warp = !grid && first.role == second.role && first.warp == second.warp;
  const Name buffer{BufferName(*second.kernel, race.later_view)};
  raced_views_.insert({race.earlier_view, race.later_view});
  if (OrderFound(race)) return;
  if (race.kind == ConflictKind::kWriteWrite && race.same_value) {
    if (!First(kDuplicateWrite.code, second.stmt, ir::StmtId::kNone)) return;
    report_.Add(kDuplicateWrite, SpanOf(second.stmt), buffer).At(InstanceOf(second));
    return;
  }
  const bool shared = program_[race.later_view].space == ir::Space::kShared;
  const auto& def = grid ? kGridRace : same_warp ? kLaneRace : shared ? kSharedRace : kGlobalRace;
  // One missing barrier leaves a pair of statements unordered both ways round a loop.
  if (!First("CK2020", std::min(first.stmt, second.stmt), std::max(first.stmt, second.stmt))) {
    return;
  }
  if (AccessedAfterRelease(race)) return;
  if (ClusterRace(race, parents) || TensorRace(race) || CopyRace(race, parents)) return;
  const auto side = [&](const Place& place) -> int64_t {
    return grid ? place.cta : same_warp ? place.lane : place.warp;
  };
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  auto builder = report_.Add(def, ViewSpan(race.later_view, second.stmt),
                             Name{AccessText(second.stmt, race.later_view)}, buffer, side(second),
                             Name{AccessText(first.stmt, race.earlier_view)}, side(first));
  builder.At(std::move(instance));
  builder.Label(SpanOf(first.stmt),
                absl::StrCat(race.kind == ConflictKind::kReadWrite ? "read" : "written",
                             " here by role ", RoleName(first), ", warp ", first.warp,
                             grid ? absl::StrCat(", CTA ", first.cta) : ""));
  if (grid) return;
  if (first.role != second.role && race.released_at != ir::StmtId::kNone) {
    builder.Label(SpanOf(race.released_at),
                  absl::StrCat("role ", RoleName(first), " hands over here, but role ",
                               RoleName(second), " does not wait for that before its access"));
  } else if (race.last_sync != ir::StmtId::kNone && !same_warp) {
    builder.Label(SpanOf(race.last_sync),
                  absl::StrCat("the last barrier of warp ", second.warp, " before its access"));
  }
  OfferSync(builder, race, parents);
}

bool Findings::UniformAt(ir::StmtId stmt, ir::Scope scope,
                         const std::vector<ir::StmtId>& parents) const {
  const ir::Level needed = ir::RequiredLevel(scope);
  const auto uniform = [&](ir::ExprId e) {
    return e == ir::ExprId::kNone || program_[e].level <= needed;
  };
  for (ir::StmtId s = parents[static_cast<size_t>(stmt)]; s != ir::StmtId::kNone;
       s = parents[static_cast<size_t>(s)]) {
    const ir::Stmt& outer = program_[s];
    if (outer.kind == ir::StmtKind::kElect || outer.kind == ir::StmtKind::kOnce) return false;
    if (!uniform(outer.low) || !uniform(outer.high) || !uniform(outer.step)) return false;
    const bool control = outer.kind == ir::StmtKind::kIf || outer.kind == ir::StmtKind::kWhile;
    if (control && !uniform(outer.value)) return false;
  }
  return true;
}

// A barrier before the later statement, at the nearest place that all its threads reach.
void Findings::OfferSync(diag::Report::Builder& builder, const Race& race,
                         const std::vector<ir::StmtId>& parents) const {
  if (ReachesOthers(race)) return void(OfferClusterSync(builder, race, parents));
  if (race.later.role != race.earlier.role) return;
  const bool same_warp = race.later.warp == race.earlier.warp;
  const ir::Scope scope = same_warp                              ? ir::Scope::kWarp
                          : race.later.kernel->roles.size() == 1 ? ir::Scope::kCta
                                                                 : ir::Scope::kRole;
  ir::StmtId place = race.later.stmt;
  while (place != ir::StmtId::kNone && !UniformAt(place, scope, parents)) {
    place = parents[static_cast<size_t>(place)];
  }
  if (place == ir::StmtId::kNone) return;
  // Both accesses in one execution of the statement before which it would stand: no use.
  if (place != race.later.stmt && Inside(race.earlier.stmt, place, parents)) return;
  const uint32_t begin = program_[place].source.span.begin;
  if (begin == 0 || begin > program_.source.size()) return;
  size_t line = program_.source.rfind('\n', begin - 1);
  line = line == std::string::npos ? 0 : line + 1;
  const std::string before = program_.source.substr(line, begin - line);
  const bool own_line = before.find_first_not_of(" \t") == std::string::npos;
  const std::string sync = absl::StrCat(
      "sync ", absl::string_view(ir::ToString(scope).data(), ir::ToString(scope).size()));
  const std::string text = own_line ? absl::StrCat(sync, "\n", before) : absl::StrCat(sync, "; ");
  builder.Fix(absl::StrCat("insert `", sync, "` before this statement"),
              {{diag::Span{begin, begin}, text}}, diag::Applicability::kMaybe);
}

void Findings::CollectiveDivergence(const Place& at, std::string_view op, uint32_t mask) {
  if (!First(kDivergence.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kDivergence, SpanOf(at.stmt), Name{std::string(op)}, __builtin_popcount(mask))
      .At(InstanceOf(at));
}

void Findings::SiteDivergence(const Place& at, const Barrier& barrier, ir::StmtId other) {
  if (!First(kSites.code, at.stmt, other)) return;
  report_.Add(kSites, SpanOf(at.stmt), Name{barrier.name})
      .Label(SpanOf(other), "other warps of the role are here")
      .At(InstanceOf(at));
}

void Findings::MissingWarps(const Place& at, const Barrier& barrier,
                            std::vector<diag::WaitEdge> edges) {
  if (!First(kMissingWarps.code, at.stmt, ir::StmtId::kNone)) return;
  report_
      .Add(kMissingWarps, SpanOf(at.stmt), Name{barrier.name}, barrier.arrived_threads,
           barrier.needed_threads)
      .Waits(std::move(edges))
      .At(InstanceOf(at));
}

void Findings::Deadlock(const Place& at, const Barrier& barrier,
                        std::vector<diag::WaitEdge> edges) {
  if (!First(kDeadlock.code, at.stmt, ir::StmtId::kNone)) return;
  std::vector<diag::Label> labels;
  for (const diag::WaitEdge& edge : edges) {
    if (edge.span == SpanOf(at.stmt)) continue;
    labels.push_back({edge.span, absl::StrCat(edge.waiter, " waits here for `", edge.event,
                                              "`: ", edge.arrived, " of ", edge.needed)});
  }
  auto builder = report_.Add(kDeadlock, SpanOf(at.stmt), Name{barrier.name},
                             barrier.arrived_threads, barrier.needed_threads);
  for (diag::Label& label : labels) builder.Label(label.span, std::move(label.text));
  builder.Waits(std::move(edges)).At(InstanceOf(at));
}

void Findings::Unconsumed(const Place& at, const Barrier& barrier) {
  if (!First(kUnconsumed.code, at.stmt, ir::StmtId::kNone)) return;
  report_
      .Add(kUnconsumed, SpanOf(at.stmt), Name{barrier.name}, barrier.arrived_threads,
           barrier.needed_threads)
      .At(InstanceOf(at));
}

void Findings::Recycled(const Place& at, const Barrier& barrier, ir::StmtId other,
                        int64_t threads) {
  if (!First(kRecycled.code, at.stmt, other)) return;
  const bool twice = std::any_of(barrier.contributions.begin(), barrier.contributions.end(),
                                 [&](const Contribution& c) { return c.stmt == other; });
  auto builder = report_.Add(kRecycled, SpanOf(at.stmt), Name{barrier.name},
                             twice ? barrier.generation : barrier.generation - 1);
  if (other != ir::StmtId::kNone && other != at.stmt) {
    builder.Label(SpanOf(other), "its earlier arrival is here");
  }
  if (barrier.named && threads > barrier.needed_threads) {
    const ir::Barrier& declared = at.kernel->barriers[static_cast<size_t>(barrier.declared)];
    builder.Label(declared.declared, absl::StrCat("counts ", barrier.needed_threads,
                                                  " threads, and ", threads, " arrive"));
    if (!twice) {
      builder.Fix(absl::StrCat("let it count ", threads, ", if all of them meet at one time"), {},
                  diag::Applicability::kManual);
    }
  }
  builder.At(InstanceOf(at));
}

void Findings::BarrierIndex(const Place& at, std::string_view name, int64_t index, int64_t count) {
  if (!First(kBarrierIndex.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kBarrierIndex, SpanOf(at.stmt), Name{std::string(name)}, index, count)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
