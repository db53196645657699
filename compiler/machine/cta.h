// One CTA at a time: its warps, shared memory and barriers. Internal to compiler/machine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/fragment.h"
#include "compiler/machine/access.h"
#include "compiler/machine/agents.h"
#include "compiler/machine/barrier.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/cluster.h"
#include "compiler/machine/cta_records.h"
#include "compiler/machine/cuts.h"
#include "compiler/machine/groups.h"
#include "compiler/machine/mbarrier.h"
#include "compiler/machine/run_state.h"
#include "compiler/machine/shared_memory.h"
#include "compiler/machine/tensor_memory.h"
#include "compiler/machine/warp.h"

namespace compiler::machine {

// Where the clocks of a CTA's agents are: CTAs that run side by side share one space.
struct AgentSpace {
  size_t first = 0;     // agent of the CTA's first warp
  size_t agents = 0;    // of the space; 0: the CTA's own
  uint32_t serial = 0;  // of the space's first CTA; 0: the CTA's own
};

struct Tile;  // tile.h

class Cta {
 public:
  Cta(RunState& run, const ir::Kernel& kernel, const facts::KernelFacts& facts,
      const KernelCode& code, AgentSpace space = {});
  Cta(const Cta&) = delete;
  Cta& operator=(const Cta&) = delete;
  ~Cta();

  // Runs the CTA with this linear id to its end, or until the run is stopped.
  void Run(int64_t cta, const facts::KernelLaunch& launch);

  // The same in steps, for CTAs that run side by side (grid.cc). `serial` is the CTA's number in
  // the run. Advance goes on until every warp waits or has ended; false: nothing could be done.
  void Start(int64_t cta, uint32_t serial, const facts::KernelLaunch& launch);
  bool Advance();
  bool AdvanceOne();  // only one warp, chosen and for as long as the schedule's seed says
  bool Done() const;
  void End();  // after the last warp: what is left over is a finding
  bool PollersMove();
  bool AtGrid() const { return at_grid_; }
  const Clocks& GridClocks() const;
  void LeaveGrid(const Clocks& all);
  bool Polls() const;
  void MissingAtGrid(int64_t arrived, int64_t grid);
  void Stuck(int64_t waiting_ctas);  // nothing moves any more: says why
  // Clusters (cluster.cc).
  void Join(ClusterState& cluster, size_t rank);
  void SetSpaceSerial(uint32_t serial) { space_.serial = serial; }
  bool Finished() const;  // done, and so are all CTAs of its cluster

  static size_t AgentsOf(const ir::Program& program, const ir::Kernel& kernel);

 private:
  friend struct Cuts;
  // Scheduling (cta.cc).
  void Restart(int64_t cta, const facts::KernelLaunch& launch);
  void SetBuiltins(Warp& warp, const facts::KernelLaunch& launch);
  bool Canonical();
  bool Permuted();
  void MakeWarps(CtaScratch& left);
  void MakeBarriers();
  size_t Ready() const;

  // Instructions (execute.cc). Resume returns when the warp is blocked, done, out of `budget`
  // instructions, or the run is stopped.
  void Resume(Warp& warp, int64_t budget);
  void Step(Warp& warp, const Instruction& instruction);
  void Statement(Warp& warp, ir::StmtId stmt);
  // `opaque`: no values move, only what is undefined.
  void Move(Warp& warp, Register to, Register from, bool opaque);
  bool OpaqueList(const Warp& warp, const Instruction& i) const {
    return code_.roles[static_cast<size_t>(warp.role)].opaque_lists[static_cast<size_t>(i.a)];
  }
  // Of a value made of this register, which has an undefined lane.
  int32_t ReadOrigin(Warp& warp, Register from);
  void Undefine(Warp& warp, Register r, int32_t origin, bool opaque = false);
  void Invoke(Warp& warp, const Call& call);
  void RetryByLane(Warp& warp, const Call& call);
  static int64_t UniformIndex(const ir::LaneVector& index, uint32_t lanes);
  void GetElement(Warp& warp, const Instruction& instruction);
  void SetElement(Warp& warp, const Instruction& instruction);
  uint32_t TrueLanes(Warp& warp, Register condition, Use use);
  uint32_t DefinedLanes(Warp& warp, Register r, Use use);
  void Branch(Warp& warp, const Instruction& instruction);
  void Operand(Warp& warp, const Instruction& instruction, bool where_true);
  void WatchTruth(Warp& warp, const Instruction& i), WatchOrder(Warp& warp, const Instruction& i);
  void OneLane(Warp& warp, const Instruction& instruction, bool first_warp_only);
  void EnterLoop(Warp& warp, const Instruction& instruction);
  void NextIteration(Warp& warp, const Instruction& instruction);
  void CountTrip(Warp& warp);
  void PopFrame(Warp& warp);

  // Fragments (matrix.cc).
  void GetFragment(Warp& warp, const Instruction& instruction);
  void SetFragment(Warp& warp, const Instruction& instruction);
  std::optional<Register> FragmentElement(Warp& warp, const Instruction& instruction, int lane);
  // The element all active lanes mean; nothing where they differ or it does not exist.
  std::optional<Register> UniformFragmentElement(Warp& warp, const Instruction& instruction,
                                                 uint32_t defined);
  void Coordinate(Warp& warp, const Instruction& instruction);
  bool WholeWarp(Warp& warp, std::string_view name);
  bool FirstColumn(Warp& warp, const FragmentOperand& operand, int64_t* first);
  uint32_t ZeroLanes(Warp& warp, const Product& product);
  void Multiply(Warp& warp, const Product& product);
  int64_t TileByte(const MatrixCopy& copy, const Addresses& origin) const;
  bool TileDefined(const MatrixCopy& copy, const Addresses& origin) const;
  void ClearZeroLanes(Warp& warp, const Product& product, int64_t first_d);
  void Accumulate(Warp& warp, const Product& product, int64_t first_d, const Tile& a,
                  const Tile& b);
  // Products of warpgroups (wgmma.cc).
  void MultiplyWarpgroup(Warp& warp, const Product& product);
  bool TogetherInWarpgroup(Warp& warp);
  bool SharedTile(Warp& warp, const Product& product, bool left, Tile& tile);
  bool TileOrigin(Warp& warp, const Access& access, int64_t* origin);
  bool TileLies(Warp& warp, const Access& access, bool transposed);
  void ReadTile(const Access& access, int64_t origin, const SharedOperand& operand, int64_t first,
                int64_t rows, int64_t to_row, Tile& tile);
  void TaintTile(const Access& access, int64_t origin, const SharedOperand& operand, int64_t first,
                 int64_t rows, int64_t to_row, Tile& tile) const;
  template <typename F>
  static bool ForEachLine(int64_t origin, const SharedOperand& operand, int64_t outer,
                          int64_t depth, const F& visit);
  bool OperandDefined(const Access& access, int64_t origin, const SharedOperand& operand,
                      int64_t outer, int64_t depth) const;
  bool CheckTileRaces(Warp& warp, const Access& access, int64_t origin,
                      const SharedOperand& operand, int64_t outer, int64_t depth);
  void ProductGroup(Warp& warp, const Sync& sync);
  size_t FirstOfWarpgroup(const Warp& warp) const;
  void CheckProductsAtExit();
  void CopyMatrix(Warp& warp, const MatrixCopy& copy);
  void MoveMatrix(Warp& warp, const MatrixCopy& copy, int64_t first, const Addresses& origin,
                  bool defined);
  void CheckMatrixRaces(Warp& warp, const MatrixCopy& copy, const Addresses& origin);
  static bool FragmentDefined(Warp& warp, const FragmentOperand& fragment, int64_t first);
  void WriteTile(Warp& warp, const MatrixCopy& copy, const Addresses& origin);

  // Tensor memory (tmem.cc).
  TensorRange TensorRow(const Access& access, int64_t row, int64_t column, int64_t count) const;
  template <typename Alike, typename Visit>
  void ForRowsTogether(const Access& access, int64_t rows, const Alike& alike,
                       const Visit& visit) const;
  std::byte* TensorData(int64_t lane, int64_t byte) const;
  bool TensorColumn(Warp& warp, const Access& access, int64_t* column);
  int32_t TensorOrigin(const Access& access, const TensorRange& range) const;
  void TensorWritten(const Access& access, const TensorRange& range, int32_t origin);
  void CheckTensor(const Accessor& by, int lane, const TensorRange& range, bool write);
  Accessor TensorAccessor(const Warp& warp, const Access& access, AgentId agent, Epoch epoch) const;
  void CopyTensor(Warp& warp, const TensorCopy& copy);
  void LoadTensor(Warp& warp, const TensorRun& run);
  void StoreTensor(Warp& warp, const TensorRun& run);
  bool WaitTensor(Warp& warp, const Sync& sync);
  void CommitProducts(Warp& warp, const Sync& sync);
  bool IssuedByOne(Warp& warp, std::string_view name);
  std::vector<Cta*> Pair() const;
  // Copies to it from shared memory (tensor_fill.cc).
  void FillTensor(Warp& warp, const TensorFill& fill);
  void FillTile(Warp& warp, const TensorFill& fill, Epoch epoch);
  void MoveRow(const TensorFill& fill, int64_t from, const TensorRange& to);
  bool ReadSource(Warp& warp, const TensorFill& fill, Epoch epoch, std::vector<Piece>& pieces);
  void CheckFill(const Accessor& writes, int lane, const TensorRange& range);
  Epoch FilledBefore(AgentId agent, const Cell& cell) const;
  void CheckTensorRead(const Accessor& reads, const std::vector<uint64_t>& issued, int lane,
                       const TensorRange& range);
  // Scales of block-scaled products (tensor_scale.cc).
  struct TensorOperand;
  TensorRange ScaleWords(const Access& access, int64_t row, int64_t column, int64_t part,
                         int64_t rows) const;
  void FillScales(Warp& warp, const TensorFill& fill, Epoch epoch);
  void FillColumn(const TensorFill& fill, int64_t row, int64_t column, const int64_t* from);
  bool ReadScales(Warp& warp, const Access& access, Epoch epoch, int64_t rows,
                  TensorOperand& operand);
  bool IsEvenCta(const Warp& warp);
  bool KnownToCluster(AgentId agent, Epoch epoch) const;
  bool IsTensorCommit(const Warp& warp) const;
  void LearnEngines(const Clocks& published, Clocks& to);
  void CheckTensorAtExit();
  WarpTensor& TensorOf(const Warp& warp) { return tensor_.warps[warp.agent - space_.first]; }
  // Products into it (tensor_product.cc).
  bool ReadOperand(Warp& warp, const Access& access, bool k_is_row, Accessor& by,
                   TensorOperand& operand);
  void ReadRows(Warp& warp, const Access& access, int64_t column, OperandPart& part,
                const Accessor& by, TensorOperand& operand);
  void ReadPiece(const Access& access, const Piece& piece, const OperandPart& part,
                 TensorOperand& operand);
  void MultiplyTensor(Warp& warp, const TensorProduct& product);
  void Compute(const TensorProduct& product, int64_t first_column, bool accumulate,
               const TensorOperand& a, const TensorOperand& b);
  void Accumulate(const TensorProduct& product, int64_t first_column, bool accumulate,
                  const TensorOperand& a, const TensorOperand& b);
  void CheckAccumulator(Warp& warp, const TensorProduct& product, int64_t first_column,
                        Epoch epoch);
  template <typename Alike, typename Visit>
  void ForAccumulatorRows(const TensorProduct& product, int64_t first_column, const Alike& alike,
                          const Visit& visit);

  // Memory (access.cc).
  void Load(Warp& warp, const Access& access);
  void Store(Warp& warp, const Access& access);
  Addresses Resolve(Warp& warp, const Access& access);
  void LoadValues(Warp& warp, const Access& access, const Addresses& addresses);
  void LoadFrom(Warp& warp, const Access& access, const Addresses& addresses);
  void StoreTo(Warp& warp, const Access& access, const Addresses& addresses);
  void ResolveDimension(Warp& warp, const Access& access, size_t d, uint32_t lanes, Addresses& to);
  void ResolveStage(Warp& warp, const Access& access, Addresses& to);
  void CheckAlignment(Warp& warp, const Access& access, const Addresses& addresses);
  // Bytes of shared memory as an access finds and leaves them (overlay.cc); `byte` is that of the
  // CTA's shared memory.
  void MakeRegions();
  void RestartRegions();
  SharedRegion& RegionOf(const Access& access) const {
    const auto buffer = static_cast<size_t>(access.buffer);
    return memory_->regions_[memory_->region_of_[buffer]];
  }
  bool OtherAlternative(const Access& access, int32_t owner) const;
  int32_t SharedOrigin(const Access& access, int64_t byte, int64_t bytes) const;
  void SharedWritten(const Access& access, int64_t byte, int64_t bytes, int32_t origin);
  void LoadDefinedness(Warp& warp, const Access& access, const Addresses& addresses);
  bool AllDefined(const Access& access, const Addresses& addresses) const;
  void LanesWritten(const Access& access, const Addresses& addresses);
  void StoreDefinedness(Warp& warp, const Access& access, const Addresses& addresses);
  void CheckRaces(Warp& warp, const Access& access, const Addresses& addresses, bool write);
  Accessor RaceAccessor(const Warp& warp, const Access& access, bool shared) const;
  std::optional<Shadow> ShadowOf(const Access& access);  // nothing where no access can conflict
  // visit(byte, cell) for each unit of these bytes, which begin at the buffer's byte `first`;
  // false, and the run stopped, where the shadow would be too large. In global memory they are
  // whole units; some that are misaligned, which has been reported, count for as many.
  template <typename Visit>
  bool ForCells(const Warp& warp, int lane, const Shadow& shadow, int64_t first, int64_t bytes,
                const Visit& visit);
  void ShadowIsFull(const Warp& warp, int lane);
  bool CheckBytes(Warp& warp, const Shadow& shadow, const Accessor& by, int lane, int64_t first,
                  int64_t bytes, bool write);
  void ForgetKnown();
  // The same of each of these lanes.
  bool CheckLanes(Warp& warp, const Shadow& shadow, const Accessor& by, const LaneBytes& at,
                  bool write);
  void CheckOrderedRaces(Warp& warp, const Access& access, const Addresses& addresses,
                         const Shadow& shadow, const Accessor& by, bool write);
  void ReportRaces(Warp& warp, const Access& access);
  // What a race of two sides of a ring comes from (hand_over.cc).
  void NoteGivenBack(Warp& warp, const Sync& sync, int64_t use) const;
  ir::StmtId GivenBackBefore(const Warp& warp, const Access& access, const Warp& first,
                             Epoch epoch) const;
  bool ToldInFlight(const Warp& warp, const Conflict& conflict, const Warp& first) const;
  void CountBytes(Warp& warp, const Access& access, const Addresses& addresses, bool write);
  std::byte* Data(const Access& access);
  Accessor AccessorOf(const Warp& warp, const Access& access) const;

  // Ordered accesses and launches (ordered.cc).
  void Atomic(Warp& warp, const Access& access);
  void AtomicLane(Warp& warp, const Access& access, int64_t first, int lane, size_t index);
  static bool Wide(const Access& access);
  uint32_t SharedSerial() const;
  void ExplainFar(const Warp& warp, const Conflict& conflict, Race& race) const;
  void OrderLoads(Warp& warp, const Access& access, const Addresses& addresses);
  void OrderStores(Warp& warp, const Access& access, const Addresses& addresses);
  bool Unwritten(const Access& access, int64_t offset) const;
  void FirstStores(Warp& warp, const Access& access, const Addresses& addresses);
  void OrderRead(Warp& warp, const Access& access, const Word& word, uint32_t lanes);
  void OrderWrite(Warp& warp, const Access& access, Word& word, uint32_t lane);
  void Learn(std::vector<LaneKnowledge>& list, uint32_t lanes, bool foreign, const Clock& clock);
  Clock PastOf(const Warp& warp, uint32_t lane, Epoch epoch) const;
  void Converge(Warp& warp);
  void Fence(Warp& warp, const Sync& sync);
  void LaunchWait(Warp& warp, const Sync& sync);
  void NextTest(Warp& warp), WakePollers();
  void AtomicDefinedness(Warp& warp, const Access& access, const AtomicWord& at, bool old_undefined,
                         bool new_undefined);
  uint32_t SpaceOf(const Access& access) const;
  Words& WordsOf(const Access& access);
  int64_t WordByte(const Access& access, int64_t offset) const;
  bool LaunchKnown(const Warp& warp) const;
  void PlaceOfAgent(const Conflict& conflict, Place& place) const;
  bool HasStrong() const;
  void ExplainOrder(const Warp& warp, const Conflict& conflict, Race& race) const;
  uint64_t StateHash(Warp& warp);
  // Asynchronous copies (copies.cc).
  static void AddPiece(std::vector<Piece>& pieces, int64_t first, int64_t count);
  static int64_t ElementsOf(const std::vector<Piece>& pieces);
  void CopyBytes(Warp& warp, const Copy& copy);
  void LaneCopies(Warp& warp, const Copy& copy);
  void LoadCopy(Warp& warp, CopyRun& run, int64_t bytes);
  std::optional<EventUse> CopyEvent(Warp& warp, const Copy& copy, int lane);
  bool BoxPieces(Warp& warp, const Access& access, int lane, bool clipped,
                 std::vector<Piece>& pieces, const BoxEnd& end = {});
  // Tensor maps, patched ones and rows by number (tensor_map.cc).
  void SetTensorMap(Warp& warp, const Copy& copy);
  std::optional<BoxEnd> EndOf(Warp& warp, const Copy& copy, int lane);
  bool GatherPieces(Warp& warp, const Copy& copy, int lane, const BoxEnd& end,
                    std::vector<Piece>& pieces);
  void NoteMapUse(const Warp& warp, const CopyRun& run);
  bool CopyAligned(Warp& warp, const CopyRun& run);
  void Transfer(Warp& warp, const CopyRun& run);
  void MarkWritten(const CopyRun& run);
  int32_t OriginAt(const Access& access, int64_t offset, int64_t count) const;
  void MarkShared(const Access& access, int64_t offset, int64_t count, int32_t origin);
  template <typename F>
  static void ForEachPart(const CopyRun& run, const F& visit);
  void MoveBytes(const CopyRun& run, int64_t target, int64_t source, int64_t count);
  void CopyDefinedness(Warp& warp, const CopyRun& run);
  void CheckFilled(Warp& warp, CopyRun& run, const LaneBytes& filled);
  Accessor CopyAccessor(const Warp& warp, const CopyRun& run, const Access& access,
                        bool write) const;
  void CheckCopyRaces(Warp& warp, const CopyRun& run, const Access& access,
                      const std::vector<Piece>& pieces, bool write);
  bool GroupOperation(Warp& warp, const Sync& sync);  // false: it is none
  void ProxyFence(Warp& warp);
  void ArriveWithCopies(Warp& warp, const EventUse& at);
  void PublishGroups(const Warp& warp, uint32_t lanes, Clock& to) const;
  void PublishGroups(const Warp& warp, uint32_t lanes, Clocks& to) const;
  void CheckCopiesAtExit();
  void RestartGroups();

  void CancelLaunch(Warp& warp, const Copy& copy, int lane);  // launch_control.cc

  // Clusters (cluster.cc).
  std::vector<Cta*> Members() const;  // of its cluster, by rank; itself alone without one
  Cta& OwnerOf(AgentId agent);
  const Cta& OwnerOf(AgentId agent) const { return const_cast<Cta*>(this)->OwnerOf(agent); }
  bool InCluster(uint32_t serial) const;
  Cta* RankOf(Warp& warp, Register ranks, int lane);
  void AtRanks(Warp& warp, const Access& access, void (Cta::*visit)(Warp&, const Access&));
  void AccessMemory(Warp& warp, const Access& access, void (Cta::*visit)(Warp&, const Access&)) {
    if (access.remote != kNoRegister) return AtRanks(warp, access, visit);
    (this->*visit)(warp, access);
  }
  std::vector<Cta*> Receivers(Warp& warp, const Copy& copy, int lane);
  bool ClusterOperation(Warp& warp, const Sync& sync);
  void ClusterArrive(Warp& warp, const Sync& sync);
  void ClusterComplete();
  void ClusterWait(Warp& warp, const Sync& sync);
  bool ClusterDeadlock();
  void AddMissing(std::string& text) const;
  void CheckClusterAtExit();
  void StoreAsync(Warp& warp, const Copy& copy);
  void ArriveAt(Warp& warp, const Sync& sync, const EventUse& at, uint32_t lanes, int64_t bytes);
  void ReleaseToAll(Warp& warp, const EventUse& at);

  // Synchronisation (sync.cc).
  void Synchronise(Warp& warp, const Sync& sync);
  int32_t BarrierOf(Warp& warp, const Sync& sync);
  void Contribute(Warp& warp, int32_t barrier, ir::StmtId stmt, bool waits);
  bool ContributionLegal(Warp& warp, const Barrier& barrier, ir::StmtId stmt, bool waits);
  void Complete(Barrier& barrier, int32_t index);
  void NothingMoves();
  void CheckExit();
  std::string WaitName(const Warp& warp) const;
  bool ScopeHasMissing(const Barrier& barrier) const;
  std::vector<diag::WaitEdge> WaitEdges() const;
  void OwnWaitEdges(std::vector<diag::WaitEdge>& edges) const;
  std::string WhyMissing(const Barrier& barrier) const;
  bool InScope(const Warp& warp, const Barrier& barrier) const;
  std::string WarpNames(int role, const std::vector<int>& warps) const;

  // Rings and events (events.cc).
  void MakeMbarriers();
  void EventOperation(Warp& warp, const Sync& sync);
  void Test(Warp& warp, const Instruction& instruction);
  bool DeniesTest(const Warp& warp, const Mbarrier& mbarrier);
  // The use index all active lanes agree on; a finding and a stopped run where they do not.
  std::optional<int64_t> UniformUse(Warp& warp, const Sync& sync);
  // The mbarrier and generation that use `use` of an event, or of a ring's slots being full, names.
  EventUse FullUse(int32_t ring, int32_t event, int64_t use) const;
  // The generation of a slot being free that `release` of this use completes.
  EventUse EmptyUse(int32_t ring, int64_t use) const;
  // Whether `use` is the next of its verb; a finding and a stopped run where it is not.
  bool NextUse(Warp& warp, const Sync& sync, int64_t use);
  void WaitFor(Warp& warp, const EventUse& at, const Sync& sync);
  void Block(Warp& warp, const EventUse& at, const Sync& sync);
  bool WaitIsInWindow(Warp& warp, const EventUse& at, ir::StmtId stmt);
  void Returned(Warp& warp, const EventUse& at, ir::StmtId stmt, bool relaxed, bool cluster);
  bool LoadIsInOrder(Warp& warp, const EventUse& at, int64_t bytes);
  bool ArrivalIsInOrder(Warp& warp, const EventUse& at);
  // `count` arrivals of the warp's `lanes` with `bytes` to expect; publishes what these lanes did.
  void ArriveOn(Warp& warp, const EventUse& at, uint32_t lanes, int64_t count, int64_t bytes);
  // The same for arrivals that publish something else: `published` must have all agents.
  void ArriveAs(Warp& warp, const EventUse& at, const Clocks& published, int64_t count,
                int64_t bytes);
  void MayComplete(int32_t mbarrier, const Warp& cause);
  void CompleteGeneration(int32_t mbarrier, const Warp& cause);
  // A load of `bytes` that completes on `at` is issued: it is a contribution to that generation,
  // and its bytes belong to the warp's next arrival there. The stamp is that of the load's
  // accesses; nothing where the run was stopped by a finding.
  std::optional<LoadStamp> IssueLoad(Warp& warp, const EventUse& at, int64_t bytes);
  // The bytes of an issued load are in.
  void CompleteBytes(Warp& warp, const EventUse& at, int64_t bytes);
  int64_t TakeLoadBytes(Warp& warp, const EventUse& at);

  // The event log (event_log.cc); nothing where nobody asks for it.
  void StartLogs();
  void Log(const Warp& warp, const EventRecord& record);
  void LogUse(const Warp& warp, const Sync& sync, int64_t use);
  void LogTest(const Warp& warp, const Sync& sync, const EventUse& at);
  void LogLoad(const Warp& warp, const Copy& copy, const EventUse& at);
  void LogBarrier(const Warp& warp, const Sync& sync, int32_t barrier);
  void Answer(Warp& warp, Register to);
  uint64_t Ticket(const Warp& warp, const Access& access, int lane, uint64_t own);

  // What is said when events never complete (event_deadlock.cc).
  bool EventDeadlock();
  void EventEdges(std::vector<diag::WaitEdge>& edges) const;
  std::string WhyIncomplete(const Mbarrier& mbarrier) const;
  bool Contributes(const Cta& cta, const Warp& warp, const Mbarrier& mbarrier) const;
  void WhoIsMissing(const Cta& cta, const Mbarrier& mbarrier, std::string& text) const;
  bool SomebodyIsLeft(const Mbarrier& mbarrier) const;
  std::string EventName(const Mbarrier& mbarrier, int64_t use) const;
  void CheckEventsAtExit();

  Place PlaceOf(const Warp& warp, int lane = -1) const {
    return {.kernel = &kernel_,
            .stmt = warp.stmt,
            .role = warp.role,
            .warp = warp.index,
            .lane = lane,
            .cta = warp.cta,
            .iteration = warp.Iteration()};
  }

  RunState& run_;
  const ir::Kernel& kernel_;
  const facts::KernelFacts& facts_;
  const KernelCode& code_;
  std::vector<Warp> warps_;
  Agents agents_;
  std::vector<Barrier> barriers_;
  std::vector<Mbarrier> mbarriers_;  // by ring: its full ones, its empty ones; then by event
  std::vector<int32_t> first_full_, first_empty_;  // by RingId
  std::vector<int32_t> first_event_;               // by EventId
  std::vector<int32_t> first_named_;               // by BarrierId: its first barrier object
  std::vector<int32_t> role_barrier_;              // by role
  std::vector<int32_t> first_group_;               // by role: barrier of its warpgroup 0
  int32_t cta_barrier_ = -1;

  std::vector<std::byte> shared_;
  std::vector<SharedRegion> regions_;
  std::vector<size_t> region_of_;  // by SharedId
  RaceRules shared_rules_;
  ConflictList conflicts_;
  std::vector<Epoch> known_;  // of ForgetKnown
  TensorMemory tensor_;

  // Asynchronous copies: groups of each warp, and the last load that each queue of loads was given.
  std::vector<WarpGroups> groups_;
  std::vector<WarpgroupOrder> products_;  // by warpgroup
  std::map<AgentId, IssuedLoad> issuers_;
  // Copies through patched maps since they were set, by warp and tensor.
  std::map<std::pair<AgentId, int32_t>, std::vector<MapUse>> map_uses_;
  // Requests of this CTA for the places of others: how many were granted, and the first that was
  // not.
  int64_t grants_ = 0;
  std::optional<Refusal> refusal_;

  Warp& WarpOf(AgentId agent);
  WarpGroups& GroupsOf(const Warp& warp) { return groups_[warp.agent - space_.first]; }
  const WarpGroups& GroupsOf(const Warp& warp) const { return groups_[warp.agent - space_.first]; }
  // The warp that an agent is, or that has asked for what a queue does.
  Warp& IssuerOf(AgentId agent);

  std::vector<TicketReplay> replay_;  // by warp, with a log

  ClusterState* cluster_ = nullptr;  // null: no other CTA can be named
  std::unique_ptr<ClusterState> alone_;
  size_t rank_ = 0;
  Cta* memory_ = this;  // whose shared memory the access at hand names

  AgentSpace space_;
  uint32_t serial_ = 0;
  int32_t site_base_ = 0;
  int32_t grid_barrier_ = -1;
  bool at_grid_ = false, waited_ = false;
  Words shared_words_;
  std::unique_ptr<Cuts> cuts_;  // null: nobody asks for them
  Clocks published_;            // by the arrival at hand

  int64_t cta_ = 0;
  int64_t since_clock_check_ = 0;
  std::mt19937_64 random_;
};

}  // namespace compiler::machine
