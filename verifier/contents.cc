// What contracts say of the elements of integer tensors, as facts of the place that loads them. A
// fact is added only where the index is proven inside the tensor: of other elements a contract says
// nothing, and an impossible fact about one would make its place look unreachable.
#include <algorithm>
#include <set>

#include "verifier/evaluator.h"

namespace verifier {

using ir::Algebra;
using ir::ContentContract;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

namespace {

constexpr int kMaxContractDepth = 2;    // elements named by contracts of elements
constexpr size_t kMaxStepPartners = 8;  // earlier loads of the same tensor to compare with

}  // namespace

bool Evaluator::ConstantContents(ir::TensorId tensor) const {
  const ir::Tensor& declared = program[tensor];
  const bool given =
      declared.direction == ir::Direction::kIn || declared.direction == ir::Direction::kInOut;
  if (!given || declared.written_by_program) return false;
  return std::none_of(program.aliases.begin(), program.aliases.end(), [&](const auto& alias) {
    const ir::TensorId other = alias.first == tensor ? alias.second : alias.first;
    return (alias.first == tensor || alias.second == tensor) && program[other].written_by_program;
  });
}

std::vector<Linear> Evaluator::IndicesOf(const ir::View& view) {
  std::vector<Linear> indices;
  for (const ir::ViewIndex& index : view.index) {
    indices.push_back(index.offset == ExprId::kNone ? Linear::Constant(0) : Value(index.offset));
  }
  return indices;
}

bool Evaluator::InBounds(ir::TensorId tensor, const std::vector<Linear>& indices) {
  const std::vector<Linear>& limits = analysis.limits[static_cast<size_t>(tensor)];
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!prover.NonNegative(indices[d], facts)) return false;
    if (!prover.Below(indices[d], limits[d], facts)) return false;
  }
  return true;
}

// Whether the condition follows from the facts of the present place.
bool Evaluator::Proves(ExprId condition) {
  if (condition == ExprId::kNone) return true;
  const Expr& expr = program[condition];
  if (expr.kind == ExprKind::kInt) return expr.int_value != 0;
  if (expr.kind == ExprKind::kAnd) return Proves(expr.args[0]) && Proves(expr.args[1]);
  if (expr.kind == ExprKind::kOr) return Proves(expr.args[0]) || Proves(expr.args[1]);
  if (expr.kind != ExprKind::kOp || expr.op == nullptr || expr.args.size() != 2) return false;
  const Algebra op = expr.op->algebra;
  if (op < Algebra::kEqual || op > Algebra::kGreaterEqual || op == Algebra::kNotEqual) return false;
  if (!ir::Info(program[expr.args[0]].type.dtype).is_integer) return false;
  const Linear a = Value(expr.args[0]), b = Value(expr.args[1]);
  switch (op) {
    case Algebra::kLess: return prover.Below(a, b, facts);
    case Algebra::kLessEqual: return prover.AtMost(a, b, facts);
    case Algebra::kGreater: return prover.Below(b, a, facts);
    case Algebra::kGreaterEqual: return prover.AtMost(b, a, facts);
    default: return prover.AtMost(a, b, facts) && prover.AtMost(b, a, facts);
  }
}

bool Evaluator::Never(ExprId condition, bool truth) {
  const Expr& expr = program[condition];
  const bool all_parts =
      (expr.kind == ExprKind::kAnd && !truth) || (expr.kind == ExprKind::kOr && truth);
  if (all_parts) return Never(expr.args[0], truth) && Never(expr.args[1], truth);
  Facts here = facts;
  const Facts more = Conditions(condition, truth);
  here.insert(here.end(), more.begin(), more.end());
  return prover.Contradiction(here);
}

// By what the conditions around say, without a closer look: most indices are not this one.
bool Evaluator::Equal(const Linear& a, const Linear& b) const {
  const std::optional<Linear> ahead = Minus(a, b), behind = Minus(b, a);
  if (!ahead || !behind) return false;
  if (ahead->is_constant()) return ahead->constant == 0;
  return prover.NonNegativeInContext(*ahead, facts) && prover.NonNegativeInContext(*behind, facts);
}

// The contract's names of indices stand for `indices` while its expressions are read.
Facts Evaluator::RangeFacts(const ContentContract& contract, const std::vector<Linear>& indices,
                            const Linear& element) {
  std::vector<LocalValue> bound(indices.size());
  for (size_t d = 0; d < indices.size(); ++d) bound[d].value = indices[d];
  std::swap(locals, bound);
  bool holds = true;
  for (size_t d = 0; d < indices.size() && holds; ++d) {
    const ExprId index = d < contract.index.size() ? contract.index[d] : ExprId::kNone;
    if (index == ExprId::kNone) continue;
    holds = Equal(Value(index), indices[d]);
  }
  Facts found;
  if (holds && Proves(contract.condition)) {
    const auto keep = [&](const std::optional<Linear>& fact) {
      if (fact) found.push_back(*fact);
    };
    if (contract.low != ExprId::kNone) keep(Minus(element, Value(contract.low)));
    if (contract.high != ExprId::kNone) keep(Minus(Value(contract.high), element));
  }
  std::swap(locals, bound);
  return found;
}

// Of an index that another loop has counted nothing is known here.
bool Evaluator::CountersAreKnown(const Linear& index) const {
  std::set<AtomId> seen, known;
  for (const Linear& fact : facts) {
    for (const Term& term : fact.terms) known.insert(term.atom);
  }
  std::vector<AtomId> open;
  const auto visit = [&](const Linear& row) {
    for (const Term& term : row.terms) {
      if (seen.insert(term.atom).second) open.push_back(term.atom);
    }
  };
  visit(index);
  while (!open.empty()) {
    const AtomId id = open.back();
    const Atom& atom = analysis.atoms[id];
    open.pop_back();
    if (atom.kind == AtomKind::kCounter && !known.contains(id)) return false;
    for (const Linear& fact : atom.facts) visit(fact);
  }
  return true;
}

// Differences to elements of the same tensor that were loaded before.
void Evaluator::AddStepFacts(const ContentContract& contract, AtomId element) {
  const Linear low = Value(contract.low), high = Value(contract.high);
  const Linear at = analysis.atoms[element].indices[0];
  const bool rises = prover.NonNegative(low, facts);
  size_t compared = 0;
  for (size_t i = analysis.loaded.size(); i-- > 0 && compared < kMaxStepPartners;) {
    const AtomId other = analysis.loaded[i];
    if (other == element || analysis.atoms[other].tensor != analysis.atoms[element].tensor) {
      continue;
    }
    ++compared;
    const std::vector<Linear> indices = analysis.atoms[other].indices;
    if (!CountersAreKnown(indices[0])) continue;
    if (!InBounds(contract.tensor, indices)) continue;
    const std::optional<Linear> ahead = Minus(at, indices[0]);
    const std::optional<Linear> rise = Minus(Linear::Atom(element), Linear::Atom(other));
    if (!ahead || !rise) continue;
    if (ahead->is_constant()) {
      // distance * low <= rise <= distance * high, mirrored for a negative distance.
      const int64_t distance = ahead->constant;
      const Linear& least = distance >= 0 ? low : high;
      const Linear& most = distance >= 0 ? high : low;
      if (const auto fact = Combine(*rise, 1, least, -distance)) facts.push_back(*fact);
      if (const auto fact = Combine(most, distance, *rise, -1)) facts.push_back(*fact);
    } else if (rises && prover.NonNegative(*ahead, facts)) {
      facts.push_back(*rise);
    } else if (rises && prover.AtMost(at, indices[0], facts)) {
      if (const auto fall = Times(*rise, -1)) facts.push_back(*fall);
    }
  }
}

Linear Evaluator::ElementValue(ir::TensorId tensor, const std::vector<Linear>& indices) {
  const AtomId atom = analysis.atoms.Element(static_cast<int32_t>(tensor), indices,
                                             RangeOfDType(program[tensor].dtype));
  const Linear value = Linear::Atom(atom);
  const bool spoken_of =
      std::any_of(program.contracts.begin(), program.contracts.end(),
                  [&](const ContentContract& contract) { return contract.tensor == tensor; });
  if (!spoken_of || contract_depth_ >= kMaxContractDepth || !InBounds(tensor, indices)) {
    return value;
  }
  ++contract_depth_;
  for (const ContentContract& contract : program.contracts) {
    if (contract.tensor != tensor) continue;
    if (contract.kind == ContentContract::Kind::kRange) {
      const Facts more = RangeFacts(contract, indices, value);
      facts.insert(facts.end(), more.begin(), more.end());
    } else if (contract.kind == ContentContract::Kind::kSteps) {
      AddStepFacts(contract, atom);
    }
  }
  --contract_depth_;
  if (std::find(analysis.loaded.begin(), analysis.loaded.end(), atom) == analysis.loaded.end()) {
    analysis.loaded.push_back(atom);
  }
  return value;
}

// With an `else` the value is the element's or that one: what holds of both is known.
Linear Evaluator::LoadValue(const Expr& load) {
  const ir::View& view = program[load.view];
  if (view.space != ir::Space::kGlobal || !ConstantContents(view.tensor)) return Unknown(load);
  const std::vector<Linear> indices = IndicesOf(view);
  if (load.args.empty()) return ElementValue(view.tensor, indices);
  const Linear value = Unknown(load), other = Value(load.args[0]);
  const bool all_terms = value.is_atom();
  for (const ContentContract& contract : program.contracts) {
    if (contract.tensor != view.tensor || contract.kind != ContentContract::Kind::kRange ||
        !all_terms || contract.condition != ExprId::kNone || contract_depth_ > 0) {
      continue;
    }
    ++contract_depth_;
    const Facts of_element = RangeFacts(contract, indices, value);
    const Facts of_other = RangeFacts(contract, indices, other);
    --contract_depth_;
    for (size_t i = 0; i < of_element.size() && i < of_other.size(); ++i) {
      if (prover.NonNegative(of_other[i], facts)) facts.push_back(of_element[i]);
    }
  }
  return value;
}

void Evaluator::SetVector(LocalValue& local, const Expr& load) {
  const ir::View& view = program[load.view];
  if (view.space != ir::Space::kGlobal || !load.args.empty() || view.transposed ||
      !ir::Info(load.type.dtype).is_integer || !ConstantContents(view.tensor)) {
    return;
  }
  size_t slices = 0;
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (!view.index[d].is_slice) continue;
    ++slices;
    local.along = d;
  }
  if (slices != 1) return;
  local.first = IndicesOf(view);
  local.tensor = static_cast<int32_t>(view.tensor);
}

}  // namespace verifier
