#include "verifier/decisions.h"

#include <algorithm>
#include <set>

#include "compiler/machine/machine.h"

namespace verifier {
namespace {

using compiler::machine::kOutcomeAbove;
using compiler::machine::kOutcomeBelow;
using compiler::machine::kOutcomeEqual;
using compiler::machine::kOutcomeFalse;
using compiler::machine::kOutcomeTrue;
using compiler::machine::Watch;

class Finder {
 public:
  Finder(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program), given_(kernel.locals.size()), followed_(kernel.locals.size(), false) {
    const auto note = [&](ir::StmtId, const ir::Stmt& stmt) {
      const bool given = stmt.kind == ir::StmtKind::kLet || stmt.kind == ir::StmtKind::kAssign;
      if (!given || stmt.local == ir::LocalId::kNone || stmt.value == ir::ExprId::kNone) return;
      given_[static_cast<size_t>(stmt.local)].push_back(stmt.value);
    };
    compiler::facts::ForEachStmt(program, kernel.lets, note);
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, note);
    }
  }

  void Statement(const ir::Stmt& stmt) {
    // Whichever operand ends a loop ends it: most are there to be safe.
    if (stmt.kind == ir::StmtKind::kWhile) {
      std::vector<ir::ExprId> operands{stmt.value};
      for (size_t i = 0; i < operands.size(); ++i) {
        const ir::Expr& expr = program_[operands[i]];
        if (expr.kind == ir::ExprKind::kAnd)
          operands.insert(operands.end(), expr.args.begin(), expr.args.end());
        else
          Deciding(operands[i]);
      }
    }
    if (stmt.zero != ir::ExprId::kNone) Truth(stmt.zero);
    for (const ir::ExprId id : DecidingExprs(program_, stmt)) Deciding(id);
  }

  std::vector<Decision> found;

 private:
  void Deciding(ir::ExprId root) {
    std::vector<ir::ExprId> pending{root};
    for (size_t i = 0; i < pending.size(); ++i) {
      compiler::facts::ForEachExpr(program_, pending[i], [&](ir::ExprId id, const ir::Expr& expr) {
        if (expr.kind == ir::ExprKind::kAnd || expr.kind == ir::ExprKind::kOr) {
          for (const ir::ExprId operand : expr.args) Truth(operand);
        }
        if (expr.kind == ir::ExprKind::kOp) Operation(id, expr);
        if (expr.kind != ir::ExprKind::kLocal) return;
        const auto local = static_cast<size_t>(expr.local);
        if (followed_[local]) return;
        followed_[local] = true;
        pending.insert(pending.end(), given_[local].begin(), given_[local].end());
      });
    }
  }

  void Operation(ir::ExprId id, const ir::Expr& expr) {
    if (expr.op == nullptr || !expr.type.is_scalar()) return;
    if (expr.op->algebra == ir::Algebra::kSelect) return Truth(expr.args[0]);
    const auto order = compiler::machine::OrderIn(program_, expr);
    if (!order) return;
    switch (expr.op->algebra) {
      case ir::Algebra::kMin:
      case ir::Algebra::kMax: return Add({id, Watch::kOrder, kOutcomeBelow, kOutcomeAbove});
      case ir::Algebra::kAbs: break;
      default:
        // Of the thread's own number every quotient is there in each launch.
        if (OfThread(expr.args[order->left])) return;
    }
    Add({id, Watch::kOrder, kOutcomeBelow, kOutcomeEqual | kOutcomeAbove});
  }

  bool OfThread(ir::ExprId root) const {
    bool of_thread = true;
    compiler::facts::ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
      switch (expr.kind) {
        case ir::ExprKind::kInt:
        case ir::ExprKind::kOp: return;
        case ir::ExprKind::kBuiltin:
          of_thread = of_thread && (expr.builtin == ir::BuiltinValue::kLane ||
                                    expr.builtin == ir::BuiltinValue::kWarp ||
                                    expr.builtin == ir::BuiltinValue::kWg ||
                                    expr.builtin == ir::BuiltinValue::kThread);
          return;
        default: of_thread = false;
      }
    });
    return of_thread;
  }

  void Truth(ir::ExprId id) { Add({id, Watch::kTruth, kOutcomeFalse, kOutcomeTrue}); }

  void Add(const Decision& decision) {
    const ir::ExprKind kind = program_[decision.expr].kind;
    if (kind == ir::ExprKind::kInt) return;
    if (seen_.insert(decision.expr).second) found.push_back(decision);
  }

  const ir::Program& program_;
  std::vector<std::vector<ir::ExprId>> given_;  // by LocalId
  std::vector<bool> followed_;
  std::set<ir::ExprId> seen_;
};

}  // namespace

std::vector<ir::ExprId> DecidingExprs(const ir::Program& program, const ir::Stmt& stmt) {
  std::vector<ir::ExprId> roots;
  const auto add = [&](ir::ExprId id) {
    if (id != ir::ExprId::kNone) roots.push_back(id);
  };
  // Places in global memory are proven, for every shape.
  const auto place = [&](ir::ViewId id) {
    if (id == ir::ViewId::kNone) return;
    const ir::View& view = program[id];
    add(view.stage);
    add(view.remote);
    if (view.space == ir::Space::kGlobal) return;
    for (const ir::ViewIndex& index : view.index) add(index.offset);
  };
  if (stmt.kind == ir::StmtKind::kIf) add(stmt.value);
  for (const ir::ExprId id :
       {stmt.low, stmt.high, stmt.step, stmt.use, stmt.barrier_index, stmt.bytes, stmt.remote,
        stmt.amount, stmt.on_use, stmt.multicast, stmt.end, stmt.zero}) {
    add(id);
  }
  for (const ir::ExprId row : stmt.gather_rows) add(row);
  for (const ir::ViewId view :
       {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view, stmt.accumulator_view,
        stmt.left_scale, stmt.right_scale}) {
    place(view);
  }
  // Loads inside what is computed name places too.
  for (const ir::ExprId id : compiler::facts::OwnExprs(program, stmt)) {
    compiler::facts::ForEachExpr(program, id, [&](ir::ExprId, const ir::Expr& expr) {
      place(expr.view);
      if (expr.kind == ir::ExprKind::kTest) add(expr.use);
    });
  }
  return roots;
}

std::vector<Decision> DecisionsOf(const ir::Program& program, const ir::Kernel& kernel) {
  Finder finder(program, kernel);
  const auto statement = [&](ir::StmtId, const ir::Stmt& stmt) { finder.Statement(stmt); };
  for (const ir::Role& role : kernel.roles) {
    compiler::facts::ForEachStmt(program, role.body, statement);
  }
  return std::move(finder.found);
}

std::vector<Watch> WatchedDecisions(const ir::Program& program) {
  std::vector<Watch> watched;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const Decision& decision : DecisionsOf(program, kernel)) {
      watched.resize(program.exprs.size());
      watched[static_cast<size_t>(decision.expr)] = decision.watch;
    }
  }
  return watched;
}

}  // namespace verifier
