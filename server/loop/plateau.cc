// When a run has stopped gaining, by the rule that was written down before it began.
#include <algorithm>
#include <cmath>
#include <set>

#include "server/loop/plan.h"

namespace server::loop {
namespace {

constexpr double kWindowShare = 0.2, kGainMin = 0.01;
constexpr int64_t kWindowEvaluationsMin = 32, kTokenSamples = 40;
constexpr size_t kCellsMin = 3;

int64_t WindowOf(int64_t budget) {
  return std::max<int64_t>(kWindowEvaluationsMin,
                           std::llround(std::ceil(kWindowShare * static_cast<double>(budget))));
}

double GrowthOf(double noise_floor) { return 1 + std::max(kGainMin, 2 * noise_floor); }

// A curve over steps 1, 2, ..: best[i] and what was tried are those of step i + 1.
struct Steps {
  std::vector<double> best;
  std::vector<std::set<std::string>> cells;
  double BestAt(int64_t x) const { return x == 0 ? 0.0 : best[static_cast<size_t>(x - 1)]; }
};

bool NoGain(const Steps& steps, int64_t x, int64_t window, double growth) {
  const double before = steps.BestAt(x - window);
  return before > 0 && steps.BestAt(x) / before < growth;
}

size_t CellsIn(const Steps& steps, int64_t x, int64_t window) {
  std::set<std::string> tried;
  for (int64_t i = x - window; i < x; ++i) {
    tried.insert(steps.cells[static_cast<size_t>(i)].begin(),
                 steps.cells[static_cast<size_t>(i)].end());
  }
  return tried.size();
}

std::optional<Plateau> Find(const Steps& steps, int64_t window, double growth) {
  for (int64_t x = 2 * window; x <= static_cast<int64_t>(steps.best.size()); ++x) {
    if (!NoGain(steps, x, window, growth) || CellsIn(steps, x, window) < kCellsMin) continue;
    int64_t point = x;
    while (point > 1 && steps.BestAt(point) == steps.BestAt(point - 1)) --point;
    return Plateau{x, point};
  }
  return std::nullopt;
}

Steps ByEvaluation(const std::vector<double>& curve, const std::vector<std::string>& cells) {
  Steps steps{curve, {}};
  for (const std::string& cell : cells) steps.cells.push_back({cell});
  return steps;
}

}  // namespace

std::optional<Plateau> FindPlateau(const std::vector<double>& curve,
                                   const std::vector<std::string>& cells, int64_t budget,
                                   double noise_floor) {
  return Find(ByEvaluation(curve, cells), WindowOf(budget), GrowthOf(noise_floor));
}

std::optional<Plateau> FindTokenPlateau(const std::vector<double>& curve,
                                        const std::vector<std::string>& cells,
                                        const std::vector<int64_t>& tokens, int64_t budget,
                                        double noise_floor) {
  if (budget < kTokenSamples || tokens.empty()) return std::nullopt;
  const int64_t step = budget / kTokenSamples;
  Steps steps;
  size_t next = 0;
  double best = 0;
  for (int64_t x = step; x <= tokens.back(); x += step) {
    std::set<std::string> tried;
    for (; next < tokens.size() && tokens[next] <= x; ++next) {
      best = curve[next];
      tried.insert(cells[next]);
    }
    steps.best.push_back(best);
    steps.cells.push_back(std::move(tried));
  }
  const auto window = std::llround(kWindowShare * static_cast<double>(kTokenSamples));
  auto found = Find(steps, window, GrowthOf(noise_floor));
  if (!found) return std::nullopt;
  return Plateau{found->detected_at * step, found->point * step};
}

bool StuckInFewCells(const std::vector<double>& curve, const std::vector<std::string>& cells,
                     int64_t budget, double noise_floor) {
  const int64_t window = WindowOf(budget);
  const auto x = static_cast<int64_t>(curve.size());
  if (x < 2 * window) return false;
  const Steps steps = ByEvaluation(curve, cells);
  return NoGain(steps, x, window, GrowthOf(noise_floor)) && CellsIn(steps, x, window) < kCellsMin;
}

double NoiseFloor(const state::State& state) {
  double floor = 0;
  for (const auto& [id, device] : state.devices) {
    if (device.state != "GONE") floor = std::max(floor, device.LargestNoise());
  }
  return floor;
}

}  // namespace server::loop
