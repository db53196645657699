// Products of matrices.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/products.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

int64_t RowOfY(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "w", 0));
}

// Rows of the right factor that are decoded at a time.
constexpr int64_t kDecodedRows = 64;

// y[m, n] = sum over k of x[m, k] * w[n, k]. A piece has whole rows of y; a row of w is decoded
// once for all of them.
void Gemm(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x"), w(inputs, "w");
  const int64_t columns = w.extent(0), depth = w.extent(1);
  const int64_t first = piece.begin / columns, rows = (piece.end - piece.begin) / columns;
  const std::vector<double> left = x.Row(first * depth, rows * depth);
  std::vector<double> sums(static_cast<size_t>(rows * kDecodedRows)), sizes(sums.size());
  for (int64_t n = 0; n < columns; n += kDecodedRows) {
    const int64_t count = std::min(kDecodedRows, columns - n);
    const std::vector<double> right = w.Row(n * depth, count * depth);
    Multiply({.a = left.data(),
              .b = right.data(),
              .rows = rows,
              .columns = count,
              .depth = depth,
              .b_column = depth},
             sums.data(), sizes.data());
    for (int64_t m = 0; m < rows; ++m) {
      std::copy_n(sums.data() + m * count, count, piece.want + m * columns + n);
      std::copy_n(sizes.data() + m * count, count, piece.scale + m * columns + n);
    }
  }
}

int64_t RowOfBlockwise(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "b", 0));
}

// Columns from .. from + count of some rows of a matrix.
std::vector<double> Columns(const Reader& matrix, int64_t first, int64_t rows, int64_t from,
                            int64_t count) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(rows * count));
  for (int64_t row = first; row < first + rows; ++row) {
    const std::vector<double> part = matrix.Row(row * matrix.extent(1) + from, count);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

// y[m, n] = sum over k of a[m, k] * b[n, k], each block of 128 of k scaled by sa[k / 128, m] and
// sb[n / 128, k / 128].
void GemmBlockwise(const Inputs& inputs, std::string_view, Piece piece) {
  constexpr int64_t kBlock = 128;
  const Reader a(inputs, "a"), b(inputs, "b"), sa(inputs, "sa"), sb(inputs, "sb");
  const int64_t columns = b.extent(0), depth = b.extent(1), all_rows = a.extent(0);
  const int64_t blocks = sb.extent(1);
  const int64_t first = piece.begin / columns, rows = (piece.end - piece.begin) / columns;
  std::fill(piece.want, piece.want + rows * columns, 0.0);
  std::fill(piece.scale, piece.scale + rows * columns, 0.0);
  std::vector<double> sums(static_cast<size_t>(rows * kBlock)), sizes(sums.size());
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t from = block * kBlock, part = std::min(kBlock, depth - from);
    const std::vector<double> left = Columns(a, first, rows, from, part);
    for (int64_t n = 0; n < columns; n += kBlock) {
      const int64_t count = std::min(kBlock, columns - n);
      const std::vector<double> right = Columns(b, n, count, from, part);
      Multiply({.a = left.data(),
                .b = right.data(),
                .rows = rows,
                .columns = count,
                .depth = part,
                .b_column = part},
               sums.data(), sizes.data());
      for (int64_t m = 0; m < rows; ++m) {
        const double factor = sa[block * all_rows + first + m] * sb[n / kBlock * blocks + block];
        for (int64_t c = 0; c < count; ++c) {
          piece.want[m * columns + n + c] += sums[static_cast<size_t>(m * count + c)] * factor;
          piece.scale[m * columns + n + c] +=
              sizes[static_cast<size_t>(m * count + c)] * std::abs(factor);
        }
      }
    }
  }
}

// A 4-bit float: sign, two bits of exponent, one of mantissa.
double FourBits(int code) {
  const int exponent = code >> 1 & 3, mantissa = code & 1;
  const double size = exponent == 0 ? 0.5 * mantissa : std::ldexp(1 + 0.5 * mantissa, exponent - 1);
  return (code & 8) != 0 ? -size : size;
}

// An 8-bit float without a sign: four bits of exponent, three of mantissa.
double EightBits(int code) {
  const int exponent = code >> 3 & 15, mantissa = code & 7;
  return exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
}

// Row `row` of a matrix of 4-bit floats, two a byte, each 16 of them scaled. Scales lie in blocks
// of 128 rows and 64 columns: byte 16*i + 4*j + s is that of row 32*j + i and columns from 16*s on.
std::vector<double> ScaledRow(const Reader& codes, const Reader& scales, int64_t row) {
  const int64_t bytes = codes.extent(1), blocks = scales.extent(1);
  std::vector<double> out(static_cast<size_t>(2 * bytes));
  for (int64_t k = 0; k < 2 * bytes; ++k) {
    const auto pair = static_cast<int>(codes[row * bytes + k / 2]);
    const int64_t block = row / 128 * blocks + k / 64;
    const int64_t at = block * 512 + row % 32 * 16 + row % 128 / 32 * 4 + k % 64 / 16;
    out[static_cast<size_t>(k)] =
        FourBits(k % 2 == 0 ? pair & 15 : pair >> 4) * EightBits(static_cast<int>(scales[at]));
  }
  return out;
}

// y[m, n] = sum over k of a[m, k] * b[n, k], both scaled.
void GemmNvfp4(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader a(inputs, "a"), b(inputs, "b"), sa(inputs, "sa"), sb(inputs, "sb");
  const int64_t columns = b.extent(0), depth = 2 * b.extent(1);
  const int64_t first = piece.begin / columns, rows = (piece.end - piece.begin) / columns;
  std::vector<double> left;
  for (int64_t m = first; m < first + rows; ++m) {
    const std::vector<double> row = ScaledRow(a, sa, m);
    left.insert(left.end(), row.begin(), row.end());
  }
  for (int64_t n = 0; n < columns; ++n) {
    const std::vector<double> right = ScaledRow(b, sb, n);
    for (int64_t m = 0; m < rows; ++m) {
      double sum = 0, size = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const double term =
            left[static_cast<size_t>(m * depth + k)] * right[static_cast<size_t>(k)];
        sum += term;
        size += std::abs(term);
      }
      piece.want[m * columns + n] = sum;
      piece.scale[m * columns + n] = size;
    }
  }
}

int64_t RowOfExperts(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "w", 2));
}

// One row of x times one row of weights.
struct Dot {
  double sum = 0, size = 0;
};
Dot Product(const std::vector<double>& a, const std::vector<double>& b) {
  Dot out;
  for (size_t k = 0; k < a.size(); ++k) out.sum += a[k] * b[k], out.size += std::abs(a[k] * b[k]);
  return out;
}

// y[t, f] = silu(x[t] . w[e, 0, f]) * (x[t] . w[e, 1, f]) for rows off[e] <= t < off[e + 1]. The
// slope of silu is below 1.1: so much of an error of its argument stays.
void GroupedSwiglu(const Inputs& inputs, std::string_view, Piece piece) {
  constexpr double kSlope = 1.1;
  const Reader x(inputs, "x"), w(inputs, "w"), off(inputs, "off");
  const int64_t columns = w.extent(2), depth = w.extent(3);
  for (int64_t e = 0; e < w.extent(0); ++e) {
    const int64_t first = std::max(off.Index(e), piece.begin / columns);
    const int64_t end = std::min(off.Index(e + 1), piece.end / columns);
    if (first >= end) continue;
    std::vector<std::vector<double>> rows;
    for (int64_t t = first; t < end; ++t) rows.push_back(x.Row(t * depth, depth));
    for (int64_t f = 0; f < columns; ++f) {
      const auto gate = w.Row((e * 2 * columns + f) * depth, depth);
      const auto up = w.Row((e * 2 * columns + columns + f) * depth, depth);
      for (int64_t t = first; t < end; ++t) {
        const Dot a = Product(rows[static_cast<size_t>(t - first)], gate);
        const Dot b = Product(rows[static_cast<size_t>(t - first)], up);
        const double silu = a.sum / (1 + std::exp(-a.sum));
        piece.want[t * columns + f - piece.begin] = silu * b.sum;
        piece.scale[t * columns + f - piece.begin] =
            kSlope * a.size * std::abs(b.sum) + std::abs(silu) * b.size;
      }
    }
  }
}

}  // namespace

std::vector<Builtin> MatrixReferences() {
  return {{"grouped_swiglu", {"y"}, {"x", "w", "off"}, {}, RowOfExperts, GroupedSwiglu},
          {"gemm", {"y"}, {"x", "w"}, {}, RowOfY, Gemm},
          {"gemm_nvfp4", {"y"}, {"a", "sa", "b", "sb"}, {}, RowOfBlockwise, GemmNvfp4},
          {"gemm_blockwise", {"y"}, {"a", "sa", "b", "sb"}, {}, RowOfBlockwise, GemmBlockwise}};
}

}  // namespace runner::reference
