#include "compiler/ir/algebra.h"

#include <algorithm>

namespace compiler::ir {
namespace {

using Wide = __int128;

std::optional<Range> Fitting(Wide low, Wide high) {
  constexpr Wide kLimit = Wide{1} << 62;
  if (low < -kLimit || high > kLimit) return std::nullopt;
  return Range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<Range> Product(Range a, Range b) {
  const Wide corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                          Wide{a.high} * b.high};
  return Fitting(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

// Of a dividend >= 0 and a divisor > 0.
std::optional<Range> Division(Algebra operation, Range a, Range b) {
  if (a.low < 0 || b.low <= 0) return std::nullopt;
  switch (operation) {
    case Algebra::kDivide: return Range{a.low / b.high, a.high / b.low};
    case Algebra::kCeilDivide:
      return Fitting(a.low > 0 ? 1 : 0, (Wide{a.high} + b.low - 1) / b.low);
    case Algebra::kModulo: return Range{0, std::min(a.high, b.high - 1)};
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Range> RangeOf(Algebra operation, Range a, Range b) {
  switch (operation) {
    case Algebra::kAdd: return Fitting(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Algebra::kSubtract: return Fitting(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Algebra::kMultiply: return Product(a, b);
    case Algebra::kMin: return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    case Algebra::kMax: return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    default: return Division(operation, a, b);
  }
}

}  // namespace compiler::ir
