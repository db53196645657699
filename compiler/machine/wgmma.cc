// Products of warpgroups. Values are computed when a product is issued; its reads of shared memory
// stay open until the wait that covers its group, as accesses of the warpgroup's queue. Each warp
// computes its band of 16 rows and must know all of both operands to be ready.
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/machine/cta.h"
#include "compiler/machine/tile.h"

namespace compiler::machine {
namespace {

constexpr int64_t kBandRows = 16;
constexpr int64_t kPatternRows = 8;
constexpr int64_t kChunkBytes = 16;

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

// Accesses of a warpgroup's queue have its warps as lanes, four of 32: the others stand for these,
// so that four warps are all lanes.
uint32_t LanesOfWarp(int warp) { return uint32_t{0x11111111} << warp % ir::kWarpgroupWarps; }

// As LaneVector wants it: signed integers extended by their sign.
// Neighbours of a type without a sign.
template <typename T>
void Elements(const std::byte* from, int64_t count, uint64_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    T bits;
    std::memcpy(&bits, from + i * static_cast<int64_t>(sizeof bits), sizeof bits);
    to[i] = bits;
  }
}

uint64_t ElementAt(const std::byte* at, const ir::DTypeInfo& info) {
  switch (info.bits) {
    case 8: {
      uint8_t bits;
      std::memcpy(&bits, at, sizeof bits);
      return info.is_integer && info.is_signed
                 ? static_cast<uint64_t>(int64_t{static_cast<int8_t>(bits)})
                 : bits;
    }
    case 16: {
      uint16_t bits;
      std::memcpy(&bits, at, sizeof bits);
      return bits;
    }
    default: {
      uint32_t bits;
      std::memcpy(&bits, at, sizeof bits);
      return bits;
    }
  }
}

}  // namespace

size_t Cta::FirstOfWarpgroup(const Warp& warp) const {
  return warp.agent - space_.first - static_cast<size_t>(warp.index % ir::kWarpgroupWarps);
}

// The four warps of a warpgroup execute the same products, commits and waits in the same order.
bool Cta::TogetherInWarpgroup(Warp& warp) {
  WarpgroupOrder& order = products_[FirstOfWarpgroup(warp)];
  int64_t& passed = order.passed[static_cast<size_t>(warp.index % ir::kWarpgroupWarps)];
  const auto at = static_cast<size_t>(passed - order.forgotten);
  if (at == order.statements.size()) {
    order.statements.push_back(warp.stmt);
  } else if (order.statements[at] != warp.stmt) {
    run_.findings.WarpgroupDivergence(PlaceOf(warp), order.statements[at]);
    run_.Stop(Outcome::kFault);
    return false;
  }
  ++passed;
  const int64_t all = *std::min_element(order.passed.begin(), order.passed.end());
  for (; order.forgotten < all; ++order.forgotten) order.statements.pop_front();
  return true;
}

// The offset of the operand's first element; false where there is none, which has been reported.
bool Cta::TileOrigin(Warp& warp, const Access& access, int64_t* origin) {
  const Addresses at = Resolve(warp, access);
  if (at.valid != kAllLanes) return false;
  *origin = at.offset[0];
  const bool same = std::all_of(at.offset.begin(), at.offset.end(),
                                [&](int64_t offset) { return offset == *origin; });
  if (same) return true;
  run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[warp.stmt].op->name, 1);
  return false;
}

// Whether a matrix descriptor can name a tile that begins there (PTX ISA, wgmma: matrix descriptor
// and swizzling modes).
bool Cta::TileLies(Warp& warp, const Access& access, bool transposed) {
  const size_t rank = access.dimensions.size();
  const ir::SharedBuffer& buffer = kernel_.shared[static_cast<size_t>(access.buffer)];
  const auto index = [&](size_t d) {
    return static_cast<int64_t>(warp.registers[access.dimensions[d].offset].bits[0]);
  };
  const int64_t row = index(rank - 2), column = index(rank - 1);
  const int64_t element = ElementBytes(access);
  const int64_t panel = buffer.form_amount / element;
  const int64_t unit = (transposed ? kChunkBytes : ir::kWgmmaKBytes) / element;
  const int64_t extent = access.dimensions[rank - 1].extent;
  const bool across = transposed && column % panel != 0 && column % panel + extent > panel;
  if (row % kPatternRows == 0 && column % unit == 0 && !across) return true;
  const bool by_row = row % kPatternRows != 0;
  run_.findings.OperandPlace(PlaceOf(warp), access, by_row, by_row ? row : column,
                             by_row   ? kPatternRows
                             : across ? panel
                                      : unit);
  return false;
}

// Calls visit(first element, elements) for each line of neighbours that the operand is made of.
template <typename F>
bool Cta::ForEachLine(int64_t origin, const SharedOperand& operand, int64_t outer, int64_t depth,
                      const F& visit) {
  const bool along_k = operand.k_stride == 1;
  const int64_t lines = along_k ? outer : depth;
  const int64_t stride = along_k ? operand.outer_stride : operand.k_stride;
  const int64_t length = along_k ? depth : outer;
  if (stride == length) return visit(origin, lines * length);  // they are neighbours themselves
  for (int64_t line = 0; line < lines; ++line) {
    if (!visit(origin + line * stride, length)) return false;
  }
  return true;
}

bool Cta::OperandDefined(const Access& access, int64_t origin, const SharedOperand& operand,
                         int64_t outer, int64_t depth) const {
  if (!run_.options.check_definedness) return true;
  const int64_t element = ElementBytes(access);
  const int64_t base = facts_.shared[static_cast<size_t>(access.buffer)].offset_bytes;
  return ForEachLine(origin, operand, outer, depth, [&](int64_t first, int64_t count) {
    return SharedOrigin(access, (base + first * element), count * element) == 0;
  });
}

// Rows [first, first + rows) of the operand along M or N, all of K, to rows of the tile.
void Cta::ReadTile(const Access& access, int64_t origin, const SharedOperand& operand,
                   int64_t first, int64_t rows, int64_t to_row, Tile& tile) {
  const ir::DTypeInfo& info = ir::Info(access.dtype);
  const int64_t element = ElementBytes(access);
  const std::byte* data = Data(access);
  const int64_t depth = tile.by_column ? tile.rows : tile.columns;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t line = origin + (first + i) * operand.outer_stride;
    uint64_t* const to = &tile.bits[static_cast<size_t>((to_row + i) * depth)];
    if (info.bits == 16 && operand.k_stride == 1) {  // most of them
      Elements<uint16_t>(data + line * element, depth, to);
      continue;
    }
    for (int64_t k = 0; k < depth; ++k) {
      to[k] = ElementAt(data + (line + k * operand.k_stride) * element, info);
    }
  }
}

// What of these rows is undefined.
void Cta::TaintTile(const Access& access, int64_t origin, const SharedOperand& operand,
                    int64_t first, int64_t rows, int64_t to_row, Tile& tile) const {
  const int64_t element = ElementBytes(access);
  const int64_t base = facts_.shared[static_cast<size_t>(access.buffer)].offset_bytes;
  const int64_t depth = tile.by_column ? tile.rows : tile.columns;
  auto& undefined = tile.by_column ? tile.column_undefined : tile.row_undefined;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t at = origin + (first + i) * operand.outer_stride + k * operand.k_stride;
      const int32_t from = SharedOrigin(access, (base + at * element), element);
      if (from == 0) continue;
      if (!tile.undefined) tile.origin = from;
      tile.undefined = true;
      undefined[static_cast<size_t>(to_row + i)] = true;
      break;
    }
  }
}

// All of the operand, read beside the threads until the group is complete.
bool Cta::CheckTileRaces(Warp& warp, const Access& access, int64_t origin,
                         const SharedOperand& operand, int64_t outer, int64_t depth) {
  const std::optional<Shadow> shadow = ShadowOf(access);
  if (!shadow) return true;
  const int lane = static_cast<int>(warp.index % ir::kWarpgroupWarps);
  Accessor by = AccessorOf(warp, access);
  by.launch_serial = by.space_serial = by.serial;  // nobody else has this memory
  by.agent = agents_.Products(static_cast<AgentId>(space_.first + FirstOfWarpgroup(warp)));
  by.epoch = GroupsOf(warp).products.open[0];
  by.asynchronous = by.async_proxy = true;
  conflicts_.Clear();
  const int64_t element = ElementBytes(access);
  const bool known = ForEachLine(origin, operand, outer, depth, [&](int64_t first, int64_t count) {
    return CheckBytes(warp, *shadow, by, lane, first * element, count * element, false);
  });
  if (known && !conflicts_.empty()) ReportRaces(warp, access);
  return known;
}

// Reads one operand: the warp's band of the left one, all of the right one. Where values do not
// matter only what is undefined is looked at.
bool Cta::SharedTile(Warp& warp, const Product& product, bool left, Tile& tile) {
  const SharedOperand& operand = left ? product.a_shared : product.b_shared;
  const Access& access =
      code_.roles[static_cast<size_t>(warp.role)].accesses[static_cast<size_t>(operand.access)];
  int64_t origin = 0;
  if (!TileOrigin(warp, access, &origin)) return false;
  if (!TileLies(warp, access, operand.k_stride != 1)) return false;
  tile.by_column = !left;
  tile.rows = left ? product.m : product.k;
  tile.columns = left ? product.k : product.n;
  if (!product.opaque) tile.bits.resize(static_cast<size_t>(tile.rows * tile.columns));
  tile.row_undefined.resize(static_cast<size_t>(tile.rows));
  tile.column_undefined.resize(static_cast<size_t>(tile.columns));
  const int64_t outer = left ? product.m * ir::kWarpgroupWarps : product.n;
  const bool defined = OperandDefined(access, origin, operand, outer, product.k);
  const auto part = [&](int64_t first, int64_t rows, int64_t to_row) {
    if (!product.opaque) ReadTile(access, origin, operand, first, rows, to_row, tile);
    if (!defined) TaintTile(access, origin, operand, first, rows, to_row, tile);
  };
  if (left) {
    const int64_t band = warp.index % ir::kWarpgroupWarps * kBandRows;
    for (int64_t block = 0; block * kBandRows < product.m; ++block) {
      part(block * ir::kWgmmaRows + band, kBandRows, block * kBandRows);
    }
  } else {
    part(0, product.n, 0);
  }
  if (run_.options.count) {
    run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_read +=
        (left ? outer : outer * product.m / kBandRows) * product.k * ElementBytes(access) /
        ir::kWarpgroupWarps;
  }
  if (!run_.options.check_races) return true;
  return CheckTileRaces(warp, access, origin, operand, outer, product.k);
}

void Cta::MultiplyWarpgroup(Warp& warp, const Product& product) {
  if (!WholeWarp(warp, product.op->name)) return run_.Stop(Outcome::kFault);
  if (!TogetherInWarpgroup(warp)) return;
  int64_t first_d = 0, first_a = 0;
  Tile a, b;
  bool legal = FirstColumn(warp, product.d, &first_d) && FirstColumn(warp, product.a, &first_a);
  if (legal && product.a_shared.access >= 0) legal = SharedTile(warp, product, true, a);
  legal = legal && SharedTile(warp, product, false, b);
  GroupsOf(warp).IssueProduct(warp.stmt, warp.epoch);
  if (run_.stopped) return;
  if (!legal) {
    for (const Register r : product.d.registers) Undefine(warp, r, kOriginReported);
    return;
  }
  const bool in_registers = product.a_shared.access < 0;
  // Where values do not matter nothing is asked of defined registers.
  if (in_registers &&
      (!product.opaque || b.undefined || !FragmentDefined(warp, product.a, first_a))) {
    a = GatherTile(warp.registers, product.a, first_a, product.m, product.k, false);
  }
  ClearZeroLanes(warp, product, first_d);
  if (product.opaque && !a.undefined && !b.undefined) return;
  Accumulate(warp, product, first_d, a, b);
}

// PTX ISA, wgmma.commit_group and wgmma.wait_group: groups complete in the order in which they were
// closed, and each warp learns of it by its own wait.
void Cta::ProductGroup(Warp& warp, const Sync& sync) {
  const ir::Stmt& stmt = run_.program[sync.stmt];
  if (!WholeWarp(warp, stmt.op->name)) return run_.Stop(Outcome::kFault);
  if (!agents_.has_products()) return;  // there is nothing to close or to wait for
  if (!TogetherInWarpgroup(warp)) return;
  LaneGroups& groups = GroupsOf(warp).products;
  if (sync.effect == ir::SyncEffect::kProductCommit) return groups.Close(0);
  const Epoch up_to = groups.UpTo(0, run_.program[stmt.amount].int_value);
  if (up_to <= groups.complete[0]) return;
  groups.complete[0] = up_to;
  const auto agent = agents_.Products(static_cast<AgentId>(space_.first + FirstOfWarpgroup(warp)));
  warp.clocks.LearnLanes(agent, LanesOfWarp(warp.index), up_to);
}

// A CTA that ends gives its shared memory to another one; and what one warp of a warpgroup has
// executed all four must have.
void Cta::CheckProductsAtExit() {
  if (!agents_.has_products()) return;
  for (Warp& warp : warps_) {
    const LaneGroups& groups = GroupsOf(warp).products;
    if (groups.issued[0] > groups.complete[0]) {
      Place place = PlaceOf(warp);
      place.stmt = groups.last[0];
      run_.findings.UnfinishedProduct(place, groups.issued[0] < groups.open[0]);
    }
    const WarpgroupOrder& order = products_[FirstOfWarpgroup(warp)];
    if (order.statements.empty()) continue;
    const int64_t passed = order.passed[static_cast<size_t>(warp.index % ir::kWarpgroupWarps)];
    const auto at = static_cast<size_t>(passed - order.forgotten);
    if (at == order.statements.size()) continue;
    run_.findings.WarpgroupDivergence(PlaceOf(warp), order.statements[at]);
  }
}

}  // namespace compiler::machine
