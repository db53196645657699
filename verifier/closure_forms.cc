#include "verifier/closure_forms.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "compiler/facts/walk.h"

namespace verifier {
namespace {

using ir::Algebra;
using ir::ExprKind;
using ir::StmtKind;

constexpr int64_t kMostRound = 64;
constexpr int64_t kMostFactor = int64_t{1} << 20;
constexpr int64_t kMostConstant = int64_t{1} << 40;

Form Atom(std::string name) {
  Form form{.known = true};
  form.terms[std::move(name)] = 1;
  return form;
}

std::string Key(const Form& form) {
  std::string key = std::to_string(form.constant);
  for (const auto& [name, factor] : form.terms) key += "+" + std::to_string(factor) + name;
  return "(" + key + ")";
}

bool IsSmall(int64_t value, int64_t limit = kMostFactor) { return value > -limit && value < limit; }

// Far from any overflow of what is computed with it.
bool IsSane(const Form& form) {
  bool sane = IsSmall(form.constant, kMostConstant) && IsSmall(form.slope, kMostConstant);
  for (const auto& [name, factor] : form.terms) sane = sane && IsSmall(factor, kMostConstant);
  return sane;
}

Form Sum(const Form& a, const Form& b, int64_t sign) {
  if (!a.known || !b.known || a.threshold || b.threshold || !IsSane(a) || !IsSane(b)) return {};
  if (a.round > 1 || b.round > 1) {
    if (a.slope != 0 || b.slope != 0) return {};
    return {.known = true, .round = std::lcm(a.round, b.round)};
  }
  Form sum = a;
  sum.slope += sign * b.slope;
  sum.constant += sign * b.constant;
  for (const auto& [name, factor] : b.terms) {
    if ((sum.terms[name] += sign * factor) == 0) sum.terms.erase(name);
  }
  return sum;
}

Form Scaled(Form form, int64_t by) {
  form.slope *= by;
  form.constant *= by;
  for (auto& [name, factor] : form.terms) factor *= by;
  if (by == 0) form.terms.clear();
  return form;
}

bool IsConstant(const Form& form) { return form.fixed() && form.terms.empty(); }

}  // namespace

Forms::Forms(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& loop)
    : program_(program), kernel_(kernel), loop_(loop) {
  changes_.resize(kernel.locals.size());
  declarations_.assign(kernel.locals.size(), nullptr);
  assignments_.assign(kernel.locals.size(), 0);
  const auto note = [&](ir::StmtId, const ir::Stmt& stmt) {
    for (const ir::LocalId local : {stmt.local, stmt.second_local, stmt.fragment.local}) {
      if (local == ir::LocalId::kNone) continue;
      const bool declares = stmt.kind == StmtKind::kLet && local == stmt.local;
      if (declares) declarations_[static_cast<size_t>(local)] = &stmt;
      if (!declares) ++assignments_[static_cast<size_t>(local)];
    }
  };
  compiler::facts::ForEachStmt(program, kernel.lets, note);
  for (const ir::Role& role : kernel.roles) compiler::facts::ForEachStmt(program, role.body, note);
  Assigned(loop.body, true);
  if (loop.step != ir::ExprId::kNone) {
    const ir::Expr& step = program[loop.step];
    step_ = step.kind == ExprKind::kInt && step.int_value > 0 ? step.int_value : 0;
  }
  const Form low = Of(loop.low), high = Of(loop.high);
  const Form step =
      loop.step == ir::ExprId::kNone ? Form{.known = true, .constant = 1} : Of(loop.step);
  for (const ir::ExprId bound : {loop.low, loop.high, loop.step}) Add(bound, 0, origins_);
  AddGuarded(origins_.symbols);
  room_ = Sum(high, low, -1);
  const bool decided = origins_.data || origins_.unknown;
  if (room_.fixed() && low.fixed() && step.fixed() && !decided)
    bounds_ = Key(room_) + "/" + Key(step);
  if (!room_.fixed() || step_ == 0 || !IsSmall(step_)) room_ = {};
}

void Forms::Assigned(const std::vector<ir::StmtId>& body, bool direct) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) continue;
    if (stmt.local != ir::LocalId::kNone) {
      Change& change = changes_[static_cast<size_t>(stmt.local)];
      if (stmt.kind == StmtKind::kLet || stmt.kind == StmtKind::kFor) {
        change.declared = &stmt;
      } else {
        ++change.assignments;
      }
      if (stmt.kind == StmtKind::kAssign && direct && stmt.indices.empty()) {
        const ir::Expr& value = program_[stmt.value];
        const bool adds = value.kind == ExprKind::kOp && value.op->algebra == Algebra::kAdd &&
                          program_[value.args[0]].kind == ExprKind::kLocal &&
                          program_[value.args[0]].local == stmt.local &&
                          program_[value.args[1]].kind == ExprKind::kInt;
        if (adds) change.adds = program_[value.args[1]].int_value;
      }
    }
    if (stmt.second_local != ir::LocalId::kNone) {
      changes_[static_cast<size_t>(stmt.second_local)].assignments += 2;
    }
    if (stmt.fragment.local != ir::LocalId::kNone) {
      changes_[static_cast<size_t>(stmt.fragment.local)].assignments += 2;
    }
    Assigned(stmt.body, false);
    Assigned(stmt.else_body, false);
  }
}

Form Forms::Of(ir::ExprId id) { return Of(id, 0); }

Form Forms::Of(ir::ExprId id, int depth) {
  if (id == ir::ExprId::kNone || depth > kMostNames) return {};
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::kInt: return {.known = true, .constant = expr.int_value};
    case ExprKind::kSymbol: return Atom("s" + std::to_string(static_cast<int>(expr.symbol)));
    case ExprKind::kBuiltin: return Atom("b" + std::to_string(static_cast<int>(expr.builtin)));
    case ExprKind::kRow:
    case ExprKind::kColumn: {
      const Form index = Of(expr.args[0], depth + 1);
      return index.fixed() ? Atom("r" + std::to_string(static_cast<int>(id))) : Form{};
    }
    case ExprKind::kLocal: return Local(expr.local, depth);
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kOp: return Operation(expr, depth);
    default: return {};
  }
}

Form Forms::Local(ir::LocalId local, int depth) {
  const auto at = static_cast<size_t>(local);
  const std::string name = "v" + std::to_string(at);
  if (local == loop_.local) {
    Form form = Of(loop_.low, depth + 1);
    form.slope = step_;
    return form.known && step_ > 0 ? form : Form{};
  }
  const Change& change = changes_[at];
  if (change.declared != nullptr) {
    if (change.assignments > 0) return {};
    if (change.declared->kind == StmtKind::kLet) return Of(change.declared->value, depth + 1);
    const bool same =
        Of(change.declared->low, depth + 1).fixed() && Of(change.declared->high, depth + 1).fixed();
    return same ? Atom(name) : Form{};
  }
  if (change.assignments == 0) {
    const ir::Stmt* const declared = declarations_[at];
    const bool let = declared != nullptr && !kernel_.locals[at].is_var;
    const Form value = let ? Of(declared->value, depth + 1) : Form{};
    return value.fixed() ? value : Atom(name);
  }
  if (change.assignments > 1 || !change.adds || !IsSmall(*change.adds)) return {};
  Form counter = Atom(name);
  counter.slope = *change.adds;
  return counter;
}

// `difference` against 0.
Form Forms::Compare(const Form& difference, Algebra algebra) {
  if (!difference.known || difference.threshold) return {};
  if (difference.slope == 0) {
    if (difference.round > 1) return difference;
    return Atom("c" + std::to_string(static_cast<int>(algebra)) + Key(difference));
  }
  const int64_t slope = std::abs(difference.slope);
  Form from_end = difference;
  from_end.slope = 0;
  int64_t trips = 0;
  if (from_end.terms.empty()) {
    trips = std::abs(from_end.constant) / slope + 2;
    first_ = std::max(first_, trips);
  } else {
    if (!room_.known || difference.slope % step_ != 0) return {};
    const Form rest = Sum(from_end, Scaled(room_, difference.slope / step_), 1);
    if (!rest.terms.empty()) return {};
    trips = std::abs(rest.constant) / slope + 2;
    last_ = std::max(last_, trips);
  }
  return {.known = true, .threshold = true};
}

Form Forms::Operation(const ir::Expr& expr, int depth) {
  std::vector<Form> args;
  bool all_known = true, all_fixed = true, threshold = false, slope = false;
  int64_t round = 1;
  for (const ir::ExprId arg : expr.args) {
    const Form& form = args.emplace_back(Of(arg, depth + 1));
    all_known = all_known && form.known;
    all_fixed = all_fixed && form.fixed();
    threshold = threshold || form.threshold;
    slope = slope || form.slope != 0;
    round = std::lcm(round, form.round);
  }
  if (!all_known || round > kMostRound) return {};
  const bool logical = expr.kind != ExprKind::kOp;
  const Algebra algebra = logical ? Algebra::kAnd : expr.op->algebra;
  if (!logical && args.size() == 2) {
    if (algebra == Algebra::kAdd) return Sum(args[0], args[1], 1);
    if (algebra == Algebra::kSubtract) return Sum(args[0], args[1], -1);
    if (algebra == Algebra::kMultiply && round == 1 && !threshold) {
      for (const int side : {0, 1}) {
        const auto by = static_cast<size_t>(side);
        if (IsConstant(args[by]) && IsSmall(args[by].constant)) {
          return IsSane(args[1 - by]) ? Scaled(args[1 - by], args[by].constant) : Form{};
        }
      }
    }
    if (algebra == Algebra::kModulo && IsConstant(args[1]) && args[1].constant > 0 &&
        args[1].constant <= kMostRound && args[0].slope != 0) {
      return {.known = true, .round = args[1].constant};
    }
    if (algebra >= Algebra::kEqual && algebra <= Algebra::kGreaterEqual) {
      return Compare(Sum(args[0], args[1], -1), algebra);
    }
  }
  if (slope) return {};
  const bool combines =
      logical || algebra == Algebra::kNot || algebra == Algebra::kAnd || algebra == Algebra::kOr;
  if (threshold) return combines ? Form{.known = true, .round = round, .threshold = true} : Form{};
  if (round > 1) return {.known = true, .round = round};
  std::string key = logical ? "logical" : std::string(expr.op->name);
  for (const std::string_view modifier : expr.modifiers) key += "." + std::string(modifier);
  if (expr.kind == ExprKind::kOr) key += "or";
  for (const Form& form : args) key += Key(form);
  return Atom(key);
}

}  // namespace verifier
