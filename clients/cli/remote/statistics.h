// Comparing arms of an experiment: rank sums, and what remains significant when several are
// compared.
#pragma once

#include <vector>

namespace clients::cli::remote {

double Median(std::vector<double> values);  // 0 of none

// Two-sided Mann-Whitney test with the normal approximation, corrected for ties and continuity.
struct RankSum {
  double u = 0;        // of the first sample
  double p = 1;        // two-sided
  double above = 0.5;  // probability that one of the first exceeds one of the second, ties half
};
RankSum MannWhitney(const std::vector<double>& first, const std::vector<double>& second);

// Holm's step-down correction, in the order given; no value above 1.
std::vector<double> Holm(const std::vector<double>& p);

}  // namespace clients::cli::remote
