// Tensor memory at run time: copies between it and fragments, products, and what orders them. Bytes
// move when an operation is issued; what orders them is guaranteed completion alone.
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/facts/overlay.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kColumnBytes = ir::kTmemColumnBits / 8;
constexpr int64_t kWarpgroupWarps = 4;
constexpr int32_t kUnwritten = -1;
constexpr int32_t kNobody = -1;

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

bool SignExtended(ir::DType dtype) {
  return ir::Info(dtype).is_integer && ir::Info(dtype).is_signed;
}

uint64_t ReadBits(const std::byte* from, int64_t bytes, bool sign) {
  uint64_t value = 0;
  std::memcpy(&value, from, static_cast<size_t>(bytes));
  if (!sign) return value;
  const int shift = 64 - static_cast<int>(bytes) * 8;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

}  // namespace

void TensorMemory::Make(const ir::Kernel& kernel, int64_t allocated_columns, size_t count,
                        bool with_origins, bool with_cells) {
  if (kernel.tmem.empty()) return;
  columns = allocated_columns;
  for (const ir::TmemBuffer& buffer : kernel.tmem) {
    granule_bytes = std::min<int64_t>(granule_bytes, ir::Info(buffer.dtype).bits / 8);
  }
  bytes.resize(static_cast<size_t>(ir::kTmemLanes * columns * kColumnBytes));
  const size_t granules = bytes.size() / static_cast<size_t>(granule_bytes);
  if (with_origins) origins.resize(granules);
  if (with_origins) owners.resize(granules);
  if (with_cells) cells.resize(granules);
  warps.resize(count);
}

void TensorMemory::Restart() {
  std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  std::fill(origins.begin(), origins.end(), kUnwritten);
  std::fill(owners.begin(), owners.end(), kNobody);
  rules.StartCta();
  for (WarpTensor& warp : warps) warp.Restart();
}

// The byte of (row, column) of the buffer.
int64_t Cta::TensorByte(const Access& access, int64_t row, int64_t column) const {
  const auto number = static_cast<size_t>(access.buffer);
  const ir::TmemBuffer& buffer = kernel_.tmem[number];
  const int64_t lane = ir::TmemLane(buffer, row);
  return (lane * tensor_.columns + facts_.tmem[number].first_column) * kColumnBytes +
         column * ElementBytes(access);
}

// The first column of the view; false, and reported, where it leaves the buffer.
bool Cta::TensorColumn(Warp& warp, const Access& access, int64_t* column) {
  const AccessDimension& dimension = access.dimensions[1];
  const auto lane = static_cast<size_t>(std::countr_zero(warp.mask));
  if ((DefinedLanes(warp, dimension.offset, Use::kAddress) & warp.mask) != warp.mask) return false;
  *column = static_cast<int64_t>(warp.registers[dimension.offset].bits[lane]);
  const int64_t limit = kernel_.tmem[static_cast<size_t>(access.buffer)].columns;
  if (*column < 0 || *column + dimension.extent > limit) {
    run_.findings.OutOfBounds(PlaceOf(warp), access, 1, *column, limit);
    return false;
  }
  const int64_t bits = *column * ir::Info(access.dtype).bits;
  if (bits % ir::kTmemColumnBits == 0) return true;
  run_.findings.PartOfColumn(PlaceOf(warp), access, bits);
  return false;
}

int32_t Cta::TensorOrigin(const Access& access, int64_t byte) const {
  if (tensor_.origins.empty()) return 0;
  const auto granule = static_cast<size_t>(byte / tensor_.granule_bytes);
  const int64_t count = ElementBytes(access) / tensor_.granule_bytes;
  for (size_t g = granule; g < granule + static_cast<size_t>(count); ++g) {
    const int32_t owner = tensor_.owners[g];
    if (owner >= 0 && owner != access.buffer) {
      const ir::TmemBuffer& written = kernel_.tmem[static_cast<size_t>(owner)];
      const ir::TmemBuffer& read = kernel_.tmem[static_cast<size_t>(access.buffer)];
      if (facts::Exclusive(written.alternatives, read.alternatives)) {
        run_.findings.OtherAlternative(access.view, written.name, written.declared);
        return access.origin;
      }
    }
    if (tensor_.origins[g] != 0) {
      return tensor_.origins[g] < 0 ? access.origin : tensor_.origins[g];
    }
  }
  return 0;
}

void Cta::TensorWritten(const Access& access, int64_t byte, int32_t origin) {
  if (tensor_.origins.empty()) return;
  const int64_t granule = byte / tensor_.granule_bytes;
  const int64_t count = ElementBytes(access) / tensor_.granule_bytes;
  std::fill_n(tensor_.origins.begin() + granule, count, origin);
  std::fill_n(tensor_.owners.begin() + granule, count, access.buffer);
}

// One element against the shadow. `own`: products of the accessor that come before it anyway.
void Cta::CheckTensor(Accessor& by, int lane, int64_t byte, int64_t bytes, bool write) {
  conflicts_.set_byte(byte);
  const auto first = static_cast<size_t>(byte / tensor_.granule_bytes);
  const auto count = static_cast<size_t>(bytes / tensor_.granule_bytes);
  for (size_t g = first; g < first + count; ++g) {
    Cell& cell = tensor_.cells[g];
    if (write) {
      tensor_.rules.Write(cell, by, lane, conflicts_);
    } else {
      tensor_.rules.Read(cell, by, lane, conflicts_);
    }
  }
}

// Of a queue of the warp; nobody else has this memory.
Accessor Cta::TensorAccessor(const Warp& warp, const Access& access, AgentId agent,
                             Epoch epoch) const {
  Accessor by = AccessorOf(warp, access);
  by.agent = agent;
  by.epoch = epoch;
  by.asynchronous = true;
  by.launch_serial = by.space_serial = by.serial;
  return by;
}

void Cta::CopyTensor(Warp& warp, const TensorCopy& copy) {
  int64_t first = 0, column = 0;
  const bool legal = WholeWarp(warp, copy.op->name) && FirstColumn(warp, copy.fragment, &first) &&
                     TensorColumn(warp, copy.tile, &column);
  if (!legal) {
    if (copy.store) return;
    for (const Register r : copy.fragment.registers) Undefine(warp, r, kOriginReported);
    return;
  }
  WarpTensor& state = TensorOf(warp);
  const Epoch epoch = copy.store ? state.stores : state.loads;
  (copy.store ? state.issued_stores : state.issued_loads) = epoch;
  (copy.store ? state.last_store : state.last_load) = warp.stmt;
  const AgentId agent =
      copy.store ? agents_.TensorStores(warp.agent) : agents_.TensorLoads(warp.agent);
  Accessor by = TensorAccessor(warp, copy.tile, agent, epoch);
  conflicts_.Clear();
  const ir::FragmentMap& map = copy.fragment.map;
  const int64_t thread = warp.index % kWarpgroupWarps * ir::kLanes;
  for (int64_t r = 0; r < map.row_count; ++r) {
    for (int64_t e = 0; e < map.column_count; ++e) {
      const Register reg =
          copy.fragment.registers[static_cast<size_t>(r * copy.fragment.row_length + first + e)];
      std::array<int64_t, ir::kLanes> at;
      for (size_t lane = 0; lane < at.size(); ++lane) {
        const int64_t row = map.rows.Coordinate(r, thread + static_cast<int64_t>(lane));
        at[lane] = TensorByte(copy.tile, row,
                              column + map.columns.Coordinate(e, static_cast<int64_t>(lane)));
      }
      copy.store ? StoreTensor(warp, copy, reg, at) : LoadTensor(warp, copy, reg, at);
      if (!run_.options.check_races) continue;
      for (size_t lane = 0; lane < at.size(); ++lane) {
        CheckTensor(by, static_cast<int>(lane), at[lane], ElementBytes(copy.tile), copy.store);
      }
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, copy.tile);
}

// The values are there at once, and count as undefined until the warp has waited for them.
void Cta::LoadTensor(Warp& warp, const TensorCopy& copy, Register reg,
                     const std::array<int64_t, ir::kLanes>& at) {
  ir::LaneVector& to = warp.registers[reg];
  const bool sign = SignExtended(copy.tile.dtype);
  PendingRegister pending{.reg = reg, .in_flight = copy.in_flight};
  for (size_t lane = 0; lane < at.size(); ++lane) {
    to.bits[lane] =
        ReadBits(&tensor_.bytes[static_cast<size_t>(at[lane])], ElementBytes(copy.tile), sign);
    const int32_t origin = TensorOrigin(copy.tile, at[lane]);
    if (origin == 0) continue;
    pending.undefined |= uint32_t{1} << lane;
    pending.origin = origin;
  }
  to.undefined = 0;
  if (!run_.options.check_definedness) return;
  to.undefined = kAllLanes;
  warp.registers.origin(reg) = copy.in_flight;
  TensorOf(warp).pending.push_back(pending);
}

void Cta::StoreTensor(Warp& warp, const TensorCopy& copy, Register reg,
                      const std::array<int64_t, ir::kLanes>& at) {
  const ir::LaneVector& from = warp.registers[reg];
  const auto bytes = static_cast<size_t>(ElementBytes(copy.tile));
  for (size_t lane = 0; lane < at.size(); ++lane) {
    std::memcpy(&tensor_.bytes[static_cast<size_t>(at[lane])], &from.bits[lane], bytes);
    const bool undefined = (from.undefined >> lane & 1) != 0;
    TensorWritten(copy.tile, at[lane], undefined ? warp.registers.origin(reg) : 0);
  }
}

// tmem.wait: false where the statement is another one.
bool Cta::WaitTensor(Warp& warp, const Sync& sync) {
  if (sync.effect != ir::SyncEffect::kTensorMemoryWait) return false;
  const ir::Stmt& stmt = run_.program[sync.stmt];
  if (!WholeWarp(warp, stmt.op->name)) return run_.Stop(Outcome::kFault), true;
  WarpTensor& state = TensorOf(warp);
  if (stmt.word == "st") {
    warp.clocks.happened.Learn(agents_.TensorStores(warp.agent), state.stores++);
    return true;
  }
  warp.clocks.happened.Learn(agents_.TensorLoads(warp.agent), state.loads++);
  for (const PendingRegister& pending : state.pending) {
    ir::LaneVector& vector = warp.registers[pending.reg];
    int32_t& origin = warp.registers.origin(pending.reg);
    if (vector.undefined != kAllLanes || origin != pending.in_flight) {
      const Origin& load = code_.origins[static_cast<size_t>(pending.in_flight)];
      if (vector.undefined == kAllLanes && origin == pending.in_flight + 1) {
        run_.findings.ReadInFlight(PlaceOf(warp), load);
      } else {
        run_.findings.WrittenInFlight(PlaceOf(warp), load);
      }
      vector.undefined = kAllLanes;
      origin = kOriginReported;
      continue;
    }
    vector.undefined = pending.undefined;
    origin = pending.origin;
  }
  state.pending.clear();
  return true;
}

// PTX ISA, tcgen05.commit: one arrival when the products that this thread has issued are complete.
// What the thread itself has done is not published with it, what it has learned before is: the
// products come after that.
void Cta::CommitProducts(Warp& warp, const Sync& sync) {
  if (!IssuedByOne(warp, run_.program[sync.stmt].op->name)) return run_.Stop(Outcome::kFault);
  const std::optional<int64_t> use = UniformUse(warp, sync);
  if (!use) return;
  if (*use < 0) {
    run_.findings.NegativeArrival(PlaceOf(warp), run_.program[sync.stmt].op->name, *use);
    return run_.Stop(Outcome::kFault);
  }
  Clocks published = warp.clocks;
  if (published.happened.agents() < space_.agents) published.happened.Join(Clock(space_.agents));
  if (agents_.has_tensor_memory()) {
    published.happened.Learn(agents_.TensorProducts(warp.agent),
                             static_cast<Epoch>(TensorOf(warp).accumulators.size()));
  }
  ++warp.epoch;
  warp.last_sync = warp.last_release = warp.stmt;
  ArriveAs(warp, FullUse(sync.ring, sync.event, *use), published, 1, 0);
}

// By the elected lane, or the only one there is.
bool Cta::IssuedByOne(Warp& warp, std::string_view name) {
  const uint32_t alone = warp.mask & (~warp.mask + 1);
  if (warp.mask == kAllLanes || warp.mask == alone) return true;
  run_.findings.CollectiveDivergence(PlaceOf(warp), name, warp.mask);
  return false;
}

void Cta::CheckTensorAtExit() {
  for (size_t i = 0; i < tensor_.warps.size(); ++i) {
    const WarpTensor& state = tensor_.warps[i];
    const Warp& warp = warps_[i];
    Place place = PlaceOf(warp);
    const auto last = static_cast<Epoch>(state.accumulators.size());
    const bool known =
        last == 0 || std::any_of(warps_.begin(), warps_.end(), [&](const Warp& other) {
          return other.clocks.happened.Covers(agents_.TensorProducts(warp.agent), last, kAllLanes);
        });
    if (!known) {
      place.stmt = state.last_product;
      run_.findings.UnfinishedProduct(place);
    }
    // Nobody else can wait for them.
    if (state.issued_loads == state.loads) {
      place.stmt = state.last_load;
      run_.findings.UnfinishedTensorCopy(place);
    }
    if (state.issued_stores == state.stores) {
      place.stmt = state.last_store;
      run_.findings.UnfinishedTensorCopy(place);
    }
  }
}

}  // namespace compiler::machine
