#include "verifier/cells.h"

#include <algorithm>
#include <limits>
#include <set>

#include "compiler/facts/walk.h"
#include "compiler/machine/values.h"

namespace verifier {
namespace {

constexpr int64_t kLargestConstant = int64_t{1} << 40;
constexpr size_t kMaxConstants = 8;
constexpr size_t kMaxSymbols = 4;
constexpr size_t kMaxValues = 24;  // of one symbol
constexpr size_t kMaxShapes = 24;
constexpr size_t kMaxSms = 6;  // numbers of SMs of a condition
constexpr size_t kMaxData = 48;
constexpr double kMaxCost = 4'000'000;  // threads and elements of a shape

// What decides over some expressions: constants, launch values and elements of tensors, through
// every value that their variables are ever given.
class Gatherer {
 public:
  Gatherer(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program),
        kernel_(kernel),
        given_(kernel.locals.size()),
        seen_(kernel.locals.size(), false) {
    const auto note = [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.local == ir::LocalId::kNone) return;
      std::vector<ir::ExprId>& values = given_[static_cast<size_t>(stmt.local)];
      for (const ir::ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) {
        if (id != ir::ExprId::kNone) values.push_back(id);
      }
    };
    compiler::facts::ForEachStmt(program, kernel.lets, note);
    for (const ir::Role& role : kernel.roles)
      compiler::facts::ForEachStmt(program, role.body, note);
  }

  void Gather(ir::ExprId root) {
    std::vector<ir::ExprId> pending{root};
    for (size_t i = 0; i < pending.size(); ++i) {
      compiler::facts::ForEachExpr(program_, pending[i], [&](ir::ExprId, const ir::Expr& expr) {
        switch (expr.kind) {
          case ir::ExprKind::kInt: Constant(expr.int_value); break;
          case ir::ExprKind::kFloat:
            if (reals.size() < kMaxConstants) reals.insert(expr.float_value);
            break;
          case ir::ExprKind::kSymbol: symbols.insert(static_cast<size_t>(expr.symbol)); break;
          case ir::ExprKind::kLoad: loads = true; break;
          case ir::ExprKind::kOp:
            if (const auto order = compiler::machine::OrderIn(program_, expr)) {
              if (!order->right) Constant(order->number);
            }
            floats = floats || ComparesFloats(expr);
            break;
          case ir::ExprKind::kBuiltin:
            // How many CTAs there are is what the grid says.
            if (expr.builtin >= ir::BuiltinValue::kCta && !grid_) {
              grid_ = true;
              pending.insert(pending.end(), kernel_.grid.begin(), kernel_.grid.end());
            }
            break;
          case ir::ExprKind::kLocal: {
            const auto local = static_cast<size_t>(expr.local);
            if (!seen_[local]) {
              seen_[local] = true;
              pending.insert(pending.end(), given_[local].begin(), given_[local].end());
            }
            break;
          }
          default: break;
        }
      });
    }
  }

  std::set<int64_t> integers;
  std::set<double> reals;
  std::set<size_t> symbols;
  bool loads = false, floats = false;

 private:
  bool ComparesFloats(const ir::Expr& expr) const {
    return expr.op != nullptr && expr.op->algebra >= ir::Algebra::kEqual &&
           expr.op->algebra <= ir::Algebra::kGreaterEqual &&
           ir::Info(program_[expr.args[0]].type.dtype).is_float;
  }

  void Constant(int64_t value) {
    const bool useful = value >= 2 && value <= kLargestConstant;
    if (useful && integers.size() < kMaxConstants) integers.insert(value);
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  bool grid_ = false;  // gathered
  std::vector<std::vector<ir::ExprId>> given_;  // by LocalId
  std::vector<bool> seen_;
};

// Numbers that conditions over the constants single out, the likeliest first: c itself, c / d of
// `d*x == c`, c - d of `x + d == c`, c + d of `x - d == c`.
std::vector<int64_t> SingledOut(const std::set<int64_t>& constants) {
  std::vector<int64_t> values(constants.begin(), constants.end());
  for (const int64_t c : constants) {
    for (const int64_t d : constants) {
      if (c % d == 0 && c != d) values.push_back(c / d);
      if (c > d) values.insert(values.end(), {c - d, c + d});
    }
  }
  return values;
}

// A counter reaches c, and goes on, where its end is above; it counts tiles of a size that is
// written too. What goes wrong there shows when everybody behind has gone `depth` turns on.
std::vector<int64_t> SizesFor(const std::set<int64_t>& constants, int64_t depth) {
  std::vector<int64_t> values;
  const auto add = [&](int64_t value) {
    const bool known = std::find(values.begin(), values.end(), value) != values.end();
    if (!known && values.size() < kMaxValues) values.push_back(value);
  };
  for (const int64_t c : constants) {
    for (const int64_t above : {int64_t{0}, int64_t{1}, 1 + depth}) add(c + above);
  }
  for (const int64_t c : constants) {
    for (const int64_t d : constants) {
      int64_t product = 0;
      if (__builtin_mul_overflow(c, d, &product)) continue;
      add(product + d + 1);
    }
  }
  for (const int64_t c : constants) {
    for (const int64_t d : constants) {
      int64_t product = 0;
      if (!__builtin_mul_overflow(c, d, &product)) add(product);
    }
    add(c + 2);
  }
  for (const int64_t value : SingledOut(constants)) add(value);
  return values;
}

// Turns after which a slot that is left out is missed by the last of those who wait for it.
int64_t DepthOf(const ir::Kernel& kernel) {
  constexpr int64_t kLag = 3;  // that a release or a use may lie behind
  int64_t stages = 1;
  for (const ir::SharedBuffer& buffer : kernel.shared) stages = std::max(stages, buffer.stages);
  for (const ir::Event& event : kernel.events) stages = std::max(stages, event.stages);
  for (const ir::Ring& ring : kernel.rings) stages = std::max(stages, ring.stages);
  return stages + kLag;
}

}  // namespace

Cells CellsOf(const ir::Program& program, const Selection& selection, size_t kernel,
              const Missing& missing) {
  Cells cells;
  std::set<std::string> made;
  std::set<std::vector<ir::ExprId>> looked_at;
  const int64_t depth = DepthOf(program.kernels[kernel]);
  for (const std::vector<ir::ExprId>& group : missing.conditions) {
    if (!looked_at.insert(group).second) continue;
    Gatherer gatherer(program, program.kernels[kernel]);
    for (const ir::ExprId condition : group) {
      if (condition != ir::ExprId::kNone) gatherer.Gather(condition);
    }
    if (gatherer.loads) {
      const std::vector<int64_t> integers = SingledOut(gatherer.integers);
      for (const int64_t away : {0, 1, -1}) {
        for (const int64_t c : integers) {
          if (cells.integers.size() < kMaxData) cells.integers.push_back(c + away);
        }
        for (const double c : gatherer.reals) {
          cells.reals.push_back(c + static_cast<double>(away));
        }
      }
      // What compares as no number does.
      if (gatherer.floats) {
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        cells.reals.insert(cells.reals.end(), {kNone, kInfinite, -kInfinite});
      }
    }
    if (!selection.varied) continue;
    const auto vary = [&](size_t symbol, size_t most) {
      for (const int64_t value : SizesFor(gatherer.integers, depth)) {
        if (cells.shapes.size() >= most) break;
        std::optional<Shape> shape = selection.varied(symbol, value);
        if (!shape || shape->cost > kMaxCost || !made.insert(shape->text).second) continue;
        cells.shapes.push_back(*std::move(shape));
      }
    };
    // More CTAs than a loop has work for; the many sizes must not keep them out.
    for (const size_t symbol : gatherer.symbols) {
      if (group.size() < 2 || program.symbols[symbol].kind != ir::SymbolKind::kSms) continue;
      vary(symbol, cells.shapes.size() + kMaxSms);
    }
    size_t symbols = 0;
    for (const size_t symbol : gatherer.symbols) {
      if (++symbols > kMaxSymbols) break;
      if (program.symbols[symbol].kind == ir::SymbolKind::kSms) continue;
      vary(symbol, kMaxShapes);
    }
  }
  std::stable_sort(cells.shapes.begin(), cells.shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.cost < b.cost; });
  return cells;
}

}  // namespace verifier
