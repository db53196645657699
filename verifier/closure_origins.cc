#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "compiler/facts/walk.h"
#include "verifier/closure_forms.h"

namespace verifier {

using ir::ExprKind;
using ir::StmtKind;

void Forms::Add(ir::ExprId id, int depth, Origins& origins) const {
  if (id == ir::ExprId::kNone) return;
  if (depth > kMostNames) {
    origins.unknown = true;
    return;
  }
  compiler::facts::ForEachExpr(program_, id, [&](ir::ExprId, const ir::Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kSymbol: origins.symbols.insert(expr.symbol); break;
      case ExprKind::kBuiltin: AddBuiltin(expr.builtin, depth, origins); break;
      case ExprKind::kLocal: AddLocal(expr.local, depth, origins); break;
      case ExprKind::kLoad:
      case ExprKind::kAtomic:
      case ExprKind::kTest: origins.data = true; break;
      default: break;
    }
  });
}

void Forms::AddLocal(ir::LocalId local, int depth, Origins& origins) const {
  const auto at = static_cast<size_t>(local);
  if (local == loop_.local) return Add(loop_.low, depth + 1, origins);
  const Change& change = changes_[at];
  if (change.declared != nullptr && change.declared->kind == StmtKind::kFor) {
    Add(change.declared->low, depth + 1, origins);
    return Add(change.declared->high, depth + 1, origins);
  }
  const ir::Stmt* const let = change.declared != nullptr ? change.declared : declarations_[at];
  // The one that a trip adds a constant in is no more than where it began; every other may hold
  // what any statement of the kernel put there.
  const bool counts = change.assignments == 1 && change.adds.has_value();
  if (let == nullptr || assignments_[at] != (counts ? 1 : 0)) {
    origins.unknown = true;
  } else {
    Add(let->value, depth + 1, origins);
  }
}

// A grid that grows with the trips has CTAs that no launch of few trips has.
void Forms::AddBuiltin(ir::BuiltinValue builtin, int depth, Origins& origins) const {
  using ir::BuiltinValue;
  origins.builtins.insert(builtin);
  std::vector<ir::ExprId> extents = kernel_.grid;
  switch (builtin) {
    case BuiltinValue::kLane:
    case BuiltinValue::kWarp:
    case BuiltinValue::kWg:
    case BuiltinValue::kThread: return;
    case BuiltinValue::kCtaX:
    case BuiltinValue::kCtaY:
    case BuiltinValue::kCtaZ: {
      const auto axis = static_cast<size_t>(builtin) - static_cast<size_t>(BuiltinValue::kCtaX);
      extents.assign(axis < extents.size() ? 1 : 0, ir::ExprId::kNone);
      if (!extents.empty()) extents[0] = kernel_.grid[axis];
      break;
    }
    default: break;
  }
  const size_t before = origins.symbols.size();
  for (const ir::ExprId extent : extents) Add(extent, depth + 1, origins);
  origins.grid = origins.grid || origins.symbols.size() > before;
}

// What a guard says of one number and another makes one grow with the other.
void Forms::AddGuarded(std::set<ir::SymbolId>& symbols) const {
  std::vector<std::set<ir::SymbolId>> together;
  std::vector<ir::ExprId> parts;
  for (const ir::Guard& guard : program_.guards) parts.push_back(guard.condition);
  while (!parts.empty()) {
    const ir::ExprId part = parts.back();
    parts.pop_back();
    if (part == ir::ExprId::kNone) continue;
    if (program_[part].kind == ExprKind::kAnd) {
      for (const ir::ExprId arg : program_[part].args) parts.push_back(arg);
      continue;
    }
    std::set<ir::SymbolId>& named = together.emplace_back();
    compiler::facts::ForEachExpr(program_, part, [&](ir::ExprId, const ir::Expr& expr) {
      if (expr.kind == ExprKind::kSymbol) named.insert(expr.symbol);
    });
  }
  const auto known = [&](ir::SymbolId symbol) { return symbols.contains(symbol); };
  for (bool more = true; more;) {
    const size_t before = symbols.size();
    for (const std::set<ir::SymbolId>& named : together) {
      if (std::any_of(named.begin(), named.end(), known))
        symbols.insert(named.begin(), named.end());
    }
    more = symbols.size() > before;
  }
}

std::string Forms::WhyItFollows(ir::ExprId id) const {
  Origins own;
  Add(id, 0, own);
  if (own.data) return "loaded values that decide inside the loop";
  if (own.unknown) return "variables that decide inside the loop";
  const bool follows =
      std::any_of(own.symbols.begin(), own.symbols.end(),
                  [&](ir::SymbolId symbol) { return origins_.symbols.contains(symbol); }) ||
      std::any_of(own.builtins.begin(), own.builtins.end(),
                  [&](ir::BuiltinValue builtin) { return origins_.builtins.contains(builtin); });
  if (!follows) return "";
  return own.grid ? "CTAs that only launches of more trips have"
                  : "numbers that change with the trip count";
}

}  // namespace verifier
