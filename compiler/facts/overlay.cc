#include "compiler/facts/overlay.h"

#include <algorithm>

namespace compiler::facts {
namespace {

// Sizes come from untrusted text: sums and products stop at this many bytes, far above every limit.
constexpr int64_t kSaturatedBytes = int64_t{1} << 50;

int64_t Times(int64_t count, int64_t bytes) {
  int64_t product = 0;
  if (__builtin_mul_overflow(count, bytes, &product)) return kSaturatedBytes;
  return std::min(product, kSaturatedBytes);
}

class Overlay {
 public:
  Overlay(const std::vector<ir::SharedBuffer>& buffers, const LayoutOne& layout)
      : buffers_(buffers), layout_(layout), places_(buffers.size()) {}

  int64_t All() { return Place(0, buffers_.size(), 0, 0, /*in_slot=*/false); }
  std::vector<SharedPlacement> Take() { return std::move(places_); }

 private:
  // Places [first, last), whose outer `depth` alternatives are decided, from byte `begin` on;
  // returns the end. In a slot a buffer is one stage of itself.
  int64_t Place(size_t first, size_t last, size_t depth, int64_t begin, bool in_slot) {
    int64_t at = begin;
    while (first < last) {
      const size_t group = in_slot ? first + 1 : GroupEnd(first, last);
      if (!in_slot && MixedAt(first, group, depth)) {
        at = PlaceSlots(first, group, depth, at);
        first = group;
      } else if (buffers_[first].alternatives.size() > depth) {
        const size_t end = EitherEnd(first, last, depth);
        at = PlaceEither(first, end, depth, at, in_slot);
        first = end;
      } else {
        at = PlaceOne(first++, at, in_slot);
      }
    }
    return at;
  }

  int64_t PlaceOne(size_t i, int64_t begin, bool in_slot) {
    places_[i] = layout_(i, in_slot ? 1 : buffers_[i].stages, begin);
    return std::min(places_[i].offset_bytes + places_[i].total_bytes, kSaturatedBytes);
  }

  // All branches begin at the same byte.
  int64_t PlaceEither(size_t first, size_t last, size_t depth, int64_t begin, bool in_slot) {
    int64_t end = begin;
    while (first < last) {
      size_t next = first;
      const int32_t branch = buffers_[first].alternatives[depth].branch;
      while (next < last && buffers_[next].alternatives[depth].branch == branch) ++next;
      end = std::max(end, Place(first, next, depth + 1, begin, in_slot));
      first = next;
    }
    return end;
  }

  // One slot after the other, each with every field of the group.
  int64_t PlaceSlots(size_t first, size_t last, size_t depth, int64_t begin) {
    int64_t alignment = 1;
    for (size_t i = first; i < last; ++i) {
      alignment = std::max(alignment, layout_(i, 1, 1).offset_bytes);
    }
    const int64_t start = (begin + alignment - 1) / alignment * alignment;
    const int64_t slot = Place(first, last, depth, start, /*in_slot=*/true) - start;
    const int64_t distance = (slot + alignment - 1) / alignment * alignment;
    int64_t end = start;
    for (size_t i = first; i < last; ++i) {
      SharedPlacement& place = places_[i];
      const int64_t stages = buffers_[i].stages;
      if (stages > 1) place.stage_bytes = distance;
      place.total_bytes += Times(stages - 1, distance);
      end = std::max(end, start + Times(stages - 1, distance) + slot);
    }
    return std::min(end, kSaturatedBytes);
  }

  size_t GroupEnd(size_t first, size_t last) const {
    size_t end = first + 1;
    while (end < last && buffers_[first].group >= 0 &&
           buffers_[end].group == buffers_[first].group) {
      ++end;
    }
    return end;
  }

  // Whether the fields of a group stand in different branches from `depth` on.
  bool MixedAt(size_t first, size_t last, size_t depth) const {
    for (size_t i = first + 1; i < last; ++i) {
      const auto& a = buffers_[first].alternatives;
      const auto& b = buffers_[i].alternatives;
      if (a.size() != b.size()) return true;
      for (size_t d = depth; d < a.size(); ++d) {
        if (a[d].either != b[d].either || a[d].branch != b[d].branch) return true;
      }
    }
    return false;
  }

  size_t EitherEnd(size_t first, size_t last, size_t depth) const {
    size_t end = first;
    const int32_t either = buffers_[first].alternatives[depth].either;
    while (end < last && buffers_[end].alternatives.size() > depth &&
           buffers_[end].alternatives[depth].either == either) {
      ++end;
    }
    return end;
  }

  const std::vector<ir::SharedBuffer>& buffers_;
  const LayoutOne& layout_;
  std::vector<SharedPlacement> places_;
};

}  // namespace

std::vector<SharedPlacement> PlaceOverlaid(const std::vector<ir::SharedBuffer>& buffers,
                                           const LayoutOne& layout, int64_t* end) {
  Overlay overlay(buffers, layout);
  *end = overlay.All();
  return overlay.Take();
}

bool Exclusive(const std::vector<ir::Alternative>& a, const std::vector<ir::Alternative>& b) {
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    if (a[d].either != b[d].either) return false;
    if (a[d].branch != b[d].branch) return true;
  }
  return false;
}

}  // namespace compiler::facts
