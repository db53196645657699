// One kernel of the elaborated tree to the text of one CUDA function. Only compiler/emit includes
// this.
//
// Files by what they print: expression.cc, address.cc, memory.cc (loads, stores), statement.cc,
// fragments.cc, matrix.cc (products and their copies), events.cc, companions.cc (stages and
// parities of uses), kernel_emitter.cc (signature, shared memory, roles).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/event_log.h"
#include "compiler/emit/names.h"
#include "compiler/emit/writer.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/program.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::emit {

// C++ precedence, larger binds tighter.
enum Precedence : int {
  kTernary = 3,
  kLogicalOr = 4,
  kLogicalAnd = 5,
  kBitOr = 6,
  kBitXor = 7,
  kBitAnd = 8,
  kEquality = 9,
  kRelational = 10,
  kShift = 11,
  kAdditive = 12,
  kMultiplicative = 13,
  kPrefix = 15,
  kPrimary = 20,
};

struct Text {
  std::string code;
  int precedence = kPrimary;
};

// Accumulators of 32 bits, elements one by one; other fragments are 32-bit words of elements.
bool IsTile(const ir::Type& type);

class KernelEmitter {
 public:
  KernelEmitter(const ir::Program& program, const ir::Kernel& kernel,
                const facts::KernelFacts& facts, const facts::CopyFacts& copies, std::string name,
                std::string_view file_name, const EmitOptions& options);
  std::string Run();

 private:
  // kernel_emitter.cc
  std::string Signature();
  void DeclareParameters();
  void DeclareShared(Writer& out);
  void EmitRoles();
  void EmitRole(size_t index);
  void EmitRegisterBudget(const ir::Role& role);
  size_t EndOfSharing(size_t first) const;
  std::string WarpRange(int64_t first, int64_t end) const;
  void DeclareBuiltins(Writer& out, bool of_role, int64_t first_warp);
  bool SingleRole() const;
  bool ReadOnly(ir::TensorId id) const;
  bool Aliased(ir::TensorId id) const;

  // statement.cc
  void Block(const std::vector<ir::StmtId>& block);
  void Statement(ir::StmtId id);
  void Lower(ir::StmtId id, const ir::Stmt& stmt);
  void Let(const ir::Stmt& stmt);
  void PairLet(const ir::Stmt& stmt);
  void Assign(const ir::Stmt& stmt);
  void For(const ir::Stmt& stmt);
  void While(const ir::Stmt& stmt);
  void If(const ir::Stmt& stmt);
  void Operation(ir::StmtId id, const ir::Stmt& stmt);
  void ScopeSync(const ir::Stmt& stmt);
  void NamedBarrier(const ir::Stmt& stmt, std::string_view instruction);
  void BarrierAsm(const ir::Stmt& stmt, std::string_view instruction, const std::string& id,
                  int64_t threads);
  std::string Fixed(ir::ExprId id, const std::string& name, const std::string& type, int at_least);
  void LineDirective(const ir::Stmt& stmt);
  std::string SpanMarker(const ir::Stmt& stmt) const;
  void BlockIn(std::string_view opening, const std::vector<ir::StmtId>& block);
  std::string CompoundAssignment(const std::string& target, const ir::Stmt& stmt);

  // copies.cc
  bool Copy(ir::StmtId id, const ir::Stmt& stmt);  // false: it is none of these
  bool CopyGroup(const ir::Stmt& stmt);
  void FenceReads(const ir::Stmt& stmt);
  void FenceAsync();
  void ArriveWithCopies(const ir::Stmt& stmt);
  void ThreadCopy(const ir::Stmt& stmt);
  void TensorCopy(const ir::Stmt& stmt, const facts::CopyPlan& plan);
  // tensor_map.cc: the map of this number that the role has patched for itself.
  void SetTensorMap(const ir::Stmt& stmt);
  std::string PatchedMap(int32_t map);
  void LaunchCancel(const ir::Stmt& stmt);
  void BulkCopy(const ir::Stmt& stmt, const facts::CopyPlan& plan);
  std::string PolicyOf(const ir::Stmt& stmt);
  std::string SharedBase(const ir::View& view, int64_t bytes);
  std::string LoadBarrier(const ir::Stmt& stmt);
  void PrefetchMaps(Writer& out);
  // events.cc
  void NameMbarriers();
  void DeclareMbarriers(Writer& out);
  void EventStatement(const ir::Stmt& stmt);
  void Acquire(const ir::Stmt& stmt);
  void Wait(const ir::Stmt& stmt);
  void ArriveElected(EventVerb verb, const ir::Stmt& stmt, const std::string& address,
                     const std::string& bytes = "");
  void ArriveFull(const ir::Stmt& stmt);
  Text Test(const ir::Expr& expr);
  // Stage and parity of a use; the address of the mbarrier that says full.
  Text StageOf(ir::ExprId use, int64_t stages);
  Text ParityOf(ir::ExprId use, int64_t stages);
  std::string MbarrierAddress(const std::string& array, ir::ExprId use, int64_t stages);
  std::string FullMbarrier(ir::RingId ring, ir::EventId event, ir::ExprId use);
  int64_t StagesOf(ir::RingId ring, ir::EventId event) const;
  bool MayBeNegative(ir::ExprId use) const;
  // The variable that sums up the bytes of a role's loads on a ring or event, as its next arrival
  // expects them; "" where the role has none. A load adds its bytes in the thread that issues it.
  std::string LoadCounter(ir::RingId ring, ir::EventId event) const;
  void DeclareLoadCounters(const std::vector<ir::StmtId>& body);
  std::pair<ir::RingId, ir::EventId> LoadTarget(const ir::Stmt& stmt) const;

  // event_log.cc: nothing in an ordinary build. `by`: who executes the operation.
  enum class LoggedBy : uint8_t { kWarp, kThread, kThreads };
  void DeclareLog(Writer& out);
  std::string LogOperands(EventVerb verb, const std::string& address, const std::string& parity,
                          ir::ExprId use, diag::Span place);
  void LogUse(EventVerb verb, LoggedBy by, const ir::Stmt& stmt, ir::ExprId use,
              const std::string& address, const std::string& parity = "",
              const std::string& guard = "");
  Text LoggedTest(const ir::Expr& expr, const Text& test, const std::string& address,
                  const std::string& parity);
  void LogBarrier(EventVerb verb, const ir::Stmt& stmt, const std::string& id);
  std::string LoggedTicket(const ir::Expr& expr, const std::string& call) const;
  void LogDelay();
  void LogPassed(const std::string& guard = "");  // behind what waits
  void LogEnded();

  // cluster.cc
  bool ClusterBarrier(const ir::Stmt& stmt);  // false: it is none
  void BeginTogether(Writer& out);
  void EndTogether();
  void ReleaseToCluster(const ir::Stmt& stmt, const std::string& address);
  std::string Arrival(const ir::Stmt& stmt, const std::string& address, const std::string& bytes);
  void RemoteStore(const ir::Stmt& stmt);
  std::string Receivers(const ir::Stmt& stmt);

  // companions.cc
  struct CounterUse {
    ir::LocalId local = ir::LocalId::kNone;
    int64_t offset = 0;
  };
  struct Companion {
    int64_t offset = 0, stages = 1;
    std::string stage, phase;  // names, once declared
  };
  CounterUse CounterOf(ir::ExprId use) const;
  const Companion* CompanionOf(ir::ExprId use, int64_t stages) const;
  bool StepsByOne(const ir::Stmt& stmt) const;
  void WantCompanion(ir::ExprId use, int64_t stages);
  void WantStage(const ir::View& view);
  void FindCounters(const std::vector<ir::StmtId>& body);
  void FindCompanions(const std::vector<ir::StmtId>& body);
  void SetCompanions(ir::LocalId local, const std::string& value);
  void StepCompanions(ir::LocalId local);

  // expression.cc
  Text Expression(ir::ExprId id);
  std::string Code(ir::ExprId id) { return Expression(id).code; }
  std::string Operand(ir::ExprId id, int at_least);
  Text Literal(const ir::Expr& expr);
  Text Operation(const ir::Expr& expr);
  Text OperatorText(const ir::Expr& expr);
  Text Builtin(ir::BuiltinValue value);
  Text Array(const ir::Expr& expr);
  bool IsElementwise(ir::ExprId id) const;
  void Elementwise(const ir::Expr& expr, const std::string& name);
  std::string TypeText(const ir::Type& type) const;
  std::string Fresh(std::string_view wanted) { return names_.Declare(wanted); }
  bool IsStable(ir::ExprId id) const;

  // fragments.cc
  std::string FragmentText(const ir::Type& type) const;
  Text FragmentElement(const ir::Expr& expr);
  Text Coordinate(const ir::Expr& expr);
  std::string BandText(const ir::AxisMap& axis);
  Text FragmentOperation(const ir::Expr& expr);
  void AssignFragment(const std::string& name, const ir::Type& type, ir::ExprId value);
  void ConvertFragment(const std::string& name, const ir::Type& type, const ir::Expr& expr);
  const ir::Type& FragmentType(ir::LocalId local) const {
    return kernel_.locals[static_cast<size_t>(local)].type;
  }

  // matrix.cc
  struct FragmentPart;
  struct Unrolled;
  FragmentPart PartOf(const ir::FragmentRef& ref);
  Unrolled OpenUnrolled(std::string_view wanted, int64_t from, int64_t to, int64_t step);
  void Mark(const ir::Stmt& stmt);
  void Product(ir::StmtId id, const ir::Stmt& stmt);
  void ClearAccumulator(const ir::Stmt& stmt, const FragmentPart& d);
  void ProductLoop(const FragmentPart& d, const FragmentPart& a, const FragmentPart& b,
                   const ir::MmaShape& shape, int64_t first_block, int64_t count,
                   std::string_view suffix);
  std::vector<Text> TileOffsets(const ir::View& view, const std::vector<size_t>& sliced,
                                const std::string& row, const std::string& column);
  void MatrixCopy(const ir::Stmt& stmt);

  // wgmma.cc
  struct SharedOperand;
  void FindProducts(const std::vector<ir::StmtId>& body);
  void FindPins(const std::vector<ir::StmtId>& body, std::vector<ir::LocalId>& visible);
  void WarpgroupProduct(ir::StmtId id, const ir::Stmt& stmt);
  bool ProductGroup(ir::StmtId id, const ir::Stmt& stmt);  // false: it is none
  SharedOperand OperandInShared(ir::ViewId view, bool left);
  void DeclareDescriptor(SharedOperand& operand, std::string_view wanted);
  std::string DescriptorAt(const SharedOperand& operand, const std::string& k,
                           const std::string& block);
  void Pin(ir::StmtId id);

  // tmem.cc
  struct TensorOperand;
  void AllocateTmem(Writer& out);
  void DeclareTmem(Writer& out);
  void FreeTmem();
  void TensorFence(const ir::Stmt& stmt, bool before);
  std::string TmemAddress(const ir::View& view);
  bool TensorStatement(const ir::Stmt& stmt);  // false: it is none
  std::string WarpLanes();
  void TensorCopyStatement(const ir::Stmt& stmt);
  TensorOperand DeclareOperand(ir::ViewId id, bool left);
  std::string OperandAt(const TensorOperand& operand, const std::string& k,
                        const std::string& block, int64_t block_extent);
  void TensorProduct(const ir::Stmt& stmt);
  void ProductSteps(const ir::Stmt& stmt, const std::pair<int64_t, int64_t>& size, int64_t blocks,
                    int64_t steps, const TensorOperand& a, const TensorOperand& b,
                    const std::string& start, const ir::UmmaShape& shape);
  // tensor_scale.cc
  void FillTile(const ir::Stmt& stmt);
  void FillScales(const ir::Stmt& stmt);
  std::string ScaleOperands(const ir::Stmt& stmt, const ir::UmmaShape& shape, const std::string& k);
  bool StoresTmem() const;
  Text TensorCoordinate(const ir::Expr& expr);

  // convert.cc
  struct Grouping {
    int64_t numbers = 1;  // in the whole operand
    bool packed_in = false, packed_out = false;
    bool pairs = false;  // two numbers in one instruction
  };
  struct Source {
    std::vector<std::string> elements;  // of an array that is written out
    std::string name;
    bool is_array = false;
  };
  bool ConvertsValues(const ir::Expr& expr) const;
  Grouping GroupingOf(const ir::Expr& expr) const;
  Source SourceOf(const ir::Expr& expr);
  std::string NumberText(const Source& source, const ir::Type& from, std::string_view group,
                         int64_t step, int64_t n) const;
  std::string ConvertText(const ir::Expr& expr, std::vector<std::string> args) const;
  void ConvertStep(const ir::Expr& expr, const Source& source, const Grouping& grouping,
                   const std::string& name, std::string_view group, int64_t step, int64_t first);
  void ConvertInto(const ir::Expr& expr, const std::string& name);
  Text ConvertToOne(const ir::Expr& expr);

  // range.cc
  std::optional<ir::Range> Range(ir::ExprId id, int depth = 0) const;

  // address.cc
  std::string Place(const ir::View& view);  // an lvalue: `x[..]`, the first element of a slice
  std::string GlobalIndex(const ir::View& view);
  std::string SharedIndex(const ir::View& view, bool swizzled_address = true);
  static int64_t PanelOf(const ir::SharedBuffer& buffer);
  int64_t SharedStride(const ir::View& view, size_t d) const;
  std::string SharedIndexOf(const ir::View& view, const std::vector<Text>& offsets,
                            bool swizzled_address = true);
  bool Fits32(const ir::View& view) const;
  std::string BufferName(const ir::View& view);
  ir::DType BufferType(const ir::View& view) const;
  ir::ExprId Extent(const ir::View& view, size_t dimension) const;

  // memory.cc
  int64_t SliceElements(const ir::View& view) const;
  std::string InBounds(const ir::View& view);
  std::string LoadCall(const ir::Expr& expr, int64_t vector);
  Text Load(const ir::Expr& expr);
  Text VectorLoad(const ir::Expr& expr);
  std::string ArrayValue(ir::ExprId value, const ir::Type& type);
  void Store(const ir::Stmt& stmt);
  void Prefetch(const ir::Stmt& stmt);

  // ordered.cc
  std::string OrderedName(const ir::OpDef& op, const std::vector<std::string_view>& modifiers,
                          const ir::View& view);
  std::string AtomicCall(const ir::OpDef& op, const std::vector<std::string_view>& modifiers,
                         ir::ViewId view, const std::vector<ir::ExprId>& values);
  Text Atomic(const ir::Expr& expr);
  void AtomicStatement(const ir::Stmt& stmt);
  void Volatile(const ir::Stmt& stmt, std::string_view instruction);
  void Fence(const ir::Stmt& stmt);
  void GridSync(const ir::Stmt& stmt);
  bool LaunchOrFence(const ir::Stmt& stmt);  // false: another kind of statement

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const facts::KernelFacts& facts_;
  bool just_fenced_ = false, fenced_before_ = false;  // the statement before is `fence async`
  const facts::CopyFacts& copies_;
  const std::string name_;
  const std::string file_name_;
  const bool log_events_, progress_;
  const LineTable lines_;

  Names names_;
  Writer out_;
  std::map<ir::LocalId, std::string> locals_;
  std::vector<std::string> tensors_, symbols_, shared_, tensor_maps_, tmem_;
  std::string tmem_base_;
  std::map<ir::LocalId, ir::Range> ranges_;  // of locals that never change
  std::map<ir::BuiltinValue, std::string> builtins_;
  std::set<ir::BuiltinValue> used_;
  std::set<ir::TensorId> written_;
  bool ordered_ =
      false;  // pointers that are written are not `__restrict__`: others write there too
  std::set<ir::SharedId> used_shared_;
  std::vector<std::string> rings_full_, rings_empty_, events_;  // names of mbarrier arrays
  std::map<std::pair<ir::RingId, ir::EventId>, std::string> load_counters_;  // of this role
  // Fragments that the tensor cores use around a statement: pinned before the fence that stands
  // before a product, and behind a wait.
  std::map<ir::StmtId, std::vector<ir::LocalId>> pins_;
  std::set<ir::LocalId> in_products_;           // of this role
  std::set<ir::LocalId> counters_;              // stepped by 1 somewhere
  std::set<ir::LocalId> counts_up_, may_fall_;  // from 0 up; anything else
  std::map<ir::LocalId, std::vector<Companion>> companions_;
  std::string hint_ = "value";  // what temporaries of this statement are named after
  int single_thread_ = 0;       // blocks of `elect` and `once` around the statement
  std::string warp_index_;      // of the CTA, in kernels of several roles
  const ir::Role* role_ = nullptr;
  size_t role_index_ = 0;
};

}  // namespace compiler::emit
