// By induction over the trips: at the head of the first one the value is the launch's; each trip
// computes the next from values that are alike, from the trip's number, and from elements that
// nothing writes, under conditions and in loops that are alike as well. Whatever is not shown to be
// such makes what it reaches unlike, until nothing changes.
#include "verifier/alike.h"

#include <algorithm>

#include "compiler/facts/walk.h"

namespace verifier {

namespace ir = compiler::ir;

namespace {

class Alike {
 public:
  Alike(const ir::Program& program, const ir::Kernel& kernel, const AlikeEntry& entry)
      : program_(program), entry_(entry), alike_(kernel.locals.size(), true) {}

  std::vector<bool> Run(const ir::Stmt& loop) {
    std::vector<bool> inside(alike_.size(), false);  // set anew in every trip
    inside[static_cast<size_t>(loop.local)] = true;
    compiler::facts::ForEachStmt(program_, loop.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.kind == ir::StmtKind::kLet || stmt.kind == ir::StmtKind::kFor ||
          stmt.kind == ir::StmtKind::kPairLet) {
        inside[static_cast<size_t>(stmt.local)] = true;
      }
      if (stmt.kind == ir::StmtKind::kPairLet) Spoil(stmt.local), Spoil(stmt.second_local);
    });
    for (size_t local = 0; local < alike_.size(); ++local) {
      if (!inside[local] && !entry_.uniform(static_cast<ir::LocalId>(local))) {
        alike_[local] = false;
      }
    }
    for (bool before = true; before;) {
      changed_ = false;
      Read(loop.body, true);
      before = changed_;
    }
    return alike_;
  }

 private:
  void Spoil(ir::LocalId local) {
    std::vector<bool>::reference at = alike_[static_cast<size_t>(local)];
    changed_ = changed_ || at;
    at = false;
  }

  // `control`: whether the statements are reached alike.
  void Read(const std::vector<ir::StmtId>& body, bool control) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      bool inside = control;
      switch (stmt.kind) {
        case ir::StmtKind::kLet:
        case ir::StmtKind::kAssign:
          if (!control || !stmt.indices.empty() || !IsAlike(stmt.value)) Spoil(stmt.local);
          break;
        case ir::StmtKind::kFor:
          inside = control && IsAlike(stmt.low) && IsAlike(stmt.high) &&
                   (stmt.step == ir::ExprId::kNone || IsAlike(stmt.step));
          if (!inside) Spoil(stmt.local);
          break;
        case ir::StmtKind::kIf: inside = control && IsAlike(stmt.value); break;
        case ir::StmtKind::kWhile:
        case ir::StmtKind::kElect:
        case ir::StmtKind::kOnce: inside = false; break;
        default: break;
      }
      Read(stmt.body, inside);
      Read(stmt.else_body, inside);
    }
  }

  bool All(const std::vector<ir::ExprId>& ids) const {
    return std::all_of(ids.begin(), ids.end(), [&](ir::ExprId id) { return IsAlike(id); });
  }

  bool IsAlike(ir::ExprId id) const {
    if (id == ir::ExprId::kNone) return false;
    const ir::Expr& expr = program_[id];
    if (!expr.type.is_scalar() || !ir::Info(expr.type.dtype).is_integer) return false;
    switch (expr.kind) {
      case ir::ExprKind::kInt:
      case ir::ExprKind::kSymbol: return true;
      case ir::ExprKind::kBuiltin:
        return expr.builtin == ir::BuiltinValue::kCtas ||
               expr.builtin == ir::BuiltinValue::kClusters;
      case ir::ExprKind::kLocal: return alike_[static_cast<size_t>(expr.local)];
      // What has no algebra may look at other lanes.
      case ir::ExprKind::kOp:
        return expr.op->algebra != ir::Algebra::kOpaque && expr.view == ir::ViewId::kNone &&
               All(expr.args);
      case ir::ExprKind::kAnd:
      case ir::ExprKind::kOr: return All(expr.args);
      case ir::ExprKind::kLoad: return IsConstantElement(expr);
      default: return false;
    }
  }

  bool IsConstantElement(const ir::Expr& load) const {
    const ir::View& view = program_[load.view];
    return view.space == ir::Space::kGlobal && load.args.empty() && entry_.constant(view.tensor) &&
           std::all_of(view.index.begin(), view.index.end(), [&](const ir::ViewIndex& index) {
             return !index.is_slice && IsAlike(index.offset);
           });
  }

  const ir::Program& program_;
  const AlikeEntry& entry_;
  std::vector<bool> alike_;
  bool changed_ = false;
};

}  // namespace

std::vector<bool> AlikeLocals(const ir::Program& program, const ir::Kernel& kernel,
                              const ir::Stmt& loop, const AlikeEntry& entry) {
  return Alike(program, kernel, entry).Run(loop);
}

}  // namespace verifier
