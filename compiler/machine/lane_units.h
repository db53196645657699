// What is known of the bytes of tensor memory, by units (unit_map.h) of each lane. What moves
// through it takes whole groups of lanes, the same bytes of each: of a group that every access
// until now has taken together all lanes know the same, and one of them stands for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/machine/unit_map.h"

namespace compiler::machine {

// The same bytes of neighbouring lanes.
struct TensorRange {
  int64_t lane = 0, lanes = 1;
  int64_t byte = 0, bytes = 0;  // `byte` of each lane
};

template <typename T>
class LaneUnits {
 public:
  bool empty() const { return map_.empty(); }
  void Make(int64_t lanes, int64_t lane_bytes) {
    lane_bytes_ = lane_bytes;
    map_.Make(lanes * lane_bytes, lane_bytes & -lane_bytes);
    apart_.assign(static_cast<size_t>(lanes / kTogether), false);
  }
  void Fill(const T& value) {
    map_.Fill(value);
    apart_.assign(apart_.size(), false);
  }
  const T& At(int64_t lane, int64_t byte) const {
    return map_[Standing(lane) * lane_bytes_ + byte];
  }

  // Parts units until these bytes are whole ones, and calls visit(lane, byte, unit) for each: of a
  // group that is taken together for its first lane only. `copy` gives another unit that knows the
  // same.
  template <typename Copy, typename Visit>
  void ForWhole(const TensorRange& range, const Copy& copy, const Visit& visit) {
    const int64_t end = range.lane + range.lanes;
    for (int64_t lane = range.lane; lane < end;) {
      const int64_t first = lane / kTogether * kTogether;
      const bool whole = lane == first && first + kTogether <= end;
      if (!whole && !Apart(lane)) Part(first, copy);
      const int64_t base = lane * lane_bytes_;
      map_.ForWhole(base + range.byte, range.bytes, copy,
                    [&](int64_t byte, T& unit) { visit(lane, byte - base, unit); });
      lane += Apart(lane) ? 1 : kTogether;
    }
  }
  // Calls visit(unit) for each unit with some of these bytes until one returns false.
  template <typename Visit>
  bool Each(const TensorRange& range, const Visit& visit) const {
    for (int64_t lane = range.lane; lane < range.lane + range.lanes;) {
      const int64_t base = Standing(lane) * lane_bytes_;
      if (!map_.Each(base + range.byte, range.bytes, visit)) return false;
      lane = Apart(lane) ? lane + 1 : (lane / kTogether + 1) * kTogether;
    }
    return true;
  }
  // All of these bytes become `value`.
  void Set(const TensorRange& range, const T& value) {
    ForWhole(
        range, [](const T& unit) { return unit; },
        [&](int64_t, int64_t, T& unit) { unit = value; });
  }

 private:
  // Tiles of 64 rows take 16 lanes of each warp's 32.
  static constexpr int64_t kTogether = 16;

  bool Apart(int64_t lane) const { return apart_[static_cast<size_t>(lane / kTogether)]; }
  int64_t Standing(int64_t lane) const { return Apart(lane) ? lane : lane / kTogether * kTogether; }
  template <typename Copy>
  void Part(int64_t first, const Copy& copy) {
    apart_[static_cast<size_t>(first / kTogether)] = true;
    for (int64_t lane = first + 1; lane < first + kTogether; ++lane) {
      map_.Repeat(first * lane_bytes_, lane * lane_bytes_, lane_bytes_, copy);
    }
  }

  UnitMap<T> map_;
  int64_t lane_bytes_ = 0;
  std::vector<bool> apart_;  // by group: its lanes are told apart
};

}  // namespace compiler::machine
