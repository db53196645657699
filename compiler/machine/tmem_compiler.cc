// Copies and products of tensor memory, as the machine runs them.
#include <utility>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {

bool RoleCompiler::TensorStatement(const ir::Stmt& stmt, ir::StmtId id) {
  const ir::Effects& effects = stmt.op->effects;
  const bool store = effects.copy == ir::CopyEffect::kTensorMemoryStore;
  if (store || effects.copy == ir::CopyEffect::kTensorMemoryLoad) {
    TensorCopy copy{.op = stmt.op,
                    .tile = OperandAccess(store ? stmt.destination : stmt.source_view),
                    .fragment = Operand(stmt.fragment),
                    .store = store};
    if (!store) {
      copy.in_flight =
          AddOrigin({.kind = OriginKind::kInFlight, .stmt = id, .local = stmt.fragment.local});
      AddOrigin({.kind = OriginKind::kReadInFlight, .stmt = id, .local = stmt.fragment.local});
    }
    code_.tensor_copies.push_back(std::move(copy));
    Emit({.code = Code::kTensorCopy, .a = static_cast<int32_t>(code_.tensor_copies.size() - 1)});
    return true;
  }
  if (effects.copy == ir::CopyEffect::kTensorMemoryCopy) {
    code_.tensor_fills.push_back({.op = stmt.op,
                                  .to = OperandAccess(stmt.destination),
                                  .from = OperandAccess(stmt.source_view),
                                  .pair = ir::OfPair(stmt)});
    Emit({.code = Code::kTensorFill, .a = static_cast<int32_t>(code_.tensor_fills.size() - 1)});
    return true;
  }
  if (!effects.product || effects.engine != ir::ProductEngine::kTensorMemory) return false;
  TensorProduct product{.op = stmt.op,
                        .d = OperandAccess(stmt.accumulator_view),
                        .a = OperandAccess(stmt.left_view),
                        .b = OperandAccess(stmt.right_view),
                        .a_k_rows = program_[stmt.left_view].transposed,
                        .b_k_rows = !program_[stmt.right_view].transposed,
                        .pair = ir::OfPair(stmt),
                        .folds = ir::FoldsColumns(program_, stmt),
                        .accumulate = stmt.accumulate};
  const size_t last = product.a.dimensions.size() - 1;
  product.m = product.d.dimensions[0].extent;
  product.n = product.d.dimensions[1].extent;
  if (product.folds) product.m = ir::kFoldedRows;
  if (product.folds) product.n *= 2;
  product.k = product.a.dimensions[product.a_k_rows ? last - 1 : last].extent;
  const ir::UmmaShape* shape = ir::UmmaOf(program_, kernel_, stmt);
  if (shape == nullptr) return Fail("product of these types"), true;
  product.k *= ir::NumbersOf(shape->a);
  product.block = shape->block;
  if (product.block > 0) {
    product.a_scale = OperandAccess(stmt.left_scale);
    product.b_scale = OperandAccess(stmt.right_scale);
  }
  product.columns = product.pair ? product.n : ir::UmmaColumns(*shape, product.m, product.n);
  if (stmt.zero != ir::ExprId::kNone) product.zero = Expression(stmt.zero)[0];
  code_.tensor_products.push_back(std::move(product));
  Emit({.code = Code::kTensorProduct, .a = static_cast<int32_t>(code_.tensor_products.size() - 1)});
  return true;
}

Access RoleCompiler::OperandAccess(ir::ViewId view) {
  Access access = AccessOf(view);
  access.opaque = Opaque(view);
  access.origin = AddOrigin({.kind = OriginKind::kMemory, .stmt = stmt_, .view = view});
  return access;
}

}  // namespace compiler::machine
