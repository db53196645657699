#include "tests/device/ops/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runner/reference/numbers.h"

namespace device::ops {
namespace {

using compiler::ir::DType;

// The scalar that a packed type holds several of; itself otherwise.
DType ScalarOf(DType dtype) {
  switch (dtype) {
    case DType::kF16x2: return DType::kF16;
    case DType::kBF16x2: return DType::kBF16;
    case DType::kF32x2: return DType::kF32;
    default: return dtype;
  }
}

int64_t RawBits(const std::byte* at, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes));
  return static_cast<int64_t>(bits);
}

// Floats as integers whose difference counts the representable numbers in between; both zeros are
// the same number.
int64_t Ordered(int64_t bits, int64_t width) {
  const int64_t sign = int64_t{1} << (width - 1);
  return (bits & sign) != 0 ? -(bits & (sign - 1)) : bits;
}

}  // namespace

void Compare(DType packed, std::span<const std::byte> want, std::span<const std::byte> got,
             const Bound& bound, Distance& out) {
  const DType dtype = ScalarOf(packed);
  const int64_t bytes = runner::reference::ElementBytes(dtype);
  const bool is_float = compiler::ir::Info(dtype).is_float;
  const auto count = static_cast<int64_t>(std::min(want.size(), got.size())) / bytes;
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* left = want.data() + i * bytes;
    const std::byte* right = got.data() + i * bytes;
    ++out.elements;
    const int64_t a = RawBits(left, bytes), b = RawBits(right, bytes);
    if (a == b) continue;
    double ulp = std::numeric_limits<double>::infinity(), absolute = ulp;
    if (is_float) {
      const double x = runner::reference::LoadElement(dtype, left);
      const double y = runner::reference::LoadElement(dtype, right);
      if (std::isnan(x) && std::isnan(y)) continue;
      if (!std::isnan(x) && !std::isnan(y)) {
        ulp = std::abs(static_cast<double>(Ordered(a, 8 * bytes) - Ordered(b, 8 * bytes)));
        absolute = std::abs(x - y);
      }
    }
    out.max_ulp = std::max(out.max_ulp, ulp);
    const bool inside = is_float && ((bound.ulp > 0 && ulp <= bound.ulp) ||
                                     (bound.absolute > 0 && absolute <= bound.absolute));
    if (inside) continue;
    if (out.outside++ == 0) out.first_outside = i;
  }
}

}  // namespace device::ops
