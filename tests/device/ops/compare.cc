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

bool IsOutside(double operand, const compiler::ir::ApproxDomain& domain) {
  return std::isfinite(operand) && (operand < domain.low || operand > domain.high);
}

// How far apart two numbers of a type are, in representable numbers and in value; infinite where
// one is a NaN or the type has no distance.
struct Gap {
  bool equal = false;  // bit by bit, or both are NaNs
  double ulp = std::numeric_limits<double>::infinity(), absolute = ulp;
};

Gap GapOf(DType dtype, const std::byte* left, const std::byte* right) {
  const int64_t bytes = runner::reference::ElementBytes(dtype);
  const int64_t a = RawBits(left, bytes), b = RawBits(right, bytes);
  if (a == b) return {true, 0, 0};
  if (!compiler::ir::Info(dtype).is_float) return {};
  const double x = runner::reference::LoadElement(dtype, left);
  const double y = runner::reference::LoadElement(dtype, right);
  if (std::isnan(x) && std::isnan(y)) return {true, 0, 0};
  if (std::isnan(x) || std::isnan(y)) return {};
  const auto between = static_cast<double>(Ordered(a, 8 * bytes) - Ordered(b, 8 * bytes));
  return {false, std::abs(between), std::abs(x - y)};
}

}  // namespace

void Compare(DType packed, std::span<const std::byte> want, std::span<const std::byte> got,
             std::span<const std::byte> operands, const Bound& bound, Distance& out) {
  const DType dtype = ScalarOf(packed);
  const int64_t bytes = runner::reference::ElementBytes(dtype);
  const auto count = static_cast<int64_t>(std::min(want.size(), got.size())) / bytes;
  const auto known = static_cast<int64_t>(operands.size()) / bytes;
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* right = got.data() + i * bytes;
    ++out.elements;
    bool good = false;
    if (i < known && IsOutside(runner::reference::LoadElement(dtype, operands.data() + i * bytes),
                               bound.domain)) {
      const double y = runner::reference::LoadElement(dtype, right);
      good = y >= bound.domain.least && y <= bound.domain.most;
    } else {
      const Gap gap = GapOf(dtype, want.data() + i * bytes, right);
      out.max_ulp = std::max(out.max_ulp, gap.ulp);
      good = gap.equal || (bound.ulp > 0 && gap.ulp <= bound.ulp) ||
             (bound.absolute > 0 && gap.absolute <= bound.absolute);
    }
    if (!good && out.outside++ == 0) out.first_outside = i;
  }
}

}  // namespace device::ops
