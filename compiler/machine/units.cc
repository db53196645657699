#include "compiler/machine/units.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "compiler/facts/copies.h"

namespace compiler::machine {
namespace {

constexpr int64_t kAlignedVector = 32;

int64_t PowerOfTwoIn(int64_t bytes) { return bytes & -bytes; }

// What divides the first byte, the length and the distances of the pieces of every execution.
class Divisor {
 public:
  explicit Divisor(int64_t element) : element_(element) {}
  void Elements(int64_t count) { common_ = std::gcd(common_, std::abs(count) * element_); }
  void Bytes(int64_t bytes) { common_ = std::gcd(common_, bytes); }
  int64_t Unit() const { return PowerOfTwoIn(common_); }

 private:
  int64_t element_, common_ = kWidestUnit;
};

int64_t ElementBytes(const Access& access) { return std::max(ir::Info(access.dtype).bits / 8, 1); }

const std::vector<int64_t>& StridesOf(const Access& access, const Layouts& layouts) {
  const auto buffer = static_cast<size_t>(access.buffer);
  return access.space == ir::Space::kShared ? layouts.shared[buffer] : layouts.tensors[buffer];
}

// Vector accesses begin at a multiple of their width (Cta::CheckAlignment).
int64_t VectorUnit(const Access& access) {
  Divisor divisor(ElementBytes(access));
  const auto count = static_cast<int64_t>(access.element_offsets.size());
  const bool vector = access.contiguous && count > 1 && !access.ordering.strong;
  divisor.Elements(vector ? count : 1);
  divisor.Bytes(kAlignedVector);
  return divisor.Unit();
}

// Boxes begin at a multiple of 16 bytes (Cta::CopyAligned), but for those of a tensor map, which
// begin anywhere in their tensor.
int64_t BoxUnit(const Access& access, bool anywhere, const Layouts& layouts) {
  Divisor divisor(ElementBytes(access));
  if (anywhere || access.dimensions.empty()) {
    divisor.Elements(1);
    return divisor.Unit();
  }
  const std::vector<int64_t>& strides = StridesOf(access, layouts);
  const size_t last = access.dimensions.size() - 1;
  divisor.Elements(strides[last] == 1 ? access.dimensions[last].extent : 1);
  for (size_t d = 0; d < last; ++d) {
    if (access.dimensions[d].extent > 1) divisor.Elements(strides[d]);
  }
  return divisor.Unit();
}

class Narrower {
 public:
  Narrower(const Layouts& layouts, Units& units) : layouts_(layouts), units_(units) {}

  void Role(const RoleCode& role) {
    for (const Access& access : role.accesses) {
      if (!access.element_offsets.empty()) Narrow(access, VectorUnit(access));
    }
    for (const Copy& copy : role.copies) {
      for (const int32_t side : {copy.to, copy.from}) {
        const Access& access = role.accesses[static_cast<size_t>(side)];
        if (!access.element_offsets.empty()) continue;
        const bool global = access.space == ir::Space::kGlobal;
        Narrow(access, BoxUnit(access, global && facts::IsTensorCopy(copy.effect), layouts_));
      }
    }
    for (const MatrixCopy& copy : role.matrix_copies) {
      Divisor divisor(ElementBytes(copy.tile));
      divisor.Elements(static_cast<int64_t>(copy.tile.element_offsets.size()));
      divisor.Elements(copy.warp_distance);
      for (const MatrixCopy::Group& group : copy.groups) {
        for (const int64_t offset : group.offset) divisor.Elements(offset);
      }
      Narrow(copy.tile, divisor.Unit());
    }
  }

 private:
  void Narrow(const Access& access, int64_t unit) {
    const bool shared = access.space == ir::Space::kShared;
    int64_t& known = (shared ? units_.shared : units_.tensors)[static_cast<size_t>(access.buffer)];
    known = std::min(known, unit);
  }

  const Layouts& layouts_;
  Units& units_;
};

}  // namespace

void NarrowUnits(const KernelCode& code, const Layouts& layouts, Units& units) {
  units.tensors.resize(layouts.tensors.size(), kWidestUnit);
  units.shared.assign(layouts.shared.size(), kWidestUnit);
  Narrower narrower(layouts, units);
  for (const RoleCode& role : code.roles) narrower.Role(role);
}

void UniteOverlaps(const facts::KernelFacts& facts, std::vector<int64_t>& shared) {
  for (size_t i = 0; i < shared.size(); ++i) {
    const facts::SharedPlacement& place = facts.shared[i];
    shared[i] = std::min(shared[i], PowerOfTwoIn(place.offset_bytes | kWidestUnit));
  }
  // An overlap of overlaps is one too: as many rounds as it takes.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < shared.size(); ++i) {
      for (size_t k = 0; k < shared.size(); ++k) {
        const facts::SharedPlacement &a = facts.shared[i], &b = facts.shared[k];
        const bool apart = a.offset_bytes + a.total_bytes <= b.offset_bytes ||
                           b.offset_bytes + b.total_bytes <= a.offset_bytes;
        if (apart || shared[i] <= shared[k]) continue;
        shared[i] = shared[k];
        changed = true;
      }
    }
  }
}

}  // namespace compiler::machine
