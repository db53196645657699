// Products into tensor memory (PTX ISA, tcgen05.mma): one native loop over the tiles, however many
// instructions it stands for.
#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

uint64_t ReadElement(const Access& access, const std::byte* from) {
  const ir::DTypeInfo& info = ir::Info(access.dtype);
  uint64_t value = 0;
  std::memcpy(&value, from, static_cast<size_t>(info.bits / 8));
  if (!info.is_integer || !info.is_signed) return value;
  const int shift = 64 - info.bits;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
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
  return key;
}

}  // namespace

// An operand as a matrix of `rows` x `columns` as the meaning reads it, row by row: side by K.
struct Cta::TensorOperand {
  std::vector<uint64_t> bits;
  std::vector<int32_t> origins;  // by row: of something undefined in it, 0: none
};

// The operand's elements in memory, row by row; false where it leaves the buffer.
bool Cta::ReadOperand(Warp& warp, const Access& access, bool k_is_row, Accessor& by,
                      TensorOperand& operand) {
  const int lane = std::countr_zero(warp.mask);
  const int64_t rows = access.dimensions[access.dimensions.size() - 2].extent;
  const int64_t columns = access.dimensions.back().extent;
  const bool tensor = access.space == ir::Space::kTmem;
  std::vector<int64_t> offsets;  // shared memory: of elements
  int64_t column = 0;
  if (tensor ? !TensorColumn(warp, access, &column)
             : !BoxOffsets(warp, access, lane, false, offsets)) {
    return false;
  }
  const int64_t side = k_is_row ? columns : rows;
  operand.bits.resize(static_cast<size_t>(rows * columns));
  operand.origins.assign(static_cast<size_t>(side), 0);
  const std::byte* data = tensor ? tensor_.bytes.data() : Data(access);
  const std::optional<Shadow> shadow =
      tensor || !run_.options.check_races ? std::nullopt : ShadowOf(access);
  conflicts_.Clear();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t offset = tensor ? 0 : offsets[static_cast<size_t>(r * columns + c)];
      const int64_t byte =
          tensor ? TensorByte(access, r, column + c) : offset * ElementBytes(access);
      const auto i = static_cast<size_t>(k_is_row ? c : r);
      const size_t at = k_is_row ? i * static_cast<size_t>(rows) + static_cast<size_t>(r)
                                 : static_cast<size_t>(r * columns + c);
      operand.bits[at] = ReadElement(access, data + byte);
      if (run_.options.check_definedness) {
        const int32_t origin = tensor ? TensorOrigin(access, byte) : OriginAt(access, offset);
        if (origin != 0) operand.origins[i] = origin;
      }
      if (!run_.options.check_races) continue;
      if (tensor) CheckTensor(by, lane, byte, ElementBytes(access), false);
    }
    if (tensor || !shadow) continue;
    // The rows of an operand are runs of whole units.
    const int64_t first = offsets[static_cast<size_t>(r * columns)] * ElementBytes(access);
    if (!CheckBytes(warp, *shadow, by, lane, first, columns * ElementBytes(access), false)) {
      return false;
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
  if (run_.options.count && !tensor) {
    run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_read +=
        rows * columns * ElementBytes(access);
  }
  return true;
}

void Cta::MultiplyTensor(Warp& warp, const TensorProduct& product) {
  int64_t first_column = 0;
  if (!IssuedByOne(warp, product.op->name)) return run_.Stop(Outcome::kFault);
  if (!TensorColumn(warp, product.d, &first_column)) return;
  WarpTensor& state = TensorOf(warp);
  const uint64_t accumulator = AccumulatorOf(product, first_column);
  state.accumulators.push_back(accumulator);
  state.last_product = warp.stmt;
  const auto epoch = static_cast<Epoch>(state.accumulators.size());
  const AgentId agent = agents_.TensorProducts(warp.agent);
  TensorOperand a, b;
  for (const auto& [access, k_is_row, operand] : {std::tuple(&product.a, product.a_k_rows, &a),
                                                  std::tuple(&product.b, product.b_k_rows, &b)}) {
    Accessor by = TensorAccessor(warp, *access, agent, epoch);
    by.async_proxy = access->space == ir::Space::kShared;
    if (!ReadOperand(warp, *access, k_is_row, by, *operand)) return;
  }
  const int lane = std::countr_zero(warp.mask);
  const bool accumulate =
      product.accumulate && (product.zero == kNoRegister ||
                             (TrueLanes(warp, product.zero, Use::kBranch) >> lane & 1) == 0);
  Accumulate(product, first_column, accumulate, a, b);
  if (run_.options.check_races) CheckAccumulator(warp, product, first_column, epoch);
}

void Cta::Accumulate(const TensorProduct& product, int64_t first_column, bool accumulate,
                     const TensorOperand& a, const TensorOperand& b) {
  const auto bytes = static_cast<size_t>(ElementBytes(product.d));
  std::vector<uint64_t> d(static_cast<size_t>(product.m * product.n));
  const auto byte_of = [&](size_t i) {
    const auto at = static_cast<int64_t>(i);
    return TensorByte(product.d, at / product.n, first_column + at % product.n);
  };
  for (size_t i = 0; i < d.size() && accumulate; ++i) {
    d[i] = ReadElement(product.d, &tensor_.bytes[static_cast<size_t>(byte_of(i))]);
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
                    .accumulate = accumulate});
  for (size_t i = 0; i < d.size(); ++i) {
    const int64_t byte = byte_of(i);
    const size_t row = i / static_cast<size_t>(product.n);
    const size_t column = i % static_cast<size_t>(product.n);
    int32_t origin = a.origins[row] != 0 ? a.origins[row] : b.origins[column];
    if (origin == 0 && accumulate) origin = TensorOrigin(product.d, byte);
    std::memcpy(&tensor_.bytes[static_cast<size_t>(byte)], &d[i], bytes);
    TensorWritten(product.d, byte, origin);
  }
}

// A write of the accumulator. Earlier products of the same one come before it by themselves.
void Cta::CheckAccumulator(Warp& warp, const TensorProduct& product, int64_t first_column,
                           Epoch epoch) {
  const int lane = std::countr_zero(warp.mask);
  const AgentId agent = agents_.TensorProducts(warp.agent);
  const std::vector<uint64_t>& accumulators = TensorOf(warp).accumulators;
  const int64_t bytes = ElementBytes(product.d);
  std::array<Epoch, ir::kLanes> known{};
  conflicts_.Clear();
  for (int64_t row = 0; row < product.m; ++row) {
    for (int64_t column = 0; column < product.n; ++column) {
      const int64_t byte = TensorByte(product.d, row, first_column + column);
      Accessor by = TensorAccessor(warp, product.d, agent, epoch);
      const WriteMark& mark =
          tensor_.cells[static_cast<size_t>(byte / tensor_.granule_bytes)].write;
      const bool own = mark.serial == serial_ && mark.agent == agent && mark.epoch > 0 &&
                       accumulators[mark.epoch - 1] == accumulators[epoch - 1];
      known.fill(own ? mark.epoch : 0);
      by.own[by.owns++] = {agent, &known};
      CheckTensor(by, lane, byte, bytes, true);
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, product.d);
}

}  // namespace compiler::machine
