// Symbolic values of integer expressions, and the facts that a condition gives.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "verifier/analysis.h"

namespace verifier {

// What is known of one local at the present place of the walk.
struct LocalValue {
  std::optional<Linear> value;  // integer scalars
  // Register arrays as a vector load left them: which elements of which tensor.
  int32_t tensor = -1;
  std::vector<Linear> first;  // index of element 0
  size_t along = 0;           // the dimension that the elements follow
  Facts if_true, if_false;    // bool scalars: what their value says
  int64_t version = 0;        // register arrays: bumped by every write
};

// A relation kept over a loop: sign * (variable - partner - base) >= 0 at the head, where the base
// grows by `rate` an iteration.
struct Candidate {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t local = 0;
  Linear head;  // the variable's value at the head
  Linear base;
  Linear rate;
  int sign = 1;
  size_t partner = kNone;  // another variable of the loop
  Linear partner_head;
  // Of a loop over groups: sign is -1 and the base grows by rise * (later - earlier) + constant.
  struct Span {
    int32_t tensor = -1;  // -1: no such
    Linear first;         // index of the element that the loop begins with
    AtomId earlier = -1, later = -1;
    int64_t distance = 0, count = 0;
    int64_t rise = 0, constant = 0;
  };
  Span span;
  bool leans = false;  // on others that are as new: not to be looked at before they are assumed

  bool still() const { return rate == Linear::Constant(0); }
};

class Evaluator {
 public:
  Evaluator(const ir::Program& program, const compiler::facts::Facts& facts,
            KernelAnalysis& analysis);

  // The value of an integer expression; opaque where it is not linear or may not fit its type.
  Linear Value(ir::ExprId id);
  // The same where the number is an address, a bound or a step: then it must fit its type, and that
  // becomes a requirement.
  Linear IndexValue(ir::ExprId id);
  // What `condition` being `truth` says; empty when nothing linear.
  Facts Conditions(ir::ExprId condition, bool truth);
  // Whether the condition never has this value at the present place.
  bool Never(ir::ExprId condition, bool truth);
  // Adds what `condition` says to the facts of the present place.
  void Assume(ir::ExprId condition, bool truth);
  // Of the guard: also divisors of single symbols.
  void AssumeGuard(ir::ExprId condition);

  // Reads guards, tensors and grid: everything that holds before a thread runs.
  void BeginLaunch();
  // The local now has the value of an expression (kNone: not set), or one that nothing is known of.
  void Set(ir::LocalId local, ir::ExprId value);
  void Forget(ir::LocalId local);

  // contents.cc: an element of a tensor whose contents are those of the launch, with what the
  // contracts say of it as facts of the present place.
  bool ConstantContents(ir::TensorId tensor) const;
  std::vector<Linear> IndicesOf(const ir::View& view);
  Linear ElementValue(ir::TensorId tensor, const std::vector<Linear>& indices);
  Linear LoadValue(const ir::Expr& load);
  void SetVector(LocalValue& local, const ir::Expr& load);
  // Numbers between which the value lies by its atoms' ranges or by one fact of the present place.
  Interval KnownRange(const Linear& value) const;
  Interval RangeByFacts(const Linear& value) const;
  // moves.cc: the same by two facts of the place that have an atom in common.
  Interval RangeOfMove(const Linear& moved) const;

  void Require(Requirement::Kind kind, ir::ExprId expr, const Linear& value, Interval range);
  bool LiesIn(ir::ExprId expr, Interval range) const;
  // The element of a register array or of a fragment exists.
  void RequireElement(ir::LocalId local, const std::vector<ir::ExprId>& indices);
  // Whether the relation holds of the variable's present value, at the head or one iteration later.
  bool Keeps(const Candidate& candidate, bool after_one_iteration);
  Linear Fresh(const std::string& name, Interval range);
  // narrow.cc
  void Picks(const Linear& picked, const Linear& left, const Facts& if_left, const Linear& right,
             const Facts& if_right);
  // picked.cc
  void AddPicked(Facts& out) const;

  const ir::Program& program;
  const ir::Kernel& kernel;
  const compiler::facts::KernelFacts& kernel_facts;
  KernelAnalysis& analysis;
  Prover prover;
  std::vector<LocalValue> locals;
  std::vector<bool> address_locals;     // locals that reach an address, a bound or a step
  Facts facts;                          // of the present place, launch facts first
  ir::StmtId stmt = ir::StmtId::kNone;  // the statement being read
  int dry = 0;                          // > 0: a trial run, nothing is recorded
  int64_t warps = 1;                    // of the role being read

 private:
  // What guards say of every element of an arg array: at least, or at most, `bound`.
  struct ArrayBound {
    ir::SymbolId symbol;
    bool low = false;
    Linear bound;
  };
  void ReadArrayGuards();
  Linear ArgElement(ir::SymbolId symbol, const Linear& index);
  bool InBounds(ir::TensorId tensor, const std::vector<Linear>& indices);
  bool Proves(ir::ExprId condition);
  Facts RangeFacts(const ir::ContentContract& contract, const std::vector<Linear>& indices,
                   const Linear& element);
  bool Equal(const Linear& a, const Linear& b) const;
  bool CountersAreKnown(const Linear& index) const;
  void AddStepFacts(const ir::ContentContract& contract, AtomId element);
  Linear Narrowed(const Linear& value);
  Linear WithinType(const Linear& value, ir::DType dtype);
  Linear NotNegative(const Linear& value);
  Linear Within(const Linear& value, const Interval& range);
  void PositiveQuotients();
  void NarrowAtom(const Linear& fact);
  Linear Extent(ir::ExprId id);
  void ReadGrid();
  void ReadCluster(const Linear& extent);
  Linear Operation(ir::ExprId id, const ir::Expr& expr);
  void BoundProduct(const Linear& product, const Linear& a, const Linear& b);
  Linear Select(const ir::Expr& expr);
  Linear Product(ir::ExprId id, const Linear& a, const Linear& b);
  Linear Quotient(ir::ExprId id, const ir::Expr& expr);
  Linear Divided(const Linear& a, const Linear& d);
  Linear QuotientOf(const Linear& a, const Linear& d);
  void KeepBelow(const Linear& quotient, const Linear& a, const Linear& d);
  bool AtMostByFactor(const Linear& value, const Linear& most);
  bool HasProduct(const Linear& value) const;
  void KeepShare(const Linear& quotient, const Linear& a, const Linear& d);
  Linear Remainder(ir::ExprId id, const ir::Expr& expr);
  Linear Bits(const ir::Expr& expr, const Linear& a, const Linear& b);
  Linear Coordinate(const ir::Expr& expr);
  Linear BuiltinOf(ir::BuiltinValue builtin) const;
  Linear Fit(ir::ExprId id, const std::optional<Linear>& value);
  Linear Unknown(const ir::Expr& expr);
  std::string Text(const ir::Expr& expr) const;
  // The two sides of a condition are addresses too where nothing but addresses decides them.
  Linear SideOf(ir::ExprId id);
  void Compare(Facts& out, const ir::Expr& expr, bool truth);
  void DivisorIsPositive(ir::ExprId id, const Linear& divisor);

  int index_depth_ = 0;
  bool in_guard_ = false;
  std::vector<ArrayBound> array_bounds_;
  int contract_depth_ = 0;  // contracts name elements of which contracts speak
  int64_t next_fresh_ = 0;
};

}  // namespace verifier
