// Products of matrices.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

int64_t RowOfY(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "w", 0));
}

// y[m, n] = sum over k of x[m, k] * w[n, k]. A piece has whole rows of y; a row of w is decoded
// once for all of them.
void Gemm(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x"), w(inputs, "w");
  const int64_t columns = w.extent(0), depth = w.extent(1);
  const int64_t first = piece.begin / columns, rows = (piece.end - piece.begin) / columns;
  const std::vector<double> left = x.Row(first * depth, rows * depth);
  for (int64_t n = 0; n < columns; ++n) {
    const std::vector<double> right = w.Row(n * depth, depth);
    for (int64_t m = 0; m < rows; ++m) {
      const double* a = left.data() + m * depth;
      double sum = 0, size = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const double term = a[k] * right[static_cast<size_t>(k)];
        sum += term;
        size += std::abs(term);
      }
      piece.want[m * columns + n] = sum;
      piece.scale[m * columns + n] = size;
    }
  }
}

int64_t RowOfBlockwise(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "b", 0));
}

// y[m, n] = sum over k of a[m, k] * b[n, k], each block of 128 of k scaled by sa[k / 128, m] and
// sb[n / 128, k / 128].
void GemmBlockwise(const Inputs& inputs, std::string_view, Piece piece) {
  constexpr int64_t kBlock = 128;
  const Reader a(inputs, "a"), b(inputs, "b"), sa(inputs, "sa"), sb(inputs, "sb");
  const int64_t columns = b.extent(0), depth = b.extent(1), all_rows = a.extent(0);
  const int64_t blocks = sb.extent(1);
  const int64_t first = piece.begin / columns, rows = (piece.end - piece.begin) / columns;
  const std::vector<double> left = a.Row(first * depth, rows * depth);
  for (int64_t n = 0; n < columns; ++n) {
    const std::vector<double> right = b.Row(n * depth, depth);
    for (int64_t m = 0; m < rows; ++m) {
      double sum = 0, size = 0;
      for (int64_t block = 0; block < blocks; ++block) {
        const double factor = sa[block * all_rows + first + m] * sb[n / kBlock * blocks + block];
        double part = 0, part_size = 0;
        for (int64_t k = block * kBlock; k < std::min(depth, (block + 1) * kBlock); ++k) {
          const double term =
              left[static_cast<size_t>(m * depth + k)] * right[static_cast<size_t>(k)];
          part += term;
          part_size += std::abs(term);
        }
        sum += part * factor;
        size += part_size * std::abs(factor);
      }
      piece.want[m * columns + n] = sum;
      piece.scale[m * columns + n] = size;
    }
  }
}

}  // namespace

std::vector<Builtin> MatrixReferences() {
  return {{"gemm", {"y"}, {"x", "w"}, {}, RowOfY, Gemm},
          {"gemm_blockwise", {"y"}, {"a", "sa", "b", "sb"}, {}, RowOfBlockwise, GemmBlockwise}};
}

}  // namespace runner::reference
