// References whose outputs name elements of a row: the k largest.
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
  EvaluateUnlessGiven(RowTopK, inputs, output, piece);
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

}  // namespace

std::vector<Builtin> SelectReferences() {
  return {
      {"row_topk", {"v", "i"}, {"x"}, {}, RowOfRanks, RowTopK, RowTopKRegret},
  };
}

}  // namespace runner::reference
