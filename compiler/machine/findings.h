// What a run finds, put into diagnostics. One root cause, one finding: a pair (code, statements) is
// reported once a run, and a run stops at kMaxFindings, or when it has met the same ones
// kMaxRepeats times more.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "compiler/machine/barrier.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/mbarrier.h"
#include "compiler/machine/shadow.h"

namespace compiler::machine {

constexpr size_t kMaxFindings = 64;
constexpr int64_t kMaxRepeats = 100'000;

// Which run-time instance of a statement.
struct Place {
  const ir::Kernel* kernel = nullptr;
  ir::StmtId stmt = ir::StmtId::kNone;
  int role = 0, warp = 0, lane = -1;
  int64_t cta = -1, iteration = -1;
};

enum class Use : uint8_t { kGlobalStore, kBranch, kAddress, kTrips };

// Two accesses that nothing orders, in the order in which the author wrote them to happen.
struct Race {
  ConflictKind kind = ConflictKind::kWriteRead;
  Place earlier, later;  // other CTAs: nothing ever orders them
  ir::ViewId earlier_view = ir::ViewId::kNone, later_view = ir::ViewId::kNone;
  bool same_value = false;  // one statement that stores one value for all threads
  bool unfenced = false;    // ordered, but no proxy fence lies between them
  // Where the earlier side has handed over since, and the last barrier the later side has passed.
  ir::StmtId released_at = ir::StmtId::kNone, last_sync = ir::StmtId::kNone;
  int64_t byte_begin = -1, byte_end = -1;
  bool same_cluster = false;                  // different CTAs of one cluster
  ir::StmtId given_back = ir::StmtId::kNone;  // a release of the slot before the earlier access
  // A commit by a warp that has issued no product, in a CTA whose product is not known complete.
  ir::StmtId idle_commit = ir::StmtId::kNone;
  bool told_in_flight = false;  // the later side was told of the earlier product, not of its end
  ir::StmtId missed_wait = ir::StmtId::kNone;  // a wait that did not acquire what they had done
  // Of ordered accesses (findings_order.cc): strong sides, scopes that do not reach each other; the
  // load that read the release without acquiring it, and the release that did not reach the reader.
  bool earlier_strong = false, later_strong = false, narrow = false;
  bool side_by_side = false;  // CTAs whose order is followed
  ir::StmtId observed_at = ir::StmtId::kNone;
  ir::StmtId missed_release = ir::StmtId::kNone;

  void Swap() {
    std::swap(earlier, later);
    std::swap(earlier_view, later_view);
    if (kind != ConflictKind::kWriteWrite) {
      kind = kind == ConflictKind::kWriteRead ? ConflictKind::kReadWrite : ConflictKind::kWriteRead;
    }
    released_at = ir::StmtId::kNone;
    last_sync = ir::StmtId::kNone;
    given_back = ir::StmtId::kNone;
  }
};

class Findings {
 public:
  Findings(const ir::Program& program, const ir::LaunchValues& values, diag::Report& report);

  void OutOfBounds(const Place& at, const Access& access, size_t dimension, int64_t index,
                   int64_t limit);
  void NegativeStage(const Place& at, const Access& access, int64_t stage);
  void Misaligned(const Place& at, const Access& access, int64_t offset_bytes, int64_t bytes);
  void RegisterIndex(const Place& at, int64_t index, int64_t size);
  void FragmentSlice(const Place& at, int64_t column, int64_t columns, int64_t tile, int64_t unit);
  // Products of warpgroups.
  void OperandPlace(const Place& at, const Access& access, bool row, int64_t begin, int64_t unit);
  void WarpgroupDivergence(const Place& at, ir::StmtId others);
  void UnfinishedProduct(const Place& at, bool closed);
  void Undefined(const Place& at, const Origin& origin, Use use, std::string_view buffer);
  // A read met bytes in which another alternative of an `either` was written last.
  void OtherAlternative(ir::ViewId view, const std::string& written, diag::Span declared);
  void RaceFound(const Race& found, const std::vector<ir::StmtId>& parents);
  // A CTA ends while the source of a bulk store may be unread; `closed`: its group is committed.
  void UnfinishedStore(const Place& at, bool closed);
  void UnfinishedLoad(const Place& at);
  // Tensor memory (findings_tmem.cc). `load`: the origin of a register on its way.
  void UnfinishedProduct(const Place& at);
  void MapInUse(const Place& at, ir::StmtId copy);
  void CancelAfterRefusal(const Place& at, ir::StmtId refused);
  void OddCta(const Place& at, std::string_view name, size_t rank);
  void UnfinishedTensorCopy(const Place& at);
  void WrittenInFlight(const Place& at, const Origin& load);
  void ReadInFlight(const Place& at, const Origin& load);
  void PartOfColumn(const Place& at, const Access& access, int64_t bit);
  void CollectiveDivergence(const Place& at, std::string_view op, uint32_t mask);
  void SiteDivergence(const Place& at, const Barrier& barrier, ir::StmtId other);
  void MissingWarps(const Place& at, const Barrier& barrier, std::vector<diag::WaitEdge> edges);
  void Deadlock(const Place& at, const Barrier& barrier, std::vector<diag::WaitEdge> edges);
  void Unconsumed(const Place& at, const Barrier& barrier);
  // `threads`: of all warps that use the barrier.
  void Recycled(const Place& at, const Barrier& barrier, ir::StmtId other, int64_t threads);
  void BarrierIndex(const Place& at, std::string_view name, int64_t index, int64_t count);

  // Rings and events (findings_events.cc). Names are those of uses: "tiles@4".
  void UseNotNext(const Place& at, std::string_view verb, std::string_view ring, int64_t use,
                  int64_t next);
  void NegativeArrival(const Place& at, std::string_view verb, int64_t use);
  void EventRecycled(const Place& at, std::string_view name, std::string_view previous);
  void OverArrival(const Place& at, std::string_view name, int64_t arrived, int64_t declared);
  void WaitTooEarly(const Place& at, std::string_view name, std::string_view previous);
  // `wait` may still run when the generation of `next` is complete.
  void WaitLapped(const Place& at, ir::StmtId wait, std::string_view name, std::string_view next);
  void ExpectedBytes(const Place& at, std::string_view name, int64_t bytes, int64_t limit);
  // `arrival`: the one that completed the generation before all its bytes were in, if any did.
  void TooManyBytes(const Place& at, std::string_view name, int64_t completed, int64_t expected,
                    ir::StmtId arrival = ir::StmtId::kNone);
  void MissingBytes(const Place& at, const Mbarrier& mbarrier, std::string_view name,
                    std::vector<diag::WaitEdge> edges);
  void TooFewArrivals(const Place& at, const Mbarrier& mbarrier, std::string_view name,
                      std::vector<diag::WaitEdge> edges);
  void EventDeadlock(const Place& at, std::string_view who, std::string_view what,
                     const Mbarrier& mbarrier, std::vector<diag::WaitEdge> edges);
  void EventUnconsumed(const Place& at, const Mbarrier& mbarrier, std::string_view name);

  void StepError(const Place& at, ir::ExprId expr, std::string_view words);
  void LoopStep(const Place& at, int64_t step);
  void StepLimit(const Place& at, int64_t limit);
  void TimeLimit(const Place& at, double seconds);
  void ShadowLimit(const Place& at, int64_t bytes);
  void SizeLimit(const ir::Kernel& kernel, int64_t limit_bytes);
  void CtaLimit(const ir::Kernel& kernel, int64_t limit);

  // Ordered accesses, CTAs side by side, kernels that start early (findings_order.cc).
  bool OrderFound(const Race& race);  // false: an ordinary race
  void DivergentSpin(const Place& at, uint32_t spinning, uint32_t entered);
  void PollStuck(const Place& at, ir::ViewId polled, std::vector<diag::WaitEdge> edges);
  void NotResident(const Place& at, ir::ViewId polled, int64_t resident, int64_t grid);
  void GridNotResident(const ir::Kernel& kernel, int64_t grid, int64_t resident);
  void GridSyncMissing(const Place& at, int64_t arrived, int64_t grid);
  void GridLimit(const ir::Kernel& kernel, int64_t agents, int64_t limit);
  void EarlyChain(const ir::Kernel& kernel, const ir::Kernel& before, int64_t cta);

  // Clusters (findings_cluster.cc).
  void RankOutside(const Place& at, int64_t rank, int64_t size);
  void MulticastTooEarly(const Place& at, const ir::Ring* ring, std::string_view name, int64_t cta);
  void MaskOutside(const Place& at, int64_t mask, int64_t all);
  void ClusterTwice(const Place& at, ir::StmtId before);
  void ClusterNotArrived(const Place& at);
  void ClusterUnwaited(const Place& at);
  void ClusterMissing(const Place& at, std::string_view missing, std::vector<diag::WaitEdge> edges);

  // Reports what could only be judged with the whole run: reads of unwritten memory that no race
  // explains.
  void Finish();

  bool full() const {
    return report_.diagnostics().size() >= kMaxFindings || repeats_ >= kMaxRepeats;
  }
  // The place to point at: for control statements their condition or bounds, not the whole block.
  diag::Span SpanOf(ir::StmtId stmt) const;

 private:
  Race AsMeant(Race race) const;
  bool OfferFewerGroups(diag::Report::Builder& builder, const Race& race) const;
  // An event of the kernel that a commit of products arrives on and nothing waits for; "" if none.
  std::string UnheardEvent(const ir::Kernel& kernel) const;
  bool First(std::string_view code, ir::StmtId stmt, ir::StmtId other, int64_t detail = 0);
  std::string ViewText(ir::ViewId view) const;
  std::string BufferName(const ir::Kernel& kernel, ir::ViewId view) const;
  std::string RoleName(const Place& at) const;
  diag::Instance InstanceOf(const Place& at) const;
  diag::Span ViewSpan(ir::ViewId view, ir::StmtId stmt) const;
  // findings_cluster.cc; false: no other CTA takes part, or that is not what is wrong.
  bool ClusterRace(const Race& race, const std::vector<ir::StmtId>& parents);
  bool AccessedAfterRelease(const Race& race);  // findings_events.cc
  bool ReachesOthers(const Race& race) const;
  bool OfferClusterSync(diag::Report::Builder& builder, const Race& race,
                        const std::vector<ir::StmtId>& parents) const;
  // Races of asynchronous copies (findings_copies.cc); false: the race is of threads alone.
  bool TensorRace(const Race& race);  // findings_tmem.cc
  bool CopyRace(const Race& race, const std::vector<ir::StmtId>& parents);
  void Unfenced(const Race& race, const std::vector<ir::StmtId>& parents);
  bool IsProduct(ir::StmtId stmt) const;
  // findings_matrix.cc
  void ProductStillReads(const Race& race, const std::vector<ir::StmtId>& parents);
  void OfferGroupWait(diag::Report::Builder& builder, const Race& race) const;
  std::string OpName(ir::StmtId stmt, std::string_view otherwise) const;
  ir::CopyEffect CopyOf(ir::StmtId stmt) const;
  void InsertBefore(diag::Report::Builder& builder, ir::StmtId stmt, const std::string& text,
                    diag::Applicability applicability) const;
  void OfferSync(diag::Report::Builder& builder, const Race& race,
                 const std::vector<ir::StmtId>& parents) const;
  void AddWaits(diag::Report::Builder& builder, const Place& at,
                std::vector<diag::WaitEdge> edges) const;
  // The declaration of a ring or event; whether its arrival count is written there.
  diag::Span DeclarationOf(const ir::Kernel& kernel, const Mbarrier& mbarrier,
                           bool& explicit_count) const;
  std::string_view TextOf(ir::StmtId stmt) const;
  std::string AccessText(ir::StmtId stmt, ir::ViewId view) const;
  void OfferWord(diag::Report::Builder& builder, ir::StmtId stmt, std::string_view from,
                 std::string_view to, std::string_view words) const;
  void OfferOrder(diag::Report::Builder& builder, const Race& race, std::string_view later,
                  std::string_view earlier) const;
  bool UniformAt(ir::StmtId stmt, ir::Scope scope, const std::vector<ir::StmtId>& parents) const;

  struct UnwrittenRead {
    Place at;
    Origin origin;
    Use use;
  };

  const ir::Program& program_;
  diag::Report& report_;
  std::string shape_;
  std::set<std::tuple<std::string_view, ir::StmtId, ir::StmtId, int64_t>> seen_;
  int64_t repeats_ = 0;
  std::vector<UnwrittenRead> unwritten_reads_;
  struct Alternative {
    std::string name;
    diag::Span declared;
  };
  std::map<ir::ViewId, Alternative> other_alternatives_;  // by the view that reads
  std::set<ir::ViewId> raced_views_;
};

}  // namespace compiler::machine
