// References that treat each row of x by itself.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

int64_t RowOfX(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "x", 1));
}

// y[m, n] = x[m, n] / sqrt(mean(x[m, :]^2) + eps) * w[n]. Squares cannot cancel: errors are
// relative to y.
void RmsNorm(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x"), w(inputs, "w");
  const double eps = inputs.args.at("eps");
  const int64_t columns = x.extent(1);
  for (int64_t row = piece.begin; row < piece.end; row += columns) {
    double squares = 0;
    for (int64_t n = 0; n < columns; ++n) squares += x[row + n] * x[row + n];
    const double factor = 1 / std::sqrt(squares / static_cast<double>(columns) + eps);
    for (int64_t n = 0; n < columns; ++n) {
      const double y = x[row + n] * factor * w[n];
      piece.want[row + n - piece.begin] = y;
      piece.scale[row + n - piece.begin] = std::abs(y);
    }
  }
}

// y[m, n] = (x[m, n] - mean) / sqrt(var + eps) * w[n] + b[n], var the mean of (x - mean)^2. The
// mean is lost against the sizes that it averages, and the difference against both.
void LayerNorm(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x"), w(inputs, "w"), b(inputs, "b");
  const double eps = inputs.args.at("eps");
  const int64_t columns = x.extent(1);
  const auto count = static_cast<double>(columns);
  for (int64_t row = piece.begin; row < piece.end; row += columns) {
    double sum = 0, size = 0, squares = 0;
    for (int64_t n = 0; n < columns; ++n) sum += x[row + n], size += std::abs(x[row + n]);
    const double mean = sum / count;
    for (int64_t n = 0; n < columns; ++n) squares += (x[row + n] - mean) * (x[row + n] - mean);
    const double factor = 1 / std::sqrt(squares / count + eps);
    for (int64_t n = 0; n < columns; ++n) {
      const double gain = factor * w[n];
      piece.want[row + n - piece.begin] = (x[row + n] - mean) * gain + b[n];
      piece.scale[row + n - piece.begin] =
          (std::abs(x[row + n]) + size / count) * std::abs(gain) + std::abs(b[n]);
    }
  }
}

// y[m, n] = exp(x[m, n] - max) / sum of exp(x[m, :] - max). A rounding of the exponent's argument
// is a relative error of the exponential that grows with the argument.
void Softmax(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x");
  const int64_t columns = x.extent(1);
  for (int64_t row = piece.begin; row < piece.end; row += columns) {
    double top = x[row], sum = 0;
    for (int64_t n = 1; n < columns; ++n) top = std::max(top, x[row + n]);
    for (int64_t n = 0; n < columns; ++n) sum += std::exp(x[row + n] - top);
    for (int64_t n = 0; n < columns; ++n) {
      const double y = std::exp(x[row + n] - top) / sum;
      piece.want[row + n - piece.begin] = y;
      piece.scale[row + n - piece.begin] = y * std::max(1.0, top - x[row + n]);
    }
  }
}

int64_t RowOrOne(const Inputs& inputs, std::string_view output) {
  return output == "top" ? 1 : RowOfX(inputs, output);
}

// y[m, n] = x[m, n] - max of x[m, :], top[m]: the lowest column where it stands.
void RowMax(const Inputs& inputs, std::string_view output, Piece piece) {
  const Reader x(inputs, "x");
  const int64_t columns = x.extent(1), step = output == "top" ? 1 : columns;
  for (int64_t at = piece.begin; at < piece.end; at += step) {
    const auto row = x.Row(at / step * columns, columns);
    const auto top = std::max_element(row.begin(), row.end());
    for (int64_t i = 0; i < step; ++i) {
      double& want = piece.want[at + i - piece.begin];
      want = output == "top" ? static_cast<double>(top - row.begin())
                             : row[static_cast<size_t>(i)] - *top;
      piece.scale[at + i - piece.begin] = std::abs(want);
    }
  }
}

}  // namespace

std::vector<Builtin> RowReferences() {
  return {
      {"layernorm", {"y"}, {"x", "w", "b"}, {"eps"}, RowOfX, LayerNorm},
      {"rmsnorm", {"y"}, {"x", "w"}, {"eps"}, RowOfX, RmsNorm},
      {"row_max", {"y", "top"}, {"x"}, {}, RowOrOne, RowMax},
      {"softmax", {"y"}, {"x"}, {}, RowOfX, Softmax},
  };
}

}  // namespace runner::reference
