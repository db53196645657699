// References whose outputs gather from all of an input: counts, running sums, means of classes.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

int64_t AllOfX(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, inputs.tensors.at("x").at.elements);
}

// h[b]: how many x are b. A piece counts its own bins.
void Histogram(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x");
  std::fill(piece.want, piece.want + (piece.end - piece.begin), 0.0);
  std::fill(piece.scale, piece.scale + (piece.end - piece.begin), 0.0);
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t bin = x.Index(i);
    if (bin >= piece.begin && bin < piece.end) piece.want[bin - piece.begin] += 1;
  }
}

// y[i] = x[0] + .. + x[i], modulo 2^32.
void PrefixSum(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x");
  uint32_t sum = 0;
  for (int64_t i = 0; i < piece.end; ++i) {
    sum += static_cast<uint32_t>(x.Index(i));
    if (i < piece.begin) continue;
    piece.want[i - piece.begin] = sum;
    piece.scale[i - piece.begin] = sum;
  }
}

int64_t AllOfCentroids(const Inputs& inputs, std::string_view output) {
  const auto& c = inputs.tensors.at("c").at;
  return std::max<int64_t>(1, output == "count" ? c.shape[0] : c.elements);
}

// nc[k, :] = mean of the x[n, :] with ids[n] = k, or c[k, :] where there are none; count[k]: how
// many.
void KMeansUpdate(const Inputs& inputs, std::string_view output, Piece piece) {
  const Reader x(inputs, "x"), ids(inputs, "ids"), c(inputs, "c");
  const int64_t classes = c.extent(0), depth = c.extent(1);
  std::vector<double> count(static_cast<size_t>(classes));
  for (int64_t n = 0; n < ids.elements(); ++n) count[static_cast<size_t>(ids.Index(n))] += 1;
  if (output == "count") {
    std::copy(count.begin() + piece.begin, count.begin() + piece.end, piece.want);
    std::copy(count.begin() + piece.begin, count.begin() + piece.end, piece.scale);
    return;
  }
  std::fill(piece.want, piece.want + (piece.end - piece.begin), 0.0);
  std::fill(piece.scale, piece.scale + (piece.end - piece.begin), 0.0);
  for (int64_t n = 0; n < ids.elements(); ++n) {
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t at = ids.Index(n) * depth + d;
      piece.want[at] += x[n * depth + d];
      piece.scale[at] += std::abs(x[n * depth + d]);
    }
  }
  for (int64_t at = 0; at < classes * depth; ++at) {
    const double members = count[static_cast<size_t>(at / depth)];
    piece.want[at] = members == 0 ? c[at] : piece.want[at] / members;
    piece.scale[at] = members == 0 ? std::abs(c[at]) : piece.scale[at] / members;
  }
}

}  // namespace

std::vector<Builtin> ScatterReferences() {
  return {
      {"histogram", {"h"}, {"x"}, {}, OneElement, Histogram},
      {"kmeans_update", {"nc", "count"}, {"x", "ids", "c"}, {}, AllOfCentroids, KMeansUpdate},
      {"prefix_sum", {"y"}, {"x"}, {}, AllOfX, PrefixSum},
  };
}

}  // namespace runner::reference
