// What holds before a thread runs, and the values of locals.
#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/ir/fragment.h"
#include "verifier/evaluator.h"

namespace verifier {

using ir::ExprId;

namespace {

bool IsIntegerScalar(const ir::Type& type) {
  return type.is_scalar() && ir::Info(type.dtype).is_integer;
}

}  // namespace

void Evaluator::Forget(ir::LocalId local) {
  if (local == ir::LocalId::kNone) return;
  LocalValue& at = locals[static_cast<size_t>(local)];
  at = {.version = at.version + 1};
  const ir::Local& declared = kernel.locals[static_cast<size_t>(local)];
  if (IsIntegerScalar(declared.type)) {
    at.value = Fresh(declared.name, RangeOfDType(declared.type.dtype));
  }
}

void Evaluator::Set(ir::LocalId local, ExprId value) {
  const auto index = static_cast<size_t>(local);
  const ir::Local& declared = kernel.locals[index];
  LocalValue now{.version = locals[index].version + 1};
  if (value != ExprId::kNone && declared.type.is_scalar()) {
    if (declared.type.dtype == ir::DType::kBool) {
      now.if_true = Conditions(value, true);
      now.if_false = Conditions(value, false);
    } else if (IsIntegerScalar(declared.type)) {
      const bool address = !address_locals.empty() && address_locals[index];
      now.value = address ? IndexValue(value) : Value(value);
      if (!now.value->is_atom())
        now.value = Narrowed(NotNegative(WithinType(*now.value, declared.type.dtype)));
    }
  } else if (value != ExprId::kNone && declared.type.is_array() &&
             program[value].kind == ir::ExprKind::kLoad) {
    SetVector(now, program[value]);
  } else if (IsIntegerScalar(declared.type)) {
    now.value = Fresh(declared.name, RangeOfDType(declared.type.dtype));
  }
  locals[index] = std::move(now);
}

// A comparison that stands for each element of an array is a fact of whichever is picked.
void Evaluator::ReadArrayGuards() {
  struct Seen {
    std::set<int64_t> elements;
    Linear bound;
  };
  std::map<std::tuple<ir::SymbolId, ir::Algebra, std::string>, Seen> seen;
  for (const ir::Guard& guard : program.guards) {
    const ir::Expr& condition = program[guard.condition];
    if (condition.args.size() != 2 || condition.op == nullptr) continue;
    const ir::Expr& element = program[condition.args[0]];
    if (element.kind != ir::ExprKind::kElement) continue;
    const ir::Expr &array = program[element.args[0]], &index = program[element.args[1]];
    if (array.kind != ir::ExprKind::kSymbol || index.kind != ir::ExprKind::kInt) continue;
    const Linear bound = Value(condition.args[1]);
    Seen& at = seen[{array.symbol, condition.op->algebra, analysis.atoms.Key(bound)}];
    at.elements.insert(index.int_value);
    at.bound = bound;
  }
  for (const auto& [key, at] : seen) {
    const auto& [symbol, algebra, text] = key;
    if (static_cast<int64_t>(at.elements.size()) != program[symbol].elements) continue;
    switch (algebra) {
      case ir::Algebra::kGreaterEqual: array_bounds_.push_back({symbol, true, at.bound}); break;
      case ir::Algebra::kGreater:
        array_bounds_.push_back({symbol, true, Shift(at.bound, 1)});
        break;
      case ir::Algebra::kLessEqual: array_bounds_.push_back({symbol, false, at.bound}); break;
      case ir::Algebra::kLess: array_bounds_.push_back({symbol, false, Shift(at.bound, -1)}); break;
      default: break;
    }
  }
}

// The same index picks the same element in every thread of the launch.
Linear Evaluator::ArgElement(ir::SymbolId symbol, const Linear& index) {
  const size_t before = analysis.atoms.size();
  const AtomId id = analysis.atoms.Opaque(
      absl::StrCat("arg:", static_cast<int>(symbol), "[", analysis.atoms.Key(index), "]"),
      analysis.atoms[static_cast<AtomId>(symbol)].range);
  const Linear element = Linear::Atom(id);
  if (analysis.atoms.size() == before) return element;
  Atom& atom = analysis.atoms.Mutable(id);
  atom.uniform = analysis.atoms.Uniform(index);
  for (const ArrayBound& bound : array_bounds_) {
    if (bound.symbol != symbol) continue;
    const auto fact = bound.low ? Minus(element, bound.bound) : Minus(bound.bound, element);
    if (fact) atom.facts.push_back(*fact);
  }
  return element;
}

// Dims that divide each other by the guard have a quotient of 1 at least: said once, as its range.
void Evaluator::PositiveQuotients() {
  for (size_t i = 0; i < analysis.atoms.size(); ++i) {
    const auto id = static_cast<AtomId>(i);
    const Atom& atom = analysis.atoms[id];
    if (atom.kind != AtomKind::kQuotient || !atom.uniform || atom.range.low != 0) continue;
    if (!prover.NonNegative(Shift(Linear::Atom(id), -1), facts)) continue;
    analysis.atoms.Mutable(id).range.low = 1;
  }
}

void Evaluator::BeginLaunch() {
  // Until the grid is known, `ctas` in a let is any positive number.
  analysis.grid.assign(3, Fresh("grid", {.low = 1}));
  analysis.coordinates.assign(3, Linear::Constant(0));
  ++dry;  // the launcher refuses a guard whose numbers leave their types
  for (const ir::Guard& guard : program.guards) {
    // What holds of every element of an arg array is its range.
    const ir::Expr& condition = program[guard.condition];
    const bool element =
        condition.args.size() == 2 && program[condition.args[0]].kind == ir::ExprKind::kElement;
    if (!element) AssumeGuard(guard.condition);
  }
  ReadArrayGuards();
  --dry;
  PositiveQuotients();
  for (const ir::Tensor& tensor : program.tensors) {
    std::vector<Linear> limits, strides;
    for (const ExprId extent : tensor.shape) limits.push_back(Extent(extent));
    for (const ExprId stride : tensor.strides) strides.push_back(Value(stride));
    analysis.limits.push_back(std::move(limits));
    analysis.strides.push_back(std::move(strides));
  }
  // Launch-level lets are part of the grid; the others need coordinates and run with a role.
  for (const ir::StmtId id : kernel.lets) {
    const ir::Stmt& let = program[id];
    if (let.kind == ir::StmtKind::kLet && let.value != ExprId::kNone &&
        program[let.value].level <= ir::Level::kLaunch) {
      Set(let.local, let.value);
    }
  }
  ReadGrid();
  if (kernel.when != ExprId::kNone) Assume(kernel.when, true);
  analysis.launch = facts;
}

// The launcher refuses a shape whose numbers leave their types: an extent is never more than its
// type holds.
Linear Evaluator::Extent(ExprId id) {
  in_guard_ = true;
  const Linear extent = Value(id);
  in_guard_ = false;
  const Interval type = RangeOfDType(program[id].type.dtype);
  const Interval range = analysis.atoms.RangeOf(extent);
  if (range.high > type.high) {
    if (const auto room = Minus(Linear::Constant(type.high), extent)) facts.push_back(*room);
  }
  return extent;
}

void Evaluator::ReadGrid() {
  analysis.grid.assign(3, Linear::Constant(1));
  constexpr const char* kNames[] = {"cta.x", "cta.y", "cta.z"};
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    const Linear extent = Value(kernel.grid[d]);
    analysis.grid[d] = extent;
    if (extent.is_constant() && extent.constant == 1) continue;
    if (d == 0 && kernel.cluster > 1) {
      ReadCluster(extent);
      continue;
    }
    const Interval range = analysis.atoms.RangeOf(extent);
    const AtomId id =
        analysis.atoms.Add({.kind = AtomKind::kThread,
                            .name = kNames[d],
                            .range = {0, range.has_high() ? range.high - 1 : range.high}});
    if (const std::optional<Linear> room = Minus(extent, Linear::Atom(id))) {
      analysis.atoms.Mutable(id).facts.push_back(Shift(*room, -1));
    }
    analysis.coordinates[d] = Linear::Atom(id);
    analysis.place.push_back(Linear::Atom(id));
    facts.push_back(Shift(extent, -1));  // a kernel with an empty grid does not run
  }
}

// Clusters lie side by side in x: cta.x is the size times the cluster's number, plus the rank.
void Evaluator::ReadCluster(const Linear& extent) {
  const int64_t size = kernel.cluster;
  const Linear clusters = analysis.atoms.FloorQuotient(extent, size);
  const Interval range = analysis.atoms.RangeOf(clusters);
  const Linear cluster = Linear::Atom(
      analysis.atoms.Add({.kind = AtomKind::kThread,
                          .name = "cluster.id",
                          .range = {0, range.has_high() ? range.high - 1 : range.high}}));
  const Linear rank = Linear::Atom(analysis.atoms.Add(
      {.kind = AtomKind::kThread, .name = "cluster.rank", .range = {0, size - 1}}));
  if (const std::optional<Linear> room = Minus(clusters, cluster)) {
    analysis.atoms.Mutable(cluster.terms[0].atom).facts.push_back(Shift(*room, -1));
  }
  analysis.coordinates[0] = Combine(cluster, size, rank, 1).value_or(cluster);
  analysis.place.push_back(cluster);
  analysis.place.push_back(rank);
  facts.push_back(Shift(clusters, -1));  // a kernel with an empty grid does not run
}

void Evaluator::RequireElement(ir::LocalId local, const std::vector<ir::ExprId>& indices) {
  const ir::Type& type = kernel.locals[static_cast<size_t>(local)].type;
  if (type.is_fragment() && indices.size() == 2 && ir::FindForm(type.form) != nullptr) {
    const ir::FragmentMap map = ir::MapOf(type);
    const int64_t counts[] = {map.row_count, map.column_count};
    for (size_t i = 0; i < 2; ++i) {
      Require(Requirement::Kind::kRegisterIndex, indices[i], IndexValue(indices[i]),
              {0, counts[i] - 1});
    }
  }
  if (!type.is_array() || indices.size() != 1) return;
  Require(Requirement::Kind::kRegisterIndex, indices[0], IndexValue(indices[0]),
          {0, type.shape[0] - 1});
}

bool Evaluator::Keeps(const Candidate& candidate, bool after_one_iteration) {
  std::optional<Linear> now = locals[candidate.local].value;
  if (candidate.partner != Candidate::kNone) {
    const std::optional<Linear>& partner = locals[candidate.partner].value;
    now = now && partner ? Minus(*now, *partner) : std::nullopt;
  }
  if (!now) return false;
  const Linear rate = after_one_iteration ? candidate.rate : Linear::Constant(0);
  // What held at the head holds behind the iteration if it moved no less than the rate.
  if (after_one_iteration) {
    std::optional<Linear> moved = Minus(*now, candidate.head);
    if (moved && candidate.partner != Candidate::kNone) {
      moved = Plus(*moved, candidate.partner_head);
    }
    const auto more = moved ? Combine(*moved, candidate.sign, rate, -candidate.sign) : std::nullopt;
    if (more && KnownRange(*more).low >= 0) return true;
  }
  const std::optional<Linear> base = Plus(candidate.base, rate);
  const std::optional<Linear> distance = base ? Minus(*now, *base) : std::nullopt;
  const std::optional<Linear> signed_distance =
      distance ? Times(*distance, candidate.sign) : std::nullopt;
  return signed_distance && prover.NonNegative(*signed_distance, facts);
}

}  // namespace verifier
