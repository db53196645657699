// Fragments of one role: elements, coordinates, products and matrix copies.
#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/ir/walk.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {
namespace {

// A constant index of a register that exists, or -1.
int64_t ConstantIndex(const ir::Expr& expr, int64_t count) {
  const bool fits =
      expr.kind == ir::ExprKind::kInt && expr.int_value >= 0 && expr.int_value < count;
  return fits ? expr.int_value : -1;
}

LaneParts LanePartsOf(const ir::AxisMap& axis) {
  LaneParts parts{};
  for (size_t lane = 0; lane < parts.size(); ++lane) {
    parts[lane] = static_cast<int32_t>(axis.OfThread(static_cast<int64_t>(lane)));
  }
  return parts;
}

// The instructions of a tile of `rows` x `columns` matrices whose rows lie `pitch` elements apart.
std::vector<MatrixCopy::Group> Groups(int64_t rows, int64_t columns, bool transposed, int64_t pitch,
                                      int64_t row_elements) {
  const ir::MatrixBlock block = ir::BlockOf(rows, columns, transposed);
  std::vector<MatrixCopy::Group> groups;
  for (int64_t column = 0; column < columns; column += block.columns) {
    for (int64_t row = 0; row < rows; row += block.rows) {
      MatrixCopy::Group group;
      for (int64_t lane = 0; lane < block.count() * ir::kMatrixRows; ++lane) {
        const int64_t at_row = row * ir::kMatrixRows + block.RowOf(lane);
        const int64_t at_column = (column + block.ColumnOf(lane)) * row_elements;
        group.offset[static_cast<size_t>(lane)] = at_row * pitch + at_column;
        group.lanes |= uint32_t{1} << lane;
      }
      groups.push_back(group);
    }
  }
  return groups;
}

// Of the part's map as it is now.
void SetParts(FragmentOperand& operand) {
  const ir::FragmentMap& map = operand.map;
  operand.row_parts.clear();
  operand.column_parts.clear();
  for (int64_t r = 0; r < map.row_count; ++r) operand.row_parts.push_back(map.rows.OfIndex(r));
  for (int64_t e = 0; e < map.column_count; ++e) {
    operand.column_parts.push_back(map.columns.OfIndex(e));
  }
}

// The same distances in bytes, and the range of all rows.
void SetBytes(int64_t element, MatrixCopy& copy) {
  copy.begin = std::numeric_limits<int32_t>::max();
  copy.end = std::numeric_limits<int32_t>::min();
  for (MatrixCopy::Group& group : copy.groups) {
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      group.byte[lane] = static_cast<int32_t>(group.offset[lane] * element);
      if ((group.lanes >> lane & 1) == 0) continue;
      copy.begin = std::min(copy.begin, group.byte[lane]);
      copy.end = std::max<int32_t>(copy.end, group.byte[lane] + ir::kMatrixRowBytes);
    }
  }
}

}  // namespace

Registers RoleCompiler::FragmentElement(const ir::Expr& expr) {
  const Registers registers = Expression(expr.args[0]);
  const ir::FragmentMap map = ir::MapOf(program_[expr.args[0]].type);
  const int64_t row = ConstantIndex(program_[expr.args[1]], map.row_count);
  const int64_t column = ConstantIndex(program_[expr.args[2]], map.column_count);
  if (row >= 0 && column >= 0) {
    return {registers[static_cast<size_t>(row * map.column_count + column)]};
  }
  const Register r = Expression(expr.args[1])[0];
  const Register e = Expression(expr.args[2])[0];
  const Register out = Temporary();
  const ir::Expr& whole = program_[expr.args[0]];
  Emit({.code = Code::kGetFragment,
        .dst = out,
        .a = AddList(registers, whole.kind == ir::ExprKind::kLocal && Opaque(whole.local)),
        .b = r,
        .c = e,
        .target = static_cast<int32_t>(map.column_count)});
  return {out};
}

void RoleCompiler::SetFragment(const ir::Stmt& stmt) {
  const Registers& registers = LocalRegisters(stmt.local);
  const ir::Local& local = kernel_.locals[static_cast<size_t>(stmt.local)];
  const ir::FragmentMap map = ir::MapOf(local.type);
  const Register value = Expression(stmt.value)[0];
  const int64_t row = ConstantIndex(program_[stmt.indices[0]], map.row_count);
  const int64_t column = ConstantIndex(program_[stmt.indices[1]], map.column_count);
  if (row >= 0 && column >= 0) {
    return MoveTo({registers[static_cast<size_t>(row * map.column_count + column)]}, {value},
                  Opaque(stmt.local));
  }
  const Register r = Expression(stmt.indices[0])[0];
  const Register e = Expression(stmt.indices[1])[0];
  Emit({.code = Code::kSetFragment,
        .dst = value,
        .a = AddList(registers, Opaque(stmt.local)),
        .b = r,
        .c = e,
        .target = static_cast<int32_t>(map.column_count)});
}

Registers RoleCompiler::Coordinate(const ir::Expr& expr) {
  const ir::FragmentMap map = ir::MapOf(kernel_.locals[static_cast<size_t>(expr.local)].type);
  const Register index = Expression(expr.args[0])[0];
  const Register out = Temporary();
  const ir::AxisMap& axis = expr.kind == ir::ExprKind::kRow ? map.rows : map.columns;
  Axis made{.map = axis, .lanes = LanePartsOf(axis)};
  const int64_t count = expr.kind == ir::ExprKind::kRow ? map.row_count : map.column_count;
  constexpr int64_t kMostParts = 64;
  for (int64_t i = 0; i < std::min(count, kMostParts); ++i) made.parts.push_back(axis.OfIndex(i));
  code_.axes.push_back(std::move(made));
  Emit({.code = Code::kCoordinate,
        .dst = out,
        .a = static_cast<int32_t>(code_.axes.size() - 1),
        .b = index});
  return {out};
}

FragmentOperand RoleCompiler::Operand(const ir::FragmentRef& ref) {
  ir::Type type = kernel_.locals[static_cast<size_t>(ref.local)].type;
  FragmentOperand operand{.registers = LocalRegisters(ref.local),
                          .dtype = type.dtype,
                          .map = ir::MapOf(type),
                          .columns = type.shape[1]};
  operand.row_length = operand.map.column_count;
  operand.lane_rows = LanePartsOf(operand.map.rows);
  operand.lane_columns = LanePartsOf(operand.map.columns);
  if (ref.column != ir::ExprId::kNone) {
    operand.first_column = Expression(ref.column)[0];
    type.shape[1] = ref.columns;
    operand.map = ir::MapOf(type);
  }
  SetParts(operand);
  return operand;
}

// Two dimensions of the view are slices; a transposed view exchanges them.
SharedOperand RoleCompiler::OperandInShared(ir::ViewId id, bool left) {
  const ir::View& view = program_[id];
  const std::vector<int64_t>& strides = layouts_.shared[static_cast<size_t>(view.shared)];
  const size_t rank = strides.size();
  SharedOperand operand{.access = MakeBox(id)};
  code_.accesses[static_cast<size_t>(operand.access)].origin =
      AddOrigin({.kind = OriginKind::kMemory, .stmt = stmt_, .view = id});
  // The left operand is [M, K] and the right one [K, N].
  const bool outer_first = left != view.transposed;
  operand.outer_stride = strides[outer_first ? rank - 2 : rank - 1];
  operand.k_stride = strides[outer_first ? rank - 1 : rank - 2];
  return operand;
}

// Registers of a warp are its band of the tile.
void RoleCompiler::MakeWarpgroupProduct(const ir::Stmt& stmt) {
  Product product{.op = stmt.op,
                  .warpgroup = true,
                  .d = Operand(stmt.fragment),
                  .accumulate = stmt.accumulate,
                  .opaque = Opaque(stmt.fragment.local)};
  const ir::Type& d = kernel_.locals[static_cast<size_t>(stmt.fragment.local)].type;
  product.m = d.shape[0] / ir::kWarpgroupWarps;
  product.n = stmt.fragment.column != ir::ExprId::kNone ? stmt.fragment.columns : d.shape[1];
  product.d.map.rows = product.d.map.rows.Band();
  SetParts(product.d);
  const auto dtype = [&](ir::ViewId view) {
    return kernel_.shared[static_cast<size_t>(program_[view].shared)].dtype;
  };
  if (stmt.left_view != ir::ViewId::kNone) {
    product.a_shared = OperandInShared(stmt.left_view, true);
    product.a.dtype = dtype(stmt.left_view);
  } else {
    product.a = Operand(stmt.left);
    product.a.map.rows = product.a.map.rows.Band();
    SetParts(product.a);
  }
  product.b_shared = OperandInShared(stmt.right_view, false);
  product.b.dtype = dtype(stmt.right_view);
  if (!status_.ok()) return;
  const Access& right = code_.accesses[static_cast<size_t>(product.b_shared.access)];
  const size_t rank = right.dimensions.size();
  product.k = right.dimensions[program_[stmt.right_view].transposed ? rank - 1 : rank - 2].extent;
  const ir::WgmmaShape* shape = ir::FindWgmma(product.a.dtype, product.b.dtype, product.d.dtype);
  if (shape == nullptr) return Fail("a product of these types");
  product.steps.assign(static_cast<size_t>(product.k / shape->k), shape->k);
  if (stmt.zero != ir::ExprId::kNone) product.zero = Expression(stmt.zero)[0];
  code_.products.push_back(std::move(product));
  Emit({.code = Code::kProduct, .a = static_cast<int32_t>(code_.products.size() - 1)});
}

void RoleCompiler::MakeProduct(const ir::Stmt& stmt) {
  if (stmt.op->effects.engine == ir::ProductEngine::kWarpgroup) return MakeWarpgroupProduct(stmt);
  Product product{.op = stmt.op,
                  .d = Operand(stmt.fragment),
                  .a = Operand(stmt.left),
                  .b = Operand(stmt.right),
                  .accumulate = stmt.accumulate,
                  .saturate = ir::HasModifier(stmt, "sat"),
                  .differ = ir::HasModifier(stmt, "xor"),
                  .opaque = Opaque(stmt.fragment.local)};
  const auto extent = [&](const ir::FragmentRef& ref, size_t axis) {
    const ir::Type& type = kernel_.locals[static_cast<size_t>(ref.local)].type;
    return axis == 1 && ref.column != ir::ExprId::kNone ? ref.columns : type.shape[axis];
  };
  product.m = extent(stmt.fragment, 0);
  product.n = extent(stmt.fragment, 1);
  product.k = extent(stmt.left, 1);
  for (const ir::MmaShape* step :
       ir::MmaSteps(product.a.dtype, product.b.dtype, product.d.dtype, product.k, product.m)) {
    product.steps.push_back(step->k);
  }
  if (stmt.zero != ir::ExprId::kNone) product.zero = Expression(stmt.zero)[0];
  code_.products.push_back(std::move(product));
  Emit({.code = Code::kProduct, .a = static_cast<int32_t>(code_.products.size() - 1)});
}

// The tile's first element with the bounds of the whole tile; the elements are those of one row.
Access RoleCompiler::TileAccess(ir::ViewId id) {
  Access access = AccessOf(id);
  const int64_t row_elements = ir::kMatrixRowBytes * 8 / ir::Info(access.dtype).bits;
  for (int64_t e = 0; e < row_elements; ++e) access.element_offsets.push_back(e);
  access.origin = AddOrigin({.kind = OriginKind::kMemory, .stmt = stmt_, .view = id});
  return access;
}

void RoleCompiler::MakeMatrixCopy(const ir::Stmt& stmt) {
  const bool store = stmt.op->effects.copy == ir::CopyEffect::kMatrixStore;
  const ir::ViewId view_id = store ? stmt.destination : stmt.source_view;
  const ir::View& view = program_[view_id];
  MatrixCopy copy{.op = stmt.op,
                  .tile = TileAccess(view_id),
                  .fragment = Operand(stmt.fragment),
                  .store = store,
                  .opaque = store ? Opaque(view_id) : Opaque(stmt.fragment.local)};
  const std::vector<int64_t>& strides = layouts_.shared[static_cast<size_t>(view.shared)];
  std::vector<int64_t> sliced;
  std::vector<int64_t> extents;
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (!view.index[d].is_slice) continue;
    sliced.push_back(strides[d]);
    extents.push_back(copy.tile.dimensions[d].extent);
  }
  if (sliced.size() != 2) return Fail("a tile of other than two dimensions");
  copy.row_stride = sliced[view.transposed ? 1 : 0];
  copy.column_stride = sliced[view.transposed ? 0 : 1];
  const auto row_elements = static_cast<int64_t>(copy.tile.element_offsets.size());
  // A warp of a warpgroup moves its band of each block of rows; along the tile's rows that is.
  const ir::AxisMap rows = copy.fragment.map.rows;
  int64_t blocks = 1;
  if (rows.warp_stride != 0) {
    int64_t& along = extents[view.transposed ? 1 : 0];
    blocks = along / rows.tile;
    along = rows.tile / ir::kWarpgroupWarps;
    copy.warp_distance = rows.warp_stride * copy.row_stride;
  }
  for (int64_t block = 0; block < blocks; ++block) {
    for (MatrixCopy::Group group :
         Groups(extents[0] / ir::kMatrixRows, extents[1] / row_elements, view.transposed, sliced[0],
                row_elements)) {
      for (int64_t& offset : group.offset) offset += block * rows.tile * copy.row_stride;
      copy.groups.push_back(group);
    }
  }
  SetBytes(ir::Info(copy.tile.dtype).bits / 8, copy);
  code_.matrix_copies.push_back(std::move(copy));
  Emit({.code = Code::kMatrixCopy, .a = static_cast<int32_t>(code_.matrix_copies.size() - 1)});
}

}  // namespace compiler::machine
