// Tensor memory, and the products that accumulate in it (PTX ISA, tcgen05).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/program.h"
#include "compiler/ir/types.h"

namespace compiler::ir {

// PTX ISA, tensor memory: 128 lanes of 512 columns of 32 bits for each CTA.
constexpr int64_t kTmemLanes = 128;
constexpr int64_t kTmemColumnBits = 32;

// Columns that so many elements of a row take; a column may be taken in part.
int64_t TmemColumns(DType dtype, int64_t elements);
int64_t TmemColumns(const TmemBuffer& buffer);
// The lane that holds this row. Tiles of 64 rows take 16 lanes of each warp's 32 (PTX ISA, data
// path layout F), others one lane a row (layout D).
inline int64_t TmemLane(const TmemBuffer& buffer, int64_t row) {
  constexpr int64_t kWarpLanes = 32;
  const int64_t rows = buffer.rows / 4;  // of one warp
  return buffer.rows == kTmemLanes ? row : row / rows * kWarpLanes + row % rows;
}

// One kind of product and its operand types: M x N x k an instruction, D in tensor memory. The
// codes are those of the instruction descriptor (PTX ISA, tcgen05 instruction descriptor).
struct UmmaShape {
  std::string_view kind;  // ".kind::f16" is "f16"
  DType a, b, d;
  int64_t k;
  std::string_view min_arch;
  uint32_t a_code, b_code, d_code;
  // Of block-scaled kinds: the type of the scales, and how many factors along K each is for.
  DType scale = DType::kUnknown;
  int64_t block = 0;
};
std::span<const UmmaShape> UmmaShapes();
const UmmaShape* FindUmma(DType a, DType b, DType d);  // null: there is none
const UmmaShape* FindScaledUmma(DType a, DType b, DType d, DType scale, int64_t block);
// That of a product of the program; null where it has none.
const UmmaShape* UmmaOf(const Program& program, const Kernel& kernel, const Stmt& stmt);
std::string ScaledTypeList();

inline bool IsScale(DType dtype) { return dtype == DType::kUE8M0 || dtype == DType::kUE4M3; }
// PTX ISA, tcgen05 block scaling: scales come in words of four along K. A word is a column for each
// 32 rows, row r in lane r % 32 of column r / 32, the same in the lanes of all four warps; in
// shared memory 128 rows of it are a block of 32 x 16 bytes (tcgen05.cp, .32x128b.warpx4).
constexpr int64_t kScaleWord = 4, kScaleRows = 128, kScaleLanes = 32, kScaleBlockBytes = 512;
// The column of 32 bits, from the buffer's first one, that holds this scale.
int64_t ScaleColumn(const TmemBuffer& buffer, int64_t row, int64_t column);
// "bf16*bf16 -> f32": the products that have `a` on the left, for messages.
std::string UmmaTypeList(DType a);

constexpr int64_t kUmmaMaxColumns = 256;
// Bytes of K an instruction takes of each row of an operand.
constexpr int64_t kUmmaKBytes = 32;

// Columns of one instruction where a product of M = `m` has `n`: the largest number that divides n
// and that the hardware has; 0: there is none. PTX ISA, tcgen05 matrix shape: up to 256 in steps of
// 8 for M = 64 and of 16 for M = 128, of integers in steps of 16 from 32 on.
int64_t UmmaColumns(const UmmaShape& shape, int64_t m, int64_t n);

// Whether a product or commit is of a pair of CTAs (PTX ISA, tcgen05 CTA pair): ranks that differ
// in their last bit. The even one issues it; both bring their rows of A and their half of B.
bool OfPair(const Stmt& stmt);
constexpr int64_t kPairRows = 256;
// Whether a product of a pair has 64 rows of A in each CTA (PTX ISA, tcgen05 data path layout B):
// lane r of D is row r % 64, and lanes from 64 on hold the second half of the columns.
bool FoldsColumns(const Program& program, const Stmt& stmt);
constexpr int64_t kFoldedRows = 64;
// As UmmaColumns, of a pair: all columns in one instruction, as the halves of B lie in two CTAs.
bool PairHasColumns(const UmmaShape& shape, int64_t n);

// The instruction descriptor of M x n x k. `..._transposed`: the operand's rows in memory run along
// K (MN-major).
uint32_t UmmaDescriptor(const UmmaShape& shape, int64_t m, int64_t n, bool a_transposed,
                        bool b_transposed);
// Of block-scaled kinds: in how many steps of K a word of scales is used up, and what one such step
// adds to the descriptor, where the scales of both sides begin in their words.
int64_t ScaleSteps(const UmmaShape& shape);
uint32_t ScaleStep(const UmmaShape& shape);

}  // namespace compiler::ir
