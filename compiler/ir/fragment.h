// Register fragments: which elements of a tile each thread holds, and in which 32-bit registers.
// One entry a form; type check, machine, proofs, emitter, cost model and manual read the entry, and
// nothing else knows how a tile lies in registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/types.h"

namespace compiler::ir {

// One axis of a tile. The thread's index i along it, i = block*repeats*pack + repeat*pack + inner,
// stands for the coordinate
//   block*tile + warp*warp_stride + repeat*repeat_stride + (lane/lane_divisor % lane_values)*pack +
//   inner + (lane/other_divisor % other_values)*other_stride,
// where `warp` is that of the warpgroup, of forms that a warpgroup holds.
struct AxisMap {
  int64_t tile = 1;           // coordinates of one block; extents are multiples of it
  int64_t pack = 1;           // neighbouring coordinates that one thread holds
  int64_t repeats = 1;        // such groups a block
  int64_t repeat_stride = 0;  // between them
  int64_t lane_divisor = 1;
  int64_t lane_values = 1;
  int64_t warp_stride = 0;  // between the warps of a warpgroup
  // A second part of the lane's number, whose coordinates lie between those of the first and the
  // repeats.
  int64_t other_divisor = 1, other_values = 1, other_stride = 0;
  bool operator==(const AxisMap&) const = default;

  // Indices a thread has for `extent` coordinates.
  int64_t PerThread(int64_t extent) const { return extent / tile * repeats * pack; }
  // `thread`: of the warpgroup; of forms that a warp holds its lane is what counts.
  int64_t Coordinate(int64_t index, int64_t thread) const {
    return OfIndex(index) + OfThread(thread);
  }
  // What each of the two adds to the coordinate.
  int64_t OfIndex(int64_t index) const;
  int64_t OfThread(int64_t thread) const;
  // The part of one warp, as an axis of its own: the tiles of a warpgroup's form have a band a
  // warp.
  AxisMap Band() const;
};
constexpr int64_t kWarpgroupWarps = 4;

// What one tcgen05.ld or st of a form moves: register columns of a thread, columns of tensor
// memory, and how often it may be repeated (PTX ISA, tcgen05.ld: .num).
struct TmemMovement {
  int64_t registers = 0, columns = 0, most = 0;
  bool two_rows = false;
};

struct FragmentForm {
  std::string_view name;     // "mma.a"
  std::string_view summary;  // what it is, for the manual
  Scope scope = Scope::kWarp;
  std::vector<DType> dtypes;
  AxisMap (*rows)(int64_t element_bits) = nullptr;
  // Of tiles whose rows are no multiple of rows().tile; null: there are none.
  AxisMap (*short_rows)(int64_t element_bits) = nullptr;
  AxisMap (*columns)(int64_t element_bits) = nullptr;
  // Elements narrower than 32 bits share a register with their neighbours in the same column
  // instead of the same row.
  bool packs_rows = false;
  TmemMovement movement;  // of forms of tensor memory
  std::string_view source;

  bool Holds(DType dtype) const;
  // The rows of a tile with so many; its extent is a multiple of their `tile`.
  AxisMap RowsOf(int64_t element_bits, int64_t extent) const;
};

// Of this build; null for other names.
const FragmentForm* FindForm(std::string_view name);
std::span<const FragmentForm> Forms();

// Of a fragment type whose form has an entry.
struct FragmentMap {
  AxisMap rows, columns;
  int64_t row_count = 0, column_count = 0;  // a thread
  int64_t pack = 1;                         // elements of one 32-bit register
  bool packs_rows = false;

  int64_t Elements() const { return row_count * column_count; }
  int64_t Registers() const { return Elements() / pack; }
  // The grid of 32-bit registers.
  int64_t RegisterRows() const { return packs_rows ? row_count / pack : row_count; }
  int64_t RegisterColumns() const { return packs_rows ? column_count : column_count / pack; }
};
FragmentMap MapOf(const Type& type);

// The thread and its element that hold (row, column) of the tile. `lane`: of the warp, or the
// thread of the warpgroup.
struct Holder {
  int64_t lane = 0, row = 0, column = 0;
  bool operator==(const Holder&) const = default;
};
Holder HolderOf(const FragmentMap& map, int64_t row, int64_t column);

// Whether a tile of `dtype` lies in the same registers in both forms: one is the other at no cost.
bool SameRegisters(const FragmentForm& a, const FragmentForm& b, DType dtype);

// Of what a conversion of a fragment of form `from` to `dtype` becomes: `from` itself where it
// holds the type, else a form whose threads hold the same elements. Empty when there is none.
std::string_view ConvertedForm(std::string_view from, DType from_dtype, DType dtype);

// How ldmatrix and stmatrix divide a tile of shared memory: matrices of 8 rows of 16 bytes, one to
// four an instruction, as a block of `rows` x `columns` of them, as they lie in memory. They are
// counted down the fragment's rows first, which in memory are its columns where the view is
// transposed. Lane l of an instruction names row l % 8 of its matrix l / 8.
struct MatrixBlock {
  int64_t rows = 1, columns = 1;
  bool columns_first = false;
  int64_t count() const { return rows * columns; }
  // Of matrix `number` of the instruction.
  int64_t RowOfMatrix(int64_t number) const {
    return columns_first ? number / columns : number % rows;
  }
  int64_t ColumnOfMatrix(int64_t number) const {
    return columns_first ? number % columns : number / rows;
  }
  // Of the row that a lane names: row of the block, and its column of matrices.
  int64_t RowOf(int64_t lane) const { return RowOfMatrix(lane / 8) * 8 + lane % 8; }
  int64_t ColumnOf(int64_t lane) const { return ColumnOfMatrix(lane / 8); }
};
constexpr int64_t kMatrixRows = 8;
constexpr int64_t kMatrixRowBytes = 16;
// Of a tile of so many matrices as it lies in memory. Two by two where the tile has them: the four
// registers of an instruction are then those that a product takes side by side (PTX ISA, fragments
// of mma.m16n8k16: A's four are two rows of two columns of matrices, B's two lie along k). An
// instruction's registers are consecutive, so operands spread over two of them would be moved.
MatrixBlock BlockOf(int64_t matrix_rows, int64_t matrix_columns, bool transposed);

// One instruction of the warp-wide products: m x 8 x k. PTX ISA, "Matrix multiply-accumulate
// operation using mma instruction".
constexpr int64_t kMmaRows = 16, kMmaShortRows = 8;
constexpr int64_t kMmaColumns = 8;
struct MmaShape {
  DType a, b, d;
  int64_t k;  // elements of memory, of one number or several
  std::string_view min_arch;
  int64_t m = kMmaRows;
};
std::span<const MmaShape> MmaShapes();

// Rows of one instruction for a tile of so many.
int64_t MmaRowsOf(int64_t rows);

// Instructions that together cover `k` of a tile of `rows`, the longest first; empty when none do
// or the types have no product.
std::vector<const MmaShape*> MmaSteps(DType a, DType b, DType d, int64_t k, int64_t rows);

// "mma.m16n8k32", of the numbers that an instruction multiplies.
std::string MmaName(const MmaShape& shape);

// "f16*f16 -> f16, f16*f16 -> f32": the products that have `a` on the left, for messages.
std::string MmaTypeList(DType a);

// One instruction of the warpgroup's products: 64 x n x k, k of 32 bytes. PTX ISA, "Asynchronous
// warpgroup level matrix multiply-accumulate operation".
struct WgmmaShape {
  DType a, b, d;
  int64_t k;
};
constexpr int64_t kWgmmaRows = 64;
constexpr int64_t kWgmmaKBytes = 32;
std::span<const WgmmaShape> WgmmaShapes();
const WgmmaShape* FindWgmma(DType a, DType b, DType d);  // null: there is none
// Whether one instruction has `n` columns: multiples of 8 up to 256, of integers fewer.
bool WgmmaHasColumns(const WgmmaShape& shape, int64_t n);
std::string WgmmaTypeList(DType a);  // as MmaTypeList

}  // namespace compiler::ir
