#include "compiler/ops/matrix_meaning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
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

// Calls use(decode), which says what bits of the type are, without asking for the type each time.
template <typename Use>
auto WithDecoder(DType dtype, const Use& use) {
  constexpr int kBelowBf16 = 16;
  switch (dtype) {
    case DType::kBF16:
      return use([](uint64_t bits) {
        return std::bit_cast<float>(static_cast<uint32_t>(bits) << kBelowBf16);
      });
    case DType::kF32:
      return use([](uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); });
    default: return use([dtype](uint64_t bits) { return Decode(bits, dtype); });
  }
}

// `b` is n x k; the inner loop over n needs it k x n. Of so many columns at once that what is
// written of each stays at hand.
template <typename T, typename Decode>
std::vector<T> Transposed(std::span<const uint64_t> b, const TileSizes& size,
                          const Decode& decode) {
  constexpr size_t kAtOnce = 16;
  std::vector<T> out(b.size());
  for (size_t first = 0; first < size.k; first += kAtOnce) {
    const size_t end = std::min(first + kAtOnce, size.k);
    for (size_t j = 0; j < size.n; ++j) {
      for (size_t p = first; p < end; ++p) out[p * size.n + j] = decode(b[j * size.k + p]);
    }
  }
  return out;
}

template <typename T>
struct Operands {
  std::vector<T> a, b;  // m x k, k x n
};

// Row by row, neighbouring columns side by side: each sum takes its products in the order of k.
template <typename T>
[[gnu::always_inline]] inline void MultiplyAll(const TileSizes& size, const Operands<T>& in,
                                               std::vector<T>& d) {
  constexpr size_t kVectorBytes = 32;
  using Vector [[gnu::vector_size(kVectorBytes)]] = T;
  constexpr size_t kWidth = kVectorBytes / sizeof(T);
  constexpr size_t kVectors = 4;
  for (size_t i = 0; i < size.m; ++i) {
    const T* const factors = &in.a[i * size.k];
    T* const row = &d[i * size.n];
    size_t j = 0;
    for (; j + kVectors * kWidth <= size.n; j += kVectors * kWidth) {
      Vector s0, s1, s2, s3;
      std::memcpy(&s0, row + j, kVectorBytes);
      std::memcpy(&s1, row + j + kWidth, kVectorBytes);
      std::memcpy(&s2, row + j + 2 * kWidth, kVectorBytes);
      std::memcpy(&s3, row + j + 3 * kWidth, kVectorBytes);
      for (size_t p = 0; p < size.k; ++p) {
        const T* const from = &in.b[p * size.n + j];
        Vector b0, b1, b2, b3;
        std::memcpy(&b0, from, kVectorBytes);
        std::memcpy(&b1, from + kWidth, kVectorBytes);
        std::memcpy(&b2, from + 2 * kWidth, kVectorBytes);
        std::memcpy(&b3, from + 3 * kWidth, kVectorBytes);
        s0 += factors[p] * b0;
        s1 += factors[p] * b1;
        s2 += factors[p] * b2;
        s3 += factors[p] * b3;
      }
      std::memcpy(row + j, &s0, kVectorBytes);
      std::memcpy(row + j + kWidth, &s1, kVectorBytes);
      std::memcpy(row + j + 2 * kWidth, &s2, kVectorBytes);
      std::memcpy(row + j + 3 * kWidth, &s3, kVectorBytes);
    }
    for (; j + kWidth <= size.n; j += kWidth) {
      Vector sum, b;
      std::memcpy(&sum, row + j, kVectorBytes);
      for (size_t p = 0; p < size.k; ++p) {
        std::memcpy(&b, &in.b[p * size.n + j], kVectorBytes);
        sum += factors[p] * b;
      }
      std::memcpy(row + j, &sum, kVectorBytes);
    }
    for (; j < size.n; ++j) {
      for (size_t p = 0; p < size.k; ++p) row[j] += factors[p] * in.b[p * size.n + j];
    }
  }
}

// Without fused steps, which would round once where two roundings are meant.
#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx2")]] void MultiplyWide(const TileSizes& size, const Operands<T>& in,
                                          std::vector<T>& d) {
  MultiplyAll(size, in, d);
}
bool HasWideVectors() { return __builtin_cpu_supports("avx2") != 0; }
#else
template <typename T>
void MultiplyWide(const TileSizes& size, const Operands<T>& in, std::vector<T>& d) {
  MultiplyAll(size, in, d);
}
bool HasWideVectors() { return false; }
#endif

template <typename T>
void Multiply(const TileSizes& size, const Operands<T>& in, std::vector<T>& d) {
  HasWideVectors() ? MultiplyWide(size, in, d) : MultiplyAll(size, in, d);
}

double ScaleOf(uint64_t bits, DType dtype) {
  constexpr int kBias = 127;
  constexpr uint64_t kNan8 = 0xff;
  if (dtype == DType::kUE4M3) return Widen(bits & 0x7f, DType::kE4M3);
  if ((bits & kNan8) == kNan8) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, static_cast<int>(bits & kNan8) - kBias);
}

// The factors of one side times their scales, which a double holds exactly.
std::vector<double> Scaled(std::span<const uint64_t> elements, DType dtype,
                           std::span<const uint64_t> scales, const ir::TileArgs& args) {
  std::vector<double> values;
  for (const uint64_t bits : elements) {
    if (dtype != DType::kE2M1x2) {
      values.push_back(Decode(bits, dtype));
      continue;
    }
    values.push_back(Widen(bits & 15, DType::kE2M1));
    values.push_back(Widen(bits >> 4 & 15, DType::kE2M1));
  }
  const auto k = static_cast<size_t>(args.k), block = static_cast<size_t>(args.block);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] *= ScaleOf(scales[i / k * (k / block) + i % k / block], args.scale_type);
  }
  return values;
}

// Products of scaled factors are exact; each sum is rounded to f32.
void MultiplyScaled(const ir::TileArgs& args, const TileSizes& size) {
  const std::vector<double> a = Scaled(args.a, args.a_type, args.a_scales, args);
  const std::vector<double> b = Scaled(args.b, args.b_type, args.b_scales, args);
  for (size_t i = 0; i < size.m; ++i) {
    for (size_t j = 0; j < size.n; ++j) {
      uint64_t& d = args.d[i * size.n + j];
      float sum = args.accumulate ? Decode(d, args.d_type) : 0.0f;
      for (size_t p = 0; p < size.k; ++p) {
        sum = static_cast<float>(sum + a[i * size.k + p] * b[j * size.k + p]);
      }
      d = std::bit_cast<uint32_t>(Canonical(sum));
    }
  }
}

void MultiplyFloats(const ir::TileArgs& args, const TileSizes& size) {
  std::vector<float> d(size.m * size.n, 0.0f);
  Operands<float> in{.a = std::vector<float>(args.a.size())};
  WithDecoder(args.a_type, [&](const auto& decode) {
    for (size_t i = 0; i < in.a.size(); ++i) in.a[i] = decode(args.a[i]);
  });
  WithDecoder(args.b_type,
              [&](const auto& decode) { in.b = Transposed<float>(args.b, size, decode); });
  WithDecoder(args.d_type, [&](const auto& decode) {
    for (size_t i = 0; args.accumulate && i < d.size(); ++i) d[i] = decode(args.d[i]);
  });
  Multiply(size, in, d);
  for (size_t i = 0; i < d.size(); ++i) {
    args.d[i] = args.d_type == DType::kF16
                    ? Narrow(d[i], DType::kF16, Rounding::kNearestEven, false)
                    : std::bit_cast<uint32_t>(Canonical(d[i]));
  }
}

// The numbers of elements that hold several, in the order of K.
std::vector<uint64_t> Unpacked(std::span<const uint64_t> elements, DType dtype) {
  const auto count = static_cast<unsigned>(ir::NumbersOf(dtype));
  if (count == 1) return {elements.begin(), elements.end()};
  const unsigned bits = 8 / count;
  const uint64_t sign = dtype == DType::kI4x2 ? uint64_t{1} << (bits - 1) : 0;
  std::vector<uint64_t> numbers;
  numbers.reserve(elements.size() * count);
  for (const uint64_t element : elements) {
    for (unsigned i = 0; i < count; ++i) {
      const uint64_t number = element >> i * bits & ((uint64_t{1} << bits) - 1);
      numbers.push_back((number ^ sign) - sign);
    }
  }
  return numbers;
}

// In unsigned arithmetic, so that sums wrap: a + b - 2ab counts where bits differ.
template <typename T>
std::vector<T> SumsOf(const ir::TileArgs& args, TileSizes size) {
  const auto widened = [](uint64_t value) { return static_cast<T>(value); };
  std::vector<T> d(size.m * size.n, 0);
  for (size_t i = 0; args.accumulate && i < d.size(); ++i) d[i] = static_cast<T>(args.d[i]);
  size.k *= static_cast<size_t>(ir::NumbersOf(args.a_type));
  const std::vector<uint64_t> a = Unpacked(args.a, args.a_type);
  const std::vector<uint64_t> b = Unpacked(args.b, args.b_type);
  Operands<T> in{.b = Transposed<T>(b, size, widened)};
  in.a.reserve(a.size());
  for (const uint64_t value : a) in.a.push_back(widened(value));
  if (!args.differ) {
    Multiply(size, in, d);
    return d;
  }
  std::vector<T> both(d.size(), 0);
  Multiply(size, in, both);
  for (size_t i = 0; i < size.m; ++i) {
    for (size_t j = 0; j < size.n; ++j) {
      T& sum = d[i * size.n + j];
      for (size_t p = 0; p < size.k; ++p) sum += in.a[i * size.k + p] + in.b[p * size.n + j];
      sum -= 2 * both[i * size.n + j];
    }
  }
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
  } else if (args.block > 0) {
    MultiplyScaled(args, size);
  } else {
    MultiplyFloats(args, size);
  }
}

}  // namespace compiler::ops
