// Scales of block-scaled products at run time: copies that bring them to tensor memory, and
// products that read them (PTX ISA, tcgen05.cp, tcgen05 block scaling).
#include <array>
#include <bit>
#include <cstring>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/tensor_operand.h"

namespace compiler::machine {
namespace {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kParts = ir::kTmemLanes / ir::kScaleLanes;  // of the lanes: all hold the same

}  // namespace

// The byte of a scale in one of the four parts of the lanes.
int64_t Cta::ScaleByte(const Access& access, int64_t row, int64_t column, int64_t part) const {
  const auto number = static_cast<size_t>(access.buffer);
  const int64_t lane = part * ir::kScaleLanes + row % ir::kScaleLanes;
  const int64_t at =
      facts_.tmem[number].first_column + ir::ScaleColumn(kernel_.tmem[number], row, column);
  return (lane * memory_->tensor_.columns + at) * kWordBytes + column % ir::kScaleWord;
}

// By the thread that issues products; of a pair, from the shared memory of each CTA to its own
// tensor memory (PTX ISA, tcgen05.cp .cta_group::2).
void Cta::FillTensor(Warp& warp, const TensorFill& fill) {
  if (!IssuedByOne(warp, fill.op->name)) return run_.Stop(Outcome::kFault);
  if (fill.pair && !IsEvenCta(warp)) return;
  WarpTensor& state = TensorOf(warp);
  state.accumulators.push_back(kFillKey);
  state.last_product = warp.stmt;
  const auto epoch = static_cast<Epoch>(state.accumulators.size());
  for (Cta* const cta : fill.pair ? Pair() : std::vector<Cta*>{this}) {
    memory_ = cta;
    FillScales(warp, fill, epoch);
  }
  memory_ = this;
}

// Blocks of 512 bytes: byte 16*i + 4*j + s is scale s of row 32*j + i.
void Cta::FillScales(Warp& warp, const TensorFill& fill, Epoch epoch) {
  int64_t first_column = 0;
  const int lane = std::countr_zero(warp.mask);
  std::vector<int64_t> words;  // where the words of the source begin
  if (!TensorColumn(warp, fill.to, &first_column) || !ReadBlocks(warp, fill, epoch, words)) return;
  std::array<Epoch, ir::kLanes> known{};
  const AgentId agent = agents_.TensorProducts(warp.agent);
  Accessor writes = TensorAccessor(warp, fill.to, agent, epoch);
  writes.own[writes.owns++] = {agent, &known};
  conflicts_.Clear();
  const int64_t per_rows = fill.to.dimensions[1].extent / ir::kScaleWord;
  constexpr int64_t kBlockWords = ir::kScaleBlockBytes / kWordBytes;
  for (size_t w = 0; w < words.size(); ++w) {
    const auto at = static_cast<int64_t>(w);
    const int64_t block = at / kBlockWords, i = at % kBlockWords / 4, j = at % 4;
    const int64_t row = block / per_rows * ir::kScaleRows + j * ir::kScaleLanes + i;
    const int64_t column = first_column + block % per_rows * ir::kScaleWord;
    const int32_t origin =
        run_.options.check_definedness ? OriginAt(fill.from, words[w], kWordBytes) : 0;
    for (int64_t part = 0; part < kParts; ++part) {
      const int64_t byte = ScaleByte(fill.to, row, column, part);
      if (!fill.to.opaque && !fill.from.opaque) {
        std::memcpy(&memory_->tensor_.bytes[static_cast<size_t>(byte)], Data(fill.from) + words[w],
                    kWordBytes);
      }
      TensorWritten(fill.to, byte, kWordBytes, origin);
      if (!run_.options.check_races) continue;
      memory_->tensor_.ForCells(byte, kWordBytes, [](int64_t, Cell&) {});
      known.fill(FilledBefore(agent, byte));
      CheckTensor(writes, lane, byte, kWordBytes, true);
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, fill.to);
}

// The source of a copy of scales; false where it leaves its buffer.
bool Cta::ReadBlocks(Warp& warp, const TensorFill& fill, Epoch epoch, std::vector<int64_t>& words) {
  const int lane = std::countr_zero(warp.mask);
  std::vector<Piece> pieces;
  if (!BoxPieces(warp, fill.from, lane, false, pieces)) return false;
  Accessor reads = TensorAccessor(warp, fill.from, agents_.TensorProducts(warp.agent), epoch);
  reads.async_proxy = true;
  conflicts_.Clear();
  for (const Piece& piece : pieces) {
    const std::optional<Shadow> shadow =
        run_.options.check_races ? ShadowOf(fill.from) : std::nullopt;
    if (shadow && !CheckBytes(warp, *shadow, reads, lane, piece.first, piece.count, false)) {
      return false;
    }
    for (int64_t i = 0; i < piece.count; i += kWordBytes) words.push_back(piece.first + i);
  }
  if (!conflicts_.empty()) ReportRaces(warp, fill.from);
  if (run_.options.count) {
    run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_read +=
        static_cast<int64_t>(words.size()) * kWordBytes;
  }
  return true;
}

// The copy of scales whose result a later product of the same queue has read: where that product is
// over the copy is, so that only the product can be what a further copy has to wait for.
Epoch Cta::FilledBefore(AgentId agent, int64_t byte) const {
  const Cell& cell = memory_->tensor_.cells[byte];
  const auto own = [&](const auto& mark) { return mark.serial == serial_ && mark.agent == agent; };
  return own(cell.write) && own(cell.read) && cell.read.epoch > cell.write.epoch ? cell.write.epoch
                                                                                 : 0;
}

// Row by row. A product comes after the copies of scales that its thread has issued before it.
bool Cta::ReadScales(Warp& warp, const Access& access, Epoch epoch, int64_t rows,
                     TensorOperand& operand) {
  int64_t first_column = 0;
  if (!TensorColumn(warp, access, &first_column)) return false;
  const int lane = std::countr_zero(warp.mask);
  const int64_t columns = access.dimensions[1].extent;
  const AgentId agent = agents_.TensorProducts(warp.agent);
  const std::vector<uint64_t>& issued = TensorOf(warp).accumulators;
  std::array<Epoch, ir::kLanes> known{};
  Accessor by = TensorAccessor(warp, access, agent, epoch);
  by.own[by.owns++] = {agent, &known};
  conflicts_.Clear();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = first_column; column < first_column + columns; column += ir::kScaleWord) {
      for (int64_t part = 0; part < kParts; ++part) {
        const int64_t byte = ScaleByte(access, row, column, part);
        const int32_t origin =
            run_.options.check_definedness ? TensorOrigin(access, byte, kWordBytes) : 0;
        if (origin != 0) operand.origins[static_cast<size_t>(row)] = origin;
        if (!run_.options.check_races) continue;
        memory_->tensor_.ForCells(byte, kWordBytes, [](int64_t, Cell&) {});
        const WriteMark& mark = memory_->tensor_.cells[byte].write;
        const bool own = mark.serial == serial_ && mark.agent == agent && mark.epoch > 0 &&
                         issued[mark.epoch - 1] == kFillKey;
        known.fill(own ? mark.epoch : 0);
        CheckTensor(by, lane, byte, kWordBytes, false);
      }
      if (access.opaque || memory_->tensor_.bytes.empty()) continue;
      for (int64_t s = 0; s < ir::kScaleWord; ++s) {
        operand.scales.push_back(static_cast<uint8_t>(
            memory_->tensor_.bytes[static_cast<size_t>(ScaleByte(access, row, column + s, 0))]));
      }
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
  return true;
}

}  // namespace compiler::machine
