#include "verifier/counters.h"

#include <algorithm>
#include <limits>
#include <map>

#include "compiler/facts/walk.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;
namespace facts = compiler::facts;

constexpr int64_t kUnbounded = int64_t{1} << 50;  // sums and products stop here
constexpr int kMaxDepth = 32;

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kUnbounded;
  return std::min(product, kUnbounded);
}

class Counters {
 public:
  Counters(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program),
        kernel_(kernel),
        counters_(kernel.locals.size()),
        lets_(kernel.locals.size()) {
    Read(kernel.lets, 1);
    for (const ir::Role& role : kernel.roles) Read(role.body, 1);
  }

  std::vector<std::optional<ir::Range>> Run() {
    std::vector<std::optional<ir::Range>> ranges;
    for (const Counter& counter : counters_) {
      const bool known = counter.starts && !counter.other && counter.steps < kUnbounded &&
                         (counter.steps > 0 || counter.cap > counter.start);
      const int64_t most = std::max(counter.start, counter.cap);
      ranges.push_back(known ? std::optional(ir::Range{counter.start, most + counter.steps})
                             : std::nullopt);
    }
    return ranges;
  }

 private:
  struct Counter {
    bool starts = false, other = false;
    int64_t start = 0;
    int64_t steps = 0;  // the sum of all increases, at most, but for those under a bound
    int64_t cap = std::numeric_limits<int64_t>::min();  // what those reach at most
    int64_t outside = 1;  // trips of the loops around its declaration, which starts it again
  };

  // `trips`: how often the statements of this body run at most.
  void Read(const std::vector<ir::StmtId>& body, int64_t trips) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      int64_t inside = trips;
      switch (stmt.kind) {
        case ir::StmtKind::kLet: Start(stmt, trips); break;
        case ir::StmtKind::kAssign: Step(id, stmt, trips); break;
        case ir::StmtKind::kPairLet:
          Of(stmt.local).other = true;
          Of(stmt.second_local).other = true;
          break;
        case ir::StmtKind::kIf: Guard(stmt.value, stmt.body); break;
        case ir::StmtKind::kFor: inside = Times(trips, TripsOf(stmt)); break;
        case ir::StmtKind::kWhile: inside = Times(trips, TicketsOf(stmt)); break;
        default: break;
      }
      Read(stmt.body, inside);
      Read(stmt.else_body, inside);
    }
  }

  Counter& Of(ir::LocalId local) { return counters_[static_cast<size_t>(local)]; }

  void Start(const ir::Stmt& stmt, int64_t trips) {
    Counter& counter = Of(stmt.local);
    counter.outside = trips;
    lets_[static_cast<size_t>(stmt.local)] = stmt.value;
    if (stmt.value == ir::ExprId::kNone) return;
    const ir::Expr& value = program_[stmt.value];
    counter.starts = value.kind == ir::ExprKind::kInt;
    counter.start = value.int_value;
  }

  // `if k < MOST { .. k += 1 .. }`: the only assignment of k in there finds it below the bound.
  void Guard(ir::ExprId condition, const std::vector<ir::StmtId>& body) {
    const ir::Expr& expr = program_[condition];
    if (expr.kind == ir::ExprKind::kAnd) {
      for (const ir::ExprId side : expr.args) Guard(side, body);
      return;
    }
    const ir::Algebra op = expr.kind == ir::ExprKind::kOp ? expr.op->algebra : ir::Algebra::kOpaque;
    if (op != ir::Algebra::kLess && op != ir::Algebra::kLessEqual) return;
    const ir::Expr& variable = program_[expr.args[0]];
    const auto bound = RangeOf(expr.args[1], 0);
    if (variable.kind != ir::ExprKind::kLocal || !bound) return;
    int assigned = 0;
    facts::ForEachStmt(program_, body, [&](ir::StmtId, const ir::Stmt& stmt) {
      assigned += stmt.local == variable.local || stmt.second_local == variable.local ? 1 : 0;
    });
    for (const ir::StmtId id : body) {
      const bool step = program_[id].kind == ir::StmtKind::kAssign;
      if (!step || program_[id].local != variable.local || assigned != 1) continue;
      below_[id] = bound->high - (op == ir::Algebra::kLess ? 1 : 0);
    }
  }

  void Step(ir::StmtId id, const ir::Stmt& stmt, int64_t trips) {
    if (program_[stmt.value].kind == ir::ExprKind::kInt) return Restart(stmt);
    Counter& counter = Of(stmt.local);
    const ir::Expr& sum = program_[stmt.value];
    const bool adds = stmt.indices.empty() && sum.kind == ir::ExprKind::kOp &&
                      sum.op->algebra == ir::Algebra::kAdd && sum.args.size() == 2;
    if (!adds) {
      counter.other = true;
      return;
    }
    const ir::Expr& left = program_[sum.args[0]];
    const ir::Expr& right = program_[sum.args[1]];
    const bool self = left.kind == ir::ExprKind::kLocal && left.local == stmt.local;
    const auto step = RangeOf(sum.args[1], 0);
    if (!self || right.kind == ir::ExprKind::kLocal || !step || step->low < 0) {
      counter.other = true;
      return;
    }
    if (const auto below = below_.find(id); below != below_.end()) {
      counter.cap = std::max(counter.cap, below->second + step->high);
      return;
    }
    // Trips around the declaration start it again; where they are unknown, so are those inside.
    const int64_t runs =
        trips >= kUnbounded || counter.outside == 0 ? trips : trips / counter.outside;
    counter.steps = std::min(counter.steps + Times(step->high, runs), kUnbounded);
  }

  // A constant assigned anew is one more start.
  void Restart(const ir::Stmt& stmt) {
    Counter& counter = Of(stmt.local);
    if (!stmt.indices.empty() || program_[stmt.value].int_value < counter.start) {
      counter.other = true;
      return;
    }
    counter.steps =
        std::min(counter.steps + program_[stmt.value].int_value - counter.start, kUnbounded);
  }

  // Loops over tickets know the end of the tickets: a CTA takes each at most once, and one beyond.
  int64_t TicketsOf(const ir::Stmt& stmt) const {
    if (stmt.high == ir::ExprId::kNone) return kUnbounded;
    const auto high = RangeOf(stmt.high, 0);
    return high ? std::clamp<int64_t>(high->high, 0, kUnbounded - 1) + 1 : kUnbounded;
  }

  int64_t TripsOf(const ir::Stmt& stmt) const {
    const auto low = RangeOf(stmt.low, 0);
    const auto high = RangeOf(stmt.high, 0);
    const auto step =
        stmt.step == ir::ExprId::kNone ? std::optional(ir::Range{1, 1}) : RangeOf(stmt.step, 0);
    if (!low || !high || !step || step->low < 1) return kUnbounded;
    const int64_t distance = high->high - low->low;
    return distance <= 0 ? 0 : std::min((distance + step->low - 1) / step->low, kUnbounded);
  }

  std::optional<ir::Range> RangeOf(ir::ExprId id, int depth) const {
    if (depth > kMaxDepth) return std::nullopt;
    const ir::Expr& expr = program_[id];
    switch (expr.kind) {
      case ir::ExprKind::kInt: return ir::Range{expr.int_value, expr.int_value};
      case ir::ExprKind::kSymbol: {
        const ir::Symbol& symbol = program_[expr.symbol];
        if (!symbol.has_range) return std::nullopt;
        return ir::Range{symbol.low, symbol.high};
      }
      case ir::ExprKind::kBuiltin: return OfBuiltin(expr.builtin);
      case ir::ExprKind::kLocal: {
        const auto local = static_cast<size_t>(expr.local);
        // What a variable is started with says nothing of what it is later.
        const bool named = lets_[local] != ir::ExprId::kNone && !kernel_.locals[local].is_var;
        return named ? RangeOf(lets_[local], depth + 1) : std::nullopt;
      }
      case ir::ExprKind::kOp: {
        if (expr.args.size() != 2 || !ir::Info(expr.type.dtype).is_signed) return std::nullopt;
        const auto left = RangeOf(expr.args[0], depth + 1);
        const auto right = RangeOf(expr.args[1], depth + 1);
        // The less of a known and an unknown number is no more than the known one.
        const bool either =
            expr.op->algebra == ir::Algebra::kMin || expr.op->algebra == ir::Algebra::kMax;
        if (!(left && right) && !(either && (left || right))) return std::nullopt;
        constexpr ir::Range kAny{-kUnbounded, kUnbounded};
        return ir::RangeOf(expr.op->algebra, left.value_or(kAny), right.value_or(kAny));
      }
      default: return std::nullopt;
    }
  }

  static std::optional<ir::Range> OfBuiltin(ir::BuiltinValue value) {
    constexpr int64_t kMaxCtas = (int64_t{1} << 31) - 1;  // PTX ISA, %nctaid
    constexpr int64_t kMaxThreads = 1024;
    switch (value) {
      case ir::BuiltinValue::kLane: return ir::Range{0, ir::kLanes - 1};
      case ir::BuiltinValue::kWarp:
      case ir::BuiltinValue::kWg:
      case ir::BuiltinValue::kThread:
      case ir::BuiltinValue::kClusterRank: return ir::Range{0, kMaxThreads};
      case ir::BuiltinValue::kCtas:
      case ir::BuiltinValue::kClusters: return ir::Range{1, kMaxCtas};
      default: return ir::Range{0, kMaxCtas};
    }
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  std::vector<Counter> counters_;
  std::vector<ir::ExprId> lets_;         // by LocalId, as far as it has been read
  std::map<ir::StmtId, int64_t> below_;  // assignments under a bound: what the variable is at most
};

}  // namespace

std::vector<std::optional<ir::Range>> CounterRanges(const ir::Program& program,
                                                    const ir::Kernel& kernel) {
  return Counters(program, kernel).Run();
}

}  // namespace verifier
