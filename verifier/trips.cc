#include "verifier/trips.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"
#include "verifier/decisions.h"
#include "verifier/trip_thresholds.h"

namespace verifier {
namespace {

using compiler::facts::ForEachExpr, compiler::facts::ForEachStmt;
using ir::Expr, ir::ExprId, ir::ExprKind;
using ir::Stmt, ir::StmtId, ir::StmtKind;

constexpr int64_t kLargestLag = 64;  // larger constants are no distances between uses
constexpr int64_t kLargestRotation = 16;
constexpr int64_t kMostTrips = 256;  // asked for, from the first one or a threshold on
constexpr int64_t kLargestConstant = int64_t{1} << 32;
constexpr int kMostTermsFollowed = 12;  // one in the other
constexpr int kMostLetsFollowed = 64;   // of one expression
constexpr int64_t kMostTurns = 16;      // of a `while`, followed one by one
constexpr int kMostEvaluated = 2000;    // expressions of one bound, shared ones each time
constexpr int64_t kBeyondTheRound = 3;  // trips after the slots have all been used once

// By LocalId: the value of a let, the low end of a loop's variable; kNone for what changes.
std::vector<ExprId> FixedLocals(const ir::Program& program, const ir::Kernel& kernel) {
  std::vector<ExprId> fixed(kernel.locals.size(), ExprId::kNone);
  const auto note = [&](StmtId, const Stmt& stmt) {
    if (stmt.local == ir::LocalId::kNone) return;
    const auto local = static_cast<size_t>(stmt.local);
    if (stmt.kind == StmtKind::kLet && !kernel.locals[local].is_var) fixed[local] = stmt.value;
    if (stmt.kind == StmtKind::kFor) fixed[local] = stmt.low;
  };
  ForEachStmt(program, kernel.lets, note);
  for (const ir::Role& role : kernel.roles) ForEachStmt(program, role.body, note);
  return fixed;
}

// The same, and what variables begin with.
std::vector<ExprId> FirstLocals(const ir::Program& program, const ir::Kernel& kernel) {
  std::vector<ExprId> first = FixedLocals(program, kernel);
  const auto note = [&](StmtId, const Stmt& stmt) {
    if (stmt.kind != StmtKind::kLet || stmt.value == ExprId::kNone) return;
    ExprId& at = first[static_cast<size_t>(stmt.local)];
    if (at == ExprId::kNone && ir::Info(program[stmt.value].type.dtype).is_integer) at = stmt.value;
  };
  for (const ir::Role& role : kernel.roles) ForEachStmt(program, role.body, note);
  return first;
}

// What one loop touches.
class Touches {
 public:
  Touches(const ir::Program& program, const ir::Kernel& kernel, const std::vector<ExprId>& fixed,
          const Stmt& loop)
      : program_(program),
        kernel_(kernel),
        fixed_(fixed),
        changing_(kernel.locals.size(), false),
        counted_(kernel.locals.size(), false),
        own_(loop.local) {
    if (loop.local != ir::LocalId::kNone) {
      changing_[static_cast<size_t>(loop.local)] = counted_[static_cast<size_t>(loop.local)] = true;
    }
    if (loop.kind == StmtKind::kFor && loop.step != ExprId::kNone &&
        program[loop.step].kind == ExprKind::kInt) {
      step_ = std::max<int64_t>(1, program[loop.step].int_value);
    }
    ForEachStmt(program, loop.body, [&](StmtId, const Stmt& stmt) {
      for (const ir::LocalId local : {stmt.local, stmt.second_local}) {
        if (local == ir::LocalId::kNone) continue;
        changing_[static_cast<size_t>(local)] = true;
        counted_[static_cast<size_t>(local)] = stmt.kind == StmtKind::kFor;
      }
    });
    ForEachStmt(program, loop.body, [&](StmtId, const Stmt& stmt) { Statement(stmt); });
  }

  bool none() const { return depths_.empty(); }  // that a second iteration could disturb
  int64_t Near() const { return std::min(kMostTrips, Round() + condition_); }
  int64_t Trips() const { return std::max(Near(), threshold_ + std::min(kMostTrips, Round())); }

 private:
  int64_t Round() const {
    std::set<int64_t> depths = depths_;
    depths.insert(rotations_.begin(), rotations_.end());
    int64_t all = 1;
    for (const int64_t depth : depths) all = std::min(kMostTrips, std::lcm(all, depth));
    const bool mixed = divided_ || depths.size() > 1 + depths.count(1);
    return *depths.rbegin() + lag_ + kBeyondTheRound + (mixed ? all : 0);
  }

  void Statement(const Stmt& stmt) {
    if (stmt.kind == StmtKind::kOp) Instruction(stmt);
    if (stmt.kind == StmtKind::kIf && Changes(stmt.value)) {
      condition_ = std::max(condition_, (Distance(stmt.value) + step_ - 1) / step_);
    }
    for (const ExprId root : DecidingExprs(program_, stmt)) Thresholds(root);
    for (const ir::ViewId view :
         {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view}) {
      Staged(view);
    }
    for (const ExprId root : compiler::facts::OwnExprs(program_, stmt)) {
      ForEachExpr(program_, root, [&](ExprId, const Expr& expr) {
        Staged(expr.view);
        Rotation(expr);
      });
    }
  }

  void Instruction(const Stmt& stmt) {
    for (const ir::RingId ring : {stmt.ring, stmt.on_ring}) {
      if (ring != ir::RingId::kNone)
        depths_.insert(kernel_.rings[static_cast<size_t>(ring)].stages);
    }
    for (const ir::EventId event : {stmt.event, stmt.on_event}) {
      if (event == ir::EventId::kNone) continue;
      depths_.insert(kernel_.events[static_cast<size_t>(event)].stages);
    }
    if (stmt.barrier != ir::BarrierId::kNone) {
      depths_.insert(kernel_.barriers[static_cast<size_t>(stmt.barrier)].count);
    }
    for (const ExprId use : {stmt.use, stmt.on_use, stmt.barrier_index}) Use(use);
    const ir::SyncEffect sync = stmt.op->effects.sync;
    if (!MayMeetAgain(stmt)) return;
    depths_.insert(1);
    const bool groups = sync == ir::SyncEffect::kAsyncWait || sync == ir::SyncEffect::kBulkWait ||
                        sync == ir::SyncEffect::kProductWait;
    if (groups && stmt.amount != ExprId::kNone) lag_ = std::max(lag_, Distance(stmt.amount));
  }

  // What one trip does beside others: threads that meet, groups that are waited for, and writes of
  // memory that other threads have, which the next trip overwrites.
  bool MayMeetAgain(const Stmt& stmt) const {
    const ir::SyncEffect sync = stmt.op->effects.sync;
    if (sync != ir::SyncEffect::kNone && sync != ir::SyncEffect::kPrefetch) return true;
    return stmt.destination != ir::ViewId::kNone &&
           program_[stmt.destination].space == ir::Space::kShared &&
           !ir::OrderingOf(*stmt.op, stmt.modifiers).strong;
  }

  // `k % 2` by hand: what the loop does repeats after so many trips. Only of the loop's own
  // variable and of what it assigns; threads are spread over rows by remainders too.
  void Rotation(const Expr& expr) {
    if (expr.kind != ExprKind::kOp || expr.op->algebra != ir::Algebra::kModulo) return;
    const Expr& divisor = program_[expr.args[1]];
    if (divisor.kind != ExprKind::kInt || divisor.int_value > kLargestRotation) return;
    ForEachExpr(program_, expr.args[0], [&](ExprId, const Expr& part) {
      if (part.kind != ExprKind::kLocal) return;
      const bool own =
          part.local == own_ || (kernel_.locals[static_cast<size_t>(part.local)].is_var &&
                                 changing_[static_cast<size_t>(part.local)]);
      if (own && divisor.int_value > 0) rotations_.insert(divisor.int_value);
    });
  }

  // Distances between uses are those of Distance, small rotations those of Rotation.
  void Thresholds(ExprId root) {
    if (!Changes(root)) return;
    const FarFlips far(program_, fixed_, counted_, {own_, step_}, kLargestLag, kLargestRotation);
    Each(root, [&](ExprId id, const Expr&) { threshold_ = std::max(threshold_, far.After(id)); });
  }

  // A staged buffer counts where the stage moves with the loop.
  void Staged(ir::ViewId id) {
    if (id == ir::ViewId::kNone) return;
    const ir::View& view = program_[id];
    if (view.stage == ExprId::kNone || !Changes(view.stage)) return;
    depths_.insert(kernel_.shared[static_cast<size_t>(view.shared)].stages);
    Use(view.stage);
  }

  void Use(ExprId use) {
    if (use == ExprId::kNone) return;
    lag_ = std::max(lag_, (Distance(use) + step_ - 1) / step_);
    Each(use, [&](ExprId, const Expr& expr) {
      if (expr.kind != ExprKind::kOp) return;
      const ir::Algebra algebra = expr.op->algebra;
      divided_ |= algebra == ir::Algebra::kDivide || algebra == ir::Algebra::kModulo;
    });
  }

  // The largest distance between uses that an expression speaks of: what is added to its variables,
  // and how far apart the sides of its comparisons are.
  int64_t Distance(ExprId root) const {
    int64_t largest = Small(Added(root));
    Each(root, [&](ExprId, const Expr& expr) {
      if (expr.kind != ExprKind::kOp || expr.args.size() != 2) return;
      const ir::Algebra algebra = expr.op->algebra;
      if (algebra == ir::Algebra::kModulo) largest = std::max(largest, Small(Added(expr.args[1])));
      if (algebra < ir::Algebra::kEqual || algebra > ir::Algebra::kGreaterEqual) return;
      largest = std::max(largest, Small(Added(expr.args[0]) - Added(expr.args[1])));
    });
    return largest;
  }

  static int64_t Small(int64_t distance) {
    return distance < -kLargestLag || distance > kLargestLag ? 0 : std::abs(distance);
  }

  // The constant in a sum.
  int64_t Added(ExprId id, int depth = 0) const {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::kInt) {
      return std::clamp(expr.int_value, -kLargestConstant, kLargestConstant);
    }
    if (depth > kMostTermsFollowed) return 0;
    if (expr.kind == ExprKind::kLocal) {
      const auto local = static_cast<size_t>(expr.local);
      const bool followed = changing_[local] && !counted_[local] && fixed_[local] != ExprId::kNone;
      return followed ? Added(fixed_[local], depth + 1) : 0;
    }
    if (expr.kind != ExprKind::kOp || expr.args.size() != 2) return 0;
    const bool minus = expr.op->algebra == ir::Algebra::kSubtract;
    if (!minus && expr.op->algebra != ir::Algebra::kAdd) return 0;
    const int64_t right = Added(expr.args[1], depth + 1);
    return Added(expr.args[0], depth + 1) + (minus ? -right : right);
  }

  bool Changes(ExprId root) const {
    bool changes = false;
    ForEachExpr(program_, root, [&](ExprId, const Expr& expr) {
      changes |= expr.kind == ExprKind::kLocal && changing_[static_cast<size_t>(expr.local)];
    });
    return changes;
  }

  // The expressions under `root` and under the lets of this loop that it names.
  template <typename Visit>
  void Each(ExprId root, const Visit& visit) const {
    std::vector<ExprId> roots{root};
    for (size_t i = 0; i < roots.size() && i < kMostLetsFollowed; ++i) {
      ForEachExpr(program_, roots[i], [&](ExprId id, const Expr& expr) {
        visit(id, expr);
        if (expr.kind != ExprKind::kLocal) return;
        const auto local = static_cast<size_t>(expr.local);
        if (changing_[local] && fixed_[local] != ExprId::kNone) roots.push_back(fixed_[local]);
      });
    }
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const std::vector<ExprId>& fixed_;
  std::vector<bool> changing_;  // by LocalId: set in each iteration
  std::vector<bool> counted_;   // by LocalId: the variables of this loop and of those inside
  ir::LocalId own_;             // the loop's variable
  std::set<int64_t> depths_, rotations_;
  int64_t step_ = 1, lag_ = 0, condition_ = 0, threshold_ = 0;
  bool divided_ = false;
};

// `off[B] == T`, `off in 0..=T`: bounds of elements of one dimension, by numbers of the launch
// alone.
bool OfLaunch(const ir::Program& program, const ir::ContentContract& contract) {
  if (contract.kind != ir::ContentContract::Kind::kRange || contract.index.size() != 1 ||
      contract.condition != ExprId::kNone) {
    return false;
  }
  bool of_launch = contract.low != ExprId::kNone && contract.high != ExprId::kNone;
  for (const ExprId root : {contract.index[0], contract.low, contract.high}) {
    if (root == ExprId::kNone) continue;
    ForEachExpr(program, root, [&](ExprId, const Expr& expr) {
      of_launch = of_launch && expr.kind != ExprKind::kLocal && expr.kind != ExprKind::kLoad;
    });
  }
  return of_launch;
}

// The value of an expression for one thread at one launch.
class Point {
 public:
  Point(const ir::Program& program, const ir::Kernel& kernel, const std::vector<ExprId>& fixed,
        const ir::LaunchValues& values, bool last)
      : program_(program), kernel_(kernel), fixed_(fixed), values_(values), last_(last) {}

  std::optional<int64_t> Value(ExprId id, int depth = 0) {
    if (id == ExprId::kNone || depth > kMostLetsFollowed) return std::nullopt;
    if (++evaluated_ > kMostEvaluated) return std::nullopt;
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::kInt: return expr.int_value;
      case ExprKind::kSymbol:
        if (!ir::Info(expr.type.dtype).is_integer) return std::nullopt;
        return values_.values[static_cast<size_t>(expr.symbol)];
      case ExprKind::kLocal: {
        const auto now = now_.find(expr.local);
        if (now != now_.end()) return now->second;
        return Value(fixed_[static_cast<size_t>(expr.local)], depth + 1);
      }
      case ExprKind::kBuiltin: return Builtin(expr.builtin, depth);
      case ExprKind::kOp: return Operation(expr, depth);
      case ExprKind::kLoad: return Offset(program_[expr.view], depth);
      default: return std::nullopt;
    }
  }

  // How often a `while` runs, the variables that its body assigns followed; no more than `most`.
  std::optional<int64_t> Turns(const Stmt& loop, int64_t most) {
    for (int64_t turns = 0; turns < most; ++turns) {
      all_ += std::exchange(evaluated_, 0);
      const std::optional<int64_t> goes_on = Value(loop.value);
      if (!goes_on) return std::nullopt;
      if (*goes_on == 0) return turns;
      for (const StmtId id : loop.body) {
        const Stmt& stmt = program_[id];
        if (stmt.kind != StmtKind::kAssign || !stmt.indices.empty()) continue;
        const std::optional<int64_t> value = Value(stmt.value);
        if (value) now_[stmt.local] = *value;
      }
    }
    return most;
  }

  int evaluated() const { return all_ + evaluated_; }

 private:
  // An element that `where` gives one value, as it does the last offset of groups; of offsets else
  // what the machine is also run with: the first group has all there is.
  std::optional<int64_t> Offset(const ir::View& view, int depth) {
    if (view.space != ir::Space::kGlobal || view.index.size() != 1) return std::nullopt;
    const std::optional<int64_t> at = Value(view.index[0].offset, depth + 1);
    std::optional<int64_t> low, high;
    bool steps = false;
    for (const ir::ContentContract& contract : program_.contracts) {
      if (!at || contract.tensor != view.tensor) continue;
      steps = steps || contract.kind == ir::ContentContract::Kind::kSteps;
      if (!OfLaunch(program_, contract)) continue;
      const ExprId index = contract.index[0];
      if (index != ExprId::kNone && Value(index, depth + 1) != at) continue;
      const auto least = Value(contract.low, depth + 1), most = Value(contract.high, depth + 1);
      if (!least || !most) continue;
      low = std::max(low.value_or(*least), *least);
      high = std::min(high.value_or(*most), *most);
    }
    if (!low || *low > *high || (*low < *high && !steps)) return std::nullopt;
    return *at == 0 ? low : high;
  }

  std::optional<int64_t> Extent(size_t d, int depth) {
    return d < kernel_.grid.size() ? Value(kernel_.grid[d], depth + 1) : 1;
  }

  std::optional<int64_t> Builtin(ir::BuiltinValue builtin, int depth) {
    switch (builtin) {
      case ir::BuiltinValue::kCtaX: return Coordinate(Extent(0, depth));
      case ir::BuiltinValue::kCtaY: return Coordinate(Extent(1, depth));
      case ir::BuiltinValue::kCtaZ: return Coordinate(Extent(2, depth));
      case ir::BuiltinValue::kCta: return Coordinate(Ctas(depth));
      case ir::BuiltinValue::kCtas: return Ctas(depth);
      case ir::BuiltinValue::kClusterId: return Clusters(Coordinate(Ctas(depth)));
      case ir::BuiltinValue::kClusters: return Clusters(Ctas(depth));
      default: return 0;
    }
  }

  std::optional<int64_t> Coordinate(std::optional<int64_t> extent) const {
    if (!extent) return std::nullopt;
    return last_ ? std::max<int64_t>(*extent - 1, 0) : 0;
  }

  std::optional<int64_t> Clusters(std::optional<int64_t> ctas) const {
    if (!ctas) return std::nullopt;
    return *ctas / std::max<int64_t>(kernel_.cluster, 1);
  }

  std::optional<int64_t> Ctas(int depth) {
    int64_t all = 1;
    for (size_t d = 0; d < kernel_.grid.size(); ++d) {
      const std::optional<int64_t> extent = Extent(d, depth);
      if (!extent || __builtin_mul_overflow(all, *extent, &all)) return std::nullopt;
    }
    return all;
  }

  std::optional<int64_t> Operation(const Expr& expr, int depth) {
    if (expr.args.size() > 2) return std::nullopt;
    std::array<int64_t, 2> args{};
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const std::optional<int64_t> value = Value(expr.args[i], depth + 1);
      if (!value) return std::nullopt;
      args[i] = *value;
    }
    const ir::Algebra algebra = expr.op->algebra;
    if (expr.args.size() == 1 && algebra == ir::Algebra::kConvert) return args[0];
    if (expr.args.size() != 2) return std::nullopt;
    const bool division = args[0] >= 0 && args[1] > 0;  // ranges of quotients are not exact
    if (division && algebra == ir::Algebra::kCeilDivide) {
      return args[0] == 0 ? 0 : (args[0] - 1) / args[1] + 1;
    }
    if (division && algebra == ir::Algebra::kModulo) return args[0] % args[1];
    if (division && algebra == ir::Algebra::kDivide) return args[0] / args[1];
    if (algebra == ir::Algebra::kLess) return args[0] < args[1];
    if (algebra == ir::Algebra::kGreater) return args[0] > args[1];
    const auto range = ir::RangeOf(algebra, {args[0], args[0]}, {args[1], args[1]});
    if (!range || range->low != range->high) return std::nullopt;
    return range->low;
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const std::vector<ExprId>& fixed_;
  const ir::LaunchValues& values_;
  const bool last_;
  int evaluated_ = 0, all_ = 0;
  std::map<ir::LocalId, int64_t> now_;  // variables of a `while`
};

}  // namespace

std::vector<LoopNeed> LoopsToRepeat(const ir::Program& program) {
  std::vector<LoopNeed> needs;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::Kernel& kernel = program.kernels[k];
    const std::vector<ExprId> fixed = FixedLocals(program, kernel);
    for (size_t r = 0; r < kernel.roles.size(); ++r) {
      ForEachStmt(program, kernel.roles[r].body, [&](StmtId id, const Stmt& stmt) {
        if (stmt.kind != StmtKind::kFor && stmt.kind != StmtKind::kWhile) return;
        const Touches touches(program, kernel, fixed, stmt);
        if (touches.none()) return;
        needs.push_back({k, r, id, -1, touches.Trips(), touches.Near()});
      });
    }
  }
  std::map<StmtId, size_t> place;
  for (size_t i = 0; i < needs.size(); ++i) place.emplace(needs[i].loop, i);
  // Outer loops come first, so the innermost has the last word.
  for (size_t i = 0; i < needs.size(); ++i) {
    ForEachStmt(program, program[needs[i].loop].body, [&](StmtId id, const Stmt&) {
      const auto inner = place.find(id);
      if (inner != place.end()) needs[inner->second].outer = static_cast<int32_t>(i);
    });
  }
  return needs;
}

TripCounter::TripCounter(const ir::Program& program, const LoopNeed& need)
    : program_(program),
      kernel_(program.kernels[need.kernel]),
      loop_(program[need.loop]),
      fixed_(FirstLocals(program, kernel_)) {}

std::set<size_t> TripCounter::Symbols() const {
  std::vector<ExprId> roots{loop_.low, loop_.high, loop_.step};
  if (loop_.kind == StmtKind::kWhile) roots.push_back(loop_.value);
  std::set<size_t> symbols;
  std::set<ExprId> seen;
  const auto follow = [&](ExprId id) {
    if (id != ExprId::kNone && seen.insert(id).second) roots.push_back(id);
  };
  for (size_t i = 0; i < roots.size(); ++i) {
    const ExprId root = roots[i];
    ForEachExpr(program_, root, [&](ExprId, const Expr& expr) {
      if (expr.kind == ExprKind::kSymbol) symbols.insert(static_cast<size_t>(expr.symbol));
      if (expr.kind == ExprKind::kLocal) follow(fixed_[static_cast<size_t>(expr.local)]);
      for (const ir::ContentContract& contract : program_.contracts) {
        if (expr.kind != ExprKind::kLoad || contract.tensor != program_[expr.view].tensor ||
            !OfLaunch(program_, contract)) {
          continue;
        }
        for (const ExprId id : {contract.index[0], contract.low, contract.high}) follow(id);
      }
      if (expr.kind != ExprKind::kBuiltin) return;
      for (const ExprId extent : kernel_.grid) follow(extent);
    });
  }
  return symbols;
}

std::optional<int64_t> TripCounter::At(const ir::LaunchValues& values) const {
  std::optional<int64_t> most;
  for (const bool last : {false, true}) {
    Point point(program_, kernel_, fixed_, values, last);
    if (loop_.kind == StmtKind::kWhile) {
      const std::optional<int64_t> turns = point.Turns(loop_, kMostTurns);
      work_ += point.evaluated();
      if (turns) most = std::max(most.value_or(0), *turns);
      continue;
    }
    const std::optional<int64_t> low = point.Value(loop_.low), high = point.Value(loop_.high);
    const std::optional<int64_t> step =
        loop_.step == ExprId::kNone ? std::optional<int64_t>(1) : point.Value(loop_.step);
    work_ += point.evaluated();
    if (!low || !high || !step || *step <= 0) continue;
    int64_t room = 0;
    if (__builtin_sub_overflow(*high, *low, &room)) continue;
    const int64_t trips = room <= 0 ? 0 : (room - 1) / *step + 1;
    most = std::max(most.value_or(0), trips);
  }
  return most;
}

}  // namespace verifier
