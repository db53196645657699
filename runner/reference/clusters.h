// Points and the centroids that they meet, for references that look for the nearest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "runner/reference/products.h"
#include "runner/reference/reader.h"

namespace runner::reference {

inline constexpr double kWrong = std::numeric_limits<double>::infinity();

inline size_t Size(int64_t value) { return static_cast<size_t>(value); }

// Points and centroids that meet at a time: every point meets every centroid, so that they must not
// be decoded again for each pair.
inline constexpr int64_t kPointBlock = 256;
inline constexpr int64_t kCentroidBlock = 64;

// x . c - |c|^2 / 2: the largest is the nearest centroid. `half`: |c|^2 / 2.
inline double Score(const double* x, const double* c, int64_t depth, double half) {
  double sum = 0;
  for (int64_t d = 0; d < depth; ++d) sum += x[d] * c[d];
  return sum - half;
}

inline double HalfNorm(const double* c, int64_t depth) {
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

// Scores of points x, row after row, against all centroids of the batch of point `begin`:
// visit(point, centroid, score, scale) in the order of the centroids.
template <typename Visit>
void Meet(const Clusters& all, const std::vector<double>& x, int64_t begin, Visit visit) {
  const auto points = static_cast<int64_t>(x.size()) / std::max<int64_t>(1, all.depth);
  std::vector<double> sums(Size(points * kCentroidBlock)), sizes(sums.size());
  for (int64_t first = 0; first < all.centroids; first += kCentroidBlock) {
    const int64_t count = std::min(kCentroidBlock, all.centroids - first);
    const auto block = all.Centroids(begin, first, count);
    std::vector<double> half;
    for (int64_t k = 0; k < count; ++k) {
      half.push_back(HalfNorm(&block[Size(k * all.depth)], all.depth));
    }
    Multiply({.a = x.data(),
              .b = block.data(),
              .rows = points,
              .columns = count,
              .depth = all.depth,
              .b_column = all.depth},
             sums.data(), sizes.data());
    for (int64_t i = 0; i < points; ++i) {
      for (int64_t k = 0; k < count; ++k) {
        const size_t at = Size(i * count + k);
        visit(i, first + k, sums[at] - half[Size(k)], sizes[at] + half[Size(k)]);
      }
    }
  }
}

}  // namespace runner::reference
