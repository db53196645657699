// Elaboration of one member: a walk over the syntax tree in source order that resolves names, gives
// types, inlines fn and iter where they are called, and builds the elaborated tree. Levels and
// register indices are settled afterwards over the finished tree (levels.h, registers.h).
//
// The methods are split over files by what they read: program.cc (items), kernel.cc (kernel items),
// events.cc, statement.cc, operation.cc (instructions that are statements), expression.cc,
// function.cc (operators and function entries), view.cc, call.cc (inlining), coerce.cc, declare.cc
// (names and types), where.cc.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/tensor_memory.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/builder.h"
#include "compiler/sema/scope.h"

namespace compiler::sema {

using diag::Name;
using diag::Span;

class Elaborator {
 public:
  Elaborator(const text::File& file, const text::Program& program, const Binding& binding,
             const ir::OpTable& ops, diag::Report& report);
  // `broken_text`: the text has errors, so that a part of it may be missing from the tree.
  std::unique_ptr<ir::Program> Run(bool broken_text);
  std::optional<Span> FirstUnknown() const { return b_.first_unknown; }

 private:
  // Where `return` and `yield` of the body being inlined go.
  struct Frame {
    const text::Function* function = nullptr;
    std::vector<ir::Type> result_types;
    std::vector<ExprId> results;       // direct results
    std::vector<ir::LocalId> targets;  // where both branches of an `if` return
    bool returned = false;
    // iter: the loop that consumes it
    const text::Stmt* loop = nullptr;
    const ScopeNode* loop_scope = nullptr;
    int32_t loop_instance = 0;
    Frame* loop_frame = nullptr;
    int yields = 0;
  };
  // Restores scope at the end of a block.
  class Scoped {
   public:
    explicit Scoped(Elaborator& e) : e_(e), saved_(e.scope_) {}
    ~Scoped() { e_.scope_ = saved_; }
    Scoped(const Scoped&) = delete;
    Scoped& operator=(const Scoped&) = delete;

   private:
    Elaborator& e_;
    const ScopeNode* saved_;
  };
  // Counts the recursion of the walk itself, which any text can drive.
  class Deeper {
   public:
    explicit Deeper(Elaborator& e, Span span);
    ~Deeper() { --e_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    explicit operator bool() const { return ok_; }

   private:
    Elaborator& e_;
    bool ok_;
  };

  // declare.cc
  Entity& Declare(const text::Ident& name, EntityKind kind);
  const Entity* Resolve(const text::Ident& name);
  void ReportUnknownName(const text::Ident& name);
  bool IsReserved(std::string_view name) const;
  bool ParseType(const text::TypeExpr& type, ir::Type& out);
  DType ParseDTypeName(const text::Ident& name);
  std::vector<int64_t> ConstShape(const std::vector<text::Expr*>& shape);
  int64_t ConstOf(const text::Expr* expr, int64_t fallback);  // reports what is not constant
  void ReportInstruction(Span span, std::string_view name);   // an instruction without semantics
  ir::LocalId NewLocal(const text::Ident& name, ir::Type type, bool is_var);
  ir::LocalId NewLocal(std::string name, Span declared, ir::Type type, bool is_var);

  // scalars.cc
  bool CheckUse(const ir::OpDef& op, const std::vector<ExprId>& args, const ir::Type& result,
                const std::vector<std::string_view>& modifiers, Span span);
  ir::Type RegroupedType(const ir::OpDef& op, const ir::Type& from, DType dtype) const;
  void CheckInMemory(const text::Ident& name, DType dtype, ir::Space space);
  void CheckPlace(const text::Ident& name, DType dtype, ir::Space space);
  void PrefetchOperation(const text::Stmt& stmt, ir::Stmt& out);

  // program.cc
  void Item(const text::Item& item);
  void CheckBinding();
  void Dims(const text::Item& item);
  void ReportNegativeDim(const text::Range& range, const ir::Symbol& symbol);
  void Param(const text::Item& item);
  void Alias(const text::Item& item);
  void Args(const text::Item& item);
  int64_t ArgElements(const text::TypeExpr& type, DType dtype);
  void Tensor(const text::TensorDecl& decl, ir::Direction direction, bool is_static, bool zero);
  void Strides(const text::TensorDecl& decl, ir::Tensor& tensor);
  void PinDim(std::string_view name, int64_t value, Span span);
  ir::SymbolId AddSymbol(ir::Symbol symbol);
  ir::SymbolId Sms();
  ExprId LaunchValue(const text::Expr* expr);  // i64 for shapes and strides

  // where.cc
  void Where(const text::WhereClause& clause);
  bool ArrayGuard(const text::WhereClause& clause);
  bool AlignGuard(const text::WhereClause& clause);
  // contract.cc
  void ContentContract(const text::WhereClause& clause, const Entity& tensor);
  ExprId BoundIndex(size_t d, Span span);
  ExprId ContractValue(const text::Expr* expr);
  ExprId ContractElement(const text::Expr& expr);
  bool ContractIndices(const text::Expr& view, const Buffer& buffer, ir::ContentContract& out);
  bool ContractRange(const text::WhereClause& clause, const text::Expr& view, const Buffer& buffer,
                     ir::ContentContract& out);
  const text::Expr* ContractSubject(const text::WhereClause& clause);
  ir::ContentContract::Kind ContractForm(const text::WhereClause& clause, const Buffer& buffer,
                                         ir::ContentContract& out);
  // where.cc
  void ContentExpr(const text::Expr* expr);
  const Entity* TensorIn(const text::Expr* expr);
  void NarrowRange(const text::WhereClause& clause, ExprId low, ExprId high);

  // kernel.cc
  void Kernel(const text::Kernel& kernel);
  void KernelItems(const text::KernelItems& items);
  void KernelItem(const text::KernelItem& item);
  void Grid(const text::KernelItem& item);
  void Shared(const text::KernelItem& item);
  void SharedFields(Group& group, const text::Fields& fields, int64_t stages);
  const Buffer* SharedBuffer(const text::Ident& name, const std::string& full_name,
                             const text::TypeExpr& type, const text::FormSpec& form, bool staged,
                             int64_t stages, bool in_build);
  bool SharedForm(const text::FormSpec& form, ir::SharedBuffer& buffer);
  void Barrier(const text::KernelItem& item);
  void Role(const text::KernelItem& item);
  void FinishKernel(const text::Kernel& kernel);
  void CheckRingRoles(const text::KernelItems& items);
  void CtasPerSm(const text::KernelItem& item);
  void SetNumerics(const text::KernelItems& items);
  // The value as the host computes it: kernel-level lets replaced by what they stand for.
  ExprId Hosted(ExprId value, Span span);
  ExprId HostedInner(ExprId value, Span span);

  // events.cc
  struct EventOperand {
    ir::RingId ring = ir::RingId::kNone;
    ir::EventId event = ir::EventId::kNone;
    ExprId use = ExprId::kNone;
    ExprId remote = ExprId::kNone;
  };
  void Ring(const text::KernelItem& item);
  void Event(const text::KernelItem& item);
  int64_t EventStages(const text::KernelItem& item);
  int64_t ArrivalCount(const text::Expr* expr, std::string_view name);
  void FinishRings();
  void CheckRingUses(const std::vector<ir::StmtId>& body, int role);
  void CheckRingUse(const ir::Stmt& stmt, ir::RingId id, const ir::OpDef& op, int role);
  // `R@k` or `E@k`; false when it is none, or of a declaration that this member does not have.
  bool EventUse(const text::Expr* operand, const ir::OpDef& op, EventOperand& out);
  bool UseIndex(ExprId index, const ir::OpDef& op, EventOperand& out);
  void EventOperation(const text::Stmt& stmt, ir::Stmt& out);
  ExprId TestCall(const text::Expr& expr, const ir::OpDef& op, const text::Postfix& call);

  // cluster.cc
  void FindCluster(const text::KernelItems& items);
  void Cluster(const text::KernelItem& item);
  void LeastSms(int64_t size);
  ExprId SmsValue(Span span);
  bool NeedCluster(Span span, std::string_view what);
  ExprId ClusterNumber(const text::Expr& expr);
  ExprId RemoteRank(const text::Expr& rank, Span span);
  void ViewAt(const text::Expr& expr, ViewRef& view);
  bool RefuseAt(ExprId remote, Span span, std::string_view name, std::string_view why);
  bool InOwnCta(const ViewRef& view, Span span, std::string_view name);
  bool EventAt(const text::Expr& operand, const ir::OpDef& op, EventOperand& out);
  bool Multicast(const text::Stmt& stmt, ir::Stmt& out);
  void RemoteStore(const text::Stmt& stmt);
  void CheckExpectBytes();

  // launches.cc: what concerns several kernels, once all are elaborated
  void CheckLaunches();
  void CheckEarlyStart(const ir::Kernel& kernel, size_t index);
  void CheckStatic(const ir::Kernel& kernel);
  void AddGridWord();

  void LaunchCancel(const text::Stmt& stmt);  // launch_control.cc
  // gather.cc
  void GatherCopy(const text::Stmt& stmt);
  bool GatherRows(const text::Index& index, std::vector<ExprId>& rows);
  bool GatherView(const text::Stmt& stmt, ViewRef& from, std::vector<ExprId>& rows);
  // tensor_map.cc
  void TensorMaps(const text::KernelItem& item);
  void RequireTensorMap(const Buffer& buffer, Span span);
  void SetTensorMap(const text::Stmt& stmt);
  void ApplyTensorMaps();
  void AddMapWords(const ir::Kernel& kernel);

  // dynamic.cc
  struct DynamicIter {  // of one kernel
    const text::Function* function = nullptr;
    ir::RingId ring = ir::RingId::kNone;        // the mailbox
    ir::SharedId ticket = ir::SharedId::kNone;  // its field
    ir::TensorId word = ir::TensorId::kNone;    // kNone: CTAs that have not begun are the tickets
    // Of clusters: the answer is there, and all CTAs have read it, instead of the ring's.
    ir::EventId told = ir::EventId::kNone, read = ir::EventId::kNone;
    std::vector<int> roles = {};  // that use it; the first one draws or asks
  };
  void CheckDynamic(const text::Function& function);
  bool KnownAtLaunch(ExprId id) const;
  DynamicIter& Tickets(const text::Function& function);
  void DynamicLoop(const text::Function& function, Span use_span);
  void TakeTicket(const DynamicIter& iter, const text::Stmt& loop, ExprId high, ir::LocalId use,
                  ir::LocalId more);
  void DrawTicket(const DynamicIter& iter, ir::LocalId use, Span span);
  ir::ViewId TicketView(const DynamicIter& iter, ir::LocalId use, Span span);
  // dynamic_launch.cc
  bool SameAtLaunch(ExprId a, ExprId b) const;
  bool TicketsAreCtas(ExprId high);
  DynamicIter& Answers(const text::Function& function);
  void AnswersOfClusters(const text::Function& function);
  void AskForCta(const DynamicIter& iter, ir::LocalId use, Span span);
  void AskForCluster(const DynamicIter& iter, ir::LocalId use, Span span);
  ExprId AnswerWord(ir::LocalId words, int64_t word, Span span);
  ir::ViewId AnswerView(const DynamicIter& iter, ir::LocalId use, Span span);
  void EmitEvent(std::string_view verb, ir::EventId event, ExprId use, Span span,
                 ir::Stmt more = {});
  void TakeCta(const DynamicIter& iter, const text::Stmt& loop, ExprId high, ir::LocalId use,
               ir::LocalId more, ir::LocalId current);
  ExprId LocalValue(ir::LocalId local, Span span);
  std::vector<ir::StmtId> Into(
      const std::function<void()>& make);  // what `make` emits, in a scope of its own

  // statement.cc
  void Block(const text::Block& block, bool tail = false);
  void Statement(const text::Stmt& stmt, bool tail);
  void Let(const text::Stmt& stmt);
  void BindNames(const text::Stmt& stmt, const std::vector<ExprId>& values);
  void BindLet(const text::Ident& name, ExprId value, bool is_var, uint32_t keyword, Span span);
  bool LetView(const text::Stmt& stmt);
  void LetPattern(const text::Stmt& stmt);
  void Assign(const text::Stmt& stmt);
  ExprId Compound(const text::Stmt& stmt, ExprId current);
  void ForRange(const text::Stmt& stmt);
  void ForFragment(const text::Stmt& stmt, const Entity& fragment);
  void For(const text::Stmt& stmt);
  void While(const text::Stmt& stmt);
  void If(const text::Stmt& stmt, bool tail);
  void TailIf(const text::Stmt& stmt, ExprId condition);
  void DeadBlock(const text::Block& block);
  void Elect(const text::Stmt& stmt);
  ExprId Condition(const text::Expr* expr);
  void Emit(ir::Stmt stmt);
  bool CanHoist() const { return block_ != nullptr && no_hoist_ == 0 && !launch_only_; }
  std::vector<ir::StmtId> Nested(const text::Block& block, bool dead, bool tail = false);
  ExprId BroadcastTo(ExprId value, const ir::Type& type, Span span, std::string_view name);

  // operation.cc
  void Operation(const text::Stmt& stmt);
  void Store(const text::Stmt& stmt);
  void RejectClauses(const text::Stmt& stmt);
  void SyncOperation(const text::Stmt& stmt);
  void BarrierOperation(const text::Stmt& stmt, ir::Stmt& out);
  void OutsideOperation(const text::Stmt& stmt);  // scoped and typed only
  void OutsideOperand(const text::Expr* expr, ir::Stmt& out);
  void CallStatement(const text::Stmt& stmt);
  std::vector<std::string_view> Modifiers(const ir::OpDef& op,
                                          const std::vector<text::Ident>& words, Span span);

  // copies.cc; the first two say whether the statement is one of theirs
  bool CopyOperation(const text::Stmt& stmt);
  bool GroupOperation(const text::Stmt& stmt);
  bool CopyClauses(const text::Stmt& stmt, ir::Stmt& out);
  bool CopySides(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from);
  bool ThreadCopy(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from, ir::Stmt& out);
  bool BoxExtents(const ViewRef& view, Span span, std::vector<int64_t>& extents);
  bool BoxCopy(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from);
  bool PadsNumbers(const text::Stmt& stmt, const ViewRef& to);
  bool LoadsOn(const text::Stmt& stmt, const ViewRef& to, ir::Stmt& out);

  // fragments.cc
  bool FragmentType(const text::TypeExpr& written, ir::Type& type);
  ExprId FragmentCoordinate(const text::Expr& expr, ir::LocalId local, bool row);
  void ReportSlice(Span span, const ir::Type& type);
  bool SameFragment(const ir::Type& wanted, const ir::Type& found, Span span);
  bool ConvertedFragment(const ir::OpDef& op, ExprId from, ir::Type& type, Span span);
  bool FragmentOperand(const text::Expr& expr, ir::FragmentRef& out, ir::Type& type, bool& known);

  // tmem.cc
  void Tmem(const text::KernelItem& item);
  void ReportTensorMemory(const ViewRef& view, std::string_view instruction, Span span);
  bool TensorOperation(const text::Stmt& stmt);  // false: it is none
  bool MemoryOperand(const text::Expr* expr, const ir::OpDef& op, ViewRef& view);
  bool TensorTile(const ViewRef& view, const text::Expr& expr, const ir::OpDef& op,
                  std::vector<int64_t>& extents);
  bool TensorCopy(const text::Stmt& stmt, ir::Stmt& out);
  bool TensorProduct(const text::Stmt& stmt, ir::Stmt& out);
  bool ScaleBuffer(const text::KernelItem& item, const ir::Type& type);
  bool FillTensor(const text::Stmt& stmt, ir::Stmt& out);
  bool ScalesFit(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from);
  struct ProductViews {
    const ViewRef *d, *a, *b;
  };
  const ir::UmmaShape* ScaledShape(const text::Stmt& stmt, const ProductViews& views,
                                   const std::vector<int64_t>& d_shape, int64_t k, ir::Stmt& out);
  bool NeedPair(const text::Stmt& stmt);
  bool PairRows(const ViewRef& d, const text::Expr& expr, const std::vector<int64_t>& shape);
  bool FoldFits(const text::Stmt& stmt, const ViewRef& a);
  bool PairColumns(const ir::UmmaShape& shape, int64_t columns, const text::Stmt& stmt);
  void CheckCtaGroups();
  bool ProductOperand(const ViewRef& view, const text::Expr& expr, const ir::OpDef& op,
                      std::string_view side, std::vector<int64_t>& shape);
  bool KBytesFit(const ViewRef& view, const text::Expr& expr, int64_t elements, int64_t unit);
  bool TensorSharedOperand(const ViewRef& view, const text::Expr& expr,
                           const std::vector<int64_t>& shape, bool along_k);

  // matrix.cc
  void MatrixOperation(const text::Stmt& stmt);
  bool NeedFragment(const text::Expr* expr, const ir::OpDef& op, ir::FragmentRef& out,
                    ir::Type& type);
  bool NeedWritable(const text::Expr& expr);
  bool Product(const text::Stmt& stmt, ir::Stmt& out);
  bool ProductFits(const text::Stmt& stmt, const ir::Type& d, const ir::Type& a, const ir::Type& b,
                   ir::Stmt& out);
  bool MatrixCopy(const text::Stmt& stmt, ir::Stmt& out);
  // The side of a copy that is a fragment: one to fill, or one (converted, maybe) to read.
  bool CopiedFragment(const text::Expr& expr, bool load, const ir::OpDef& op, ir::FragmentRef& out,
                      ir::Type& type);
  bool ConvertedOperand(const text::Expr& expr, const ir::OpDef& op, ir::FragmentRef& out,
                        ir::Type& type);
  bool TileFits(const ViewRef& view, const text::Expr& expr, const ir::Type& type,
                const ir::OpDef& op);
  bool TileShapeFits(const ViewRef& view, const text::Expr& expr, const ir::Type& type);
  bool TileRowsFit(const ViewRef& view, const text::Expr& expr, const ir::Type& type,
                   const ir::OpDef& op);

  // wgmma.cc
  struct SharedOperand;
  bool WarpgroupProduct(const text::Stmt& stmt, ir::Stmt& out);
  bool LeftOfWarpgroup(const text::Stmt& stmt, ir::Stmt& out, SharedOperand& operand);
  bool NeedSharedOperand(const text::Expr* expr, SharedOperand& operand);
  bool WarpgroupFits(const text::Stmt& stmt, const ir::Type& d, const SharedOperand& a,
                     const SharedOperand& b);
  bool OperandLies(const SharedOperand& operand, int64_t bytes_of_k);

  // slices.cc
  bool IsFragmentSlice(const text::Expr& expr, const ir::Type& type) const;
  ExprId FirstOfSlice(const ir::FragmentRef& ref, Span span);
  template <typename F>
  void ForEachElement(const ir::Type& type, Span span, const F& assign);
  ExprId FragmentElement(ir::LocalId local, ExprId row, ExprId column, Span span);
  // `of`: receives what the slice is of.
  ExprId SliceValue(const text::Expr& expr, const ir::Type& whole, ir::FragmentRef* of = nullptr);
  void AssignColumns(const ir::FragmentRef& to, ir::LocalId from, Span span);
  // What `inout` parameters have made of slices goes back to the fragments that they are of;
  // `before`: where the body of the call begins.
  void ReturnSlices(const std::vector<Entity>& parameters, const Builder::Mark& before, Span span);
  bool Names(ir::LocalId local, const Builder::Mark& before) const;
  void AssignSlice(const text::Stmt& stmt);

  // atomic.cc
  ExprId Atomic(const text::Expr& expr, const ir::OpDef& op, const std::vector<text::Ident>& words,
                const text::Postfix& call);
  void AtomicStatement(const text::Expr& call, const ir::OpDef& op);
  bool AtomicOperands(const ir::OpDef& op, const text::Postfix& call, Span span, ViewRef& view,
                      ir::Type& access, std::vector<ExprId>& values);
  bool AtomicElements(const ir::OpDef& op, const ViewRef& view, const ir::Type& type, Span span);
  // An access that others take part in happens once, where it is written: a let of its own.
  ExprId InOrder(ExprId access, std::string_view name);
  bool NameInOrder(const text::Ident& name, ExprId value, bool is_var);
  bool OrderedScalar(const ir::OpDef& op, const ir::Type& type, Span span);
  void WritesTensor(const ViewRef& view, Span span);

  // expression.cc
  ExprId Expr(const text::Expr* expr);
  ExprId ExprInner(const text::Expr& expr);
  ExprId Literal(const text::Expr& expr);
  ExprId Unary(const text::Expr& expr);
  ExprId Binary(const text::Expr& expr);
  ExprId Logical(const text::Expr& expr);
  // `numerics contract`: the sum as fma when one side is written as a product; kNone when not.
  ExprId Fused(std::string_view token, const text::Expr* left_text, ExprId left,
               const text::Expr* right_text, ExprId right, Span span);
  ExprId Array(const text::Expr& expr);
  ExprId Load(const text::Expr& expr);
  ExprId Path(const text::Expr& expr);
  ExprId BuiltinPath(const text::Expr& expr, bool& found);
  ExprId EntityPath(const text::Expr& expr, const Entity& entity);
  ExprId ArgElement(const text::Expr& expr, const Entity& entity);
  ExprId LocalPath(const text::Expr& expr, const Entity& entity);
  ExprId FragmentMember(const text::Expr& expr, ir::LocalId id);
  ExprId Element(ExprId array, const text::Postfix& postfix, Span span);
  bool ElementIndices(const ir::Type& type, const text::Postfix& postfix,
                      std::vector<ExprId>& indices);
  ExprId Coerce(ExprId value, DType type, Span span);
  ExprId CoerceTo(ExprId value, const ir::Type& type, Span span);
  ExprId CoerceLiteral(ExprId value, DType type, Span span);
  bool Unify(std::vector<ExprId*> values, Span span, std::string_view op);
  ExprId Integer(const text::Expr* expr);  // any integer type, else reported

  // function.cc
  ExprId ApplyOperator(std::string_view token, Span span, std::vector<ExprId> args);
  ExprId FunctionPath(const text::Expr& expr, bool& found);
  ExprId ApplyFunction(const text::Expr& expr, const ir::OpDef& op,
                       const std::vector<text::Ident>& modifiers, const text::Postfix& call);
  bool CheckArgs(const ir::OpDef& op, std::vector<ExprId>& args, Span span);
  bool CheckKind(const ir::OpDef& op, ir::ArgKind kind, ExprId arg);
  ir::Type ResultType(const ir::OpDef& op, const std::vector<ExprId>& args,
                      const std::vector<std::string_view>& modifiers);
  bool TakeWidth(const ir::OpDef& op, const text::Postfix& call, size_t count, int& width);

  // view.cc
  ViewRef View(const text::Expr& expr);
  ViewRef ViewOf(const text::Expr& expr, const Entity& entity);
  void IndexView(ViewRef& view, const text::Postfix& postfix);
  void StageView(ViewRef& view, const text::Postfix& postfix);
  ir::ViewId AddView(const ViewRef& view, Span span);
  bool AccessType(const ViewRef& view, Span span, ir::Type& type);
  bool NamesMemory(const text::Expr& expr);  // a path whose root is a buffer, group or view
  ViewRef Captured(ViewRef view, const text::Ident& name);
  bool IsStable(ExprId id) const;

  // call.cc
  ExprId Call(const text::Expr& expr, const Entity& entity);
  std::vector<ExprId> Inline(const Entity& entity, const text::Postfix& call, Span span);
  void IterLoop(const text::Stmt& stmt, const Entity& entity);
  void Yield(const text::Stmt& stmt);
  void Return(const text::Stmt& stmt, bool tail);
  // The parameters' entities, made in the caller's scope; false when the call is wrong.
  bool BindParameters(const text::Function& function, const text::Postfix& call, Span span,
                      bool single_return, std::vector<Entity>& bound);
  // How the body names a parameter: after other statements, in one expression, there once at most.
  enum class ArgUse : uint8_t { kStatements, kOneExpression, kOnce };
  Entity BindParameter(const text::Parameter& parameter, const text::Expr& arg, ArgUse use);
  Entity BindFragment(const text::Parameter& parameter, const text::Expr& arg);
  Entity BindByValue(const text::Parameter& parameter, const text::Expr& arg, ArgUse use);
  void DeclareFunction(const text::Function& function);
  void CheckUncalled(size_t first);
  void CheckBody(const Entity& entity);

  const text::File& file_;
  const text::Program& syntax_;
  const Binding& binding_;
  std::map<std::string, ParamDomain, std::less<>> domains_;  // of syntax_, by name
  const ir::OpTable& ops_;
  diag::Report& report_;
  std::unique_ptr<ir::Program> program_;
  Builder b_;

  std::deque<ScopeNode> nodes_;
  std::deque<Buffer> buffers_;
  std::deque<Group> groups_;
  std::deque<ViewRef> views_;
  const ScopeNode* scope_ = nullptr;
  Frame* frame_ = nullptr;
  std::vector<ir::StmtId>* block_ = nullptr;
  ir::Kernel* kernel_ = nullptr;
  std::map<ExprId, ExprId> hosted_;   // what Hosted made of shared operands
  std::vector<ExprId> local_values_;  // of kernel-level lets, by LocalId; kNone elsewhere
  bool in_role_ = false, checking_uncalled_ = false, too_deep_reported_ = false;
  int role_index_ = -1;
  bool launch_only_ = false;  // items of the program and `grid`: no device values
  int no_hoist_ = 0;          // inside a condition that is evaluated again or not always
  int depth_ = 0;
  std::vector<text::Ident> role_names_;
  std::vector<const text::KernelItem*> ring_items_;  // by RingId
  bool has_grid_ = false;
  // Of the kernel: an item `cluster` somewhere, whether it was read, the first use of SMS before.
  bool has_cluster_ = false, cluster_seen_ = false, ctas_seen_ = false;
  Span sms_read_;
  // What surrounds the shared buffers being declared, and how many of each the kernel has so far.
  std::vector<ir::Alternative> alternatives_;
  std::vector<DynamicIter> dynamic_;
  std::map<ir::TensorId, Span> patched_maps_;  // of the kernel: where `tensormap` names them
  int32_t eithers_ = 0, shared_groups_ = 0, shared_group_ = -1;
  std::vector<const text::Function*> active_;  // being inlined, outermost first
  // Bodies with a fault of their own (faulty_): found once, not again at each call.
  std::set<const text::Function*> called_, faulty_, declared_functions_;
  std::set<std::pair<uint32_t, uint32_t>> absent_;  // spans reported as not in this build
  std::vector<Entity> functions_;                   // declared so far, for CheckUncalled
  ir::SymbolId sms_ = ir::SymbolId::kNone;
  ir::LocalId in_order_ = ir::LocalId::kNone;  // the latest let that InOrder made
};

}  // namespace compiler::sema
