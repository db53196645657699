#include "compiler/facts/cluster.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::facts {
namespace {

bool IsRemote(const ir::Program& program, ir::ViewId view) {
  return view != ir::ViewId::kNone && program[view].remote != ir::ExprId::kNone;
}

}  // namespace

bool ReachesOtherCtas(const ir::Program& program, const ir::Kernel& kernel) {
  bool reaches = std::any_of(kernel.rings.begin(), kernel.rings.end(),
                             [](const ir::Ring& ring) { return ring.cluster; });
  const auto visit = [&](ir::StmtId, const ir::Stmt& stmt) {
    reaches |= stmt.remote != ir::ExprId::kNone || stmt.multicast != ir::ExprId::kNone ||
               IsRemote(program, stmt.destination) || ir::OfPair(stmt);
    for (const ir::ExprId root : OwnExprs(program, stmt)) {
      ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
        reaches |= IsRemote(program, expr.view);
      });
    }
  };
  for (const ir::Role& role : kernel.roles) ForEachStmt(program, role.body, visit);
  return reaches;
}

std::string ClusterLines(const ir::Kernel& kernel, const KernelFacts& facts) {
  if (kernel.cluster <= 1) return "";
  return absl::StrCat("  cluster of ", kernel.cluster, " CTAs in x",
                      facts.reaches_other_ctas
                          ? "; all its threads meet before the roles begin, and the roles' when "
                            "they end\n"
                          : "; its CTAs begin and end by themselves\n");
}

}  // namespace compiler::facts
