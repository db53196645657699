#include "verifier/linear.h"

#include <algorithm>

namespace verifier {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr __int128 kLargest = __int128{1} << 62;

std::optional<int64_t> Fit(__int128 value) {
  if (value > kLargest || value < -kLargest) return std::nullopt;
  return static_cast<int64_t>(value);
}

// Towards "no bound", which is always sound.
int64_t Clamp(__int128 value) {
  if (value >= kMax) return kMax;
  if (value <= kMin) return kMin;
  return static_cast<int64_t>(value);
}

int64_t AddBound(int64_t a, int64_t b, int64_t none) {
  if (a == none || b == none) return none;
  return Clamp(static_cast<__int128>(a) + b);
}

}  // namespace

std::optional<Linear> Combine(const Linear& a, int64_t scale_a, const Linear& b, int64_t scale_b) {
  Linear out;
  const std::optional<int64_t> constant = Fit(static_cast<__int128>(a.constant) * scale_a +
                                              static_cast<__int128>(b.constant) * scale_b);
  if (!constant) return std::nullopt;
  out.constant = *constant;
  out.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    const bool take_a =
        j == b.terms.size() || (i < a.terms.size() && a.terms[i].atom <= b.terms[j].atom);
    const bool take_b =
        i == a.terms.size() || (j < b.terms.size() && b.terms[j].atom <= a.terms[i].atom);
    const AtomId atom = take_a ? a.terms[i].atom : b.terms[j].atom;
    __int128 sum = 0;
    if (take_a) sum += static_cast<__int128>(a.terms[i++].coefficient) * scale_a;
    if (take_b) sum += static_cast<__int128>(b.terms[j++].coefficient) * scale_b;
    const std::optional<int64_t> coefficient = Fit(sum);
    if (!coefficient) return std::nullopt;
    if (*coefficient != 0) out.terms.push_back({atom, *coefficient});
  }
  return out;
}

std::optional<Linear> Plus(const Linear& a, const Linear& b) { return Combine(a, 1, b, 1); }
std::optional<Linear> Minus(const Linear& a, const Linear& b) { return Combine(a, 1, b, -1); }
std::optional<Linear> Times(const Linear& a, int64_t scale) { return Combine(a, scale, {}, 0); }

Linear Shift(Linear a, int64_t constant) {
  a.constant = Clamp(static_cast<__int128>(a.constant) + constant);
  return a;
}

Interval Add(const Interval& a, const Interval& b) {
  return {AddBound(a.low, b.low, kMin), AddBound(a.high, b.high, kMax)};
}

Interval Scale(const Interval& a, int64_t scale) {
  if (scale == 0) return {0, 0};
  const auto bound = [scale](int64_t value, bool missing, int64_t none) {
    return missing ? none : Clamp(static_cast<__int128>(value) * scale);
  };
  if (scale > 0) return {bound(a.low, !a.has_low(), kMin), bound(a.high, !a.has_high(), kMax)};
  return {bound(a.high, !a.has_high(), kMin), bound(a.low, !a.has_low(), kMax)};
}

Interval Multiply(const Interval& a, const Interval& b) {
  if (a.has_low() && b.has_low() && a.low >= 0 && b.low >= 0) {
    const bool bounded = a.has_high() && b.has_high();
    return {Clamp(static_cast<__int128>(a.low) * b.low),
            bounded ? Clamp(static_cast<__int128>(a.high) * b.high) : kMax};
  }
  if (!a.has_low() || !a.has_high() || !b.has_low() || !b.has_high()) return {};
  const __int128 corners[] = {
      static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high,
      static_cast<__int128>(a.high) * b.low, static_cast<__int128>(a.high) * b.high};
  return {Clamp(*std::min_element(std::begin(corners), std::end(corners))),
          Clamp(*std::max_element(std::begin(corners), std::end(corners)))};
}

Interval Hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval Meet(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

}  // namespace verifier
