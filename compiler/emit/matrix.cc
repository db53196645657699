// Products of fragments, and the copies between fragments and shared memory, as loops over single
// instructions.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "compiler/emit/fragment_part.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/ir/walk.h"

namespace compiler::emit {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

// Of the matrices before the loop's: `unit` for each.
template <typename Loop>
std::string From(const Loop& loop, int64_t unit) {
  return loop.is_loop ? absl::StrCat(loop.index, " * ", unit) : std::string("0");
}

std::string Times(int64_t factor, const std::string& text) {
  if (factor == 1 || text == "0") return text;
  return absl::StrCat(factor, " * ", text);
}

// ptx: "s8" is written i8 here.
std::string PtxType(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8: return "s8";
    case ir::DType::kI32: return "s32";
    case ir::DType::kI4x2: return "s4";
    case ir::DType::kU4x2: return "u4";
    case ir::DType::kB1x8: return "b1";
    default: return std::string(ir::ToString(dtype));
  }
}

// `lane / below`, of `values` that follow each other; a warp's last part needs no remainder.
std::string LanePart(const std::string& lane, int64_t below, int64_t values) {
  std::string part = below == 1 ? lane : absl::StrCat(lane, " / ", below);
  if (below * values < ir::kLanes) absl::StrAppend(&part, " % ", values);
  return part;
}

// The row of the block that a lane names, and the first element of its column: MatrixBlock::RowOf
// and ColumnOf as code.
std::string LaneRow(const ir::MatrixBlock& block, const std::string& lane) {
  if (!block.columns_first || block.columns == 1) {
    return LanePart(lane, 1, block.rows * ir::kMatrixRows);
  }
  const std::string within = LanePart(lane, 1, ir::kMatrixRows);
  if (block.rows == 1) return within;
  const std::string matrix = LanePart(lane, block.columns * ir::kMatrixRows, block.rows);
  return absl::StrCat(matrix, " * ", ir::kMatrixRows, " + ", within);
}

std::string LaneColumn(const ir::MatrixBlock& block, const std::string& lane,
                       int64_t row_elements) {
  if (block.columns == 1) return "0";
  const int64_t below = block.columns_first ? 1 : block.rows;
  return absl::StrCat(LanePart(lane, below * ir::kMatrixRows, block.columns), " * ", row_elements);
}

}  // namespace

KernelEmitter::FragmentPart KernelEmitter::PartOf(const ir::FragmentRef& ref) {
  FragmentPart part{.name = locals_.at(ref.local), .type = FragmentType(ref.local)};
  part.map = ir::MapOf(part.type);
  if (ref.column == ir::ExprId::kNone) return part;
  // A tile's columns are `per_tile` register columns.
  const int64_t tile = part.map.columns.tile;
  const int64_t per_tile = part.map.RegisterColumns() * tile / part.type.shape[1];
  const ir::Expr& column = program_[ref.column];
  if (column.kind == ir::ExprKind::kInt) {
    part.first = absl::StrCat(column.int_value / tile * per_tile);
  } else {
    part.first = absl::StrCat(Operand(ref.column, kMultiplicative), " / ", tile / per_tile);
  }
  part.type.shape[1] = ref.columns;
  part.map = ir::MapOf(part.type);
  return part;
}

KernelEmitter::Unrolled KernelEmitter::OpenUnrolled(std::string_view wanted, int64_t from,
                                                    int64_t to, int64_t step) {
  if (to - from <= step) return {absl::StrCat(from), false};
  const std::string name = Fresh(wanted);
  out_.Line("#pragma unroll");
  const std::string advance =
      step == 1 ? absl::StrCat("++", name) : absl::StrCat(name, " += ", step);
  out_.Open(
      absl::StrCat("for (int ", name, " = ", from, "; ", name, " < ", to, "; ", advance, ") {"));
  return {name, true};
}

// Places a message of the assembler at the statement; the instructions are in functions.
void KernelEmitter::Mark(const ir::Stmt& stmt) {
  out_.Line(absl::StrCat("asm volatile(\"", SpanMarker(stmt), "\");"));
}

void KernelEmitter::ClearAccumulator(const ir::Stmt& stmt, const FragmentPart& d) {
  const bool conditional = stmt.accumulate;
  if (conditional && stmt.zero == ir::ExprId::kNone) return;
  if (conditional) out_.Open(absl::StrCat("if (", Code(stmt.zero), ") {"));
  if (d.type == FragmentType(stmt.fragment.local)) {
    out_.Line(absl::StrCat("cake::clear(", d.name, ");"));
    if (conditional) out_.Close();
    return;
  }
  names_.Open();
  const Unrolled r = OpenUnrolled("r", 0, d.map.RegisterRows(), 1);
  const Unrolled e = OpenUnrolled("e", 0, d.map.RegisterColumns(), 1);
  out_.Line(absl::StrCat(d.Register(r.index, e.index), " = 0;"));
  if (e.is_loop) out_.Close();
  if (r.is_loop) out_.Close();
  names_.Close();
  if (conditional) out_.Close();
}

// `count` instructions of one shape, from block `first_block` of K on: those of one K after the
// other, so that neighbours do not wait for each other.
void KernelEmitter::ProductLoop(const FragmentPart& d, const FragmentPart& a, const FragmentPart& b,
                                const ir::MmaShape& shape, int64_t first_block, int64_t count,
                                std::string_view suffix) {
  const int64_t blocks = shape.k / a.map.columns.tile;  // register columns of A an instruction
  names_.Open();
  const Unrolled k = OpenUnrolled("k", first_block, first_block + count * blocks, blocks);
  const int64_t halves = shape.m / ir::kMmaShortRows;
  const Unrolled m = OpenUnrolled("m", 0, d.type.shape[0] / shape.m, 1);
  const Unrolled n = OpenUnrolled("n", 0, d.type.shape[1] / ir::kMmaColumns, 1);
  std::vector<std::string> registers;
  const int64_t per_tile = 2 / d.map.pack;
  const auto row = [&](int64_t half) { return Sum(Times(halves, m.index), absl::StrCat(half)); };
  for (int64_t half = 0; half < halves; ++half) {
    for (int64_t e = 0; e < per_tile; ++e) {
      registers.push_back(d.Register(row(half), Sum(Times(per_tile, n.index), absl::StrCat(e))));
    }
  }
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t half = 0; half < halves; ++half) {
      registers.push_back(a.Register(row(half), Sum(k.index, absl::StrCat(block))));
    }
  }
  for (int64_t block = 0; block < blocks; ++block) {
    registers.push_back(b.Register(Sum(k.index, absl::StrCat(block)), n.index));
  }
  out_.Line(absl::StrCat("cake::", absl::StrReplaceAll(ir::MmaName(shape), {{".", "_"}}), "_",
                         PtxType(shape.d), "_", PtxType(shape.a), "_", PtxType(shape.b),
                         Absl(suffix), "("));
  const size_t accumulators = static_cast<size_t>(halves * per_tile);
  const auto list = [&](size_t begin, size_t end) {
    return absl::StrJoin(registers.begin() + static_cast<int64_t>(begin),
                         registers.begin() + static_cast<int64_t>(end), ", ");
  };
  out_.Indent();
  out_.Indent();
  out_.Line(list(0, accumulators) + ",");
  const size_t left = static_cast<size_t>(halves * blocks);
  out_.Line(list(accumulators, accumulators + left) + ",");
  out_.Line(list(accumulators + left, registers.size()) + ");");
  out_.Outdent();
  out_.Outdent();
  for (const Unrolled* loop : {&n, &m, &k}) {
    if (loop->is_loop) out_.Close();
  }
  names_.Close();
}

void KernelEmitter::Product(ir::StmtId id, const ir::Stmt& stmt) {
  if (stmt.op->effects.engine == ir::ProductEngine::kWarpgroup) return WarpgroupProduct(id, stmt);
  const FragmentPart d = PartOf(stmt.fragment);
  const FragmentPart a = PartOf(stmt.left);
  const FragmentPart b = PartOf(stmt.right);
  ClearAccumulator(stmt, d);
  Mark(stmt);
  const std::vector<const ir::MmaShape*> steps =
      ir::MmaSteps(a.type.dtype, b.type.dtype, d.type.dtype, a.type.shape[1], d.type.shape[0]);
  Require(!steps.empty(), "product of the table");
  std::string suffix;
  for (const std::string_view word : stmt.modifiers) absl::StrAppend(&suffix, "_", Absl(word));
  int64_t block = 0;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i;
    while (end < steps.size() && steps[end] == steps[i]) ++end;
    const auto count = static_cast<int64_t>(end - i);
    ProductLoop(d, a, b, *steps[i], block, count, suffix);
    block += count * (steps[i]->k / a.map.columns.tile);
    i = end;
  }
}

// The view's offsets with `row` and `column` added in its two sliced dimensions.
std::vector<Text> KernelEmitter::TileOffsets(const ir::View& view,
                                             const std::vector<size_t>& sliced,
                                             const std::string& row, const std::string& column) {
  std::vector<Text> offsets;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const Text origin = Expression(view.index[d].offset);
    const bool is_row = d == sliced[0];
    if (!is_row && d != sliced[1]) {
      offsets.push_back(origin);
      continue;
    }
    const std::string whole = Sum(Operand(view.index[d].offset, kAdditive), is_row ? row : column);
    const bool single = whole.find(' ') == std::string::npos;
    offsets.push_back({whole, whole == origin.code ? origin.precedence
                              : single             ? int{kPrimary}
                                                   : int{kAdditive}});
  }
  return offsets;
}

void KernelEmitter::MatrixCopy(const ir::Stmt& stmt) {
  const bool store = stmt.op->effects.copy == ir::CopyEffect::kMatrixStore;
  const ir::View& view = program_[store ? stmt.destination : stmt.source_view];
  const FragmentPart part = PartOf(stmt.fragment);
  const std::string buffer = BufferName(view);
  std::vector<size_t> sliced;
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (view.index[d].is_slice) sliced.push_back(d);
  }
  Require(sliced.size() == 2, "tile of two dimensions");
  // A warp of a warpgroup moves its band of each block of the fragment's rows.
  const ir::AxisMap& banded = part.map.rows;
  const bool is_banded = banded.warp_stride != 0;
  const int64_t fragment_rows = is_banded ? banded.tile / ir::kWarpgroupWarps : part.type.shape[0];
  const int64_t bands = is_banded ? part.type.shape[0] / banded.tile : 1;
  // Matrices of the tile as it lies in memory.
  const int64_t row_elements = ir::kMatrixRowBytes * 8 / ir::Info(part.type.dtype).bits;
  const int64_t extents[] = {fragment_rows, part.type.shape[1]};
  const int64_t rows = extents[view.transposed ? 1 : 0] / ir::kMatrixRows;
  const int64_t columns = extents[view.transposed ? 0 : 1] / row_elements;
  const ir::MatrixBlock block = ir::BlockOf(rows, columns, view.transposed);
  Mark(stmt);
  names_.Open();
  const Unrolled m = OpenUnrolled("m", 0, bands, 1);
  const Unrolled j = OpenUnrolled("j", 0, columns, block.columns);
  const Unrolled i = OpenUnrolled("i", 0, rows, block.rows);
  const std::string lane = Builtin(ir::BuiltinValue::kLane).code;
  std::string row = LaneRow(block, lane);
  std::string column = LaneColumn(block, lane, row_elements);
  // Of a swizzle the rows of blocks stand behind it, where they are constants of the instruction's
  // address.
  const ir::SharedBuffer& shared = kernel_.shared[static_cast<size_t>(view.shared)];
  std::string behind = "0";
  if (shared.form == ir::SharedForm::kSwizzle) {
    behind = From(i, ir::kMatrixRows * SharedStride(view, sliced[0]));
  } else {
    row = Sum(row, From(i, ir::kMatrixRows));
  }
  column = Sum(column, From(j, row_elements));
  if (is_banded) {
    std::string& along = view.transposed ? column : row;
    along = Sum(along, Sum(BandText(banded), From(m, banded.tile)));
  }
  const std::vector<Text> offsets = TileOffsets(view, sliced, row, column);
  const std::string of_band = m.is_loop ? absl::StrCat(banded.repeats, " * ", m.index) : "0";
  std::vector<std::string> registers;
  for (int64_t matrix = 0; matrix < block.count(); ++matrix) {
    const std::string r = Sum(i.index, absl::StrCat(block.RowOfMatrix(matrix)));
    const std::string c = Sum(j.index, absl::StrCat(block.ColumnOfMatrix(matrix)));
    const std::string along = Sum(view.transposed ? c : r, of_band);
    registers.push_back(part.Register(along, view.transposed ? r : c));
  }
  const bool trans = part.map.packs_rows != view.transposed;
  const std::string index = Sum(SharedIndexOf(view, offsets), behind);
  const std::string place = absl::StrCat("&", buffer, "[", index, "]");
  const std::string list = absl::StrJoin(registers, ", ");
  out_.Line(absl::StrCat(
      "cake::", Absl(stmt.op->name), "_x", block.count(), trans ? "_trans" : "", "(",
      store ? absl::StrCat(place, ", ", list) : absl::StrCat(list, ", ", place), ");"));
  for (const Unrolled* loop : {&i, &j, &m}) {
    if (loop->is_loop) out_.Close();
  }
  names_.Close();
}

}  // namespace compiler::emit
