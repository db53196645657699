// One iteration of Lloyd: the nearest centroids, the means of their points, and how far they moved.
#include <algorithm>
#include <cmath>

#include "runner/reference/clusters.h"
#include "runner/reference/families.h"

namespace runner::reference {
namespace {

// Scores closer than this part of their size may be decided either way by sums in f32: 256 terms
// lose at most 2^-16.
constexpr double kClose = 0x1p-16;
// A comparison allows at least this part of the scale: four operations in f32.
constexpr double kLeastAllowed = 0x1p-22;

// The two best centroids of a point.
struct Choice {
  int64_t best = 0, second = 0;
  double score = -kWrong, runner_up = -kWrong, size = 0;
  bool Close() const { return score - runner_up <= kClose * size; }
};

std::vector<Choice> Choose(const Clusters& all, int64_t begin, int64_t end) {
  std::vector<Choice> choices(Size(end - begin));
  for (int64_t at = begin; at < end; at += kPointBlock) {
    const int64_t count = std::min(kPointBlock, end - at);
    Meet(all, all.x.Row(at * all.depth, count * all.depth), at,
         [&](int64_t i, int64_t k, double score, double size) {
           Choice& choice = choices[Size(at - begin + i)];
           choice.size = std::max(choice.size, size);
           if (score > choice.score) {
             choice.second = choice.best;
             choice.runner_up = choice.score;
             choice.best = k;
             choice.score = score;
           } else if (score > choice.runner_up) {
             choice.second = k;
             choice.runner_up = score;
           }
         });
  }
  return choices;
}

// Of one batch: means of the points of each centroid, or the centroid where it has none, and their
// scales. Where a point could be of either of two, both scales take what it can move.
struct Means {
  std::vector<double> value, scale;
};

Means MeansOf(const Clusters& all, int64_t batch) {
  const int64_t depth = all.depth;
  const auto centroids = all.c.Row(batch * all.centroids * depth, all.centroids * depth);
  const auto choices = Choose(all, batch * all.points, (batch + 1) * all.points);
  Means means{std::vector<double>(centroids.size()), std::vector<double>(centroids.size())};
  std::vector<double> count(Size(all.centroids)), doubtful(count.size()), moved(centroids.size());
  for (int64_t n = 0; n < all.points; ++n) {
    const Choice& choice = choices[Size(n)];
    const auto point = all.Point(batch * all.points + n);
    count[Size(choice.best)] += 1;
    for (int64_t d = 0; d < depth; ++d) {
      means.value[Size(choice.best * depth + d)] += point[Size(d)];
      means.scale[Size(choice.best * depth + d)] += std::abs(point[Size(d)]);
    }
    if (all.centroids < 2 || !choice.Close()) continue;
    for (const int64_t k : {choice.best, choice.second}) {
      doubtful[Size(k)] += 1;
      for (int64_t d = 0; d < depth; ++d) {
        const size_t at = Size(k * depth + d);
        moved[at] += std::abs(point[Size(d)]) + std::abs(centroids[at]);
      }
    }
  }
  for (size_t at = 0; at < centroids.size(); ++at) {
    const size_t k = at / Size(depth);
    means.value[at] = count[k] == 0 ? centroids[at] : means.value[at] / count[k];
    means.scale[at] = count[k] == 0 ? std::abs(centroids[at]) : means.scale[at] / count[k];
    if (doubtful[k] == 0) continue;
    const double sure = std::max(1.0, count[k] - doubtful[k]);
    means.scale[at] += (moved[at] + doubtful[k] * std::abs(means.value[at])) / sure / kLeastAllowed;
  }
  return means;
}

// nc: the means; moved: their distance to the centroids before. Pieces are whole batches.
void Lloyd(const Inputs& inputs, std::string_view output, Piece piece) {
  if (output == "ids") return FindBuiltin("kmeans_assign").value()->evaluate(inputs, output, piece);
  const Clusters all(inputs);
  const int64_t depth = output == "nc" ? 1 : all.depth;
  const int64_t batch = all.centroids * all.depth / depth;
  for (int64_t begin = piece.begin; begin < piece.end; begin += batch) {
    const Means means = MeansOf(all, begin / batch);
    double* want = piece.want + (begin - piece.begin);
    double* scale = piece.scale + (begin - piece.begin);
    if (output == "nc") {
      std::copy(means.value.begin(), means.value.end(), want);
      std::copy(means.scale.begin(), means.scale.end(), scale);
      continue;
    }
    const auto before = all.c.Row(begin * depth, batch * depth);
    for (int64_t k = 0; k < batch; ++k) {
      double distance = 0, size = 0;
      for (int64_t d = 0; d < depth; ++d) {
        const size_t at = Size(k * depth + d);
        distance += (means.value[at] - before[at]) * (means.value[at] - before[at]);
        size += means.scale[at] * means.scale[at] + before[at] * before[at];
      }
      want[k] = std::sqrt(distance);
      scale[k] = std::sqrt(size);
    }
  }
}

void LloydRegret(const Inputs& inputs, std::string_view output, Piece piece, const int64_t* got,
                 double* loss) {
  FindBuiltin("kmeans_assign").value()->regret(inputs, output, piece, got, loss);
}

int64_t Batch(const Inputs& inputs, std::string_view output) {
  if (output == "ids") return 1;
  const auto& c = inputs.tensors.at("c").at.shape;
  return output == "nc" ? c[c.size() - 2] * c.back() : c[c.size() - 2];
}

}  // namespace

std::vector<Builtin> LloydReferences() {
  return {{"kmeans_lloyd", {"ids", "nc", "moved"}, {"x", "c"}, {}, Batch, Lloyd, LloydRegret}};
}

}  // namespace runner::reference
