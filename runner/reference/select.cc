// References whose outputs name elements: the k largest of a row, the nearest centroid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

constexpr double kWrong = std::numeric_limits<double>::infinity();

int64_t Ranks(const Inputs& inputs) { return inputs.outputs.at("v").shape[1]; }
int64_t RowOfRanks(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Ranks(inputs));
}

// Indices of the `ranks` largest of a row, descending, the lower index first among equals.
std::vector<int64_t> Largest(const std::vector<double>& row, int64_t ranks) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + ranks, order.end(), [&](int64_t a, int64_t b) {
    const double x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  order.resize(static_cast<size_t>(ranks));
  return order;
}

void RowTopK(const Inputs& inputs, std::string_view output, Piece piece) {
  const Reader x(inputs, "x");
  const int64_t columns = x.extent(1), ranks = Ranks(inputs);
  for (int64_t at = piece.begin; at < piece.end; at += ranks) {
    const auto row = x.Row(at / ranks * columns, columns);
    const auto order = Largest(row, ranks);
    for (int64_t j = 0; j < ranks; ++j) {
      const int64_t index = order[static_cast<size_t>(j)];
      const double value = row[static_cast<size_t>(index)];
      piece.want[at + j - piece.begin] = output == "i" ? static_cast<double>(index) : value;
      piece.scale[at + j - piece.begin] = std::abs(value);
    }
  }
}

void RowTopKRegret(const Inputs& inputs, std::string_view output, Piece piece, const int64_t* got,
                   double* loss) {
  RowTopK(inputs, output, piece);
  const Reader x(inputs, "x");
  const int64_t columns = x.extent(1), ranks = Ranks(inputs);
  for (int64_t at = piece.begin; at < piece.end; at += ranks) {
    const int64_t* row = got + (at - piece.begin);
    const int64_t base = at / ranks * columns;
    for (int64_t j = 0; j < ranks; ++j) {
      double& lost = loss[at + j - piece.begin];
      lost = kWrong;
      if (row[j] < 0 || row[j] >= columns || std::find(row, row + j, row[j]) != row + j) continue;
      const auto best = static_cast<int64_t>(piece.want[at + j - piece.begin]);
      // A larger one at this rank is out of order: the one that belongs here stands elsewhere.
      lost = std::abs(x[base + best] - x[base + row[j]]);
    }
  }
}

// x[n, :] . c[k, :] - |c[k, :]|^2 / 2: the largest is the nearest centroid.
struct Nearness {
  double value = 0, scale = 0;
};
Nearness Score(const Reader& x, const Reader& c, int64_t n, int64_t k) {
  const int64_t depth = x.extent(1);
  Nearness out;
  for (int64_t d = 0; d < depth; ++d) {
    const double a = x[n * depth + d], b = c[k * depth + d];
    out.value += a * b - b * b / 2;
    out.scale += std::abs(a * b) + b * b / 2;
  }
  return out;
}

// ids[n]: the nearest centroid, the lowest among equals. Scale: the largest of all candidates,
// since an error of any of them can change the choice.
void KMeansAssign(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x"), c(inputs, "c");
  for (int64_t n = piece.begin; n < piece.end; ++n) {
    double best = -kWrong, scale = 0;
    int64_t id = 0;
    for (int64_t k = 0; k < c.extent(0); ++k) {
      const Nearness score = Score(x, c, n, k);
      scale = std::max(scale, score.scale);
      if (score.value > best) best = score.value, id = k;
    }
    piece.want[n - piece.begin] = static_cast<double>(id);
    piece.scale[n - piece.begin] = scale;
  }
}

void KMeansAssignRegret(const Inputs& inputs, std::string_view output, Piece piece,
                        const int64_t* got, double* loss) {
  KMeansAssign(inputs, output, piece);
  const Reader x(inputs, "x"), c(inputs, "c");
  for (int64_t n = piece.begin; n < piece.end; ++n) {
    const int64_t i = n - piece.begin;
    const auto best = static_cast<int64_t>(piece.want[i]);
    const bool known = got[i] >= 0 && got[i] < c.extent(0);
    loss[i] = known ? Score(x, c, n, best).value - Score(x, c, n, got[i]).value : kWrong;
  }
}

}  // namespace

std::vector<Builtin> SelectReferences() {
  return {
      {"kmeans_assign", {"ids"}, {"x", "c"}, {}, OneElement, KMeansAssign, KMeansAssignRegret},
      {"row_topk", {"v", "i"}, {"x"}, {}, RowOfRanks, RowTopK, RowTopKRegret},
  };
}

}  // namespace runner::reference
