#include "verifier/tiles.h"

#include <algorithm>

#include "compiler/facts/walk.h"

namespace verifier {
namespace {

using compiler::facts::ForEachExpr;
using compiler::facts::ForEachStmt;
using ir::Algebra;
using ir::ExprId;
using ir::ExprKind;

constexpr size_t kMaxTileConstants = 6;
constexpr size_t kMaxSideConstants = 16;
constexpr size_t kMaxGuardConstants = 8;
constexpr int64_t kLargestBound = int64_t{1} << 30;

void Note(std::set<int64_t>& constants, int64_t value) {
  if (value >= 2 && value <= kLargestTile && constants.size() < kMaxSideConstants) {
    constants.insert(value);
  }
}

bool IsTile(const ir::Expr& expr) {
  return expr.kind == ExprKind::kInt && expr.int_value >= 2 && expr.int_value <= kLargestTile;
}

// Both are at most kLargestBound.
int64_t Times(int64_t a, int64_t b) { return std::min(a * b, kLargestBound); }

}  // namespace

void TileFinder::Side::Constant(int64_t value, int64_t factor) {
  Note(outer, factor);
  Note(outer, value);
  if (value >= 2 && value <= kLargestTile) Note(outer, Times(value, factor));
}

TileFinder::TileFinder(const ir::Program& program)
    : program_(program),
      tiles_(program.symbols.size()),
      bounds_(program.symbols.size()),
      content_tiles_(program.symbols.size()) {
  for (const ir::Kernel& kernel : program.kernels) Kernel(kernel);
  Bounds();
}

std::vector<int64_t> TileFinder::Of(size_t symbol) const {
  const std::vector<int64_t> all(tiles_[symbol].begin(), tiles_[symbol].end());
  if (all.size() <= kMaxTileConstants) return all;
  std::vector<int64_t> some;
  for (size_t i = 0; i < kMaxTileConstants; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMaxTileConstants - 1)]);
  }
  return some;
}

void TileFinder::Kernel(const ir::Kernel& kernel) {
  let_of_.assign(kernel.locals.size(), ExprId::kNone);
  const auto note_let = [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.kind == ir::StmtKind::kLet) let_of_[static_cast<size_t>(stmt.local)] = stmt.value;
  };
  const auto group = [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.kind == ir::StmtKind::kFor) Group({stmt.low, stmt.high, stmt.step});
    if (stmt.kind != ir::StmtKind::kIf && stmt.kind != ir::StmtKind::kWhile) return;
    parts_seen_.clear();
    Condition(stmt.value);
  };
  ForEachStmt(program_, kernel.lets, note_let);
  for (const ir::Role& role : kernel.roles) ForEachStmt(program_, role.body, note_let);
  for (const ExprId extent : kernel.grid) Group({extent});
  parts_seen_.clear();
  if (kernel.when != ExprId::kNone) Condition(kernel.when);
  for (const ir::Role& role : kernel.roles) ForEachStmt(program_, role.body, group);
}

// Each comparison of a condition by itself: `m < M && n < N` says nothing about M and n.
void TileFinder::Condition(ExprId id) {
  while (LetOf(program_[id]) != ExprId::kNone) id = LetOf(program_[id]);
  if (!parts_seen_.insert(id).second) return;
  const ir::Expr& expr = program_[id];
  const bool parts = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr;
  const bool is_not = expr.kind == ExprKind::kOp && expr.op->algebra == Algebra::kNot;
  if (parts || is_not) {
    for (const ExprId part : expr.args) Condition(part);
    return;
  }
  const bool compares = expr.kind == ExprKind::kOp && expr.op->algebra >= Algebra::kEqual &&
                        expr.op->algebra <= Algebra::kGreaterEqual;
  compares ? Group({expr.args.begin(), expr.args.end()}) : Group({id});
}

// The tiles of the symbols in `roots`, which control compares with each other.
void TileFinder::Group(const std::vector<ExprId>& roots) {
  seen_.assign(let_of_.size(), false);
  std::vector<Side> sides(roots.size());
  for (size_t i = 0; i < roots.size(); ++i) {
    if (roots[i] != ExprId::kNone) Gather(roots[i], 1, sides[i]);
  }
  Side all;
  Merge(sides, all);
  all.inner.insert(all.outer.begin(), all.outer.end());
  for (const size_t symbol : all.symbols) {
    tiles_[symbol].insert(all.inner.begin(), all.inner.end());
  }
  for (const size_t symbol : all.contents) {
    content_tiles_[symbol].insert(all.inner.begin(), all.inner.end());
  }
}

std::set<size_t> TileFinder::SymbolsOfContents(ir::TensorId tensor) const {
  std::set<size_t> symbols;
  for (const ir::ContentContract& contract : program_.contracts) {
    if (contract.tensor != tensor) continue;
    for (const ExprId bound : {contract.low, contract.high}) {
      if (bound == ExprId::kNone) continue;
      ForEachExpr(program_, bound, [&](ExprId, const ir::Expr& expr) {
        if (expr.kind == ExprKind::kSymbol) symbols.insert(static_cast<size_t>(expr.symbol));
      });
    }
  }
  return symbols;
}

// `cta*64 < N/4`: what is divided in one part has the others in units of the divisor.
void TileFinder::Merge(const std::vector<Side>& parts, Side& to) {
  for (const Side& part : parts) {
    to.outer.insert(part.outer.begin(), part.outer.end());
    to.inner.insert(part.inner.begin(), part.inner.end());
    to.divisors.insert(part.divisors.begin(), part.divisors.end());
    to.symbols.insert(part.symbols.begin(), part.symbols.end());
    to.contents.insert(part.contents.begin(), part.contents.end());
  }
  for (const Side& divided : parts) {
    for (const Side& other : parts) {
      if (&divided == &other) continue;
      for (const int64_t divisor : divided.divisors) {
        for (const int64_t constant : other.outer) Note(to.inner, Times(divisor, constant));
      }
    }
  }
}

ExprId TileFinder::LetOf(const ir::Expr& expr) const {
  if (expr.kind != ExprKind::kLocal) return ExprId::kNone;
  return let_of_[static_cast<size_t>(expr.local)];
}

void TileFinder::Gather(ExprId id, int64_t factor, Side& side) {
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::kInt: return side.Constant(expr.int_value, factor);
    case ExprKind::kSymbol: side.symbols.insert(static_cast<size_t>(expr.symbol)); return;
    case ExprKind::kLocal: {
      const auto local = static_cast<size_t>(expr.local);
      if (seen_[local] || let_of_[local] == ExprId::kNone) return;
      seen_[local] = true;
      return Gather(let_of_[local], factor, side);
    }
    case ExprKind::kOp: return Operation(expr, factor, side);
    default:
      if (expr.kind == ExprKind::kLoad && program_[expr.view].space == ir::Space::kGlobal) {
        const std::set<size_t> bounds = SymbolsOfContents(program_[expr.view].tensor);
        side.contents.insert(bounds.begin(), bounds.end());
      }
      ForEachExpr(program_, id, [&](ExprId part, const ir::Expr& inner) {
        const bool leaf = inner.args.empty() && inner.view == ir::ViewId::kNone;
        if (part != id && leaf) Gather(part, 1, side);
      });
  }
}

void TileFinder::Operation(const ir::Expr& expr, int64_t factor, Side& side) {
  const Algebra algebra = expr.op->algebra;
  const bool multiplies = algebra == Algebra::kMultiply;
  const bool divides =
      algebra == Algebra::kDivide || algebra == Algebra::kCeilDivide || algebra == Algebra::kModulo;
  if (divides) return Division(expr, side);
  std::vector<Side> parts(expr.args.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    int64_t inner = factor;
    if (multiplies && IsTile(program_[expr.args[1 - i]])) {
      inner = Times(factor, program_[expr.args[1 - i]].int_value);
    }
    Gather(expr.args[i], multiplies ? inner : factor, parts[i]);
  }
  Merge(parts, side);
}

// What stands in a quotient has the unit of what is divided.
void TileFinder::Division(const ir::Expr& expr, Side& side) {
  Side divided;
  Gather(expr.args[0], 1, divided);
  const ir::Expr& by = program_[expr.args[1]];
  if (!IsTile(by)) Gather(expr.args[1], 1, divided);
  side.inner.insert(divided.inner.begin(), divided.inner.end());
  side.inner.insert(divided.outer.begin(), divided.outer.end());
  side.symbols.insert(divided.symbols.begin(), divided.symbols.end());
  side.contents.insert(divided.contents.begin(), divided.contents.end());
  if (!IsTile(by)) return;
  divided.divisors.insert(1);
  for (const int64_t divisor : divided.divisors) {
    const int64_t product = Times(divisor, by.int_value);
    Note(side.inner, product);
    // The unit of threads or CTAs that are divided is none of a symbol's.
    if (!divided.symbols.empty()) side.divisors.insert(product);
  }
}

// `N == 123456`, `2*N == 6000`, `N / 1000 == 5`, `N % 8 == 0, N > 30000`: the constants of all
// conditions, their neighbours, sums, products and quotients.
void TileFinder::Bounds() {
  std::set<int64_t> constants, bounds;
  std::set<size_t> symbols;
  for (const ir::Guard& guard : program_.guards) {
    ForEachExpr(program_, guard.condition, [&](ExprId, const ir::Expr& expr) {
      if (expr.kind == ExprKind::kInt && expr.int_value >= 2 && expr.int_value <= kLargestBound &&
          constants.size() < kMaxGuardConstants) {
        constants.insert(expr.int_value);
      }
      if (expr.kind == ExprKind::kSymbol) symbols.insert(static_cast<size_t>(expr.symbol));
    });
  }
  for (const int64_t a : constants) {
    bounds.insert({a - 1, a, a + 1});
    for (const int64_t b : constants) {
      if (a * b <= kLargestBound) bounds.insert(a * b);
      bounds.insert({a + b, a / b});
    }
  }
  // A stride follows from the sizes, so what bounds one may bound any of them.
  const bool stride = std::any_of(symbols.begin(), symbols.end(), [&](size_t symbol) {
    return program_.symbols[symbol].kind == ir::SymbolKind::kStride;
  });
  for (size_t symbol = 0; symbol < bounds_.size(); ++symbol) {
    if (stride || symbols.contains(symbol)) bounds_[symbol] = bounds;
  }
}

}  // namespace verifier
