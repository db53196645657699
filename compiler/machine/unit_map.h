// What is known of the bytes of a memory, by units. Neighbouring bytes that every access until now
// has taken together are one unit, as all that is known of them is the same. Units begin as wide
// blocks, and a block is parted where an access needs it: what a kernel moves by tiles costs as
// much as it has tiles, and what it writes byte by byte is known byte by byte, there and not in
// the blocks around it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace compiler::machine {

template <typename T>
class UnitMap {
 public:
  bool empty() const { return blocks_.empty(); }
  // Of the unit with this byte.
  int64_t unit_bytes(int64_t byte) const {
    return int64_t{1} << blocks_[static_cast<size_t>(byte >> top_)].shift;
  }
  // `widest`: of a block, a power of two.
  void Make(int64_t bytes, int64_t widest) {
    top_ = std::countr_zero(static_cast<uint64_t>(widest));
    const auto count = static_cast<size_t>((bytes + widest - 1) / widest);
    units_.resize(count);
    blocks_.resize(count);
    for (size_t i = 0; i < count; ++i) blocks_[i] = {static_cast<uint32_t>(i), top_};
  }
  void Fill(const T& value) { std::fill(units_.begin(), units_.end(), value); }
  T& operator[](int64_t byte) { return units_[At(byte)]; }
  const T& operator[](int64_t byte) const { return units_[At(byte)]; }

  // Parts units until these bytes are whole ones, and calls visit(byte, unit) for each of them,
  // with the first byte of the unit. `copy` gives another unit that knows the same.
  template <typename Copy, typename Visit>
  void ForWhole(int64_t byte, int64_t count, const Copy& copy, const Visit& visit) {
    const int64_t rest = (int64_t{1} << top_) - 1;
    for (const int64_t end = byte + count; byte < end;) {
      const int64_t stop = std::min(end, (byte | rest) + 1);
      Block& block = blocks_[static_cast<size_t>(byte >> top_)];
      const auto ends = static_cast<uint64_t>((byte | stop) & rest);
      if ((ends & ((uint64_t{1} << block.shift) - 1)) != 0) {
        Part(block, std::countr_zero(ends), copy);
      }
      const int64_t unit_bytes = int64_t{1} << block.shift;
      T* unit = &units_[block.first + static_cast<size_t>((byte & rest) >> block.shift)];
      for (; byte < stop; byte += unit_bytes) visit(byte, *unit++);
    }
  }
  // The units that are just these bytes, where they lie in one block and none has to be parted;
  // else none.
  std::span<T> Whole(int64_t byte, int64_t count) {
    if (((byte ^ (byte + count - 1)) >> top_) != 0) return {};
    const Block& block = blocks_[static_cast<size_t>(byte >> top_)];
    const int64_t rest = (int64_t{1} << top_) - 1;
    if (((byte | count) & ((int64_t{1} << block.shift) - 1)) != 0) return {};
    return {&units_[block.first + static_cast<size_t>((byte & rest) >> block.shift)],
            static_cast<size_t>(count >> block.shift)};
  }
  template <typename Copy>
  void Fit(int64_t byte, int64_t count, const Copy& copy) {
    ForWhole(byte, count, copy, [](int64_t, T&) {});
  }
  // Calls visit(unit) for each unit with some of these bytes until one returns false.
  template <typename Visit>
  bool Each(int64_t byte, int64_t count, const Visit& visit) const {
    const int64_t rest = (int64_t{1} << top_) - 1;
    for (const int64_t end = byte + count; byte < end;) {
      const int64_t last = std::min(end - 1, byte | rest);
      const Block& block = blocks_[static_cast<size_t>(byte >> top_)];
      const T* unit = &units_[block.first];
      const int64_t to = (last & rest) >> block.shift;
      for (int64_t i = (byte & rest) >> block.shift; i <= to; ++i) {
        if (!visit(unit[i])) return false;
      }
      byte = last + 1;
    }
    return true;
  }
  // Calls visit(bytes, unit) for all of them.
  template <typename Visit>
  void ForUnits(const Visit& visit) const {
    for (const Block& block : blocks_) {
      const size_t units = size_t{1} << (top_ - block.shift);
      for (size_t i = 0; i < units; ++i) visit(int64_t{1} << block.shift, units_[block.first + i]);
    }
  }
  // All of these bytes become `value`.
  void Set(int64_t byte, int64_t count, const T& value) {
    ForWhole(
        byte, count, [](const T& unit) { return unit; }, [&](int64_t, T& unit) { unit = value; });
  }
  // Of whole blocks: those from `to` on are parted as those from `from` on, and know the same.
  template <typename Copy>
  void Repeat(int64_t from, int64_t to, int64_t count, const Copy& copy) {
    for (int64_t byte = 0; byte < count; byte += int64_t{1} << top_) {
      const Block source = blocks_[static_cast<size_t>((from + byte) >> top_)];
      Block& target = blocks_[static_cast<size_t>((to + byte) >> top_)];
      if (target.shift != source.shift) {
        const size_t first = Take(source.shift);
        Given(target.shift).push_back(target.first);
        target = {static_cast<uint32_t>(first), source.shift};
      }
      for (size_t i = 0; i < size_t{1} << (top_ - source.shift); ++i) {
        units_[target.first + i] = copy(units_[source.first + i]);
      }
    }
  }

 private:
  struct Block {
    uint32_t first = 0;  // of its units
    int32_t shift = 0;   // of the bytes of each
  };

  size_t At(int64_t byte) const {
    const Block& block = blocks_[static_cast<size_t>(byte >> top_)];
    return block.first + static_cast<size_t>((byte & ((int64_t{1} << top_) - 1)) >> block.shift);
  }
  template <typename Copy>
  void Part(Block& block, int shift, const Copy& copy) {
    const size_t before = block.first, units = size_t{1} << (top_ - block.shift);
    const auto times = size_t{1} << (block.shift - shift);
    const size_t first = Take(shift);
    for (size_t i = 0; i < units; ++i) {
      for (size_t k = 0; k < times; ++k) {
        const T& unit = units_[before + i];
        units_[first + i * times + k] = k == 0 ? unit : copy(unit);
      }
    }
    Given(block.shift).push_back(block.first);
    block = {static_cast<uint32_t>(first), shift};
  }
  // Room for the units of a block.
  size_t Take(int shift) {
    std::vector<uint32_t>& given = Given(shift);
    if (given.empty()) {
      units_.resize(units_.size() + (size_t{1} << (top_ - shift)));
      return units_.size() - (size_t{1} << (top_ - shift));
    }
    const size_t first = given.back();
    given.pop_back();
    return first;
  }
  // Rooms that blocks of such units have left.
  std::vector<uint32_t>& Given(int shift) {
    if (given_.size() <= static_cast<size_t>(shift)) given_.resize(static_cast<size_t>(shift) + 1);
    return given_[static_cast<size_t>(shift)];
  }

  int32_t top_ = 0;
  std::vector<T> units_;
  std::vector<Block> blocks_;
  std::vector<std::vector<uint32_t>> given_;
};

}  // namespace compiler::machine
