#include "compiler/sema/registers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/ir/walk.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;
using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;

constexpr diag::Def<> kIndexNotConstant{"CK1066", Severity::kError, Category::kType,
                                        "a register index that is not constant after unrolling",
                                        "registers have no addresses: the index of a register "
                                        "array must be known once the loops around "
                                        "it are unrolled"};
constexpr diag::Def<Name> kBoundNotConstant{
    "CK1102", Severity::kError, Category::kType,
    "the loop over `{0}` indexes registers and its trip count is not constant",
    "registers have no addresses: such a loop is unrolled in full, so its bounds must be "
    "constants"};
constexpr diag::Def<int64_t, int64_t> kTooManyStatements{
    "CK6105", Severity::kError, Category::kLimit,
    "the kernel unrolls to {0} statements; the limit is {1}",
    "loops over registers are unrolled in full"};

class RegisterCheck {
 public:
  RegisterCheck(ir::Program& program, ir::Kernel& kernel, diag::Report& report)
      : program_(program),
        report_(report),
        kernel_(kernel),
        value_of_(kernel.locals.size(), ExprId::kNone),
        loop_of_(kernel.locals.size(), StmtId::kNone),
        ranges_(kernel.locals.size()) {}

  void Run() {
    Collect(kernel_.lets);
    for (const ir::Role& role : kernel_.roles) Collect(role.body);
    for (StmtId id : order_) Require(id);
    int64_t count = 0;
    for (const ir::Role& role : kernel_.roles) count += Count(role.body);
    const ir::Limits limits;
    if (count > limits.register_statements) {
      report_.Add(kTooManyStatements, kernel_.declared, count, limits.register_statements);
    }
  }

 private:
  void Collect(const std::vector<StmtId>& body) {
    for (StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      order_.push_back(id);
      if (stmt.local != ir::LocalId::kNone) {
        const auto local = static_cast<size_t>(stmt.local);
        if (stmt.kind == ir::StmtKind::kLet) value_of_[local] = stmt.value;
        if (stmt.kind == ir::StmtKind::kFor) loop_of_[local] = id;
      }
      Collect(stmt.body);
      Collect(stmt.else_body);
    }
  }

  // Every register index that the statement evaluates.
  void Require(StmtId id) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.kind == ir::StmtKind::kAssign) {
      for (ExprId index : stmt.indices) Constant(index, program_[index].source.span);
    }
    for (const ir::FragmentRef* fragment : {&stmt.fragment, &stmt.left, &stmt.right}) {
      if (fragment->column == ExprId::kNone) continue;
      Constant(fragment->column, program_[fragment->column].source.span);
    }
    std::vector<ExprId> pending;
    ir::AppendOwnExprs(program_, stmt, pending);
    while (!pending.empty()) {
      const ExprId expr_id = pending.back();
      pending.pop_back();
      if (!seen_.insert(expr_id).second) continue;
      const ir::Expr& expr = program_[expr_id];
      // Parameters have addresses: only registers do not.
      if (expr.kind == ExprKind::kElement && program_[expr.args[0]].kind != ExprKind::kSymbol) {
        for (size_t i = 1; i < expr.args.size(); ++i) {
          Constant(expr.args[i], program_[expr.args[i]].source.span);
        }
      }
      ir::AppendOperands(program_, expr, pending);
    }
  }

  // Follows an index to what it is made of; iterative, since lets may chain without bound.
  void Constant(ExprId root, diag::Span use) {
    std::vector<ExprId> pending{root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (!followed_.insert(id).second) continue;
      const ir::Expr& expr = program_[id];
      switch (expr.kind) {
        case ExprKind::kInt:
        case ExprKind::kFloat: break;
        case ExprKind::kOp:
        case ExprKind::kAnd:
        case ExprKind::kOr:
          if (expr.op != nullptr && expr.op->scope != ir::Scope::kThread) {
            Report(use, expr);
          } else {
            pending.insert(pending.end(), expr.args.begin(), expr.args.end());
          }
          break;
        case ExprKind::kLocal: FollowLocal(expr, use, pending); break;
        case ExprKind::kSymbol:
        case ExprKind::kBuiltin:
        case ExprKind::kElement:
        case ExprKind::kArray:
        case ExprKind::kLoad:
        case ExprKind::kPair:
        case ExprKind::kAtomic:
        case ExprKind::kTest:
        case ExprKind::kRow:
        case ExprKind::kColumn: Report(use, expr); break;
      }
    }
  }

  void FollowLocal(const ir::Expr& expr, diag::Span use, std::vector<ExprId>& pending) {
    const auto local = static_cast<size_t>(expr.local);
    if (loop_of_[local] != StmtId::kNone) {
      MarkLoop(loop_of_[local], use);
    } else if (!kernel_.locals[local].is_var && value_of_[local] != ExprId::kNone) {
      pending.push_back(value_of_[local]);
    } else {
      Report(use, expr);
    }
  }

  void Report(diag::Span use, const ir::Expr& cause) {
    if (loop_ != StmtId::kNone) {
      const ir::Stmt& loop = program_[loop_];
      report_
          .Add(kBoundNotConstant, loop.source.span,
               Name{kernel_.locals[static_cast<size_t>(loop.local)].name})
          .Label(cause.source.span, "not a constant")
          .Label(use_, "a register is indexed here");
      return;
    }
    auto built = report_.Add(kIndexNotConstant, use);
    if (!(cause.source.span == use)) built.Label(cause.source.span, "not a constant");
  }

  void MarkLoop(StmtId id, diag::Span use) {
    ir::Stmt& loop = program_.stmts[static_cast<size_t>(id)];
    if (loop.unroll == ir::kUnrollRegisters) return;
    loop.unroll = ir::kUnrollRegisters;
    const StmtId outer = loop_;
    const diag::Span outer_use = use_;
    loop_ = id;
    use_ = outer == StmtId::kNone ? use : use_;
    for (ExprId bound : {loop.low, loop.high, loop.step})
      Constant(bound, program_[bound].source.span);
    loop_ = outer;
    use_ = outer_use;
  }

  // A loop's range is set before its body is looked at, so what was found once stays true.
  std::optional<ir::Range> RangeOf(ExprId id, int depth = 0) {
    const auto known = known_ranges_.find(id);
    if (known != known_ranges_.end()) return known->second;
    const auto range = RangeOfInner(id, depth);
    known_ranges_.emplace(id, range);
    return range;
  }

  std::optional<ir::Range> RangeOfInner(ExprId id, int depth) {
    const ir::Expr& expr = program_[id];
    if (expr.kind == ExprKind::kInt) return ir::Range{expr.int_value, expr.int_value};
    if (expr.kind == ExprKind::kLocal) {
      const auto local = static_cast<size_t>(expr.local);
      if (loop_of_[local] != StmtId::kNone) return ranges_[local];
      return depth < kMaxLetChain && value_of_[local] != ExprId::kNone
                 ? RangeOf(value_of_[local], depth + 1)
                 : std::nullopt;
    }
    if (expr.kind != ExprKind::kOp || expr.args.size() != 2 || depth > kMaxLetChain) {
      return std::nullopt;
    }
    const auto a = RangeOf(expr.args[0], depth + 1);
    const auto b = RangeOf(expr.args[1], depth + 1);
    if (!a || !b) return std::nullopt;
    return ir::RangeOf(expr.op->algebra, *a, *b);
  }

  // Statements after unrolling, an upper bound where inner trip counts depend on outer variables.
  int64_t Count(const std::vector<StmtId>& body) {
    int64_t total = 0;
    for (StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      int64_t trips = 1;
      if (stmt.kind == ir::StmtKind::kFor && stmt.unroll == ir::kUnrollRegisters) {
        const auto low = RangeOf(stmt.low);
        const auto high = RangeOf(stmt.high);
        const auto step = RangeOf(stmt.step);
        const bool known = low && high && step && step->low > 0;
        if (known) {
          trips = Trips(low->low, high->high, step->low);
          ranges_[static_cast<size_t>(stmt.local)] =
              ir::Range{low->low, high->high > low->low ? high->high - 1 : low->low};
        }
      }
      const int64_t inner = 1 + Count(stmt.body) + Count(stmt.else_body);
      if (trips > 0 && inner > kLarge / trips) return kLarge;
      total = std::min(total + trips * inner, kLarge);
    }
    return total;
  }

  // Bounds come from the text: any two of 64 bits.
  static int64_t Trips(int64_t low, int64_t high, int64_t step) {
    using Wide = __int128;
    const Wide trips = (Wide{high} - low + step - 1) / step;
    return static_cast<int64_t>(std::clamp<Wide>(trips, 0, kLarge));
  }

  static constexpr int64_t kLarge = int64_t{1} << 31;
  static constexpr int kMaxLetChain = 64;

  ir::Program& program_;
  diag::Report& report_;
  ir::Kernel& kernel_;
  std::vector<ExprId> value_of_;  // of lets
  std::vector<StmtId> loop_of_;
  std::vector<std::optional<ir::Range>> ranges_;
  std::vector<StmtId> order_;
  std::map<ExprId, std::optional<ir::Range>> known_ranges_;
  std::set<ExprId> seen_, followed_;
  StmtId loop_ = StmtId::kNone;  // the loop whose bounds are being followed
  diag::Span use_;               // the register index that asked for it
};

}  // namespace

void CheckRegisterIndices(ir::Program& program, ir::Kernel& kernel, diag::Report& report) {
  RegisterCheck(program, kernel, report).Run();
}

}  // namespace compiler::sema
