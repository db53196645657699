#include "verifier/order_dependence.h"

#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"
#include "compiler/machine/machine.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;

// What one CTA learns of another comes in through atomics and strong loads, and goes on through
// variables and shared memory. Flow-insensitive: a buffer that ever holds such a value always does.
class Dependence {
 public:
  Dependence(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program),
        kernel_(kernel),
        ordered_(program.stmts.size(), false),
        locals_(kernel.locals.size(), false),
        shared_(kernel.shared.size(), false) {}

  std::vector<bool> Run() {
    const auto look = [&](ir::StmtId, const ir::Stmt& stmt) { acquires_ |= Acquires(stmt); };
    for (const ir::Role& role : kernel_.roles) {
      compiler::facts::ForEachStmt(program_, role.body, look);
    }
    do {
      changed_ = false;
      Block(kernel_.lets, false);
      for (const ir::Role& role : kernel_.roles) {
        behind_ = false;
        Block(role.body, false);
      }
    } while (changed_);
    return std::move(ordered_);
  }

 private:
  void Mark(std::vector<bool>& set, size_t at) {
    if (set[at]) return;
    set[at] = true;
    changed_ = true;
  }

  bool Foreign(const ir::Expr& expr) const {
    switch (expr.kind) {
      case ir::ExprKind::kAtomic: return true;
      case ir::ExprKind::kLocal: return locals_[static_cast<size_t>(expr.local)];
      case ir::ExprKind::kLoad: {
        const ir::View& view = program_[expr.view];
        if (view.space == ir::Space::kShared) return shared_[static_cast<size_t>(view.shared)];
        return ir::OrderingOf(*expr.op, expr.modifiers).strong;
      }
      default: return false;
    }
  }

  bool Foreign(const ir::Stmt& stmt) const {
    // Which CTA has not begun yet is up to all of them.
    bool foreign = stmt.op != nullptr && stmt.op->effects.copy == ir::CopyEffect::kLaunchCancel;
    for (const ir::ExprId root : compiler::facts::OwnExprs(program_, stmt)) {
      compiler::facts::ForEachExpr(
          program_, root, [&](ir::ExprId, const ir::Expr& expr) { foreign |= Foreign(expr); });
    }
    const bool copies = stmt.source_view != ir::ViewId::kNone;
    if (copies && program_[stmt.source_view].space == ir::Space::kShared) {
      foreign |= shared_[static_cast<size_t>(program_[stmt.source_view].shared)];
    }
    return foreign;
  }

  // Waits for what another CTA has published: all that follows in the thread may be behind it.
  bool Acquires(const ir::Stmt& stmt) const {
    bool acquires = false;
    if (stmt.op != nullptr) {
      const ir::SyncEffect sync = stmt.op->effects.sync;
      const bool fence = sync == ir::SyncEffect::kFence || sync == ir::SyncEffect::kFenceSc;
      acquires = sync == ir::SyncEffect::kGridSync ||
                 (fence && stmt.word != "cta" && stmt.word != "async");
    }
    for (const ir::ExprId root : compiler::facts::OwnExprs(program_, stmt)) {
      compiler::facts::ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.op == nullptr || expr.view == ir::ViewId::kNone) return;
        const bool global = program_[expr.view].space == ir::Space::kGlobal;
        acquires |= global && ir::OrderingOf(*expr.op, expr.modifiers).acquire;
      });
    }
    return acquires;
  }

  // Threads that wait for others of their CTA are behind what those have acquired.
  bool Passes(const ir::Stmt& stmt) const {
    if (!acquires_ || kernel_.roles.size() < 2 || stmt.op == nullptr) return false;
    switch (stmt.op->effects.sync) {
      case ir::SyncEffect::kScopeSync:
      case ir::SyncEffect::kNamedSync:
      case ir::SyncEffect::kAcquire:
      case ir::SyncEffect::kWait: return true;
      default: return false;
    }
  }

  void Block(const std::vector<ir::StmtId>& body, bool control) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (!stmt.dead) Statement(id, stmt, control);
    }
  }

  void Statement(ir::StmtId id, const ir::Stmt& stmt, bool control) {
    const bool loop = stmt.kind == ir::StmtKind::kFor || stmt.kind == ir::StmtKind::kWhile;
    if (loop) {
      // A later iteration is behind what an earlier one acquires.
      compiler::facts::ForEachStmt(program_, stmt.body, [&](ir::StmtId, const ir::Stmt& inner) {
        behind_ |= Acquires(inner) || Passes(inner);
      });
    }
    behind_ |= Acquires(stmt) || Passes(stmt);
    const bool foreign = control || Foreign(stmt);
    if (foreign || behind_) Mark(ordered_, static_cast<size_t>(id));
    if (foreign) Spread(stmt);
    Block(stmt.body, foreign);
    Block(stmt.else_body, foreign);
  }

  void Spread(const ir::Stmt& stmt) {
    for (const ir::LocalId local : {stmt.local, stmt.second_local, stmt.fragment.local}) {
      if (local != ir::LocalId::kNone) Mark(locals_, static_cast<size_t>(local));
    }
    if (stmt.destination == ir::ViewId::kNone) return;
    const ir::View& view = program_[stmt.destination];
    if (view.space == ir::Space::kShared) Mark(shared_, static_cast<size_t>(view.shared));
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  std::vector<bool> ordered_, locals_, shared_;  // by StmtId, LocalId, SharedId
  bool acquires_ = false;                        // some role does
  bool behind_ = false;                          // an acquire of the present role
  bool changed_ = false;
};

}  // namespace

std::vector<bool> OrderedWithOtherCtas(const ir::Program& program, const ir::Kernel& kernel) {
  return Dependence(program, kernel).Run();
}

bool TestsDecide(const ir::Program& program) {
  bool decide = false;
  const auto look = [&](ir::StmtId, const ir::Stmt& stmt) {
    const bool spins = compiler::machine::SpinsOnTest(program, stmt);
    const ir::ExprId asked = spins ? program[stmt.value].args[0] : ir::ExprId::kNone;
    for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
      compiler::facts::ForEachExpr(program, root, [&](ir::ExprId id, const ir::Expr& expr) {
        decide |= expr.kind == ir::ExprKind::kTest && id != asked;
      });
    }
  };
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Role& role : kernel.roles)
      compiler::facts::ForEachStmt(program, role.body, look);
  }
  return decide;
}

}  // namespace verifier
