// What is known of the bytes of a memory, by units. Neighbouring bytes that every access until now
// has taken together are one unit, as all that is known of them is the same. Units begin wide and
// are parted where an access needs it: what a kernel moves by tiles costs as much as it has tiles,
// and what it writes byte by byte is known byte by byte.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace compiler::machine {

template <typename T>
class UnitMap {
 public:
  bool empty() const { return units_.empty(); }
  int64_t unit_bytes() const { return int64_t{1} << shift_; }
  // `widest`: of a unit at first, a power of two.
  void Make(int64_t bytes, int64_t widest) {
    shift_ = std::countr_zero(static_cast<uint64_t>(widest));
    units_.resize(static_cast<size_t>((bytes + widest - 1) / widest));
  }
  void Fill(const T& value) { std::fill(units_.begin(), units_.end(), value); }
  T& operator[](int64_t byte) { return units_[static_cast<size_t>(byte >> shift_)]; }
  const T& operator[](int64_t byte) const { return units_[static_cast<size_t>(byte >> shift_)]; }

  // Parts units until these bytes are whole ones. `copy` gives another unit that knows the same.
  template <typename Copy>
  void Fit(int64_t byte, int64_t count, const Copy& copy) {
    const auto ends = static_cast<uint64_t>(byte | count);
    if ((ends & static_cast<uint64_t>(unit_bytes() - 1)) != 0) Part(std::countr_zero(ends), copy);
  }
  // Calls visit(unit) for each unit with some of these bytes until one returns false.
  template <typename Visit>
  bool Each(int64_t byte, int64_t count, const Visit& visit) const {
    const auto last = static_cast<size_t>((byte + count - 1) >> shift_);
    for (auto unit = static_cast<size_t>(byte >> shift_); unit <= last; ++unit) {
      if (!visit(units_[unit])) return false;
    }
    return true;
  }
  // All of these bytes become `value`.
  void Set(int64_t byte, int64_t count, const T& value) {
    Fit(byte, count, [](const T& unit) { return unit; });
    std::fill_n(units_.begin() + (byte >> shift_), count >> shift_, value);
  }

 private:
  template <typename Copy>
  void Part(int shift, const Copy& copy) {
    const auto times = size_t{1} << (shift_ - shift);
    shift_ = shift;
    std::vector<T> parted;
    parted.reserve(units_.size() * times);
    for (const T& unit : units_) {
      for (size_t i = 0; i < times; ++i) parted.push_back(i == 0 ? unit : copy(unit));
    }
    units_ = std::move(parted);
  }

  int shift_ = 0;
  std::vector<T> units_;
};

}  // namespace compiler::machine
