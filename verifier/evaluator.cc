#include "verifier/evaluator.h"

#include <bit>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"
#include "verifier/finite.h"

namespace verifier {

using ir::Algebra;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

namespace {
constexpr int64_t kMaxSms = 1024;  // proofs hold for SMS in 1..=1024

bool IsInteger(const ir::Type& type) {
  return type.is_scalar() && ir::Info(type.dtype).is_integer && type.dtype != ir::DType::kBool;
}

// The range that arithmetic of a type is proven to stay in. 64-bit types are held to 61 bits: an
// interval that says no more than "no bound" must not count as a proof.
Interval ProvenRange(ir::DType dtype) {
  constexpr int64_t kWide = int64_t{1} << 61;
  const Interval range = RangeOfDType(dtype);
  return ir::Info(dtype).bits < 64 ? range : Meet(range, {-kWide, kWide});
}

Algebra OpOf(const Expr& expr) {
  return expr.kind == ExprKind::kOp && expr.op != nullptr ? expr.op->algebra : Algebra::kOpaque;
}

}  // namespace

Interval RangeOfDType(ir::DType dtype) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  if (dtype == ir::DType::kBool) return {0, 1};
  if (!info.is_integer) return {};
  if (info.bits >= 64) return info.is_signed ? Interval{} : Interval{.low = 0};
  const int64_t values = int64_t{1} << info.bits;
  return info.is_signed ? Interval{-values / 2, values / 2 - 1} : Interval{0, values - 1};
}

Evaluator::Evaluator(const ir::Program& p, const compiler::facts::Facts& f, KernelAnalysis& a)
    : program(p),
      kernel(p.kernels[a.kernel]),
      kernel_facts(f.kernels[a.kernel]),
      analysis(a),
      prover(a.atoms),
      locals(kernel.locals.size()) {
  for (const ir::Symbol& symbol : p.symbols) {
    Interval range = RangeOfDType(symbol.dtype);
    if (symbol.kind == ir::SymbolKind::kStride) range.low = 0;
    if (symbol.kind == ir::SymbolKind::kSms) range = {symbol.low, kMaxSms};
    if (symbol.has_range) range = Meet(range, {symbol.low, symbol.high});
    // Symbol i is atom i.
    a.atoms.Add({.kind = AtomKind::kSymbol, .name = symbol.name, .range = range, .uniform = true});
  }
}

Linear Evaluator::Fresh(const std::string& name, Interval range) {
  return Linear::Atom(
      analysis.atoms.Add({.name = absl::StrCat(name, "#", next_fresh_++), .range = range}));
}

std::string Evaluator::Text(const Expr& expr) const {
  return std::string(compiler::facts::TextOf(program, expr.source.span));
}

// What only launch values decide is one unknown wherever it is written; the rest is new each time.
Linear Evaluator::Unknown(const Expr& expr) {
  const Interval range = RangeOfDType(expr.type.dtype);
  bool launch = expr.level <= ir::Level::kLaunch;
  for (const ExprId arg : expr.args) {
    compiler::facts::ForEachExpr(program, arg, [&](ExprId, const Expr& e) {
      launch = launch &&
               (e.kind == ExprKind::kSymbol || e.kind == ExprKind::kOp || e.kind == ExprKind::kInt);
    });
  }
  if (!launch || expr.kind != ExprKind::kOp) return Fresh(Text(expr), range);
  const AtomId id = analysis.atoms.Opaque(Text(expr), range);
  analysis.atoms.Mutable(id).uniform = true;
  return Linear::Atom(id);
}

void Evaluator::Require(Requirement::Kind kind, ExprId expr, const Linear& value, Interval range) {
  if (dry > 0) return;
  const bool low = !range.has_low() || prover.AtMost(Linear::Constant(range.low), value, facts);
  const bool high = !range.has_high() || prover.AtMost(value, Linear::Constant(range.high), facts);
  analysis.requirements.push_back({.kind = kind,
                                   .stmt = stmt,
                                   .expr = expr,
                                   .value = value,
                                   .range = range,
                                   .facts = facts,
                                   .proved = (low && high) || LiesIn(expr, range)});
}

// By the values themselves, where a thread's place alone decides.
bool Evaluator::LiesIn(ExprId expr, Interval range) const {
  const std::optional<Interval> values = FiniteRange(program, kernel, warps, expr);
  return values && values->low >= range.low && values->high <= range.high;
}

// A value that may leave its type: an address must not, so the requirement is recorded and the walk
// goes on as if it held; elsewhere the value becomes unknown.
Linear Evaluator::Fit(ExprId id, const std::optional<Linear>& value) {
  const Expr& expr = program[id];
  const Interval type = ProvenRange(expr.type.dtype);
  if (!value) {
    // Coefficients beyond 62 bits, or a product of long sums: as a number it is unknown, as an
    // address it has no bound that could be proven.
    const Linear unknown = Unknown(expr);
    if (index_depth_ > 0) Require(Requirement::Kind::kOverflow, id, Fresh("", {}), type);
    return unknown;
  }
  // The launcher refuses a guard whose numbers leave their types.
  if (in_guard_ && ir::Info(expr.type.dtype).is_signed) return *value;
  const auto fits_in = [&](const Interval& range) {
    return range.low >= type.low && range.high <= type.high;
  };
  const Interval range = analysis.atoms.RangeOf(*value);
  const bool by_range = fits_in(range);
  if (index_depth_ > 0 && ir::Info(expr.type.dtype).is_signed) {
    if (by_range || fits_in(RangeByFacts(*value))) {
      if (dry == 0) {
        analysis.requirements.push_back(
            {.kind = Requirement::Kind::kOverflow, .stmt = stmt, .expr = id, .proved = true});
      }
    } else {
      Require(Requirement::Kind::kOverflow, id, *value, type);
    }
    return by_range ? *value : WithinType(*value, expr.type.dtype);
  }
  if (by_range) return *value;
  const bool fits =
      (range.low >= type.low || prover.AtMost(Linear::Constant(type.low), *value, facts)) &&
      (range.high <= type.high || prover.AtMost(*value, Linear::Constant(type.high), facts));
  return fits ? *value : Unknown(expr);
}

Linear Evaluator::BuiltinOf(ir::BuiltinValue builtin) const {
  const Linear& x = analysis.coordinates[0];
  const auto linear = [&]() -> Linear {
    // x + gx*(y + gy*z); a grid of one dimension is x alone.
    Linear at = x;
    std::optional<Linear> plane = analysis.grid[0];
    for (size_t d = 1; d < 3 && plane; ++d) {
      const std::optional<Linear> part = analysis.atoms.Product(*plane, analysis.coordinates[d]);
      const std::optional<Linear> sum = part ? Plus(at, *part) : std::nullopt;
      if (!sum) break;
      at = *sum;
      plane = analysis.atoms.Product(*plane, analysis.grid[d]);
    }
    return at;
  };
  const auto ctas = [&]() -> Linear {
    Linear all = analysis.grid[0];
    for (size_t d = 1; d < 3; ++d) {
      if (const auto product = analysis.atoms.Product(all, analysis.grid[d])) all = *product;
    }
    return all;
  };
  switch (builtin) {
    case ir::BuiltinValue::kCtaX: return x;
    case ir::BuiltinValue::kCtaY: return analysis.coordinates[1];
    case ir::BuiltinValue::kCtaZ: return analysis.coordinates[2];
    case ir::BuiltinValue::kCta: return linear();
    case ir::BuiltinValue::kCtas: return ctas();
    case ir::BuiltinValue::kClusterId:
      return analysis.atoms.FloorQuotient(linear(), std::max<int64_t>(kernel.cluster, 1));
    case ir::BuiltinValue::kClusters:
      return analysis.atoms.FloorQuotient(ctas(), std::max<int64_t>(kernel.cluster, 1));
    case ir::BuiltinValue::kClusterRank: {
      const int64_t size = std::max<int64_t>(kernel.cluster, 1);
      return Combine(x, 1, analysis.atoms.FloorQuotient(x, size), -size).value_or(x);
    }
    default: break;
  }
  // Thread ids: their atoms are opaque by name, and get their ranges when a role begins.
  const Linear lane = Linear::Atom(analysis.atoms.Opaque("lane", {}));
  const Linear warp = Linear::Atom(analysis.atoms.Opaque("warp", {}));
  if (builtin == ir::BuiltinValue::kLane) return lane;
  if (builtin == ir::BuiltinValue::kThread) return *Combine(warp, ir::kLanes, lane, 1);
  if (builtin == ir::BuiltinValue::kWg) return analysis.atoms.FloorQuotient(warp, 4);
  return warp;
}

Linear Evaluator::Bits(const Expr& expr, const Linear& a, const Linear& b) {
  const Interval ra = analysis.atoms.RangeOfBits(a), rb = analysis.atoms.RangeOfBits(b);
  const Algebra op = OpOf(expr);
  if (op == Algebra::kShiftRight && b.is_constant() && b.constant >= 0 && b.constant < 62) {
    return analysis.atoms.FloorQuotient(a, int64_t{1} << b.constant);
  }
  Linear unknown = Unknown(expr);
  if (unknown.terms.empty()) return unknown;
  Interval& range = analysis.atoms.Mutable(unknown.terms[0].atom).range;
  if (op == Algebra::kAnd) {
    // x & (2^k - 1) is x modulo 2^k, whatever the sign: two's complement.
    const Linear& mask = b.is_constant() ? b : a;
    const Linear& x = b.is_constant() ? a : b;
    if (mask.is_constant() && mask.constant >= 0 &&
        std::has_single_bit(static_cast<uint64_t>(mask.constant) + 1)) {
      const int64_t c = mask.constant + 1;
      return Combine(x, 1, analysis.atoms.FloorQuotient(x, c), -c).value_or(unknown);
    }
    // The result has no bit that a side lacks: one side that is not negative bounds it.
    if (ra.low >= 0) range = {0, ra.high};
    if (rb.low >= 0) range = {0, ra.low >= 0 ? std::min(ra.high, rb.high) : rb.high};
    return unknown;
  }
  if (ra.low < 0 || rb.low < 0) return unknown;
  if (op == Algebra::kShiftRight) {
    range = {0, ra.high};
  } else if (ra.has_high() && rb.has_high()) {
    range = {0, static_cast<int64_t>(
                    (std::bit_ceil(static_cast<uint64_t>(std::max(ra.high, rb.high)) + 1)) - 1)};
  }
  return unknown;
}

Linear Evaluator::Operation(ExprId id, const Expr& expr) {
  const Algebra op = OpOf(expr);
  Atoms& atoms = analysis.atoms;
  switch (op) {
    case Algebra::kAdd: return Fit(id, Plus(Value(expr.args[0]), Value(expr.args[1])));
    case Algebra::kSubtract: return Fit(id, Minus(Value(expr.args[0]), Value(expr.args[1])));
    case Algebra::kNegate: return Fit(id, Times(Value(expr.args[0]), -1));
    case Algebra::kMultiply: return Product(id, Value(expr.args[0]), Value(expr.args[1]));
    case Algebra::kMultiplyAdd: {
      const std::optional<Linear> product = atoms.Product(Value(expr.args[0]), Value(expr.args[1]));
      return Fit(id, product ? Plus(*product, Value(expr.args[2])) : std::nullopt);
    }
    case Algebra::kCountBits:
      return Fresh(Text(expr), {0, ir::Info(program[expr.args[0]].type.dtype).bits});
    case Algebra::kDivide:
    case Algebra::kCeilDivide: return Quotient(id, expr);
    case Algebra::kModulo: return Remainder(id, expr);
    case Algebra::kMin:
    case Algebra::kMax:
      return atoms.MinOrMax(op == Algebra::kMin, Value(expr.args[0]), Value(expr.args[1]));
    case Algebra::kAbs: {
      const Linear a = Value(expr.args[0]);
      if (prover.AtMost(Linear::Constant(0), a, facts)) return a;
      const std::optional<Linear> minus = Times(a, -1);
      return Fit(id, minus ? std::optional(atoms.MinOrMax(false, a, *minus)) : std::nullopt);
    }
    case Algebra::kSelect: return Select(expr);
    case Algebra::kShiftLeft: {
      const Linear a = Value(expr.args[0]), b = Value(expr.args[1]);
      const Interval by = atoms.RangeOfBits(b);
      constexpr int64_t kMostOf32 = 30;  // shifts that leave a positive i32 its sign
      if (!b.is_constant() && a.is_constant() && a.constant == 1 && by.low >= 0 &&
          by.high <= kMostOf32) {
        return Fresh(Text(expr), {int64_t{1} << by.low, int64_t{1} << by.high});
      }
      if (!b.is_constant() || b.constant < 0 || b.constant > 31) return Unknown(expr);
      return Fit(id, Times(a, int64_t{1} << b.constant));
    }
    case Algebra::kAnd:
    case Algebra::kOr:
    case Algebra::kXor:
    case Algebra::kShiftRight:
      if (!IsInteger(program[expr.args[0]].type)) return Unknown(expr);
      return Bits(expr, Value(expr.args[0]), Value(expr.args[1]));
    case Algebra::kConvert:
      if (!IsInteger(program[expr.args[0]].type)) return Unknown(expr);
      return Fit(id, Value(expr.args[0]));
    default: return Unknown(expr);
  }
}

// Row or column of the tile that a thread's element stands for: blocks and neighbours by the index,
// the rest by the lane. What the lanes of a group share is one unknown: nothing here tells lanes
// apart.
Linear Evaluator::Coordinate(const Expr& expr) {
  const ir::FragmentMap map = ir::MapOf(kernel.locals[static_cast<size_t>(expr.local)].type);
  const ir::AxisMap& axis = expr.kind == ExprKind::kRow ? map.rows : map.columns;
  const Linear index = Value(expr.args[0]);
  if (!prover.AtMost(Linear::Constant(0), index, facts)) return Unknown(expr);
  if (axis.warp_stride > 0) {
    const int64_t rows = kernel.locals[static_cast<size_t>(expr.local)].type.shape[0];
    return Linear::Atom(analysis.atoms.Opaque(absl::StrCat("row of ", rows), {0, rows - 1}));
  }
  const Linear lane = Linear::Atom(
      analysis.atoms.Opaque(absl::StrCat("lane / ", axis.lane_divisor, " % ", axis.lane_values),
                            {0, axis.lane_values - 1}));
  std::optional<Linear> value;
  if (axis.pack == 1 && axis.repeats * axis.repeat_stride == axis.tile) {
    value = Times(index, axis.repeat_stride);
  } else if (axis.warp_stride != 0 && axis.pack == 1) {
    // Blocks of a warpgroup lie farther apart than the repeats of one.
    value = Combine(Times(index, axis.repeat_stride).value_or(Linear()), 1,
                    analysis.atoms.FloorQuotient(index, axis.repeats),
                    axis.tile - axis.repeats * axis.repeat_stride);
    const Linear warp =
        Linear::Atom(analysis.atoms.Opaque("warp % 4", {0, ir::kWarpgroupWarps - 1}));
    value = value ? Combine(*value, 1, warp, axis.warp_stride) : std::nullopt;
  } else if (axis.repeats == 1) {
    value =
        Combine(index, 1, analysis.atoms.FloorQuotient(index, axis.pack), axis.tile - axis.pack);
  }
  value = value ? Combine(*value, 1, lane, axis.pack) : std::nullopt;
  return value ? *value : Unknown(expr);
}

Linear Evaluator::Value(ExprId id) {
  const Expr& expr = program[id];
  switch (expr.kind) {
    case ExprKind::kInt: return Linear::Constant(expr.int_value);
    case ExprKind::kSymbol: {
      const auto atom = static_cast<AtomId>(expr.symbol);
      const Interval range = analysis.atoms[atom].range;
      if (range.low == range.high) return Linear::Constant(range.low);
      return Linear::Atom(atom);
    }
    case ExprKind::kBuiltin: return BuiltinOf(expr.builtin);
    case ExprKind::kLocal: {
      const std::optional<Linear>& value = locals[static_cast<size_t>(expr.local)].value;
      return value ? *value : Unknown(expr);
    }
    case ExprKind::kElement: {
      const Expr& array = program[expr.args[0]];
      if (array.kind == ExprKind::kSymbol && IsInteger(expr.type)) {
        return ArgElement(array.symbol, Value(expr.args[1]));
      }
      if (array.kind != ExprKind::kLocal || expr.args.size() != 2 || !IsInteger(expr.type)) {
        return Unknown(expr);
      }
      // The same element of an array that was not written in between is the same unknown.
      const auto local = static_cast<size_t>(array.local);
      if (locals[local].tensor >= 0) {
        std::vector<Linear> indices = locals[local].first;
        Linear& along = indices[locals[local].along];
        const std::optional<Linear> at = Plus(along, Value(expr.args[1]));
        if (!at) return Unknown(expr);
        along = *at;
        return ElementValue(static_cast<ir::TensorId>(locals[local].tensor), indices);
      }
      return Linear::Atom(analysis.atoms.Opaque(
          absl::StrCat(kernel.locals[local].name, "@", local, ".", locals[local].version, "[",
                       analysis.atoms.Key(Value(expr.args[1])), "]"),
          RangeOfDType(expr.type.dtype)));
    }
    case ExprKind::kLoad: return IsInteger(expr.type) ? LoadValue(expr) : Unknown(expr);
    case ExprKind::kOp:
      if (IsInteger(expr.type)) return Operation(id, expr);
      return Unknown(expr);
    case ExprKind::kRow:
    case ExprKind::kColumn: return Coordinate(expr);
    default: return Unknown(expr);
  }
}

Linear Evaluator::IndexValue(ExprId id) {
  ++index_depth_;
  Linear value = Value(id);
  --index_depth_;
  return value;
}

Linear Evaluator::SideOf(ExprId id) {
  bool address = true;
  compiler::facts::ForEachExpr(program, id, [&](ExprId, const Expr& expr) {
    const bool plain = expr.kind == ExprKind::kInt || expr.kind == ExprKind::kSymbol ||
                       expr.kind == ExprKind::kBuiltin || expr.kind == ExprKind::kOp ||
                       (expr.kind == ExprKind::kLocal && !address_locals.empty() &&
                        address_locals[static_cast<size_t>(expr.local)]);
    address = address && plain;
  });
  return address ? IndexValue(id) : Value(id);
}

void Evaluator::Compare(Facts& out, const Expr& expr, bool truth) {
  if (!IsInteger(program[expr.args[0]].type)) return;
  const Linear a = SideOf(expr.args[0]), b = SideOf(expr.args[1]);
  Algebra op = OpOf(expr);
  if (!truth) {
    switch (op) {
      case Algebra::kLess: op = Algebra::kGreaterEqual; break;
      case Algebra::kLessEqual: op = Algebra::kGreater; break;
      case Algebra::kGreater: op = Algebra::kLessEqual; break;
      case Algebra::kGreaterEqual: op = Algebra::kLess; break;
      case Algebra::kEqual: op = Algebra::kNotEqual; break;
      default: op = Algebra::kEqual; break;
    }
  }
  const std::optional<Linear> up = Minus(b, a), down = Minus(a, b);
  if (!up || !down) return;
  switch (op) {
    case Algebra::kLess: out.push_back(Shift(*up, -1)); break;
    case Algebra::kLessEqual: out.push_back(*up); break;
    case Algebra::kGreater: out.push_back(Shift(*down, -1)); break;
    case Algebra::kGreaterEqual: out.push_back(*down); break;
    case Algebra::kEqual:
      out.push_back(*up);
      out.push_back(*down);
      break;
    default:
      // Different, and known to be on one side: strictly on that side.
      if (prover.NonNegative(*up, facts))
        out.push_back(Shift(*up, -1));
      else if (prover.NonNegative(*down, facts))
        out.push_back(Shift(*down, -1));
  }
}

Facts Evaluator::Conditions(ExprId condition, bool truth) {
  Facts out;
  const Expr& expr = program[condition];
  const Algebra op = OpOf(expr);
  const bool is_and = expr.kind == ExprKind::kAnd || op == Algebra::kAnd;
  const bool is_or = expr.kind == ExprKind::kOr || op == Algebra::kOr;
  if (expr.kind == ExprKind::kInt) {
    if ((expr.int_value != 0) != truth) out.push_back(Linear::Constant(-1));
  } else if (expr.kind == ExprKind::kLocal) {
    const LocalValue& local = locals[static_cast<size_t>(expr.local)];
    out = truth ? local.if_true : local.if_false;
  } else if ((is_and && truth) || (is_or && !truth)) {
    for (const ExprId arg : expr.args) {
      const Facts part = Conditions(arg, truth);
      out.insert(out.end(), part.begin(), part.end());
    }
  } else if (op == Algebra::kNot) {
    out = Conditions(expr.args[0], !truth);
  } else if (op >= Algebra::kEqual && op <= Algebra::kGreaterEqual) {
    Compare(out, expr, truth);
    AddPicked(out);
  }
  return out;
}

void Evaluator::Assume(ExprId condition, bool truth) {
  const Facts more = Conditions(condition, truth);
  facts.insert(facts.end(), more.begin(), more.end());
}

void Evaluator::AssumeGuard(ExprId condition) {
  const Expr& expr = program[condition];
  if (expr.kind == ExprKind::kAnd) {
    for (const ExprId arg : expr.args) AssumeGuard(arg);
    return;
  }
  if (OpOf(expr) == Algebra::kEqual) {
    const Expr& left = program[expr.args[0]];
    const Expr& right = program[expr.args[1]];
    if (OpOf(left) == Algebra::kModulo && right.kind == ExprKind::kInt && right.int_value == 0) {
      const Linear x = Value(left.args[0]), c = Value(left.args[1]);
      if (x.is_atom() && c.is_constant() && c.constant > 0) {
        int64_t& divisor = analysis.atoms.Mutable(x.terms[0].atom).divisor;
        divisor = std::lcm(divisor, c.constant);
      }
    }
  }
  const size_t before = facts.size();
  in_guard_ = true;
  Assume(condition, true);
  in_guard_ = false;
  for (size_t i = before; i < facts.size(); ++i) NarrowAtom(facts[i]);
}

// A fact of the launch about one atom that is equal in all threads is its range.
void Evaluator::NarrowAtom(const Linear& fact) {
  if (fact.terms.size() != 1 || !analysis.atoms.Uniform(fact)) return;
  const auto [id, coefficient] = fact.terms[0];
  if (coefficient != 1 && coefficient != -1) return;
  const Interval bound =
      coefficient > 0 ? Interval{.low = -fact.constant} : Interval{.high = fact.constant};
  const Interval range = Meet(analysis.atoms[id].range, bound);
  if (range.low <= range.high) analysis.atoms.Mutable(id).range = range;
}

}  // namespace verifier
