#include "compiler/facts/matrix_ops.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::facts {
namespace {

ir::Type PartType(const ir::Kernel& kernel, const ir::FragmentRef& part) {
  ir::Type type = kernel.locals[static_cast<size_t>(part.local)].type;
  if (part.column != ir::ExprId::kNone) type.shape[1] = part.columns;
  return type;
}

std::string Name(ir::DType dtype) { return std::string(ir::ToString(dtype)); }

// "wgmma.m64n128k16.f32.bf16"; `.rs` where the left operand lies in registers.
void AddWarpgroupProduct(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& stmt,
                         int64_t line, std::vector<MatrixOp>& ops) {
  const auto dtype = [&](ir::ViewId view) {
    return kernel.shared[static_cast<size_t>(program[view].shared)].dtype;
  };
  const bool in_registers = stmt.left_view == ir::ViewId::kNone;
  const ir::Type d = PartType(kernel, stmt.fragment);
  const ir::DType a = in_registers ? PartType(kernel, stmt.left).dtype : dtype(stmt.left_view);
  const ir::DType b = dtype(stmt.right_view);
  const ir::WgmmaShape* shape = ir::FindWgmma(a, b, d.dtype);
  if (shape == nullptr) return;
  const ir::View& right = program[stmt.right_view];
  const size_t rank = right.index.size();
  const int64_t k = program[right.index[right.transposed ? rank - 1 : rank - 2].extent].int_value;
  ops.push_back({line,
                 absl::StrCat(std::string(stmt.op->name), ".m64n", d.shape[1], "k", shape->k, ".",
                              Name(d.dtype), ".", Name(a), a == b ? "" : "." + Name(b),
                              in_registers ? ".rs" : ".ss"),
                 d.shape[0] / ir::kWgmmaRows * k / shape->k});
}

void AddProduct(const ir::Kernel& kernel, const ir::Stmt& stmt, int64_t line,
                std::vector<MatrixOp>& ops) {
  const ir::Type d = PartType(kernel, stmt.fragment);
  const ir::Type a = PartType(kernel, stmt.left);
  const ir::Type b = PartType(kernel, stmt.right);
  const int64_t tiles = d.shape[0] / ir::MmaRowsOf(d.shape[0]) * (d.shape[1] / ir::kMmaColumns);
  for (const ir::MmaShape* step : ir::MmaSteps(a.dtype, b.dtype, d.dtype, a.shape[1], d.shape[0])) {
    const std::string name =
        absl::StrCat(ir::MmaName(*step), ".", Name(d.dtype), ".", Name(a.dtype),
                     a.dtype == b.dtype ? "" : "." + Name(b.dtype));
    if (!ops.empty() && ops.back().line == line && ops.back().instruction == name) {
      ops.back().count += tiles;
    } else {
      ops.push_back({line, name, tiles});
    }
  }
}

void AddCopy(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& stmt,
             int64_t line, std::vector<MatrixOp>& ops) {
  const bool store = stmt.op->effects.copy == ir::CopyEffect::kMatrixStore;
  const ir::View& view = program[store ? stmt.destination : stmt.source_view];
  const ir::Type type = PartType(kernel, stmt.fragment);
  const int64_t row_elements = ir::kMatrixRowBytes * 8 / ir::Info(type.dtype).bits;
  // Of a warpgroup's fragment a warp moves a quarter.
  const bool banded = ir::FindForm(type.form)->scope == ir::Scope::kWg;
  const int64_t extents[] = {banded ? type.shape[0] / ir::kWarpgroupWarps : type.shape[0],
                             type.shape[1]};
  const int64_t rows = extents[view.transposed ? 1 : 0] / ir::kMatrixRows;
  const int64_t columns = extents[view.transposed ? 0 : 1] / row_elements;
  const ir::MatrixBlock block = ir::BlockOf(rows, columns, view.transposed);
  const bool trans = ir::FindForm(type.form)->packs_rows != view.transposed;
  ops.push_back(
      {line, absl::StrCat(std::string(stmt.op->name), ".x", block.count(), trans ? ".trans" : ""),
       rows * columns / block.count()});
}

// umma.f16.m128n256k16
void AddTensorProduct(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& stmt,
                      int64_t line, std::vector<MatrixOp>& ops) {
  const ir::View& d = program[stmt.accumulator_view];
  const ir::View& left = program[stmt.left_view];
  const ir::UmmaShape* shape = ir::UmmaOf(program, kernel, stmt);
  if (shape == nullptr) return;
  const int64_t m = program[d.index[0].extent].int_value;
  const int64_t n = program[d.index[1].extent].int_value;
  const size_t last = left.index.size() - 1;
  const ir::ExprId depth = left.index[left.transposed ? last - 1 : last].extent;
  const int64_t k = program[depth].int_value * ir::NumbersOf(shape->a);
  const bool pair = ir::OfPair(stmt), folds = ir::FoldsColumns(program, stmt);
  const int64_t columns = folds ? 2 * n : pair ? n : ir::UmmaColumns(*shape, m, n);
  ops.push_back(
      {line,
       absl::StrCat(std::string(stmt.op->name), pair ? ".2cta." : ".", std::string(shape->kind),
                    ".m", pair && !folds ? ir::kPairRows : m, "n", columns, "k", shape->k),
       (pair ? 1 : n / columns) * (k / shape->k)});
}

}  // namespace

std::vector<MatrixOp> MatrixOps(const ir::Program& program, const ir::Kernel& kernel,
                                const ir::Role& role) {
  std::vector<MatrixOp> ops;
  std::set<uint32_t> seen;
  ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.op == nullptr) return;
    const bool copy = stmt.op->effects.copy == ir::CopyEffect::kMatrixLoad ||
                      stmt.op->effects.copy == ir::CopyEffect::kMatrixStore;
    if (!copy && !stmt.op->effects.product) return;
    const uint32_t at = stmt.source.span.begin;
    if (!seen.insert(at).second) return;
    const int64_t line = 1 + std::count(program.source.begin(), program.source.begin() + at, '\n');
    if (stmt.accumulator_view != ir::ViewId::kNone) {
      AddTensorProduct(program, kernel, stmt, line, ops);
    } else if (copy) {
      AddCopy(program, kernel, stmt, line, ops);
    } else if (stmt.op->effects.engine == ir::ProductEngine::kWarpgroup) {
      AddWarpgroupProduct(program, kernel, stmt, line, ops);
    } else {
      AddProduct(kernel, stmt, line, ops);
    }
  });
  return ops;
}

int64_t MmaRoutine(const arch::Device& device, ir::DType a, bool differ) {
  switch (a) {
    case ir::DType::kI4x2:
    case ir::DType::kU4x2: return device.mma_i4_routine;
    case ir::DType::kB1x8: return differ ? device.mma_b1_xor_routine : device.mma_b1_and_routine;
    default: return 0;
  }
}

}  // namespace compiler::facts
