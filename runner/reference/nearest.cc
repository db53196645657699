// References whose outputs name points: the nearest centroid, the k nearest neighbours.
#include <algorithm>
#include <cmath>

#include "runner/reference/clusters.h"
#include "runner/reference/families.h"

namespace runner::reference {
namespace {

// Points `begin` .. `end` of one batch.
void NearestOfBatch(const Clusters& all, int64_t begin, int64_t end, double* want, double* scale) {
  std::vector<double> best(Size(end - begin), -kWrong);
  Meet(all, all.x.Row(begin * all.depth, (end - begin) * all.depth), begin,
       [&](int64_t i, int64_t k, double score, double size) {
         scale[i] = std::max(scale[i], size);
         if (score <= best[Size(i)]) return;
         best[Size(i)] = score;
         want[i] = static_cast<double>(k);
       });
}

// ids[n]: the nearest centroid, the lowest among equals. Scale: the largest of all candidates,
// since an error of any of them can change the choice.
void KMeansAssign(const Inputs& inputs, std::string_view, Piece piece) {
  const Clusters all(inputs);
  std::fill_n(piece.want, piece.end - piece.begin, 0.0);
  std::fill_n(piece.scale, piece.end - piece.begin, 0.0);
  for (int64_t at = piece.begin; at < piece.end;) {
    const int64_t end = std::min({piece.end, (at / all.points + 1) * all.points, at + kPointBlock});
    NearestOfBatch(all, at, end, piece.want + (at - piece.begin), piece.scale + (at - piece.begin));
    at = end;
  }
}

void KMeansAssignRegret(const Inputs& inputs, std::string_view output, Piece piece,
                        const int64_t* got, double* loss) {
  EvaluateUnlessGiven(KMeansAssign, inputs, output, piece);
  const Clusters all(inputs);
  for (int64_t i = 0; i < piece.end - piece.begin; ++i) {
    const auto row = all.Point(piece.begin + i);
    const auto value = [&](int64_t k) {
      const auto centroid = all.Centroids(piece.begin + i, k, 1);
      return Score(row.data(), centroid.data(), all.depth, HalfNorm(centroid.data(), all.depth));
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
  std::vector<double> scale(Size(queries));
  for (int64_t at = 0; at < queries; at += kPointBlock) {
    const int64_t count = std::min(kPointBlock, queries - at);
    Meet(all, all.x.Row((first + at) * all.depth, count * all.depth), 0,
         [&](int64_t q, int64_t k, double score, double size) {
           scale[Size(at + q)] = std::max(scale[Size(at + q)], size);
           Insert(best[Size(at + q)], Size(ranks), {score, k});
         });
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
  EvaluateUnlessGiven(Knn, inputs, output, piece);
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
      return Score(point.data(), other.data(), all.depth, HalfNorm(other.data(), all.depth));
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
