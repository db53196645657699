#include "verifier/premises.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;

// Threads that wait by reading memory again and again, or for all CTAs of the grid.
bool Polls(const ir::Program& program) {
  bool polls = false;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        if (stmt.kind != ir::StmtKind::kWhile) return;
        compiler::facts::ForEachExpr(program, stmt.value, [&](ir::ExprId, const ir::Expr& expr) {
          polls |= expr.kind == ir::ExprKind::kLoad || expr.kind == ir::ExprKind::kAtomic;
        });
        compiler::facts::ForEachStmt(program, stmt.body, [&](ir::StmtId, const ir::Stmt& inner) {
          for (const ir::ExprId root : compiler::facts::OwnExprs(program, inner)) {
            compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
              polls |= expr.op != nullptr && expr.kind == ir::ExprKind::kLoad &&
                       ir::OrderingOf(*expr.op, expr.modifiers).strong;
            });
          }
        });
      });
    }
  }
  return polls;
}

Premise Checked(std::string id, std::string name, int64_t times, std::string_view at) {
  if (times == 0) {
    return {std::move(id), std::move(name), Met::kNotApplicable,
            absl::StrCat("there are no ", absl::string_view(at.data(), at.size()))};
  }
  return {std::move(id), std::move(name), Met::kChecked,
          absl::StrCat("at ", times, " ", absl::string_view(at.data(), at.size()))};
}

}  // namespace

std::string_view ToString(Met met) {
  switch (met) {
    case Met::kHolds: return "holds";
    case Met::kChecked: return "checked";
    case Met::kAssumed: return "assumed";
    case Met::kFails: return "fails";
    case Met::kNotApplicable: return "not applicable";
  }
  return "fails";
}

std::vector<Premise> PremisesOf(const ir::Program& program, bool order_decides,
                                const compiler::machine::PremiseChecks& checks) {
  const bool polls = Polls(program);
  const bool clusters = std::any_of(program.kernels.begin(), program.kernels.end(),
                                    [](const ir::Kernel& kernel) { return kernel.cluster > 1; });
  std::vector<Premise> all;
  all.push_back({"P0", "determinism", order_decides ? Met::kFails : Met::kHolds,
                 order_decides ? "tickets, flags, tests or requests decide: other orders are other "
                                 "runs"
                               : "no thread learns who came first"});
  all.push_back({"P1", "monotone guards", polls ? Met::kFails : Met::kHolds,
                 polls ? "a loop polls memory: what it waits for may come and go"
                       : "threads wait for generations, groups, barriers and kernels only"});
  all.push_back(Checked("P2", "recycling", checks.arrivals, "arrivals"));
  all.push_back(Checked("P3", "parity window", checks.waits, "waits for mbarriers"));
  all.push_back(Checked("P4", "bytes", checks.bytes, "generations that expect bytes"));
  all.push_back({"P5", "no race, nothing undefined", Met::kChecked,
                 "at each access: `races`, `definedness`"});
  all.push_back({"P6", "fairness", Met::kAssumed,
                 "copies complete, and CTAs that are resident go on; that those waited for are "
                 "resident is checked"});
  all.push_back({"P7", "scopes", clusters || order_decides ? Met::kChecked : Met::kHolds,
                 clusters || order_decides
                     ? "an order counts only where both scopes reach the other "
                       "side"
                     : "nothing is handed from CTA to CTA"});
  return all;
}

bool OneRunDecides(const std::vector<Premise>& premises) {
  return std::none_of(premises.begin(), premises.end(),
                      [](const Premise& premise) { return premise.met == Met::kFails; });
}

}  // namespace verifier
