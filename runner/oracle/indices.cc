#include "runner/oracle/indices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runner/oracle/philox.h"
#include "runner/reference/numbers.h"
#include "runner/reference/reference.h"

namespace runner::oracle {
namespace {

constexpr int kRounds = 6;
constexpr uint64_t kRoundStep = 0x9E3779B97F4A7C15ull;  // a key of its own for each round

double Unit(uint64_t word) { return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53; }

// Ascending from 0 to range; about `empty` of the steps are 0.
std::vector<int64_t> Offsets(int64_t count, int64_t range, double empty, uint64_t key) {
  std::vector<double> sums(static_cast<size_t>(count));
  for (int64_t i = 1; i < count; ++i) {
    const auto word = static_cast<uint64_t>(i) * 2;
    const bool none = Unit(PhiloxWord(key, word)) < empty;
    sums[static_cast<size_t>(i)] =
        sums[static_cast<size_t>(i) - 1] + (none ? 0 : -std::log(Unit(PhiloxWord(key, word + 1))));
  }
  std::vector<int64_t> out(sums.size());
  const double total = sums.empty() || sums.back() == 0 ? 1 : sums.back();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = std::llround(sums[i] / total * static_cast<double>(range));
  }
  if (!out.empty()) out.back() = range;
  return out;
}

int64_t IndexAt(const contract::Generator& generator, int64_t range, uint64_t key, int64_t i) {
  const uint64_t word = PhiloxWord(key, static_cast<uint64_t>(i));
  if (generator.dist == contract::Dist::kBelow) {
    return static_cast<int64_t>(word % static_cast<uint64_t>(range));
  }
  if (Unit(word) < generator.first) return -1;
  return Permuted(i, range, key);
}

}  // namespace

// A Feistel network over the next even power of two is a permutation of it; walking along its cycle
// until a value is below `range` makes it one of the range.
int64_t Permuted(int64_t index, int64_t range, uint64_t key) {
  const int half = (std::bit_width(static_cast<uint64_t>(std::max<int64_t>(range - 1, 1))) + 1) / 2;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  auto value = static_cast<uint64_t>(index);
  do {
    uint64_t left = value >> half, right = value & mask;
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t mixed = PhiloxWord(key + static_cast<uint64_t>(round) * kRoundStep, right);
      const uint64_t next = left ^ (mixed & mask);
      left = right, right = next;
    }
    value = left << half | right;
  } while (value >= static_cast<uint64_t>(range));
  return static_cast<int64_t>(value);
}

absl::Status FillIndices(const contract::CaseTensor& tensor, const contract::Generator& generator,
                         int64_t range, uint64_t key, std::span<std::byte> memory) {
  const bool offsets = generator.dist == contract::Dist::kOffsets;
  const bool distinct = generator.dist == contract::Dist::kDistinct;
  if (range < 0 ||
      (!offsets && range < (distinct ? tensor.elements : std::min<int64_t>(tensor.elements, 1)))) {
    return absl::InvalidArgumentError(absl::StrCat("index contents of `", tensor.tensor->name,
                                                   "`: ", tensor.elements, " elements, range ",
                                                   range));
  }
  const auto ascending =
      offsets ? Offsets(tensor.elements, range, generator.first, key) : std::vector<int64_t>();
  const auto dtype = tensor.tensor->dtype;
  for (int64_t i = 0; i < tensor.elements; ++i) {
    const int64_t value =
        offsets ? ascending[static_cast<size_t>(i)] : IndexAt(generator, range, key, i);
    reference::StoreElement(
        dtype, static_cast<double>(value),
        memory.data() + reference::OffsetOf(tensor, i) * reference::ElementBytes(dtype));
  }
  return absl::OkStatus();
}

}  // namespace runner::oracle
