#include "verifier/protocol.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/order.h"
#include "compiler/ir/packed.h"
#include "compiler/ir/walk.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;
using ir::ExprId;
using ir::ExprKind;
using ir::StmtKind;

// Grows what is kept until nothing changes: what decides something that is kept is kept too.
class Slicer {
 public:
  explicit Slicer(const ir::Program& program)
      : program_(program), kept_(program.stmts.size()), exprs_(program.exprs.size()) {
    tensors_.resize(program.tensors.size());
    for (const ir::Kernel& kernel : program.kernels) {
      locals_.emplace_back(kernel.locals.size());
      shared_.emplace_back(kernel.shared.size());
      tmem_.emplace_back(kernel.tmem.size());
    }
  }

  std::vector<bool> Run() {
    do {
      changed_ = false;
      for (kernel_ = 0; kernel_ < program_.kernels.size(); ++kernel_) {
        Body(program_.kernels[kernel_].lets);
        for (const ir::Role& role : program_.kernels[kernel_].roles) Body(role.body);
      }
    } while (changed_);
    return std::move(kept_);
  }

 private:
  // Whether something in it is kept.
  bool Body(const std::vector<ir::StmtId>& body) {
    bool any = false;
    for (const ir::StmtId id : body) any = Statement(id) || any;
    return any;
  }

  bool Statement(ir::StmtId id) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) return false;
    const bool inside = Body(stmt.body) | Body(stmt.else_body);
    const bool keep = inside || Acts(stmt) || Decides(stmt);
    if (!keep) return false;
    if (!kept_[static_cast<size_t>(id)]) kept_[static_cast<size_t>(id)] = changed_ = true;
    NeedOf(stmt);
    return true;
  }

  // It hands over, waits, or touches memory that threads share.
  bool Acts(const ir::Stmt& stmt) const {
    std::vector<ExprId> own;
    ir::AppendOwnExprs(program_, stmt, own);
    if (std::any_of(own.begin(), own.end(), [&](ExprId root) { return Touches(root); }))
      return true;
    if (stmt.kind != StmtKind::kOp) return false;
    const ir::Effects& effects = stmt.op->effects;
    if (effects.sync != ir::SyncEffect::kNone) return effects.sync != ir::SyncEffect::kPrefetch;
    if (effects.product) return effects.engine != ir::ProductEngine::kWarp;
    if (effects.copy != ir::CopyEffect::kStore || stmt.destination == ir::ViewId::kNone)
      return true;
    return program_[stmt.destination].space != ir::Space::kGlobal ||
           ir::OrderingOf(*stmt.op, stmt.modifiers).strong;
  }

  // A value of it is asked for: that of a local, or what it brings into memory.
  bool Decides(const ir::Stmt& stmt) const {
    for (const ir::LocalId local : {stmt.local, stmt.second_local, stmt.fragment.local}) {
      const bool loop = stmt.kind == StmtKind::kFor;
      if (!loop && local != ir::LocalId::kNone && locals_[kernel_][static_cast<size_t>(local)]) {
        return true;
      }
    }
    return stmt.kind == StmtKind::kOp && stmt.destination != ir::ViewId::kNone &&
           Asked(program_[stmt.destination]);
  }

  // Shared or tensor memory, an atomic or ordered access, a question to an event.
  bool Touches(ExprId root) const {
    bool touches = false;
    std::vector<ExprId> parts{root};
    for (size_t i = 0; i < parts.size() && !touches; ++i) {
      const ir::Expr& expr = program_[parts[i]];
      touches = expr.kind == ExprKind::kAtomic || expr.kind == ExprKind::kTest ||
                (expr.kind == ExprKind::kLoad &&
                 (program_[expr.view].space != ir::Space::kGlobal ||
                  (expr.op != nullptr && ir::OrderingOf(*expr.op, expr.modifiers).strong)));
      ir::AppendOperands(program_, expr, parts);
    }
    return touches;
  }

  // What a kept statement needs: all but a value that is only moved.
  void NeedOf(const ir::Stmt& stmt) {
    const bool value = Decides(stmt) || stmt.kind == StmtKind::kIf ||
                       stmt.kind == StmtKind::kWhile || stmt.kind == StmtKind::kOp;
    const bool moves = stmt.kind == StmtKind::kOp && stmt.destination != ir::ViewId::kNone &&
                       stmt.op->effects.copy == ir::CopyEffect::kStore &&
                       !Asked(program_[stmt.destination]);
    std::vector<ExprId> own;
    ir::AppendOwnExprs(program_, stmt, own);
    for (const ExprId id : own) {
      const bool moved = id == stmt.value && (moves || !value);
      moved ? NeedIntegers(id) : Need(id);
    }
    for (const ExprId row : stmt.gather_rows) Need(row);
    if (stmt.kind != StmtKind::kOp || !Decides(stmt)) return;
    NeedLocals({stmt.fragment.local, stmt.left.local, stmt.right.local});
    for (const ir::ViewId view : {stmt.source_view, stmt.left_view, stmt.right_view,
                                  stmt.accumulator_view, stmt.left_scale, stmt.right_scale}) {
      if (view != ir::ViewId::kNone) Ask(program_[view]);
    }
  }

  // Of a value that nobody asks for: arithmetic on integers can be an error, that on floats cannot.
  void NeedIntegers(ExprId id) {
    const ir::Expr& expr = program_[id];
    if (ir::Info(ir::ElementOf(expr.type.dtype)).is_integer) return Need(id);
    std::vector<ExprId> operands;
    ir::AppendOperands(program_, expr, operands);
    for (const ExprId operand : operands) NeedIntegers(operand);
  }

  void Need(ExprId id) {
    if (id == ExprId::kNone || exprs_[static_cast<size_t>(id)]) return;
    exprs_[static_cast<size_t>(id)] = changed_ = true;
    const ir::Expr& expr = program_[id];
    if (expr.kind == ExprKind::kLocal) NeedLocals({expr.local});
    if (expr.view != ir::ViewId::kNone) Ask(program_[expr.view]);
    std::vector<ExprId> operands;
    ir::AppendOperands(program_, expr, operands);
    for (const ExprId operand : operands) Need(operand);
  }

  void NeedLocals(std::initializer_list<ir::LocalId> locals) {
    for (const ir::LocalId local : locals) {
      if (local == ir::LocalId::kNone || locals_[kernel_][static_cast<size_t>(local)]) continue;
      locals_[kernel_][static_cast<size_t>(local)] = changed_ = true;
    }
  }

  bool Asked(const ir::View& view) const {
    switch (view.space) {
      case ir::Space::kShared: return shared_[kernel_][static_cast<size_t>(view.shared)];
      case ir::Space::kTmem: return tmem_[kernel_][static_cast<size_t>(view.tmem)];
      case ir::Space::kGlobal: return tensors_[static_cast<size_t>(view.tensor)];
      default: return false;
    }
  }

  // What lies there decides something.
  void Ask(const ir::View& view) {
    if (Asked(view)) return;
    switch (view.space) {
      case ir::Space::kShared: shared_[kernel_][static_cast<size_t>(view.shared)] = true; break;
      case ir::Space::kTmem: tmem_[kernel_][static_cast<size_t>(view.tmem)] = true; break;
      case ir::Space::kGlobal: tensors_[static_cast<size_t>(view.tensor)] = true; break;
      default: return;
    }
    changed_ = true;
  }

  const ir::Program& program_;
  std::vector<bool> kept_, exprs_, tensors_;
  std::vector<std::vector<bool>> locals_, shared_, tmem_;  // by kernel
  size_t kernel_ = 0;
  bool changed_ = false;
};

}  // namespace

ir::Program WithoutData(const ir::Program& program) {
  const std::vector<bool> kept = Slicer(program).Run();
  ir::Program slim = program;
  for (size_t i = 0; i < slim.stmts.size(); ++i) {
    // Whether a variable is set yet is no question here, but its registers are.
    const bool declares =
        slim.stmts[i].kind == StmtKind::kLet && slim.stmts[i].value == ExprId::kNone;
    if (!kept[i] && !declares) slim.stmts[i].dead = true;
  }
  return slim;
}

}  // namespace verifier
