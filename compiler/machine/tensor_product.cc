// Products into tensor memory (PTX ISA, tcgen05.mma): one native loop over the tiles, however many
// instructions it stands for.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/tensor_operand.h"

namespace compiler::machine {
namespace {

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

template <typename T>
void ReadAs(const std::byte* from, int64_t count, uint64_t* to, int64_t distance) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    // Sign-extends signed types.
    to[i * distance] = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

// Neighbouring elements, each `distance` behind the one before.
void ReadElements(const Access& access, const std::byte* from, int64_t count, uint64_t* to,
                  int64_t distance) {
  const ir::DTypeInfo& info = ir::Info(access.dtype);
  const bool sign = info.is_integer && info.is_signed;
  switch (info.bits) {
    case 8:
      return sign ? ReadAs<int8_t>(from, count, to, distance)
                  : ReadAs<uint8_t>(from, count, to, distance);
    case 16:
      return sign ? ReadAs<int16_t>(from, count, to, distance)
                  : ReadAs<uint16_t>(from, count, to, distance);
    case 32:
      return sign ? ReadAs<int32_t>(from, count, to, distance)
                  : ReadAs<uint32_t>(from, count, to, distance);
    default: return ReadAs<uint64_t>(from, count, to, distance);
  }
}

// Accumulators are told apart by where they lie and by the shape and kind of their products.
uint64_t AccumulatorOf(const TensorProduct& product, int64_t first_column) {
  uint64_t key = static_cast<uint64_t>(product.d.buffer);
  const auto mix = [&](uint64_t value) { key = key * 0x100000001b3u + value + 1; };
  mix(static_cast<uint64_t>(first_column));
  mix(static_cast<uint64_t>(product.m));
  mix(static_cast<uint64_t>(product.columns));
  mix(static_cast<uint64_t>(product.a.dtype));
  mix(static_cast<uint64_t>(product.b.dtype));
  mix(static_cast<uint64_t>(product.block));
  return key;
}

}  // namespace

// The operand's elements in memory, row by row; false where it leaves the buffer.
bool Cta::ReadOperand(Warp& warp, const Access& access, bool k_is_row, Accessor& by,
                      TensorOperand& operand) {
  const int lane = std::countr_zero(warp.mask);
  const int64_t rows = access.dimensions[access.dimensions.size() - 2].extent;
  const int64_t columns = access.dimensions.back().extent;
  const bool tensor = access.space == ir::Space::kTmem;
  std::vector<Piece> pieces;  // shared memory: of elements; tensor memory: its first rows
  int64_t column = 0;
  if (tensor ? !TensorColumn(warp, access, &column)
             : !BoxPieces(warp, access, lane, false, pieces)) {
    return false;
  }
  const int64_t side = k_is_row ? columns : rows;
  if (!access.opaque) operand.bits.resize(static_cast<size_t>(rows * columns));
  operand.origins.assign(static_cast<size_t>(side), 0);
  OperandPart part{.rows = rows, .columns = columns, .k_is_row = k_is_row, .lane = lane};
  conflicts_.Clear();
  if (tensor) ReadRows(warp, access, column, part, by, operand);
  for (const Piece& piece : pieces) {
    ReadPiece(access, piece, part, operand);
    part.done += piece.count;
    if (!run_.options.check_races) continue;
    const int64_t bytes = piece.count * ElementBytes(access);
    const std::optional<Shadow> shadow = ShadowOf(access);
    const int64_t first = piece.first * ElementBytes(access);
    if (shadow && !CheckBytes(warp, *shadow, by, lane, first, bytes, false)) return false;
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
  if (run_.options.count && !tensor) {
    run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_read +=
        rows * columns * ElementBytes(access);
  }
  return true;
}

// Rows of tensor memory, those of neighbouring lanes together where they are alike.
void Cta::ReadRows(Warp& warp, const Access& access, int64_t column, OperandPart& part,
                   const Accessor& by, TensorOperand& operand) {
  const std::vector<uint64_t>& issued = TensorOf(warp).accumulators;
  const auto any = [](int64_t, int64_t) { return true; };
  ForRowsTogether(access, part.rows, any, [&](int64_t row, int64_t count) {
    TensorRange range = TensorRow(access, row, column, part.columns);
    range.lanes = count;
    const bool plain =
        access.opaque && (!run_.options.check_definedness || TensorOrigin(access, range) == 0);
    for (int64_t r = row; r < row + count && !plain; ++r) {
      const TensorRange one = TensorRow(access, r, column, part.columns);
      part.done = r * part.columns;
      ReadPiece(access, {one.byte, part.columns, one.lane}, part, operand);
    }
    if (run_.options.check_races) CheckTensorRead(by, issued, part.lane, range);
  });
}

// Values and what is undefined of neighbouring elements; in tensor memory of a row.
void Cta::ReadPiece(const Access& access, const Piece& piece, const OperandPart& part,
                    TensorOperand& operand) {
  const bool tensor = access.space == ir::Space::kTmem;
  const int64_t element = ElementBytes(access);
  // Of one element or all.
  const auto origin = [&](int64_t i, int64_t count) {
    if (!run_.options.check_definedness) return 0;
    if (!tensor) return OriginAt(access, piece.first + i, count);
    return TensorOrigin(access, {piece.lane, 1, piece.first + i * element, count * element});
  };
  const bool defined = origin(0, piece.count) == 0;
  if (defined && access.opaque) return;
  const std::byte* const data = access.opaque ? nullptr
                                : tensor      ? TensorData(piece.lane, piece.first)
                                              : Data(access) + piece.first * element;
  // Row by row of the operand: of a row, or of what the piece has of it.
  for (int64_t i = 0; i < piece.count;) {
    const int64_t r = (part.done + i) / part.columns, c = (part.done + i) % part.columns;
    const int64_t count = std::min(piece.count - i, part.columns - c);
    if (!access.opaque) {
      uint64_t* const to =
          &operand.bits[static_cast<size_t>(part.k_is_row ? c * part.rows + r : part.done + i)];
      ReadElements(access, data + i * element, count, to, part.k_is_row ? part.rows : 1);
    }
    for (int64_t k = 0; k < count && !defined; ++k) {
      const auto line = static_cast<size_t>(part.k_is_row ? c + k : r);
      if (const int32_t from = origin(i + k, 1); from != 0) operand.origins[line] = from;
    }
    i += count;
  }
}

void Cta::MultiplyTensor(Warp& warp, const TensorProduct& product) {
  int64_t first_column = 0;
  if (!IssuedByOne(warp, product.op->name)) return run_.Stop(Outcome::kFault);
  if (product.pair && !IsEvenCta(warp)) return;
  if (!TensorColumn(warp, product.d, &first_column)) return;
  WarpTensor& state = TensorOf(warp);
  const uint64_t accumulator = AccumulatorOf(product, first_column);
  state.accumulators.push_back(accumulator);
  state.last_product = warp.stmt;
  const auto epoch = static_cast<Epoch>(state.accumulators.size());
  const AgentId agent = agents_.TensorProducts(warp.agent);
  const std::vector<Cta*> ctas = product.pair ? Pair() : std::vector<Cta*>{this};
  std::vector<TensorOperand> left(ctas.size()), of_columns(ctas.size());  // scales of all columns
  TensorOperand right;  // of all CTAs, one after the other
  bool good = true;
  for (size_t i = 0; i < ctas.size() && good; ++i) {
    memory_ = ctas[i];
    TensorOperand part;
    const auto read = [&](const Access& access, bool k_is_row, TensorOperand& operand) {
      Accessor by = TensorAccessor(warp, access, agent, epoch);
      by.async_proxy = access.space == ir::Space::kShared;
      return ReadOperand(warp, access, k_is_row, by, operand);
    };
    good = read(product.a, product.a_k_rows, left[i]) && read(product.b, product.b_k_rows, part);
    if (good && product.block > 0) {
      of_columns[i].origins.assign(static_cast<size_t>(product.n), 0);
      good = ReadScales(warp, product.a_scale, epoch, product.m, left[i]) &&
             ReadScales(warp, product.b_scale, epoch, product.n, of_columns[i]);
    }
    right.bits.insert(right.bits.end(), part.bits.begin(), part.bits.end());
    right.origins.insert(right.origins.end(), part.origins.begin(), part.origins.end());
  }
  const int lane = std::countr_zero(warp.mask);
  const bool accumulate = good && product.accumulate &&
                          (product.zero == kNoRegister ||
                           (TrueLanes(warp, product.zero, Use::kBranch) >> lane & 1) == 0);
  for (size_t i = 0; i < ctas.size() && good; ++i) {
    memory_ = ctas[i];
    // PTX ISA, tcgen05 block scaling: each CTA has the scales of all columns.
    TensorOperand scaled = product.block > 0 ? right : TensorOperand();
    scaled.scales = std::move(of_columns[i].scales);
    for (size_t column = 0; column < of_columns[i].origins.size(); ++column) {
      if (of_columns[i].origins[column] != 0)
        scaled.origins[column] = of_columns[i].origins[column];
    }
    Accumulate(product, first_column, accumulate, left[i], product.block > 0 ? scaled : right);
    if (run_.options.check_races) CheckAccumulator(warp, product, first_column, epoch);
  }
  memory_ = this;
}

// PTX ISA, tcgen05 CTA pair: the CTAs of ranks 2n and 2n + 1.
std::vector<Cta*> Cta::Pair() const {
  const std::vector<Cta*> members = Members();
  const size_t even = rank_ & ~size_t{1};
  return {members[even], members[even + 1]};
}

// The shared memory and events of a pair are those that the even CTA names.
bool Cta::IsEvenCta(const Warp& warp) {
  if (rank_ % 2 == 0) return true;
  run_.findings.OddCta(PlaceOf(warp), run_.program[warp.stmt].op->name, rank_);
  run_.Stop(Outcome::kFault);
  return false;
}

bool Cta::KnownToCluster(AgentId agent, Epoch epoch) const {
  const std::vector<Cta*> members = Members();
  return std::any_of(members.begin(), members.end(), [&](const Cta* cta) {
    return std::any_of(cta->warps_.begin(), cta->warps_.end(), [&](const Warp& warp) {
      return warp.clocks.happened.Covers(agent, epoch, kAllLanes);
    });
  });
}

// visit(row, column, range) of each run of the accumulator's elements: rows of the product from
// this one on, as long as they are alike and lie in neighbouring lanes, from this column on, and
// where they lie. Folded rows are two runs of half the columns.
template <typename Alike, typename Visit>
void Cta::ForAccumulatorRows(const TensorProduct& product, int64_t first_column, const Alike& alike,
                             const Visit& visit) {
  const int64_t parts = product.folds ? 2 : 1, count = product.n / parts;
  for (int64_t part = 0; part < parts; ++part) {
    ForRowsTogether(product.d, product.m, alike, [&](int64_t row, int64_t rows) {
      TensorRange range = TensorRow(product.d, part * product.m + row, first_column, count);
      range.lanes = rows;
      visit(row, part * count, range);
    });
  }
}

void Cta::Accumulate(const TensorProduct& product, int64_t first_column, bool accumulate,
                     const TensorOperand& a, const TensorOperand& b) {
  if (!product.d.opaque) Compute(product, first_column, accumulate, a, b);
  const int64_t element = ElementBytes(product.d);
  const bool all_columns =
      std::all_of(b.origins.begin(), b.origins.end(), [](int32_t origin) { return origin == 0; });
  const auto old = [&](const TensorRange& range) {
    return accumulate ? TensorOrigin(product.d, range) : 0;
  };
  const auto alike = [&](int64_t row, int64_t other) {
    return a.origins[static_cast<size_t>(row)] == a.origins[static_cast<size_t>(other)];
  };
  // Rows whose operands are alike at once, or one by one where what they had is not.
  const auto write = [&](int64_t row, int64_t column, const TensorRange& range) {
    const int32_t of_row = a.origins[static_cast<size_t>(row)];
    if (of_row != 0 || (all_columns && old(range) == 0)) {
      TensorWritten(product.d, range, of_row);
      return true;
    }
    if (range.lanes > 1) return false;
    for (int64_t c = 0; c * element < range.bytes; ++c) {
      const TensorRange one{range.lane, 1, range.byte + c * element, element};
      const int32_t of_column = b.origins[static_cast<size_t>(column + c)];
      TensorWritten(product.d, one, of_column != 0 ? of_column : old(one));
    }
    return true;
  };
  const auto visit = [&](int64_t row, int64_t column, const TensorRange& range) {
    if (write(row, column, range)) return;
    TensorRange one = range;
    for (one.lanes = 1; one.lane < range.lane + range.lanes; ++one.lane) {
      write(row + one.lane - range.lane, column, one);
    }
  };
  ForAccumulatorRows(product, first_column, alike, visit);
}

void Cta::Compute(const TensorProduct& product, int64_t first_column, bool accumulate,
                  const TensorOperand& a, const TensorOperand& b) {
  const int64_t element = ElementBytes(product.d);
  std::vector<uint64_t> d(static_cast<size_t>(product.m * product.n));
  const int64_t count = product.folds ? product.n / 2 : product.n;
  const auto one_by_one = [](int64_t, int64_t) { return false; };
  const auto each = [&](const auto& move) {
    ForAccumulatorRows(product, first_column, one_by_one,
                       [&](int64_t row, int64_t column, const TensorRange& range) {
                         move(TensorData(range.lane, range.byte),
                              &d[static_cast<size_t>(row * product.n + column)]);
                       });
  };
  if (accumulate) {
    each([&](const std::byte* from, uint64_t* to) { ReadElements(product.d, from, count, to, 1); });
  }
  product.op->tile({.m = product.m,
                    .n = product.n,
                    .k = product.k,
                    .a = a.bits,
                    .b = b.bits,
                    .d = d,
                    .a_type = product.a.dtype,
                    .b_type = product.b.dtype,
                    .d_type = product.d.dtype,
                    .accumulate = accumulate,
                    .a_scales = a.scales,
                    .b_scales = b.scales,
                    .scale_type = product.a_scale.dtype,
                    .block = product.block});
  each([&](std::byte* to, const uint64_t* from) {
    for (int64_t c = 0; c < count; ++c) {
      std::memcpy(to + c * element, from + c, static_cast<size_t>(element));
    }
  });
}

// A write of the accumulator. Earlier products of the same one come before it by themselves.
void Cta::CheckAccumulator(Warp& warp, const TensorProduct& product, int64_t first_column,
                           Epoch epoch) {
  const int lane = std::countr_zero(warp.mask);
  const AgentId agent = agents_.TensorProducts(warp.agent);
  const std::vector<uint64_t>& accumulators = TensorOf(warp).accumulators;
  TensorMemory& memory = memory_->tensor_;
  std::array<Epoch, ir::kLanes> known{};
  Accessor by = TensorAccessor(warp, product.d, agent, epoch);
  by.own[by.owns++] = {agent, &known};
  conflicts_.Clear();
  const int64_t lane_bytes = memory.columns * ir::kTmemColumnBits / 8;
  const auto alike = [](int64_t, int64_t) { return true; };
  const auto check = [&](int64_t, int64_t, const TensorRange& range) {
    memory.ForCells(range, [&](int64_t at_lane, int64_t byte, Cell& cell) {
      const AccessRecord& mark = run_.scratch.records[cell.write];
      const bool own = mark.serial == serial_ && mark.agent == agent && mark.epoch > 0 &&
                       accumulators[mark.epoch - 1] == accumulators[epoch - 1];
      known.fill(own ? mark.epoch : 0);
      conflicts_.set_byte(at_lane * lane_bytes + byte);
      memory.rules.Write(cell, by, lane, conflicts_);
    });
  };
  ForAccumulatorRows(product, first_column, alike, check);
  if (!conflicts_.empty()) ReportRaces(warp, product.d);
}

}  // namespace compiler::machine
