// Findings of clusters: ranks and masks, the cluster's barrier, accesses of several CTAs that
// nothing orders.
#include "absl/strings/str_cat.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<int64_t, int64_t> kRank{
    "CK2420", Severity::kError, Category::kSafety, "`at` names rank {0} of a cluster of {1}",
    "the CTAs of a cluster have the ranks 0 up to its size; beyond them there is no shared memory"};
constexpr Def<int64_t, int64_t> kMask{"CK2421", Severity::kError, Category::kSafety,
                                      "a multicast mask of {0}; masks here are 1..={1}",
                                      "bit r stands for the CTA of rank r: a copy to nobody, or to "
                                      "a CTA that is none, never completes"};
constexpr Def<> kTwice{
    "CK2422", Severity::kError, Category::kSafety,
    "a warp arrives again at the barrier of the cluster without having waited for it",
    "PTX ISA, barrier.cluster: each thread waits once between two of its arrivals"};
constexpr Def<> kNotArrived{
    "CK2423", Severity::kError, Category::kSafety,
    "a warp waits for the barrier of the cluster without having arrived at it",
    "PTX ISA, barrier.cluster: the wait is for the phase in which the thread has arrived"};
constexpr Def<> kUnwaited{
    "CK2424", Severity::kError, Category::kSafety,
    "a warp ends after an arrival at the barrier of the cluster that it never waits for",
    "the barrier is the one where all CTAs of the cluster meet when they end: an arrival without a "
    "wait counts there"};
constexpr Def<> kMissing{
    "CK2425", Severity::kError, Category::kSafety, "not all warps of the cluster reach its barrier",
    "every warp of every CTA of the cluster arrives, the same number of times"};
constexpr Def<Name> kWaitScope{
    "CK2426", Severity::kError, Category::kSafety,
    "the wait before this access of `{0}` does not see what another CTA of the cluster did before "
    "it "
    "arrived",
    "a wait acquires for its own CTA; what CTAs of the cluster release is acquired by "
    "`wait.cluster`"};
constexpr Def<Name, Name, int64_t, Name, int64_t> kClusterRace{
    "CK2427", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by CTA {2} is not ordered after the `{3}` by CTA {4} of the same cluster",
    "the CTAs of a cluster run at their own pace; their barrier, or an arrival `at` the other one "
    "that it waits for, orders their accesses"};
constexpr Def<Name, Name, int64_t> kTooEarly{
    "CK2428", Severity::kError, Category::kSafety,
    "`{0}` fills `{1}` in CTA {2} without knowing that its readers there are done",
    "a copy to several CTAs may be issued when the slot is free in all of them"};

constexpr Def<> kCancelAfterRefusal{
    "CK2454", Severity::kError, Category::kSafety,
    "`clc.try_cancel` by a CTA that has seen a request of its own refused",
    "PTX ISA, clusterlaunchcontrol.try_cancel: a request after the completion of a failed one has "
    "been observed is undefined"};

Name NameOf(std::string_view text) { return Name{std::string(text)}; }

}  // namespace

void Findings::RankOutside(const Place& at, int64_t rank, int64_t size) {
  if (!First(kRank.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kRank, SpanOf(at.stmt), rank, size).At(InstanceOf(at));
}

void Findings::MaskOutside(const Place& at, int64_t mask, int64_t all) {
  if (!First(kMask.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kMask, SpanOf(at.stmt), mask, all).At(InstanceOf(at));
}

void Findings::ClusterTwice(const Place& at, ir::StmtId before) {
  if (!First(kTwice.code, at.stmt, before)) return;
  auto builder = report_.Add(kTwice, SpanOf(at.stmt));
  if (before != at.stmt) builder.Label(SpanOf(before), "its earlier arrival is here");
  builder.At(InstanceOf(at));
}

void Findings::ClusterNotArrived(const Place& at) {
  if (!First(kNotArrived.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kNotArrived, SpanOf(at.stmt))
      .Fix("say `cluster.arrive` before it", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::ClusterUnwaited(const Place& at) {
  if (!First(kUnwaited.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kUnwaited, SpanOf(at.stmt))
      .Fix("say `cluster.wait` after it", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::ClusterMissing(const Place& at, std::string_view missing,
                              std::vector<diag::WaitEdge> edges) {
  if (!First(kMissing.code, at.stmt, ir::StmtId::kNone)) return;
  edges.push_back({.waiter = absl::StrCat("role ", RoleName(at)),
                   .event = "the barrier of the cluster",
                   .missing = std::string(missing),
                   .span = SpanOf(at.stmt)});
  auto builder = report_.Add(kMissing, SpanOf(at.stmt));
  builder.Label(SpanOf(at.stmt),
                absl::StrCat("missing: ", absl::string_view(missing.data(), missing.size())));
  builder.Waits(std::move(edges)).At(InstanceOf(at));
}

void Findings::MulticastTooEarly(const Place& at, const ir::Ring* ring, std::string_view name,
                                 int64_t cta) {
  if (!First(kTooEarly.code, at.stmt, ir::StmtId::kNone)) return;
  auto builder =
      report_.Add(kTooEarly, SpanOf(at.stmt), Name{OpName(at.stmt, "st.async")}, NameOf(name), cta);
  if (ring != nullptr && !ring->cluster) {
    builder.Label(ring->declared, "its slots are released to their own CTA only")
        .Fix(
            "declare `ring .. cluster`: then a slot is free when the readers of all CTAs have "
            "released theirs",
            {}, Applicability::kManual);
  }
  builder.At(InstanceOf(at));
}

// Whether one of the two names the shared memory of another CTA of its cluster.
bool Findings::ReachesOthers(const Race& race) const {
  const auto remote = [&](ir::ViewId view) {
    return view != ir::ViewId::kNone && program_[view].remote != ir::ExprId::kNone;
  };
  return race.same_cluster || remote(race.earlier_view) || remote(race.later_view);
}

// The barrier of the cluster before the later statement, where all its threads get there; else what
// else would order the two.
bool Findings::OfferClusterSync(diag::Report::Builder& builder, const Race& race,
                                const std::vector<ir::StmtId>& parents) const {
  ir::StmtId place = race.later.stmt;
  while (place != ir::StmtId::kNone && !UniformAt(place, ir::Scope::kCluster, parents)) {
    place = parents[static_cast<size_t>(place)];
  }
  bool around = false;  // one execution of the statement has both accesses: no use before it
  for (ir::StmtId s = race.earlier.stmt; s != ir::StmtId::kNone && place != race.later.stmt;
       s = parents[static_cast<size_t>(s)]) {
    around = around || s == place;
  }
  const bool alone = race.later.kernel->roles.size() == 1;
  if (alone && place != ir::StmtId::kNone && !around) {
    InsertBefore(builder, place, "cluster.sync", Applicability::kMaybe);
    return true;
  }
  builder.Fix(
      "`cluster.sync` between the two in every role of every CTA, or `arrive E@k at r` behind the "
      "first access and `wait.cluster E@k` before the second, r being the CTA that waits",
      {}, Applicability::kManual);
  return false;
}

bool Findings::ClusterRace(const Race& race, const std::vector<ir::StmtId>& parents) {
  if (!race.same_cluster || race.told_in_flight) return false;
  const Place &first = race.earlier, &second = race.later;
  const Name buffer{BufferName(*second.kernel, race.later_view)};
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  const bool reads = race.kind == ConflictKind::kReadWrite;
  const std::string place =
      absl::StrCat(reads ? "read" : "written", " here by role ", RoleName(first), ", warp ",
                   first.warp, ", CTA ", first.cta);
  if (race.missed_wait != ir::StmtId::kNone && !race.unfenced) {
    auto builder = report_.Add(kWaitScope, ViewSpan(race.later_view, second.stmt), buffer);
    builder.Label(SpanOf(first.stmt), place);
    const diag::Span wait = SpanOf(race.missed_wait);
    builder.Label(wait, "this wait");
    const uint32_t end = wait.begin + 4;  // behind the word `wait`
    if (TextOf(race.missed_wait).substr(0, 4) == "wait") {
      builder.Fix("say `wait.cluster`", {{diag::Span{end, end}, ".cluster"}},
                  Applicability::kMachine);
    }
    builder.At(std::move(instance));
    return true;
  }
  if (race.unfenced) return false;
  auto builder =
      report_.Add(kClusterRace, ViewSpan(race.later_view, second.stmt),
                  Name{OpName(second.stmt, race.kind == ConflictKind::kWriteRead ? "ld" : "st")},
                  buffer, second.cta, Name{OpName(first.stmt, reads ? "ld" : "st")}, first.cta);
  builder.Label(SpanOf(first.stmt), place).At(std::move(instance));
  OfferClusterSync(builder, race, parents);
  return true;
}

void Findings::CancelAfterRefusal(const Place& at, ir::StmtId refused) {
  if (!First(kCancelAfterRefusal.code, at.stmt, ir::StmtId::kNone)) return;
  auto builder = report_.Add(kCancelAfterRefusal, SpanOf(at.stmt));
  if (refused != at.stmt) builder.Label(SpanOf(refused), "this request was refused");
  builder.Fix("leave the loop where `clc.cta` gives -1", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
