#include "clients/cli/remote/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clients::cli::remote {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

RankSum MannWhitney(const std::vector<double>& first, const std::vector<double>& second) {
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  if (first.empty() || second.empty()) return {};
  std::vector<std::pair<double, bool>> all;
  for (const double value : first) all.emplace_back(value, true);
  for (const double value : second) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double ranks = 0, ties = 0;
  for (size_t i = 0; i < all.size();) {
    size_t j = i;
    while (j < all.size() && all[j].first == all[i].first) ++j;
    const double rank = (static_cast<double>(i + j) + 1) / 2;  // the mean of places i + 1 .. j
    const auto count = static_cast<double>(j - i);
    ties += count * count * count - count;
    for (; i < j; ++i) ranks += all[i].second ? rank : 0;
  }
  RankSum out;
  out.u = ranks - n * (n + 1) / 2;
  out.above = out.u / (n * m);
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return out;
  const double distance = std::max(0.0, std::abs(out.u - n * m / 2) - 0.5);
  out.p = std::min(1.0, std::erfc(distance / std::sqrt(variance) / std::sqrt(2.0)));
  return out;
}

std::vector<double> Holm(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, p[order[i]] * static_cast<double>(p.size() - i));
    out[order[i]] = std::min(1.0, largest);
  }
  return out;
}

}  // namespace clients::cli::remote
