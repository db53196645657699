// Bytes of shared memory that several buffers have: what the alternatives of an `either` hold.
// Accesses that nothing orders are races of the bytes, like any others; this finds the ordered ones
// that read what another alternative left.
#include "compiler/facts/overlay.h"

#include <algorithm>
#include <numeric>

#include "compiler/machine/cta.h"

namespace compiler::machine {

namespace {

constexpr int32_t kUnwritten = -1;
constexpr int32_t kNobody = -1;
constexpr int64_t kWidestUnitBytes = 1024;

}  // namespace

void Cta::MakeRegions() {
  const auto place = [&](size_t buffer) -> const facts::SharedPlacement& {
    return facts_.shared[buffer];
  };
  std::vector<size_t> order(kernel_.shared.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return place(a).offset_bytes < place(b).offset_bytes;
  });
  region_of_.resize(order.size());
  const bool kept = !regions_.empty();  // those of a CTA of an earlier run
  size_t count = 0;
  int64_t end = 0;  // of the last region
  for (const size_t buffer : order) {
    const int64_t begin = place(buffer).offset_bytes, bytes = place(buffer).total_bytes;
    if (count == 0 || end <= begin) {
      if (!kept) regions_.push_back({.begin = begin});
      end = begin;
      ++count;
    }
    end = std::max(end, begin + bytes);
    regions_[count - 1].bytes = end - regions_[count - 1].begin;
    region_of_[buffer] = count - 1;
  }
  if (kept) return;
  const bool overlaid =
      std::any_of(kernel_.shared.begin(), kernel_.shared.end(),
                  [](const ir::SharedBuffer& buffer) { return !buffer.alternatives.empty(); });
  for (SharedRegion& region : regions_) {
    if (run_.options.check_races) region.cells.Make(region.bytes, kWidestUnitBytes);
    // What engines and other CTAs access is not deferred.
    const bool others = kernel_.cluster > 1 || agents_.has_engines();
    if (run_.options.check_races && !others) region.deferred.Make(region.bytes, agents_.count());
    if (!run_.options.check_definedness) continue;
    region.defined.Make(region.bytes);
    region.origins.Make(region.bytes, kWidestUnitBytes);
    if (overlaid) region.owners.Make(region.bytes, kWidestUnitBytes);
  }
}

void Cta::RestartRegions() {
  for (SharedRegion& region : regions_) {
    if (run_.options.cuts != nullptr) region.deferred.Stop();  // they compare cells
    region.deferred.Restart(static_cast<AgentId>(space_.first));
    region.defined.Clear();
    region.origins.Fill(kUnwritten);
    region.owners.Fill(kNobody);
  }
}

// Whether bytes that were last written for `owner` are those of another alternative.
bool Cta::OtherAlternative(const Access& access, int32_t owner) const {
  if (owner < 0 || owner == access.buffer) return false;
  const ir::SharedBuffer& written = kernel_.shared[static_cast<size_t>(owner)];
  const ir::SharedBuffer& read = kernel_.shared[static_cast<size_t>(access.buffer)];
  if (!facts::Exclusive(written, read)) return false;
  run_.findings.OtherAlternative(access.view, written.name, written.declared);
  return true;
}

// Where undefined bytes among these come from; 0: the access may use them all. What the access says
// of itself stands for bytes that were never written, or were written for another alternative.
int32_t Cta::SharedOrigin(const Access& access, int64_t byte, int64_t bytes) const {
  const SharedRegion& region = RegionOf(access);
  const int64_t first = byte - region.begin;
  if (!region.owners.empty() && !region.owners.Each(first, bytes, [&](int32_t owner) {
        return owner == access.buffer || !OtherAlternative(access, owner);
      })) {
    return access.origin;
  }
  if (region.defined.empty() || region.defined.All(first, bytes)) return 0;
  int32_t found = 0;
  for (int64_t at = first; at < first + bytes && found == 0; ++at) {
    if (!region.defined.All(at, 1)) found = region.origins[at];
  }
  return found < 0 ? access.origin : found;
}

void Cta::SharedWritten(const Access& access, int64_t byte, int64_t bytes, int32_t origin) {
  SharedRegion& region = RegionOf(access);
  region.defined.Set(byte - region.begin, bytes, origin == 0);
  if (origin != 0) region.origins.Set(byte - region.begin, bytes, origin);
  if (!region.owners.empty()) region.owners.Set(byte - region.begin, bytes, access.buffer);
}

}  // namespace compiler::machine
