// Bytes of shared memory that several buffers have: what the alternatives of an `either` hold.
// Accesses that nothing orders are races of the bytes, like any others; this finds the ordered ones
// that read what another alternative left.
#include "compiler/facts/overlay.h"

#include <algorithm>

#include "compiler/machine/cta.h"

namespace compiler::machine {

void Cta::MakeOwners(size_t granules) {
  if (!run_.options.check_definedness) return;
  const bool overlaid =
      std::any_of(kernel_.shared.begin(), kernel_.shared.end(),
                  [](const ir::SharedBuffer& buffer) { return !buffer.alternatives.empty(); });
  if (overlaid) shared_owner_.resize(granules);
}

// Where undefined bytes among these come from; 0: the access may use them all. What the access says
// of itself stands for bytes that were never written, or were written for another alternative.
int32_t Cta::SharedOrigin(const Access& access, int64_t first, int64_t granules) const {
  const auto begin = static_cast<size_t>(first), end = begin + static_cast<size_t>(granules);
  const auto buffer = static_cast<size_t>(access.buffer);
  const std::vector<int32_t>& owners = memory_->shared_owner_;
  const std::vector<int32_t>& origins = memory_->shared_origin_;
  for (size_t g = begin; g < end && !owners.empty(); ++g) {
    const int32_t owner = owners[g];
    if (owner < 0 || owner == access.buffer) continue;
    const ir::SharedBuffer& written = kernel_.shared[static_cast<size_t>(owner)];
    if (!facts::Exclusive(written, kernel_.shared[buffer])) continue;
    run_.findings.OtherAlternative(access.view, written.name, written.declared);
    return access.origin;
  }
  for (size_t g = begin; g < end; ++g) {
    if (origins[g] != 0) return origins[g] < 0 ? access.origin : origins[g];
  }
  return 0;
}

void Cta::SharedWritten(const Access& access, int64_t first, int64_t granules, int32_t origin) {
  std::fill_n(memory_->shared_origin_.begin() + first, granules, origin);
  std::vector<int32_t>& owners = memory_->shared_owner_;
  if (owners.empty()) return;
  std::fill_n(owners.begin() + first, granules, static_cast<int32_t>(access.buffer));
}

}  // namespace compiler::machine
