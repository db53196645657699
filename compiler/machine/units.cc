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
  }

 private:
  void Narrow(const Access& access, int64_t unit) {
    if (access.space != ir::Space::kGlobal) return;
    int64_t& known = units_[static_cast<size_t>(access.buffer)];
    known = std::min(known, unit);
  }

  const Layouts& layouts_;
  Units& units_;
};

}  // namespace

void NarrowUnits(const KernelCode& code, const Layouts& layouts, Units& units) {
  units.resize(layouts.tensors.size(), kWidestUnit);
  Narrower narrower(layouts, units);
  for (const RoleCode& role : code.roles) narrower.Role(role);
}

}  // namespace compiler::machine
