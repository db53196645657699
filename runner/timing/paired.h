// The paired statistic of interleaved timing: what a block A B B A says of the ratio B / A, the
// interval over blocks, and when enough blocks were seen.
//
// Both contestants of a block run within a few samples of each other and in both orders, so a clock
// or a power limit that drifts over the run changes both sides alike and cancels inside the block;
// medians over the whole run keep it. The blocks' log ratios are averaged after a fifth is trimmed
// on each side, and the interval is the 95% percentile bootstrap over blocks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace runner::timing {

struct Ratio {
  double median = 0;         // baseline / candidate: above 1 the candidate is faster
  double low = 0, high = 0;  // 95% percentile bootstrap over blocks
};

// One value a block: mean of ln(baseline) - mean of ln(candidate) over the block's two samples of
// each. Samples are in the order in which they were taken, two a block; an odd last one is left
// out.
std::vector<double> BlockLogRatios(const std::vector<double>& baseline,
                                   const std::vector<double>& candidate);

// Deterministic for a seed. Fewer than 4 blocks: all zero.
Ratio PairedRatio(const std::vector<double>& baseline, const std::vector<double>& candidate,
                  uint64_t seed);

// A block holds two pairs: the first look is at 40 pairs, the last at 80. At 20 pairs some
// intervals are by luck much narrower than they should be, and stopping there picks just those (2
// of 1,000 comparisons of equal programs were promoted so on an H200).
struct StopRule {
  int blocks_min = 20, blocks_max = 40, look_every_blocks = 5;
  // Stop when half of the ratio's interval, relative to the ratio, is at most this. It is far
  // inside the smallest gain that counts (1%), and does not look at the ratio's own value: a rule
  // that stopped when the ratio looked good would make every tie win sometimes.
  double half_width = 0.0025;
};

// Whether the rule looks at all after so many blocks.
bool LooksAfter(const StopRule& rule, int blocks);

enum class Stop { kGoOn, kPrecise, kBlocksMax };
std::string_view ToString(Stop stop);

// After as many blocks as the samples hold.
Stop Decide(const StopRule& rule, const std::vector<double>& baseline,
            const std::vector<double>& candidate, uint64_t seed);

// The smallest gain of this device that is no noise, from comparisons of a program with itself:
// what their log ratios lie beside 0 on average, and three of their standard deviations. A gain
// counts when the lower end of its interval, about two deviations below it, is above the floor: a
// ratio that is off by five. Never below kNoiseFloorMin.
inline constexpr double kNoiseFloorMin = 0.002;
double NoiseFloor(const std::vector<Ratio>& of_equal_programs);

}  // namespace runner::timing
