#include "runner/reference/products.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace runner::reference {
namespace {

// Four doubles side by side; the compiler makes of it what the machine has.
using Four = double __attribute__((vector_size(32)));
using Bits = int64_t __attribute__((vector_size(32)));
constexpr int64_t kColumns = 4;
constexpr int64_t kRows = 4;     // at a time, unrolled: sums and sizes of all fit the registers
constexpr int64_t kDepth = 512;  // of a panel of b, which stays in the first cache

[[gnu::always_inline]] inline void Load(const double* from, Four& to) {
  std::memcpy(&to, from, sizeof(to));
}

// Adds `depth` terms to the sums of R rows and four columns.
template <int R, bool kOwnSizes>
[[gnu::always_inline]] inline void AddTile(const double* a, const double* a_size, int64_t row,
                                           const double* panel, int64_t depth,
                                           double (*sums)[kColumns], double (*sizes)[kColumns]) {
  constexpr int64_t kMagnitude = INT64_MAX;  // all bits of a double but its sign
  Four sum[R], size[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    Load(sums[r], sum[r]);
    Load(sizes[r], size[r]);
  }
  for (int64_t d = 0; d < depth; ++d) {
    Four b;
    Load(panel + d * kColumns, b);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Four term = b * a[r * row + d];
      const Four sized = kOwnSizes ? b * a_size[r * row + d] : term;
      sum[r] += term;
      size[r] += reinterpret_cast<Four>(reinterpret_cast<Bits>(sized) & kMagnitude);
    }
  }
  std::memcpy(sums, sum, sizeof(sum));
  std::memcpy(sizes, size, sizeof(size));
}

// R rows from row `i`, columns `j` and the next three, as far as there are any.
template <int R, bool kOwnSizes>
[[gnu::always_inline]] inline void Tile(const Factors& f, int64_t i, int64_t j, int64_t first,
                                        int64_t depth, const double* panel, double* sums,
                                        double* sizes) {
  double sum[R][kColumns] = {}, size[R][kColumns] = {};
  const auto columns = static_cast<size_t>(std::min(kColumns, f.columns - j));
  for (int r = 0; r < R; ++r) {
    std::memcpy(sum[r], sums + (i + r) * f.columns + j, columns * sizeof(double));
    std::memcpy(size[r], sizes + (i + r) * f.columns + j, columns * sizeof(double));
  }
  const int64_t at = i * f.depth + first;
  AddTile<R, kOwnSizes>(f.a + at, kOwnSizes ? f.a_size + at : nullptr, f.depth, panel, depth, sum,
                        size);
  for (int r = 0; r < R; ++r) {
    std::memcpy(sums + (i + r) * f.columns + j, sum[r], columns * sizeof(double));
    std::memcpy(sizes + (i + r) * f.columns + j, size[r], columns * sizeof(double));
  }
}

template <bool kOwnSizes>
[[gnu::always_inline]] inline void MultiplyPanel(const Factors& f, int64_t j, int64_t first,
                                                 int64_t depth, const double* panel, double* sums,
                                                 double* sizes) {
  int64_t i = 0;
  for (; i + kRows <= f.rows; i += kRows) {
    Tile<kRows, kOwnSizes>(f, i, j, first, depth, panel, sums, sizes);
  }
  for (; i < f.rows; ++i) Tile<1, kOwnSizes>(f, i, j, first, depth, panel, sums, sizes);
}

[[gnu::always_inline]] inline void MultiplyAll(const Factors& f, double* sums, double* sizes) {
  std::fill_n(sums, f.rows * f.columns, 0.0);
  std::fill_n(sizes, f.rows * f.columns, 0.0);
  std::vector<double> panel(static_cast<size_t>(kDepth * kColumns));
  for (int64_t first = 0; first < f.depth; first += kDepth) {
    const int64_t depth = std::min(kDepth, f.depth - first);
    for (int64_t j = 0; j < f.columns; j += kColumns) {
      for (int64_t c = 0; c < kColumns; ++c) {
        const double* column = f.b + std::min(j + c, f.columns - 1) * f.b_column;
        for (int64_t d = 0; d < depth; ++d) {
          panel[static_cast<size_t>(d * kColumns + c)] = column[(first + d) * f.b_step];
        }
      }
      if (f.a_size != nullptr) {
        MultiplyPanel<true>(f, j, first, depth, panel.data(), sums, sizes);
      } else {
        MultiplyPanel<false>(f, j, first, depth, panel.data(), sums, sizes);
      }
    }
  }
}

#ifdef __x86_64__
// Not `fma`: a term is rounded before it is added, as it is without.
[[gnu::target("avx2")]] void MultiplyWide(const Factors& f, double* sums, double* sizes) {
  MultiplyAll(f, sums, sizes);
}
#endif

}  // namespace

void Multiply(const Factors& factors, double* sums, double* sizes) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return MultiplyWide(factors, sums, sizes);
#endif
  MultiplyAll(factors, sums, sizes);
}

}  // namespace runner::reference
