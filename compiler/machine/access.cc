// Loads and stores: bounds, alignment, definedness, races, bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

// The widest access that has an alignment rule of its own here; wider slices are split into these.
constexpr int64_t kMaxVectorBytes = 32;
constexpr int32_t kUnwritten = -1;

template <typename T>
void Gather(const std::byte* data, const std::array<int64_t, ir::kLanes>& offset, int64_t element,
            uint32_t lanes, ir::LaneVector& to) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    T value;
    std::memcpy(&value, data + (offset[lane] + element) * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    // Sign-extends signed types, as LaneVector wants it.
    to.bits[lane] = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

template <typename T>
void Scatter(std::byte* data, const std::array<int64_t, ir::kLanes>& offset, int64_t element,
             uint32_t lanes, const ir::LaneVector& from) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const auto value = static_cast<T>(from.bits[lane]);
    std::memcpy(data + (offset[lane] + element) * static_cast<int64_t>(sizeof(T)), &value,
                sizeof(T));
  }
}

void GatherElement(ir::DType dtype, const std::byte* data,
                   const std::array<int64_t, ir::kLanes>& offset, int64_t element, uint32_t lanes,
                   ir::LaneVector& to) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  const bool sign = info.is_integer && info.is_signed;
  switch (info.bits) {
    case 8:
      return sign ? Gather<int8_t>(data, offset, element, lanes, to)
                  : Gather<uint8_t>(data, offset, element, lanes, to);
    case 16:
      return sign ? Gather<int16_t>(data, offset, element, lanes, to)
                  : Gather<uint16_t>(data, offset, element, lanes, to);
    case 32:
      return sign ? Gather<int32_t>(data, offset, element, lanes, to)
                  : Gather<uint32_t>(data, offset, element, lanes, to);
    default: return Gather<uint64_t>(data, offset, element, lanes, to);
  }
}

void ScatterElement(int bits, std::byte* data, const std::array<int64_t, ir::kLanes>& offset,
                    int64_t element, uint32_t lanes, const ir::LaneVector& from) {
  switch (bits) {
    case 8: return Scatter<uint8_t>(data, offset, element, lanes, from);
    case 16: return Scatter<uint16_t>(data, offset, element, lanes, from);
    case 32: return Scatter<uint32_t>(data, offset, element, lanes, from);
    default: return Scatter<uint64_t>(data, offset, element, lanes, from);
  }
}

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

// Whether every lane has a number from 0 to `last`, which is not negative.
bool AllWithin(const ir::LaneVector& vector, int64_t last) {
  uint64_t beyond = 0;  // its sign
  for (const uint64_t bits : vector.bits) beyond |= bits | (static_cast<uint64_t>(last) - bits);
  return static_cast<int64_t>(beyond) >= 0;
}

// Elements of a tensor become defined and written.
void ElementsWritten(const Access& access, const Addresses& addresses, uint8_t* elements) {
  constexpr uint8_t kBoth = kDefined | kWrittenHere;
  const size_t count = access.element_offsets.size();
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    uint8_t* const at = elements + addresses.offset[static_cast<size_t>(std::countr_zero(rest))];
    if (!access.contiguous) {
      for (const int64_t offset : access.element_offsets) at[offset] |= kBoth;
      continue;
    }
    uint8_t* const first = at + access.element_offsets[0];
    for (size_t i = 0; i < count; ++i) first[i] |= kBoth;
  }
}

}  // namespace

std::byte* Cta::Data(const Access& access) {
  const auto buffer = static_cast<size_t>(access.buffer);
  if (access.space == ir::Space::kGlobal) return run_.tensors[buffer].data;
  return memory_->shared_.data() + facts_.shared[buffer].offset_bytes;
}

void Cta::ResolveDimension(Warp& warp, const Access& access, size_t d, uint32_t lanes,
                           Addresses& to) {
  const auto buffer = static_cast<size_t>(access.buffer);
  const bool shared = access.space == ir::Space::kShared;
  const int64_t limit =
      shared ? kernel_.shared[buffer].shape[d] : run_.tensors[buffer].plan->shape[d];
  const int64_t stride =
      shared ? facts_.shared[buffer].strides[d] : run_.tensors[buffer].plan->strides[d];
  const AccessDimension& dimension = access.dimensions[d];
  const int64_t last = limit - dimension.extent;  // highest legal offset, negative if there is none
  const ir::LaneVector& index = warp.registers[dimension.offset];
  if (lanes == kAllLanes && last >= 0 && AllWithin(index, last)) {
    for (size_t at = 0; at < ir::kLanes; ++at) {
      to.offset[at] += static_cast<int64_t>(index.bits[at]) * stride;
    }
    return;
  }
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const auto value = static_cast<int64_t>(index.bits[at]);
    if (value >= 0 && value <= last) {
      to.offset[at] += value * stride;
      continue;
    }
    to.outside |= uint32_t{1} << lane;
    if (access.outside == kNoRegister) {
      run_.findings.OutOfBounds(PlaceOf(warp, lane), access, d, value, limit);
    }
  }
}

void Cta::ResolveStage(Warp& warp, const Access& access, Addresses& to) {
  const auto buffer = static_cast<size_t>(access.buffer);
  const ir::LaneVector& stage = warp.registers[access.stage];
  const int64_t stages = std::max<int64_t>(kernel_.shared[buffer].stages, 1);
  const int64_t distance = facts_.shared[buffer].stage_bytes / ElementBytes(access);
  if (const int64_t of_all = UniformIndex(stage, to.valid); of_all >= 0) {
    const int64_t first = of_all % stages * distance;
    for (int64_t& offset : to.offset) offset += first;
    return;
  }
  for (uint32_t rest = to.valid; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const auto use = static_cast<int64_t>(stage.bits[at]);
    if (use < 0) {
      run_.findings.NegativeStage(PlaceOf(warp, lane), access, use);
      to.outside |= uint32_t{1} << lane;
      continue;
    }
    to.offset[at] += use % stages * distance;
  }
}

Addresses Cta::Resolve(Warp& warp, const Access& access) {
  Addresses to;
  to.offset.fill(0);
  to.valid = warp.mask;
  if (access.stage != kNoRegister) {
    to.valid &= DefinedLanes(warp, access.stage, Use::kAddress);
    ResolveStage(warp, access, to);
  }
  for (size_t d = 0; d < access.dimensions.size(); ++d) {
    to.valid &= DefinedLanes(warp, access.dimensions[d].offset, Use::kAddress);
    ResolveDimension(warp, access, d, to.valid & ~to.outside, to);
  }
  to.outside &= to.valid;
  to.valid &= ~to.outside;
  if (access.contiguous && access.element_offsets.size() > 1) CheckAlignment(warp, access, to);
  return to;
}

void Cta::CheckAlignment(Warp& warp, const Access& access, const Addresses& addresses) {
  const int64_t element = ElementBytes(access);
  const int64_t bytes =
      std::min(element * static_cast<int64_t>(access.element_offsets.size()), kMaxVectorBytes);
  const int64_t base = access.space == ir::Space::kShared
                           ? facts_.shared[static_cast<size_t>(access.buffer)].offset_bytes
                           : 0;  // tensors start at a multiple of every vector width
  if (addresses.valid == kAllLanes && std::has_single_bit(static_cast<uint64_t>(bytes))) {
    uint64_t bits = 0;
    for (const int64_t offset : addresses.offset) bits |= static_cast<uint64_t>(offset);
    bits = bits * static_cast<uint64_t>(element) | static_cast<uint64_t>(base);
    if ((bits & static_cast<uint64_t>(bytes - 1)) == 0) return;
  } else if (std::has_single_bit(static_cast<uint64_t>(bytes))) {
    uint64_t bits = 0;
    for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      bits |= static_cast<uint64_t>(base + addresses.offset[lane] * element);
    }
    if ((bits & static_cast<uint64_t>(bytes - 1)) == 0) return;
  }
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int64_t at = base + addresses.offset[static_cast<size_t>(lane)] * element;
    if (at % bytes == 0) continue;
    run_.findings.Misaligned(PlaceOf(warp, lane), access, at, bytes);
    return;
  }
}

void Cta::LoadValues(Warp& warp, const Access& access, const Addresses& addresses) {
  const std::byte* data = Data(access);
  for (size_t e = 0; e < access.values.size(); ++e) {
    GatherElement(access.dtype, data, addresses.offset, access.element_offsets[e], addresses.valid,
                  warp.registers[access.values[e]]);
  }
}

// The values and where they come from, without the order of accesses.
void Cta::LoadFrom(Warp& warp, const Access& access, const Addresses& addresses) {
  if (!access.opaque) LoadValues(warp, access, addresses);
  for (size_t e = 0; e < access.values.size(); ++e) {
    ir::LaneVector& to = warp.registers[access.values[e]];
    // Lanes without a legal address have been reported, or get the value of `else` next.
    const uint32_t lost = warp.mask & ~addresses.valid;
    to.undefined = (to.undefined & ~warp.mask) | lost;
    if (lost != 0) warp.registers.origin(access.values[e]) = kOriginReported;
  }
  if (run_.options.check_definedness) LoadDefinedness(warp, access, addresses);
}

void Cta::Load(Warp& warp, const Access& access) {
  const Addresses addresses = Resolve(warp, access);
  LoadFrom(warp, access, addresses);
  if (access.outside != kNoRegister) {
    ir::LaneVector& outside = warp.registers[access.outside];
    outside.undefined = 0;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      outside.bits[lane] = addresses.outside >> lane & 1;
    }
  }
  if (run_.options.check_races) CheckRaces(warp, access, addresses, false);
  if (access.ordering.strong) OrderLoads(warp, access, addresses);
  if (run_.options.count) CountBytes(warp, access, addresses, false);
}

void Cta::StoreTo(Warp& warp, const Access& access, const Addresses& addresses) {
  std::byte* data = Data(access);
  const int bits = ir::Info(access.dtype).bits;
  for (size_t e = 0; e < access.values.size() && !access.opaque; ++e) {
    ScatterElement(bits, data, addresses.offset, access.element_offsets[e], addresses.valid,
                   warp.registers[access.values[e]]);
  }
  StoreDefinedness(warp, access, addresses);
  ++run_.memory_version;
  warp.order.acted = true;
}

void Cta::Store(Warp& warp, const Access& access) {
  const Addresses addresses = Resolve(warp, access);
  if (access.ordering.strong) FirstStores(warp, access, addresses);
  StoreTo(warp, access, addresses);
  if (run_.options.check_races) CheckRaces(warp, access, addresses, true);
  if (access.ordering.strong) OrderStores(warp, access, addresses);
  if (run_.options.count) CountBytes(warp, access, addresses, true);
}

void Cta::LoadDefinedness(Warp& warp, const Access& access, const Addresses& addresses) {
  const bool shared = access.space == ir::Space::kShared;
  const auto buffer = static_cast<size_t>(access.buffer);
  if (!shared && run_.tensors[buffer].fully_defined) return;
  const int64_t element = ElementBytes(access);
  const int64_t base = shared ? facts_.shared[buffer].offset_bytes : 0;
  if (access.contiguous && AllDefined(access, addresses)) return;
  for (size_t e = 0; e < access.values.size(); ++e) {
    ir::LaneVector& to = warp.registers[access.values[e]];
    for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const int64_t at = addresses.offset[static_cast<size_t>(lane)] + access.element_offsets[e];
      int32_t origin = 0;
      if (shared) {
        const int64_t first = (base + at * element);
        origin = SharedOrigin(access, first, element);
      } else if ((run_.tensors[buffer].elements[static_cast<size_t>(at)] & kDefined) == 0) {
        origin = kUnwritten;
      }
      if (origin == 0) continue;
      to.undefined |= uint32_t{1} << lane;
      warp.registers.origin(access.values[e]) = origin == kUnwritten ? access.origin : origin;
    }
  }
}

// Whether every byte of a vector is defined, for all lanes.
bool Cta::AllDefined(const Access& access, const Addresses& addresses) const {
  const auto buffer = static_cast<size_t>(access.buffer);
  const size_t count = access.element_offsets.size();
  const auto all = [&](const auto& defined) {
    for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (!defined(addresses.offset[lane] + access.element_offsets[0])) return false;
    }
    return true;
  };
  if (access.space == ir::Space::kGlobal) {
    const uint8_t* const elements = run_.tensors[buffer].elements.data();
    return all([&](int64_t at) {
      return std::all_of(elements + at, elements + at + count,
                         [](uint8_t element) { return (element & kDefined) != 0; });
    });
  }
  const int64_t element = ElementBytes(access);
  const int64_t base = facts_.shared[buffer].offset_bytes;
  const auto bytes = static_cast<int64_t>(count) * element;
  const SharedRegion& region = RegionOf(access);
  if (region.owners.empty() && !region.defined.empty()) {
    return all(
        [&](int64_t at) { return region.defined.All(base - region.begin + at * element, bytes); });
  }
  return all([&](int64_t at) { return SharedOrigin(access, base + at * element, bytes) == 0; });
}

// A vector in shared memory becomes defined, for all lanes.
void Cta::LanesWritten(const Access& access, const Addresses& addresses) {
  const int64_t element = ElementBytes(access);
  SharedRegion& region = RegionOf(access);
  const int64_t base =
      facts_.shared[static_cast<size_t>(access.buffer)].offset_bytes - region.begin;
  const auto bytes = static_cast<int64_t>(access.element_offsets.size()) * element;
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const int64_t at = base + (addresses.offset[lane] + access.element_offsets[0]) * element;
    region.defined.Set(at, bytes, true);
    if (!region.owners.empty()) region.owners.Set(at, bytes, access.buffer);
  }
}

void Cta::StoreDefinedness(Warp& warp, const Access& access, const Addresses& addresses) {
  const bool shared = access.space == ir::Space::kShared;
  const bool check = run_.options.check_definedness;
  if (shared && !check) return;
  const auto buffer = static_cast<size_t>(access.buffer);
  const int64_t element = ElementBytes(access);
  const int64_t base = shared ? facts_.shared[buffer].offset_bytes : 0;
  uint32_t anywhere = 0;
  for (const Register value : access.values) anywhere |= warp.registers[value].undefined;
  if (shared && access.contiguous && (anywhere & addresses.valid) == 0) {
    return LanesWritten(access, addresses);
  }
  if (!shared && (!check || (anywhere & addresses.valid) == 0)) {
    return ElementsWritten(access, addresses, run_.tensors[buffer].elements.data());
  }
  for (size_t e = 0; e < access.values.size(); ++e) {
    const Register source = access.values[e];
    const uint32_t undefined = warp.registers[source].undefined & addresses.valid;
    const int32_t origin = warp.registers.origin(source);
    // A tainted value may travel through shared memory; global memory is where it must not go.
    if (!shared && check && undefined != 0) {
      run_.findings.Undefined(PlaceOf(warp, std::countr_zero(undefined)),
                              code_.origins[static_cast<size_t>(origin)], Use::kGlobalStore,
                              run_.program.tensors[buffer].name);
    }
    uint8_t* const elements = shared ? nullptr : run_.tensors[buffer].elements.data();
    for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const int64_t at = addresses.offset[static_cast<size_t>(lane)] + access.element_offsets[e];
      if (!shared) {
        elements[at] |= kDefined | kWrittenHere;
        continue;
      }
      const int32_t mark = (undefined >> lane & 1) != 0 ? origin : 0;
      const int64_t first = (base + at * element);
      SharedWritten(access, first, element, mark);
    }
  }
}

void Cta::CountBytes(Warp& warp, const Access& access, const Addresses& addresses, bool write) {
  StatementCount& count = run_.result.statements[static_cast<size_t>(warp.stmt)];
  const int64_t bytes = std::popcount(addresses.valid) * ElementBytes(access) *
                        static_cast<int64_t>(access.element_offsets.size());
  if (access.space == ir::Space::kShared) {
    (write ? count.shared_bytes_written : count.shared_bytes_read) += bytes;
  } else {
    (write ? count.global_bytes_written : count.global_bytes_read) += bytes;
  }
}

}  // namespace compiler::machine
