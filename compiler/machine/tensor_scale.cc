// Scales of block-scaled products at run time: copies that bring them to tensor memory, and
// products that read them (PTX ISA, tcgen05.cp, tcgen05 block scaling).
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/tensor_operand.h"

namespace compiler::machine {
namespace {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kParts = ir::kTmemLanes / ir::kScaleLanes;  // of the lanes: all hold the same

}  // namespace

// The word of four scales from this one on, of `rows` rows that begin at a multiple of 32: in the
// lanes of one of the four parts, or of all where they fill a part.
TensorRange Cta::ScaleWords(const Access& access, int64_t row, int64_t column, int64_t part,
                            int64_t rows) const {
  const auto number = static_cast<size_t>(access.buffer);
  const int64_t at =
      facts_.tmem[number].first_column + ir::ScaleColumn(kernel_.tmem[number], row, column);
  return {.lane = part * ir::kScaleLanes + row % ir::kScaleLanes,
          .lanes = rows == ir::kScaleLanes ? ir::kTmemLanes : rows,
          .byte = at * kWordBytes + column % ir::kScaleWord,
          .bytes = kWordBytes};
}

// Blocks of 512 bytes: byte 16*i + 4*j + s is scale s of row 32*j + i.
void Cta::FillScales(Warp& warp, const TensorFill& fill, Epoch epoch) {
  int64_t first_column = 0;
  const int lane = std::countr_zero(warp.mask);
  std::vector<Piece> pieces;
  if (!TensorColumn(warp, fill.to, &first_column) || !ReadSource(warp, fill, epoch, pieces)) return;
  std::vector<int64_t> words;  // where those of the source begin
  for (const Piece& piece : pieces) {
    for (int64_t i = 0; i < piece.count; i += kWordBytes) words.push_back(piece.first + i);
  }
  const Accessor writes = TensorAccessor(warp, fill.to, agents_.TensorProducts(warp.agent), epoch);
  conflicts_.Clear();
  const int64_t per_rows = fill.to.dimensions[1].extent / ir::kScaleWord;
  constexpr int64_t kBlockWords = ir::kScaleBlockBytes / kWordBytes;
  const auto blocks = static_cast<int64_t>(words.size()) / kBlockWords;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t j = 0; j < ir::kScaleWord; ++j) {
      const int64_t row = block / per_rows * ir::kScaleRows + j * ir::kScaleLanes;
      const int64_t column = first_column + block % per_rows * ir::kScaleWord;
      // Of 32 rows: the words of one column of the block.
      const int64_t* const from = &words[static_cast<size_t>(block * kBlockWords + j)];
      FillColumn(fill, row, column, from);
      if (!run_.options.check_races) continue;
      CheckFill(writes, lane, ScaleWords(fill.to, row, column, 0, ir::kScaleLanes));
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, fill.to);
}

// Of 32 rows a word each, from every fourth of `from`.
void Cta::FillColumn(const TensorFill& fill, int64_t row, int64_t column, const int64_t* from) {
  bool defined = true;
  for (int64_t i = 0; i < ir::kScaleLanes && run_.options.check_definedness; ++i) {
    defined = defined && OriginAt(fill.from, from[i * ir::kScaleWord], kWordBytes) == 0;
  }
  if (defined) TensorWritten(fill.to, ScaleWords(fill.to, row, column, 0, ir::kScaleLanes), 0);
  const bool moves = !fill.to.opaque && !fill.from.opaque;
  for (int64_t i = 0; i < ir::kScaleLanes && (moves || !defined); ++i) {
    const int64_t word = from[i * ir::kScaleWord];
    for (int64_t part = 0; part < kParts; ++part) {
      const TensorRange to = ScaleWords(fill.to, row + i, column, part, 1);
      if (moves) std::memcpy(TensorData(to.lane, to.byte), Data(fill.from) + word, kWordBytes);
      if (!defined) TensorWritten(fill.to, to, OriginAt(fill.from, word, kWordBytes));
    }
  }
}

// A product comes after the copies of scales that its thread has issued before it.
bool Cta::ReadScales(Warp& warp, const Access& access, Epoch epoch, int64_t rows,
                     TensorOperand& operand) {
  int64_t first_column = 0;
  if (!TensorColumn(warp, access, &first_column)) return false;
  const int lane = std::countr_zero(warp.mask);
  const int64_t end = first_column + access.dimensions[1].extent;
  const Accessor by = TensorAccessor(warp, access, agents_.TensorProducts(warp.agent), epoch);
  conflicts_.Clear();
  for (int64_t row = 0; row < rows; row += ir::kScaleLanes) {
    const int64_t count = std::min(rows - row, ir::kScaleLanes);
    const int64_t parts = count == ir::kScaleLanes ? 1 : kParts;  // all of them at once
    for (int64_t column = first_column; column < end; column += ir::kScaleWord) {
      for (int64_t part = 0; part < parts; ++part) {
        const TensorRange words = ScaleWords(access, row, column, part, count);
        if (run_.options.check_races) CheckTensorRead(by, TensorOf(warp).accumulators, lane, words);
        if (!run_.options.check_definedness || TensorOrigin(access, words) == 0) continue;
        for (int64_t i = 0; i < count * (kParts / parts); ++i) {
          const TensorRange one{words.lane + i, 1, words.byte, words.bytes};
          const int32_t origin = TensorOrigin(access, one);
          if (origin != 0) operand.origins[static_cast<size_t>(row + i % count)] = origin;
        }
      }
    }
  }
  const bool moves = !access.opaque && !memory_->tensor_.bytes.empty();
  for (int64_t row = 0; row < rows && moves; ++row) {
    for (int64_t column = first_column; column < end; ++column) {
      const TensorRange at = ScaleWords(access, row, column, 0, 1);
      operand.scales.push_back(static_cast<uint8_t>(*TensorData(at.lane, at.byte)));
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
  return true;
}

}  // namespace compiler::machine
