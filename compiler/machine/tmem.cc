// Tensor memory at run time: copies between it and fragments, products, and what orders them. Bytes
// move when an operation is issued; what orders them is guaranteed completion alone.
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kColumnBytes = ir::kTmemColumnBits / 8;
constexpr int64_t kWarpgroupWarps = 4;

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

// `count` elements of a row of the buffer, from (row, column) on.
TensorRange Cta::TensorRow(const Access& access, int64_t row, int64_t column, int64_t count) const {
  const auto number = static_cast<size_t>(access.buffer);
  const int64_t element = ElementBytes(access);
  return {.lane = ir::TmemLane(kernel_.tmem[number], row),
          .byte = facts_.tmem[number].first_column * kColumnBytes + column * element,
          .bytes = count * element};
}

std::byte* Cta::TensorData(int64_t lane, int64_t byte) const {
  TensorMemory& memory = memory_->tensor_;
  return &memory.bytes[static_cast<size_t>(lane * memory.columns * kColumnBytes + byte)];
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

// Of a queue of the warp; nobody but the pair has this memory.
Accessor Cta::TensorAccessor(const Warp& warp, const Access& access, AgentId agent,
                             Epoch epoch) const {
  Accessor by = AccessorOf(warp, access);
  by.agent = agent;
  by.epoch = epoch;
  by.asynchronous = true;
  by.launch_serial = by.space_serial = SharedSerial();
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
  TensorRun run{.copy = &copy, .lane_bytes = memory_->tensor_.columns * kColumnBytes};
  const ir::FragmentMap& map = copy.fragment.map;
  std::array<int64_t, ir::kLanes> rows, columns;
  for (size_t lane = 0; lane < rows.size(); ++lane) {
    const int64_t thread = warp.index % kWarpgroupWarps * ir::kLanes + static_cast<int64_t>(lane);
    rows[lane] = map.rows.OfThread(thread);
    columns[lane] = column + map.columns.OfThread(static_cast<int64_t>(lane));
  }
  for (int64_t r = 0; r < map.row_count; ++r) {
    const int64_t row = map.rows.OfIndex(r);
    for (int64_t e = 0; e < map.column_count; e += run.count) {
      // Registers of neighbouring columns.
      const int64_t begin = map.columns.OfIndex(e);
      run.count = 1;
      while (e + run.count < map.column_count &&
             map.columns.OfIndex(e + run.count) == begin + run.count) {
        ++run.count;
      }
      run.first = static_cast<size_t>(r * copy.fragment.row_length + first + e);
      run.together = true;
      for (size_t lane = 0; lane < rows.size(); ++lane) {
        const TensorRange at =
            TensorRow(copy.tile, row + rows[lane], begin + columns[lane], run.count);
        run.lane[lane] = at.lane;
        run.byte[lane] = at.byte;
        run.together = run.together && at.byte == run.byte[0] &&
                       at.lane == run.lane[0] + static_cast<int64_t>(lane);
      }
      copy.store ? StoreTensor(warp, run) : LoadTensor(warp, run);
      if (!run_.options.check_races) continue;
      run.ForRanges(run.count * ElementBytes(copy.tile), [&](size_t lane, const TensorRange& at) {
        CheckTensor(by, static_cast<int>(lane), at, copy.store);
      });
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, copy.tile);
}

// The values are there at once, and count as undefined until the warp has waited for them.
void Cta::LoadTensor(Warp& warp, const TensorRun& run) {
  const TensorCopy& copy = *run.copy;
  const int64_t element = ElementBytes(copy.tile);
  const bool sign = SignExtended(copy.tile.dtype);
  bool defined = true;
  run.ForRanges(run.count * element, [&](size_t, const TensorRange& at) {
    defined = defined && TensorOrigin(copy.tile, at) == 0;
  });
  for (int64_t e = 0; e < run.count; ++e) {
    const Register reg = copy.fragment.registers[run.first + static_cast<size_t>(e)];
    ir::LaneVector& to = warp.registers[reg];
    PendingRegister pending{.reg = reg, .in_flight = copy.in_flight};
    for (size_t lane = 0; lane < run.lane.size() && !(copy.tile.opaque && defined); ++lane) {
      const TensorRange at{run.lane[lane], 1, run.byte[lane] + e * element, element};
      if (!copy.tile.opaque) {
        to.bits[lane] = ReadBits(TensorData(at.lane, at.byte), element, sign);
      }
      const int32_t origin = defined ? 0 : TensorOrigin(copy.tile, at);
      if (origin == 0) continue;
      pending.undefined |= uint32_t{1} << lane;
      pending.origin = origin;
    }
    to.undefined = 0;
    if (!run_.options.check_definedness) continue;
    to.undefined = kAllLanes;
    warp.registers.origin(reg) = copy.in_flight;
    TensorOf(warp).pending.push_back(pending);
  }
}

void Cta::StoreTensor(Warp& warp, const TensorRun& run) {
  const TensorCopy& copy = *run.copy;
  const int64_t element = ElementBytes(copy.tile);
  uint32_t undefined = 0;
  for (int64_t e = 0; e < run.count; ++e) {
    const Register reg = copy.fragment.registers[run.first + static_cast<size_t>(e)];
    const ir::LaneVector& from = warp.registers[reg];
    undefined |= from.undefined;
    for (size_t lane = 0; lane < run.lane.size() && !copy.tile.opaque; ++lane) {
      std::memcpy(TensorData(run.lane[lane], run.byte[lane] + e * element), &from.bits[lane],
                  static_cast<size_t>(element));
    }
  }
  if (undefined == 0) {
    return run.ForRanges(run.count * element,
                         [&](size_t, const TensorRange& at) { TensorWritten(copy.tile, at, 0); });
  }
  for (size_t lane = 0; lane < run.lane.size(); ++lane) {
    if ((undefined >> lane & 1) == 0) {
      TensorWritten(copy.tile, {run.lane[lane], 1, run.byte[lane], run.count * element}, 0);
      continue;
    }
    for (int64_t e = 0; e < run.count; ++e) {
      const Register reg = copy.fragment.registers[run.first + static_cast<size_t>(e)];
      const bool here = (warp.registers[reg].undefined >> lane & 1) != 0;
      TensorWritten(copy.tile, {run.lane[lane], 1, run.byte[lane] + e * element, element},
                    here ? warp.registers.origin(reg) : 0);
    }
  }
}

// tmem.wait: false where the statement is another one.
bool Cta::WaitTensor(Warp& warp, const Sync& sync) {
  if (sync.effect != ir::SyncEffect::kTensorMemoryWait) return false;
  const ir::Stmt& stmt = run_.program[sync.stmt];
  if (!WholeWarp(warp, stmt.op->name)) return run_.Stop(Outcome::kFault), true;
  WarpTensor& state = TensorOf(warp);
  if (stmt.word == "st") {
    warp.clocks.Learn(agents_.TensorStores(warp.agent), state.stores++);
    return true;
  }
  warp.clocks.Learn(agents_.TensorLoads(warp.agent), state.loads++);
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
  if (sync.pair && !IsEvenCta(warp)) return;
  Clocks& published = published_;
  published = warp.clocks;
  if (published.happened.agents() < space_.agents) published.happened.Join(Clock(space_.agents));
  if (agents_.has_tensor_memory()) {
    published.Learn(agents_.TensorProducts(warp.agent),
                    static_cast<Epoch>(TensorOf(warp).accumulators.size()));
  }
  if (TensorOf(warp).accumulators.empty()) tensor_.idle_commit = sync.stmt;
  ++warp.epoch;
  warp.last_sync = warp.last_release = warp.stmt;
  const EventUse at = FullUse(sync.ring, sync.event, *use);
  for (Cta* const target : sync.pair ? Pair() : std::vector<Cta*>{this}) {
    if (!run_.stopped) target->ArriveAs(warp, at, published, 1, 0);
  }
}

bool Cta::IsTensorCommit(const Warp& warp) const {
  const ir::OpDef* op = run_.program[warp.stmt].op;
  return op != nullptr && op->effects.sync == ir::SyncEffect::kTensorCommit;
}

// PTX ISA, tcgen05 canonical synchronization patterns: a relaxed wait for the mbarrier of a commit
// knows its products to be complete, and with them the copies that brought their operands. What
// threads of the other CTA wrote needs the wait of the cluster's scope.
void Cta::LearnEngines(const Clocks& published, Clocks& to) {
  for (size_t agent = 0; agent < published.happened.agents(); ++agent) {
    const auto id = static_cast<AgentId>(agent);
    const Epoch known = published.happened.All(id);
    if (known != 0 && !OwnerOf(id).agents_.IsWarp(id)) to.happened.Learn(id, known);
  }
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
    const bool known = last == 0 || KnownToCluster(agents_.TensorProducts(warp.agent), last);
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
