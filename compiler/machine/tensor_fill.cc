// Copies from shared to tensor memory, and what comes before and after them (PTX ISA, tcgen05.cp).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/tensor_operand.h"

namespace compiler::machine {
namespace {

constexpr int64_t kWordBytes = 4;

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

}  // namespace

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
    ir::IsScale(fill.to.dtype) ? FillScales(warp, fill, epoch) : FillTile(warp, fill, epoch);
  }
  memory_ = this;
}

// Row r to lane r. Numbers of 6 and 4 bits have a byte each on both sides: shared memory pads 16 of
// them to 16 bytes, tensor memory each (PTX ISA, tcgen05.cp, optional decompression).
void Cta::FillTile(Warp& warp, const TensorFill& fill, Epoch epoch) {
  int64_t column = 0;
  std::vector<Piece> pieces;
  if (!TensorColumn(warp, fill.to, &column) || !ReadSource(warp, fill, epoch, pieces)) return;
  const int64_t columns = fill.to.dimensions[1].extent;
  TensorRange tile = TensorRow(fill.to, 0, column, columns);
  tile.lanes = ir::kTmemLanes;
  TensorWritten(fill.to, tile, 0);
  int64_t done = 0;
  for (const Piece& piece : pieces) {
    for (int64_t i = 0; i < piece.count;) {
      const int64_t row = (done + i) / columns, first = (done + i) % columns;
      const int64_t count = std::min(piece.count - i, columns - first);
      MoveRow(fill, piece.first + i, TensorRow(fill.to, row, column + first, count));
      i += count;
    }
    done += piece.count;
  }
  if (!run_.options.check_races) return;
  const Accessor writes = TensorAccessor(warp, fill.to, agents_.TensorProducts(warp.agent), epoch);
  conflicts_.Clear();
  CheckFill(writes, std::countr_zero(warp.mask), tile);
  if (!conflicts_.empty()) ReportRaces(warp, fill.to);
}

// Elements of one row, from number `from` on of the source, and what is undefined of them.
void Cta::MoveRow(const TensorFill& fill, int64_t from, const TensorRange& to) {
  const int64_t element = ElementBytes(fill.from);
  if (!fill.to.opaque && !fill.from.opaque) {
    std::memcpy(TensorData(to.lane, to.byte), Data(fill.from) + from * element,
                static_cast<size_t>(to.bytes));
  }
  if (!run_.options.check_definedness || OriginAt(fill.from, from, to.bytes / element) == 0) return;
  for (int64_t byte = 0; byte < to.bytes; byte += kWordBytes) {
    const int32_t origin = OriginAt(fill.from, from + byte / element, kWordBytes / element);
    if (origin != 0) TensorWritten(fill.to, {to.lane, 1, to.byte + byte, kWordBytes}, origin);
  }
}

// The elements that a copy reads; false where it leaves its buffer.
bool Cta::ReadSource(Warp& warp, const TensorFill& fill, Epoch epoch, std::vector<Piece>& pieces) {
  const int lane = std::countr_zero(warp.mask);
  if (!BoxPieces(warp, fill.from, lane, false, pieces)) return false;
  Accessor reads = TensorAccessor(warp, fill.from, agents_.TensorProducts(warp.agent), epoch);
  reads.async_proxy = true;
  conflicts_.Clear();
  const int64_t element = ElementBytes(fill.from);
  int64_t bytes = 0;
  for (const Piece& piece : pieces) {
    bytes += piece.count * element;
    const std::optional<Shadow> shadow =
        run_.options.check_races ? ShadowOf(fill.from) : std::nullopt;
    if (shadow && !CheckBytes(warp, *shadow, reads, lane, piece.first * element,
                              piece.count * element, false)) {
      return false;
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, fill.from);
  if (run_.options.count) {
    run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_read += bytes;
  }
  return true;
}

void Cta::CheckFill(const Accessor& writes, int lane, const TensorRange& range) {
  Accessor by = writes;
  std::array<Epoch, ir::kLanes> known{};
  by.own[by.owns++] = {by.agent, &known};
  TensorMemory& memory = memory_->tensor_;
  memory.ForCells(range, [&](int64_t at_lane, int64_t byte, Cell& cell) {
    known.fill(FilledBefore(by.agent, cell));
    conflicts_.set_byte(at_lane * memory.columns * kWordBytes + byte);
    memory.rules.Write(cell, by, lane, conflicts_);
  });
}

// The copy whose result a later product of the same queue has read: where that product is over the
// copy is, so that only the product can be what a further copy has to wait for.
Epoch Cta::FilledBefore(AgentId agent, const Cell& cell) const {
  const AccessRecords& records = run_.scratch.records;
  const AccessRecord &write = records[cell.write], &read = records[cell.read.id];
  const auto own = [&](const AccessRecord& of) {
    return of.serial == serial_ && of.agent == agent;
  };
  return own(write) && own(read) && read.epoch > write.epoch ? write.epoch : 0;
}

// What a product reads of tensor memory: it comes after the copies that its thread has issued
// before it (PTX ISA, pipelined tcgen05 instructions).
void Cta::CheckTensorRead(const Accessor& reads, const std::vector<uint64_t>& issued, int lane,
                          const TensorRange& range) {
  Accessor by = reads;
  std::array<Epoch, ir::kLanes> known{};
  by.own[by.owns++] = {by.agent, &known};
  TensorMemory& memory = memory_->tensor_;
  memory.ForCells(range, [&](int64_t at_lane, int64_t byte, Cell& cell) {
    const AccessRecord& mark = run_.scratch.records[cell.write];
    const bool own = mark.serial == serial_ && mark.agent == by.agent && mark.epoch > 0 &&
                     issued[mark.epoch - 1] == kFillKey;
    known.fill(own ? mark.epoch : 0);
    conflicts_.set_byte(at_lane * memory.columns * kWordBytes + byte);
    memory.rules.Read(cell, by, lane, conflicts_);
  });
}

}  // namespace compiler::machine
