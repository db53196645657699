// References whose outputs name points: the nearest centroid, the k nearest neighbours.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

constexpr double kWrong = std::numeric_limits<double>::infinity();

size_t Size(int64_t value) { return static_cast<size_t>(value); }

// Centroids that are converted at a time: every point meets every centroid, so the conversions must
// not be made again for each pair.
constexpr int64_t kCentroidBlock = 64;
constexpr int64_t kSums = 4;  // that run side by side, as one waits for itself

// x . c - |c|^2 / 2: the largest is the nearest centroid. `half`: |c|^2 / 2.
struct Nearness {
  double value = 0, scale = 0;
};
Nearness Score(const double* x, const double* c, int64_t depth, double half) {
  double sum[kSums] = {}, size[kSums] = {};
  int64_t d = 0;
  for (; d + kSums <= depth; d += kSums) {
    for (int64_t i = 0; i < kSums; ++i) {
      const double product = x[d + i] * c[d + i];
      sum[i] += product;
      size[i] += std::abs(product);
    }
  }
  for (; d < depth; ++d) {
    sum[0] += x[d] * c[d];
    size[0] += std::abs(x[d] * c[d]);
  }
  return {(sum[0] + sum[1]) + (sum[2] + sum[3]) - half,
          (size[0] + size[1]) + (size[2] + size[3]) + half};
}

double HalfNorm(const double* c, int64_t depth) {
  double sum = 0;
  for (int64_t d = 0; d < depth; ++d) sum += c[d] * c[d] / 2;
  return sum;
}

// x: [N, D] and c: [K, D], or batches of both: [B, N, D], [B, K, D].
struct Clusters {
  const Reader x, c;
  const int64_t depth, centroids, points;
  explicit Clusters(const Inputs& inputs)
      : x(inputs, "x"),
        c(inputs, "c"),
        depth(x.extent(Rank(inputs) - 1)),
        centroids(c.extent(Rank(inputs) - 2)),
        points(x.extent(Rank(inputs) - 2)) {}
  static int Rank(const Inputs& inputs) {
    return static_cast<int>(inputs.tensors.at("x").at.shape.size());
  }
  std::vector<double> Point(int64_t n) const { return x.Row(n * depth, depth); }
  // Centroids k .. k + count of the batch that a point belongs to.
  std::vector<double> Centroids(int64_t point, int64_t k, int64_t count) const {
    return c.Row((point / points * centroids + k) * depth, count * depth);
  }
};

// Points `begin` .. `end` of one batch.
void NearestOfBatch(const Clusters& all, int64_t begin, int64_t end, double* want, double* scale) {
  std::vector<double> best(Size(end - begin), -kWrong);
  for (int64_t first = 0; first < all.centroids; first += kCentroidBlock) {
    const int64_t count = std::min(kCentroidBlock, all.centroids - first);
    const auto block = all.Centroids(begin, first, count);
    std::vector<double> half;
    for (int64_t k = 0; k < count; ++k) {
      half.push_back(HalfNorm(&block[Size(k * all.depth)], all.depth));
    }
    for (int64_t i = 0; i < end - begin; ++i) {
      const auto row = all.Point(begin + i);
      for (int64_t k = 0; k < count; ++k) {
        const Nearness score =
            Score(row.data(), &block[Size(k * all.depth)], all.depth, half[Size(k)]);
        scale[i] = std::max(scale[i], score.scale);
        if (score.value <= best[Size(i)]) continue;
        best[Size(i)] = score.value;
        want[i] = static_cast<double>(first + k);
      }
    }
  }
}

// ids[n]: the nearest centroid, the lowest among equals. Scale: the largest of all candidates,
// since an error of any of them can change the choice.
void KMeansAssign(const Inputs& inputs, std::string_view, Piece piece) {
  const Clusters all(inputs);
  std::fill_n(piece.want, piece.end - piece.begin, 0.0);
  std::fill_n(piece.scale, piece.end - piece.begin, 0.0);
  for (int64_t at = piece.begin; at < piece.end;) {
    const int64_t end = std::min(piece.end, (at / all.points + 1) * all.points);
    NearestOfBatch(all, at, end, piece.want + (at - piece.begin), piece.scale + (at - piece.begin));
    at = end;
  }
}

void KMeansAssignRegret(const Inputs& inputs, std::string_view output, Piece piece,
                        const int64_t* got, double* loss) {
  KMeansAssign(inputs, output, piece);
  const Clusters all(inputs);
  for (int64_t i = 0; i < piece.end - piece.begin; ++i) {
    const auto row = all.Point(piece.begin + i);
    const auto value = [&](int64_t k) {
      const auto centroid = all.Centroids(piece.begin + i, k, 1);
      return Score(row.data(), centroid.data(), all.depth, HalfNorm(centroid.data(), all.depth))
          .value;
    };
    const bool known = got[i] >= 0 && got[i] < all.centroids;
    loss[i] = known ? value(static_cast<int64_t>(piece.want[i])) - value(got[i]) : kWrong;
  }
}

// The best `ranks` of a query, descending, the lower index first among equals.
struct Best {
  double score = -kWrong;
  int64_t index = 0;
};
void Insert(std::vector<Best>& best, size_t ranks, Best one) {
  if (best.size() == ranks && one.score <= best.back().score) return;
  const auto at =
      std::find_if(best.begin(), best.end(), [&](const Best& b) { return one.score > b.score; });
  best.insert(at, one);
  if (best.size() > ranks) best.pop_back();
}

// ids[q, j]: the j-th nearest of all points of c. Scale as for centroids.
void Knn(const Inputs& inputs, std::string_view, Piece piece) {
  const Clusters all(inputs);
  const int64_t ranks = inputs.outputs.at("ids").shape[1];
  const int64_t first = piece.begin / ranks, queries = (piece.end - piece.begin) / ranks;
  std::vector<std::vector<Best>> best(Size(queries));
  std::vector<double> scale(Size(queries)),
      points = all.x.Row(first * all.depth, queries * all.depth);
  for (int64_t k = 0; k < all.centroids; ++k) {
    const auto point = all.c.Row(k * all.depth, all.depth);
    const double half = HalfNorm(point.data(), all.depth);
    for (int64_t q = 0; q < queries; ++q) {
      const Nearness score = Score(&points[Size(q * all.depth)], point.data(), all.depth, half);
      scale[Size(q)] = std::max(scale[Size(q)], score.scale);
      Insert(best[Size(q)], Size(ranks), {score.value, k});
    }
  }
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t j = 0; j < ranks; ++j) {
      piece.want[q * ranks + j] = static_cast<double>(best[Size(q)][Size(j)].index);
      piece.scale[q * ranks + j] = scale[Size(q)];
    }
  }
}

void KnnRegret(const Inputs& inputs, std::string_view output, Piece piece, const int64_t* got,
               double* loss) {
  Knn(inputs, output, piece);
  const Clusters all(inputs);
  const int64_t ranks = inputs.outputs.at("ids").shape[1];
  for (int64_t at = 0; at < piece.end - piece.begin; ++at) {
    const int64_t* row = got + at / ranks * ranks;
    loss[at] = kWrong;
    if (got[at] < 0 || got[at] >= all.centroids || std::find(row, got + at, got[at]) != got + at) {
      continue;
    }
    const auto point = all.Point((piece.begin + at) / ranks);
    const auto value = [&](int64_t k) {
      const auto other = all.c.Row(k * all.depth, all.depth);
      return Score(point.data(), other.data(), all.depth, HalfNorm(other.data(), all.depth)).value;
    };
    // A nearer one at this rank is out of order: the one that belongs here stands elsewhere.
    loss[at] = std::abs(value(static_cast<int64_t>(piece.want[at])) - value(got[at]));
  }
}

int64_t RowOfIds(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, inputs.outputs.at("ids").shape[1]);
}

}  // namespace

std::vector<Builtin> NearestReferences() {
  return {
      {"kmeans_assign", {"ids"}, {"x", "c"}, {}, OneElement, KMeansAssign, KMeansAssignRegret},
      {"knn", {"ids"}, {"x", "c"}, {}, RowOfIds, Knn, KnnRegret},
  };
}

}  // namespace runner::reference
