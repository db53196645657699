// Fragments at run time: elements, products of tiles, and copies between registers and shared
// memory. A product is one native loop over the warp's tiles, however many instructions it stands
// for.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "compiler/machine/cta.h"
#include "compiler/machine/tile.h"

namespace compiler::machine {
namespace {

// Calls visit(register, row index, column index) for each register of the operand's part.
template <typename F>
void ForEachRegister(const FragmentOperand& operand, int64_t first, const F& visit) {
  for (int64_t r = 0; r < operand.map.row_count; ++r) {
    for (int64_t e = 0; e < operand.map.column_count; ++e) {
      visit(operand.registers[static_cast<size_t>(r * operand.row_length + first + e)], r, e);
    }
  }
}

// The columns [first, first + count) of a row-major matrix with rows of `length`.
std::vector<uint64_t> Part(const std::vector<uint64_t>& bits, int64_t length, int64_t first,
                           int64_t count) {
  std::vector<uint64_t> part;
  for (size_t row = 0; row * static_cast<size_t>(length) < bits.size(); ++row) {
    const auto begin = bits.begin() + static_cast<int64_t>(row) * length + first;
    part.insert(part.end(), begin, begin + count);
  }
  return part;
}

// How far each lane's element of a register lies behind the one at the register's parts.
std::array<size_t, ir::kLanes> PlacesOfLanes(const FragmentOperand& operand, const Tile& tile) {
  std::array<size_t, ir::kLanes> places;
  for (size_t lane = 0; lane < ir::kLanes; ++lane) {
    places[lane] = tile.At(operand.lane_rows[lane], operand.lane_columns[lane]);
  }
  return places;
}

// An f16 accumulator is rounded by each instruction, and a saturating one clamped; others lose
// nothing by taking all K at once.
void Apply(const Product& product, const Tile& a, const Tile& b, Tile& d) {
  ir::TileArgs args{.m = product.m,
                    .n = product.n,
                    .k = product.k,
                    .a = a.bits,
                    .b = b.bits,
                    .d = d.bits,
                    .a_type = product.a.dtype,
                    .b_type = product.b.dtype,
                    .d_type = product.d.dtype,
                    .accumulate = true,
                    .saturate = product.saturate,
                    .differ = product.differ};
  const bool by_step = product.d.dtype == ir::DType::kF16 || product.saturate;
  if (!by_step || product.steps.size() == 1) return product.op->tile(args);
  int64_t first = 0;
  for (const int64_t step : product.steps) {
    const std::vector<uint64_t> left = Part(a.bits, product.k, first, step);
    const std::vector<uint64_t> right = Part(b.bits, product.k, first, step);
    args.a = left;
    args.b = right;
    args.k = step;
    product.op->tile(args);
    first += step;
  }
}

bool IsUniform(const Addresses& origin) {
  int64_t differing = 0;
  for (const int64_t offset : origin.offset) differing |= offset ^ origin.offset[0];
  return differing == 0;
}

}  // namespace

Tile GatherTile(RegisterFile& registers, const FragmentOperand& operand, int64_t first,
                int64_t rows, int64_t columns, bool by_column) {
  Tile tile{.rows = rows, .columns = columns, .by_column = by_column};
  tile.bits.resize(static_cast<size_t>(rows * columns));
  tile.row_undefined.resize(static_cast<size_t>(rows));
  tile.column_undefined.resize(static_cast<size_t>(columns));
  const std::array<size_t, ir::kLanes> of_lane = PlacesOfLanes(operand, tile);
  ForEachRegister(operand, first, [&](Register reg, int64_t r, int64_t e) {
    const int64_t first_row = operand.row_parts[static_cast<size_t>(r)];
    const int64_t first_column = operand.column_parts[static_cast<size_t>(e)];
    const ir::LaneVector& vector = registers[reg];
    uint64_t* const bits = &tile.bits[tile.At(first_row, first_column)];
    for (size_t lane = 0; lane < ir::kLanes; ++lane) bits[of_lane[lane]] = vector.bits[lane];
    if (vector.undefined == 0) return;
    if (!tile.undefined) tile.origin = registers.origin(reg);
    tile.undefined = true;
    for (uint32_t rest = vector.undefined; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      tile.row_undefined[static_cast<size_t>(first_row + operand.lane_rows[lane])] = true;
      tile.column_undefined[static_cast<size_t>(first_column + operand.lane_columns[lane])] = true;
    }
  });
  return tile;
}

std::optional<Register> Cta::FragmentElement(Warp& warp, const Instruction& i, int lane) {
  const Registers& list =
      code_.roles[static_cast<size_t>(warp.role)].lists[static_cast<size_t>(i.a)];
  const auto columns = static_cast<int64_t>(i.target);
  const int64_t rows = static_cast<int64_t>(list.size()) / columns;
  const auto at = static_cast<size_t>(lane);
  const auto row = static_cast<int64_t>(warp.registers[i.b].bits[at]);
  const auto column = static_cast<int64_t>(warp.registers[i.c].bits[at]);
  if (row < 0 || row >= rows) {
    run_.findings.RegisterIndex(PlaceOf(warp, lane), row, rows);
    return std::nullopt;
  }
  if (column < 0 || column >= columns) {
    run_.findings.RegisterIndex(PlaceOf(warp, lane), column, columns);
    return std::nullopt;
  }
  return list[static_cast<size_t>(row * columns + column)];
}

std::optional<Register> Cta::UniformFragmentElement(Warp& warp, const Instruction& i,
                                                    uint32_t defined) {
  if (defined != warp.mask) return std::nullopt;
  const Registers& list =
      code_.roles[static_cast<size_t>(warp.role)].lists[static_cast<size_t>(i.a)];
  const int64_t row = UniformIndex(warp.registers[i.b], defined);
  const int64_t column = UniformIndex(warp.registers[i.c], defined);
  const auto columns = static_cast<int64_t>(i.target);
  const bool exists = row >= 0 && column >= 0 && column < columns &&
                      row < static_cast<int64_t>(list.size()) / columns;
  if (!exists) return std::nullopt;
  return list[static_cast<size_t>(row * columns + column)];
}

void Cta::GetFragment(Warp& warp, const Instruction& i) {
  ir::LaneVector& target = warp.registers[i.dst];
  const uint32_t defined =
      DefinedLanes(warp, i.b, Use::kAddress) & DefinedLanes(warp, i.c, Use::kAddress);
  if (const auto from = UniformFragmentElement(warp, i, defined)) {
    return Move(warp, i.dst, *from, OpaqueList(warp, i));
  }
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t bit = uint32_t{1} << lane;
    const std::optional<Register> source =
        (defined & bit) != 0 ? FragmentElement(warp, i, lane) : std::nullopt;
    if (!source) {
      target.undefined |= bit;
      warp.registers.origin(i.dst) = kOriginReported;
      continue;
    }
    const ir::LaneVector& from = warp.registers[*source];
    target.bits[static_cast<size_t>(lane)] = from.bits[static_cast<size_t>(lane)];
    target.undefined = (target.undefined & ~bit) | (from.undefined & bit);
    if ((from.undefined & bit) != 0) warp.registers.origin(i.dst) = ReadOrigin(warp, *source);
  }
}

void Cta::SetFragment(Warp& warp, const Instruction& i) {
  const uint32_t defined =
      DefinedLanes(warp, i.b, Use::kAddress) & DefinedLanes(warp, i.c, Use::kAddress);
  if (const auto to = UniformFragmentElement(warp, i, defined)) {
    return Move(warp, *to, i.dst, OpaqueList(warp, i));
  }
  const ir::LaneVector value = warp.registers[i.dst];
  for (uint32_t rest = defined; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t bit = uint32_t{1} << lane;
    const std::optional<Register> to = FragmentElement(warp, i, lane);
    if (!to) continue;
    ir::LaneVector& target = warp.registers[*to];
    target.bits[static_cast<size_t>(lane)] = value.bits[static_cast<size_t>(lane)];
    target.undefined = (target.undefined & ~bit) | (value.undefined & bit);
    if ((value.undefined & bit) != 0) warp.registers.origin(*to) = warp.registers.origin(i.dst);
  }
}

void Cta::Coordinate(Warp& warp, const Instruction& i) {
  const Axis& axis = code_.roles[static_cast<size_t>(warp.role)].axes[static_cast<size_t>(i.a)];
  ir::LaneVector& target = warp.registers[i.dst];
  const ir::LaneVector& index = warp.registers[i.b];
  const uint32_t defined = DefinedLanes(warp, i.b, Use::kAddress);
  target.undefined = (target.undefined & ~warp.mask) | (warp.mask & ~defined);
  if (defined != warp.mask) warp.registers.origin(i.dst) = kOriginReported;
  const int64_t of_all = UniformIndex(index, defined);
  if (of_all >= 0 && defined == kAllLanes) {
    const int64_t place =
        axis.OfIndex(of_all) + warp.index % ir::kWarpgroupWarps * axis.map.warp_stride;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      target.bits[lane] = static_cast<uint64_t>(place + axis.lanes[lane]);
    }
    return;
  }
  uint64_t index_of_part = 0;
  int64_t part = axis.OfIndex(0);
  const int64_t band = warp.index % ir::kWarpgroupWarps * axis.map.warp_stride;
  for (uint32_t rest = defined; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    if (index.bits[lane] != index_of_part) {
      index_of_part = index.bits[lane];
      part = axis.OfIndex(static_cast<int64_t>(index_of_part));
    }
    target.bits[lane] = static_cast<uint64_t>(part + band + axis.lanes[lane]);
  }
}

bool Cta::WholeWarp(Warp& warp, std::string_view name) {
  if (warp.mask == kAllLanes) return true;
  run_.findings.CollectiveDivergence(PlaceOf(warp), name, warp.mask);
  return false;
}

// The thread's first column index of the part; reports a part that is not whole tiles.
bool Cta::FirstColumn(Warp& warp, const FragmentOperand& operand, int64_t* first) {
  *first = 0;
  if (operand.first_column == kNoRegister) return true;
  if (DefinedLanes(warp, operand.first_column, Use::kAddress) != warp.mask) return false;
  const ir::AxisMap& axis = operand.map.columns;
  const auto column = static_cast<int64_t>(warp.registers[operand.first_column].bits[0]);
  const int64_t count = operand.map.column_count / (axis.repeats * axis.pack) * axis.tile;
  if (column < 0 || column % axis.tile != 0 || column + count > operand.columns) {
    run_.findings.FragmentSlice(PlaceOf(warp), column, count, operand.columns, axis.tile);
    return false;
  }
  *first = axis.PerThread(column);
  return true;
}

// Lanes whose accumulator elements start from zero.
uint32_t Cta::ZeroLanes(Warp& warp, const Product& product) {
  if (!product.accumulate) return kAllLanes;
  return product.zero == kNoRegister ? 0 : TrueLanes(warp, product.zero, Use::kBranch);
}

void Cta::Multiply(Warp& warp, const Product& product) {
  if (product.warpgroup) return MultiplyWarpgroup(warp, product);
  int64_t first_d = 0, first_a = 0, first_b = 0;
  const bool legal = WholeWarp(warp, product.op->name) && FirstColumn(warp, product.d, &first_d) &&
                     FirstColumn(warp, product.a, &first_a) &&
                     FirstColumn(warp, product.b, &first_b);
  if (!legal) {
    for (const Register r : product.d.registers) Undefine(warp, r, kOriginReported);
    return;
  }
  ClearZeroLanes(warp, product, first_d);
  if (product.opaque && FragmentDefined(warp, product.a, first_a) &&
      FragmentDefined(warp, product.b, first_b)) {
    return;
  }
  const Tile a = GatherTile(warp.registers, product.a, first_a, product.m, product.k, false);
  const Tile b = GatherTile(warp.registers, product.b, first_b, product.k, product.n, true);
  Accumulate(warp, product, first_d, a, b);
}

void Cta::ClearZeroLanes(Warp& warp, const Product& product, int64_t first_d) {
  const uint32_t zero = ZeroLanes(warp, product);
  if (zero == 0) return;
  ForEachRegister(product.d, first_d, [&](Register reg, int64_t, int64_t) {
    ir::LaneVector& vector = warp.registers[reg];
    vector.undefined &= ~zero;
    if (product.opaque) return;
    if (zero == kAllLanes) return vector.bits.fill(0);
    for (uint32_t rest = zero; rest != 0; rest &= rest - 1) {
      vector.bits[static_cast<size_t>(std::countr_zero(rest))] = 0;
    }
  });
}

void Cta::Accumulate(Warp& warp, const Product& product, int64_t first_d, const Tile& a,
                     const Tile& b) {
  Tile d = GatherTile(warp.registers, product.d, first_d, product.m, product.n, false);
  if (!product.opaque) Apply(product, a, b, d);
  const std::array<size_t, ir::kLanes> of_lane = PlacesOfLanes(product.d, d);
  // What is undefined in a row of a makes the row of d undefined, and a column of b its column.
  ForEachRegister(product.d, first_d, [&](Register reg, int64_t r, int64_t e) {
    ir::LaneVector& vector = warp.registers[reg];
    const int64_t first_row = product.d.row_parts[static_cast<size_t>(r)];
    const int64_t first_column = product.d.column_parts[static_cast<size_t>(e)];
    const uint64_t* const bits = &d.bits[d.At(first_row, first_column)];
    for (size_t lane = 0; lane < ir::kLanes; ++lane) vector.bits[lane] = bits[of_lane[lane]];
    if (!a.undefined && !b.undefined) return;
    uint32_t tainted = 0;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      const int64_t row = first_row + product.d.lane_rows[lane];
      const int64_t column = first_column + product.d.lane_columns[lane];
      const bool undefined = a.row_undefined[static_cast<size_t>(row)] ||
                             b.column_undefined[static_cast<size_t>(column)];
      tainted |= static_cast<uint32_t>(undefined) << lane;
    }
    if ((tainted & ~vector.undefined) != 0) {
      warp.registers.origin(reg) = a.undefined ? a.origin : b.origin;
    }
    vector.undefined |= tainted;
  });
}

// Where the tile begins in its region, for lanes that all have the same origin.
int64_t Cta::TileByte(const MatrixCopy& copy, const Addresses& origin) const {
  const int64_t element = ir::Info(copy.tile.dtype).bits / 8;
  return facts_.shared[static_cast<size_t>(copy.tile.buffer)].offset_bytes -
         RegionOf(copy.tile).begin + origin.offset[0] * element;
}

bool Cta::TileDefined(const MatrixCopy& copy, const Addresses& origin) const {
  if (!run_.options.check_definedness) return true;
  const SharedRegion& region = RegionOf(copy.tile);
  if (region.owners.empty() && !region.defined.empty() && IsUniform(origin)) {
    const int64_t begin = TileByte(copy, origin);
    for (const MatrixCopy::Group& group : copy.groups) {
      for (uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (!region.defined.All(begin + group.byte[lane], ir::kMatrixRowBytes)) return false;
      }
    }
    return true;
  }
  Addresses at;
  return std::all_of(copy.groups.begin(), copy.groups.end(), [&](const MatrixCopy::Group& group) {
    at.valid = group.lanes;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      at.offset[lane] = origin.offset[lane] + group.offset[lane];
    }
    return AllDefined(copy.tile, at);
  });
}

void Cta::CopyMatrix(Warp& warp, const MatrixCopy& copy) {
  int64_t first = 0;
  bool legal = WholeWarp(warp, copy.op->name) && FirstColumn(warp, copy.fragment, &first);
  Addresses origin = legal ? Resolve(warp, copy.tile) : Addresses{};
  legal = legal && origin.valid == kAllLanes;
  if (!legal) {
    if (copy.store) return;
    for (const Register r : copy.fragment.registers) Undefine(warp, r, kOriginReported);
    return;
  }
  const int64_t band = warp.index % ir::kWarpgroupWarps * copy.warp_distance;
  for (int64_t& offset : origin.offset) offset += band;
  // A load of defined bytes whose values do not matter leaves defined registers, no more; a store
  // of defined registers whose values do not matter leaves defined rows.
  const bool defined = copy.store ? copy.opaque && FragmentDefined(warp, copy.fragment, first)
                                  : TileDefined(copy, origin);
  if (defined && copy.store) WriteTile(warp, copy, origin);
  if (defined && !copy.store) {
    ForEachRegister(copy.fragment, first,
                    [&](Register reg, int64_t, int64_t) { warp.registers[reg].undefined = 0; });
  }
  if (!defined || !copy.opaque) MoveMatrix(warp, copy, first, origin, defined);
  if (run_.options.count) {
    const int64_t bytes =
        copy.fragment.map.Elements() * ir::kLanes * (ir::Info(copy.tile.dtype).bits / 8);
    StatementCount& count = run_.result.statements[static_cast<size_t>(warp.stmt)];
    (copy.store ? count.shared_bytes_written : count.shared_bytes_read) += bytes;
  }
  if (run_.options.check_races) CheckMatrixRaces(warp, copy, origin);
}

// Register by register. `first`: the thread's first column index of the part.
void Cta::MoveMatrix(Warp& warp, const MatrixCopy& copy, int64_t first, const Addresses& origin,
                     bool defined) {
  Access element{.space = copy.tile.space,
                 .buffer = copy.tile.buffer,
                 .view = copy.tile.view,
                 .dtype = copy.tile.dtype,
                 .element_offsets = {0},
                 .values = {0},
                 .origin = copy.tile.origin,
                 .opaque = copy.opaque};
  Addresses at = origin;
  std::array<int64_t, ir::kLanes> lane_offsets;
  for (size_t lane = 0; lane < ir::kLanes; ++lane) {
    lane_offsets[lane] = copy.fragment.lane_rows[lane] * copy.row_stride +
                         copy.fragment.lane_columns[lane] * copy.column_stride;
  }
  ForEachRegister(copy.fragment, first, [&](Register reg, int64_t r, int64_t e) {
    element.values[0] = reg;
    const int64_t base = copy.fragment.row_parts[static_cast<size_t>(r)] * copy.row_stride +
                         copy.fragment.column_parts[static_cast<size_t>(e)] * copy.column_stride;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      at.offset[lane] = origin.offset[lane] + base + lane_offsets[lane];
    }
    if (copy.store) {
      StoreTo(warp, element, at);
    } else if (defined) {
      LoadValues(warp, element, at);
    } else {
      LoadFrom(warp, element, at);
    }
  });
}

// The rows that the lanes of each instruction name.
void Cta::CheckMatrixRaces(Warp& warp, const MatrixCopy& copy, const Addresses& origin) {
  const std::optional<Shadow> shadow = ShadowOf(copy.tile);
  const bool ordered = !WordsOf(copy.tile).empty();
  Accessor by = RaceAccessor(warp, copy.tile, true);
  DeferredAccesses& deferred = shadow->region->deferred;
  if (!ordered && !copy.store && deferred.on() && IsUniform(origin) &&
      deferred.DeferTile(by, copy, TileByte(copy, origin))) {
    if (deferred.full()) shadow->region->MarkNoted(*shadow->rules, *by.records);
    return;
  }
  const int64_t element = ir::Info(copy.tile.dtype).bits / 8;
  const auto elements = static_cast<int64_t>(copy.tile.element_offsets.size());
  LaneBytes rows{.bytes = elements * element};
  Addresses at;
  conflicts_.Clear();
  conflicts_.set_strong(false);
  for (const MatrixCopy::Group& group : copy.groups) {
    at.valid = rows.lanes = group.lanes;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      at.offset[lane] = origin.offset[lane] + group.offset[lane];
      rows.first[lane] = at.offset[lane] * element;
    }
    if (ordered) {
      CheckRaces(warp, copy.tile, at, copy.store);
      continue;
    }
    CheckLanes(warp, *shadow, by, rows, copy.store);
    if (conflicts_.empty()) continue;
    // What has been reported is known from here on.
    ReportRaces(warp, copy.tile);
    conflicts_.Clear();
    by = RaceAccessor(warp, copy.tile, true);
  }
}

bool Cta::FragmentDefined(Warp& warp, const FragmentOperand& fragment, int64_t first) {
  uint32_t undefined = 0;
  ForEachRegister(fragment, first, [&](Register reg, int64_t, int64_t) {
    undefined |= warp.registers[reg].undefined;
  });
  return undefined == 0;
}

// The rows of a tile become defined, whatever their values.
void Cta::WriteTile(Warp& warp, const MatrixCopy& copy, const Addresses& origin) {
  ++run_.memory_version;
  warp.order.acted = true;
  if (!run_.options.check_definedness) return;
  Addresses at;
  for (const MatrixCopy::Group& group : copy.groups) {
    at.valid = group.lanes;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      at.offset[lane] = origin.offset[lane] + group.offset[lane];
    }
    LanesWritten(copy.tile, at);
  }
}

}  // namespace compiler::machine
