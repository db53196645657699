#include "compiler/machine/values.h"

#include <bit>

#include "compiler/facts/copies.h"
#include "compiler/ir/packed.h"
#include "compiler/ir/walk.h"

namespace compiler::machine {
namespace {

bool IsFloat(ir::DType dtype) { return ir::Info(ir::ElementOf(dtype)).is_float; }

// Grows the sets until nothing changes: what matters to something that matters does too.
class Slicer {
 public:
  Slicer(const ir::Program& program, bool open_picks) : program_(program) {
    out_.open_picks = open_picks;
    out_.exprs.resize(program.exprs.size());
    out_.tensors.resize(program.tensors.size());
    for (const ir::Kernel& kernel : program.kernels) {
      out_.locals.emplace_back(kernel.locals.size());
      out_.shared.emplace_back(kernel.shared.size());
      out_.tmem.emplace_back(kernel.tmem.size());
    }
    // Tensors that overlap are one memory under several names.
    for (const auto& [a, b] : program.aliases) {
      out_.tensors[static_cast<size_t>(a)] = out_.tensors[static_cast<size_t>(b)] = true;
    }
  }

  Values Run() {
    do {
      changed_ = false;
      for (kernel_ = 0; kernel_ < program_.kernels.size(); ++kernel_) {
        Body(program_.kernels[kernel_].lets);
        for (const ir::Role& role : program_.kernels[kernel_].roles) Body(role.body);
      }
    } while (changed_);
    return std::move(out_);
  }

 private:
  void Body(const std::vector<ir::StmtId>& body) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      Statement(stmt);
      Body(stmt.body);
      Body(stmt.else_body);
    }
  }

  void Statement(const ir::Stmt& stmt) {
    switch (stmt.kind) {
      case ir::StmtKind::kLet:
      case ir::StmtKind::kAssign:
      case ir::StmtKind::kPairLet: {
        for (const ir::ExprId index : stmt.indices) Need(index);
        const bool second = stmt.second_local != ir::LocalId::kNone && Local(stmt.second_local);
        return Evaluate(stmt.value, Local(stmt.local) || second);
      }
      case ir::StmtKind::kOp: return Operation(stmt);
      default: return NeedOwn(stmt);
    }
  }

  void Operation(const ir::Stmt& stmt) {
    const ir::Effects& effects = stmt.op->effects;
    const ir::CopyEffect copy = effects.copy;
    if (copy == ir::CopyEffect::kStore && stmt.value != ir::ExprId::kNone) {
      NeedIndices(program_[stmt.destination]);
      return Evaluate(stmt.value, Buffer(stmt.destination));
    }
    NeedOwn(stmt);
    if (effects.product && effects.engine == ir::ProductEngine::kWarp) {
      if (Local(stmt.fragment.local)) NeedLocals({stmt.left.local, stmt.right.local});
    } else if (effects.product && effects.engine == ir::ProductEngine::kWarpgroup) {
      if (!Local(stmt.fragment.local)) return;
      NeedLocals({stmt.left.local});
      NeedBuffer(stmt.left_view);
      NeedBuffer(stmt.right_view);
    } else if (effects.product && effects.engine == ir::ProductEngine::kTensorMemory) {
      if (!Buffer(stmt.accumulator_view)) return;
      for (const ir::ViewId view :
           {stmt.left_view, stmt.right_view, stmt.left_scale, stmt.right_scale}) {
        NeedBuffer(view);
      }
    } else if (copy == ir::CopyEffect::kMatrixLoad || copy == ir::CopyEffect::kTensorMemoryLoad) {
      if (Local(stmt.fragment.local)) NeedBuffer(stmt.source_view);
    } else if (copy == ir::CopyEffect::kMatrixStore || copy == ir::CopyEffect::kTensorMemoryStore) {
      if (Buffer(stmt.destination)) NeedLocals({stmt.fragment.local});
    } else if (copy == ir::CopyEffect::kAsyncCopy || facts::IsTensorCopy(copy) ||
               facts::IsBulkCopy(copy) || copy == ir::CopyEffect::kMapUpdate ||
               copy == ir::CopyEffect::kTensorMemoryCopy) {
      if (Buffer(stmt.destination)) NeedBuffer(stmt.source_view);
    } else {
      // Atomics, whose old values decide who waits, and whatever moves values in ways of its own.
      NeedLocals({stmt.local, stmt.fragment.local, stmt.left.local, stmt.right.local});
      for (const ir::ViewId view :
           {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view,
            stmt.accumulator_view, stmt.left_scale, stmt.right_scale}) {
        NeedBuffer(view);
      }
    }
  }

  // Computed by the run in any case: what in it must be right, though the whole may not matter.
  void Evaluate(ir::ExprId id, bool matters) {
    if (id == ir::ExprId::kNone) return;
    if (matters) return Need(id);
    const ir::Expr& expr = program_[id];
    switch (expr.kind) {
      case ir::ExprKind::kOp: return EvaluateOperation(expr);
      case ir::ExprKind::kAnd:
      case ir::ExprKind::kOr: Need(expr.args[0]); return Evaluate(expr.args[1], false);
      case ir::ExprKind::kLoad: NeedIndices(program_[expr.view]); break;
      case ir::ExprKind::kElement:
        for (size_t i = 1; i < expr.args.size(); ++i) Need(expr.args[i]);
        return Evaluate(expr.args[0], false);
      case ir::ExprKind::kArray:
      case ir::ExprKind::kPair: break;
      case ir::ExprKind::kLocal: return;
      default: return Need(id);
    }
    for (const ir::ExprId arg : expr.args) Evaluate(arg, false);
  }

  void EvaluateOperation(const ir::Expr& expr) {
    const ir::DType operand =
        expr.args.empty() ? expr.type.dtype : program_[expr.args[0]].type.dtype;
    const bool passes =
        expr.op != nullptr && OnlyPassesValuesOn(*expr.op, operand, expr.type.dtype);
    const bool selects = expr.op != nullptr && expr.op->algebra == ir::Algebra::kSelect;
    const bool open = out_.open_picks && ConditionIsOpen(program_, expr);
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const bool any = passes || (selects && (open || i > 0)) ||
                       IsFloat(program_[expr.args[i]].type.dtype);
      Evaluate(expr.args[i], !any);
    }
  }

  void Need(ir::ExprId id) {
    if (id == ir::ExprId::kNone || out_.exprs[static_cast<size_t>(id)]) return;
    out_.exprs[static_cast<size_t>(id)] = changed_ = true;
    const ir::Expr& expr = program_[id];
    if (expr.kind == ir::ExprKind::kLocal) NeedLocals({expr.local});
    if (expr.view != ir::ViewId::kNone) NeedBuffer(expr.view);
    std::vector<ir::ExprId> operands;
    ir::AppendOperands(program_, expr, operands);
    for (const ir::ExprId operand : operands) Need(operand);
  }

  void NeedOwn(const ir::Stmt& stmt) {
    std::vector<ir::ExprId> own;
    ir::AppendOwnExprs(program_, stmt, own);
    for (const ir::ExprId id : own) Need(id);
  }

  void NeedIndices(const ir::View& view) {
    Need(view.stage);
    Need(view.remote);
    for (const ir::ViewIndex& index : view.index) Need(index.offset);
  }

  void NeedLocals(std::initializer_list<ir::LocalId> locals) {
    for (const ir::LocalId local : locals) {
      if (local == ir::LocalId::kNone || Local(local)) continue;
      out_.locals[kernel_][static_cast<size_t>(local)] = changed_ = true;
    }
  }

  void NeedBuffer(ir::ViewId id) {
    if (id == ir::ViewId::kNone || Buffer(id)) return;
    const ir::View& view = program_[id];
    changed_ = true;
    switch (view.space) {
      case ir::Space::kShared: Mark(out_.shared[kernel_], view.shared); break;
      case ir::Space::kTmem: Mark(out_.tmem[kernel_], view.tmem); break;
      default: Mark(out_.tensors, view.tensor); break;
    }
  }

  template <typename Id>
  static void Mark(std::vector<bool>& set, Id id) {
    set[static_cast<size_t>(id)] = true;
  }

  bool Local(ir::LocalId local) const { return out_.locals[kernel_][static_cast<size_t>(local)]; }
  // tensormap.set has no destination.
  bool Buffer(ir::ViewId id) const {
    return id != ir::ViewId::kNone && out_.Matters(program_[id], kernel_);
  }

  const ir::Program& program_;
  Values out_;
  size_t kernel_ = 0;
  bool changed_ = false;
};

}  // namespace

bool Values::Matters(const ir::View& view, size_t kernel) const {
  switch (view.space) {
    case ir::Space::kShared: return shared[kernel][static_cast<size_t>(view.shared)];
    case ir::Space::kTmem: return tmem[kernel][static_cast<size_t>(view.tmem)];
    case ir::Space::kGlobal: return tensors[static_cast<size_t>(view.tensor)];
    default: return true;
  }
}

Values ValuesThatMatter(const ir::Program& program, bool open_picks) {
  return Slicer(program, open_picks).Run();
}

bool ConditionIsOpen(const ir::Program& program, const ir::Expr& select) {
  if (select.op == nullptr || select.op->algebra != ir::Algebra::kSelect) return false;
  const ir::Expr& condition = program[select.args[0]];
  if (condition.kind != ir::ExprKind::kOp || condition.op == nullptr || condition.args.empty()) {
    return false;
  }
  return OnlyPassesValuesOn(*condition.op, program[condition.args[0]].type.dtype,
                            condition.type.dtype);
}

bool OnlyPassesValuesOn(const ir::OpDef& op, ir::DType operand_type, ir::DType result_type) {
  if (op.scope != ir::Scope::kThread || op.meaning == nullptr) return false;
  if (op.algebra == ir::Algebra::kConvert && IsFloat(result_type)) return true;
  return op.algebra != ir::Algebra::kSelect && IsFloat(operand_type);
}

std::optional<Order> OrderIn(const ir::Program& program, const ir::Expr& expr) {
  constexpr int64_t kLargestMask = int64_t{1} << 60;
  if (expr.kind != ir::ExprKind::kOp || expr.op == nullptr || !expr.type.is_scalar()) return {};
  if (!ir::Info(expr.type.dtype).is_integer || expr.type.dtype == ir::DType::kBool) return {};
  if (expr.op->algebra == ir::Algebra::kAbs) return Order{};
  if (expr.args.size() != 2) return {};
  const auto constant = [&](size_t arg) {
    const ir::Expr& operand = program[expr.args[arg]];
    return operand.kind == ir::ExprKind::kInt ? operand.int_value : -1;
  };
  switch (expr.op->algebra) {
    case ir::Algebra::kMin:
    case ir::Algebra::kMax: return Order{.right = 1};
    case ir::Algebra::kDivide:
    case ir::Algebra::kModulo:
      if (constant(1) < 2) return {};
      return Order{.right = 1};
    case ir::Algebra::kShiftRight:
      if (constant(1) < 1 || constant(1) > 40) return {};
      return Order{.number = int64_t{1} << constant(1)};
    case ir::Algebra::kAnd: {
      const size_t mask = constant(1) >= 0 ? 1 : 0;
      if (constant(mask) < 1 || constant(mask) > kLargestMask) return {};
      return Order{.left = 1 - mask,
                   .number = static_cast<int64_t>(
                       2 * std::bit_floor(static_cast<uint64_t>(constant(mask))))};
    }
    default: return {};
  }
}

}  // namespace compiler::machine
