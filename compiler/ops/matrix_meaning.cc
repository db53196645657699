#include "compiler/ops/matrix_meaning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/ops/convert.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

using ir::DType;

struct TileSizes {
  size_t m, n, k;
};

float Decode(uint64_t bits, DType dtype) {
  // The hardware reads the high bits of a tf32 operand and ignores the rest.
  if (dtype == DType::kTF32) bits &= 0xffffe000u;
  return Widen(bits, dtype);
}

// `b` is n x k; the inner loop over n needs it k x n.
template <typename T>
std::vector<T> Transposed(const std::vector<T>& b, size_t n, size_t k) {
  std::vector<T> out(b.size());
  for (size_t j = 0; j < n; ++j) {
    for (size_t p = 0; p < k; ++p) out[p * n + j] = b[j * k + p];
  }
  return out;
}

// Row by row, the inner loop over columns: each sum takes its products in the order of k.
template <typename T>
void Multiply(const TileSizes& size, const std::vector<T>& a, const std::vector<T>& b,
              std::vector<T>& d) {
  const std::vector<T> by_k = Transposed(b, size.n, size.k);
  for (size_t i = 0; i < size.m; ++i) {
    T* const row = &d[i * size.n];
    for (size_t p = 0; p < size.k; ++p) {
      const T factor = a[i * size.k + p];
      const T* const other = &by_k[p * size.n];
      for (size_t j = 0; j < size.n; ++j) row[j] += factor * other[j];
    }
  }
}

void MultiplyFloats(const ir::TileArgs& args, const TileSizes& size) {
  std::vector<float> a, b, d(size.m * size.n, 0.0f);
  for (const uint64_t bits : args.a) a.push_back(Decode(bits, args.a_type));
  for (const uint64_t bits : args.b) b.push_back(Decode(bits, args.b_type));
  for (size_t i = 0; args.accumulate && i < d.size(); ++i) d[i] = Decode(args.d[i], args.d_type);
  Multiply(size, a, b, d);
  for (size_t i = 0; i < d.size(); ++i) {
    args.d[i] = args.d_type == DType::kF16
                    ? Narrow(d[i], DType::kF16, Rounding::kNearestEven, false)
                    : std::bit_cast<uint32_t>(Canonical(d[i]));
  }
}

template <typename T>
std::vector<T> SumsOf(const ir::TileArgs& args, const TileSizes& size) {
  const auto widened = [](std::span<const uint64_t> bits) {
    std::vector<T> values;
    for (const uint64_t value : bits) values.push_back(static_cast<T>(value));
    return values;
  };
  std::vector<T> d(size.m * size.n, 0);
  for (size_t i = 0; args.accumulate && i < d.size(); ++i) d[i] = static_cast<T>(args.d[i]);
  Multiply(size, widened(args.a), widened(args.b), d);
  return d;
}

// Unsigned arithmetic wraps. Sums that saturate are exact before they do: a product has 16 bits and
// K is an extent of registers.
void MultiplyIntegers(const ir::TileArgs& args, const TileSizes& size) {
  if (!args.saturate) {
    const std::vector<uint32_t> d = SumsOf<uint32_t>(args, size);
    for (size_t i = 0; i < d.size(); ++i) args.d[i] = Extend(d[i], DType::kI32);
    return;
  }
  using Limits = std::numeric_limits<int32_t>;
  const std::vector<int64_t> d = SumsOf<int64_t>(args, size);
  for (size_t i = 0; i < d.size(); ++i) {
    const int64_t end = std::clamp<int64_t>(d[i], Limits::min(), Limits::max());
    args.d[i] = Extend(static_cast<uint32_t>(end), DType::kI32);
  }
}

}  // namespace

void MultiplyTiles(const ir::TileArgs& args) {
  const TileSizes size{static_cast<size_t>(args.m), static_cast<size_t>(args.n),
                       static_cast<size_t>(args.k)};
  if (args.d_type == DType::kI32) {
    MultiplyIntegers(args, size);
  } else {
    MultiplyFloats(args, size);
  }
}

}  // namespace compiler::ops
