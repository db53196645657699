// The arms of an experiment beside each other, from what the daemon says of its runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cake/v1/operator.pb.h"

namespace clients::cli::remote {

// An arm of which more evaluations than this had no recorded answer says nothing.
inline constexpr double kReplayMissesMax = 0.05;

struct ArmRow {
  std::string arm;
  std::vector<const cake::v1::RunSummary*> runs;
  int64_t evaluations = 0, misses = 0, plateaus = 0;
  bool is_void = false;       // too many replay misses
  std::vector<double> at[3];  // the best score at 25, 50 and 100% of the budget, by repeat
  std::vector<double> plateau_points;
};

struct ArmComparison {
  std::string arm, against;
  int percent = 0;
  double median = 0, median_against = 0;
  double above = 0.5, p = 1, p_holm = 1;  // p_holm: over all comparisons of the experiment
};

struct ExperimentTable {
  std::string experiment, workload;
  cake::v1::ObjectiveSource source = cake::v1::OBJECTIVE_SOURCE_UNSPECIFIED;
  bool mixed_sources = false;              // then nothing is compared
  int64_t budget = 0;                      // evaluations
  std::vector<ArmRow> arms;                // in the order of their first run
  std::vector<ArmComparison> comparisons;  // the first arm against each other one
};

// `reply` must outlive the result. Arms that are void, unfinished runs and mixed sources are told,
// not compared.
ExperimentTable TableOf(const cake::v1::ExperimentReply& reply);

std::string TextOf(const ExperimentTable& table);
// One page that needs nothing else: tables and, as inline SVG, the median curve of each arm.
std::string HtmlOf(const ExperimentTable& table);

}  // namespace clients::cli::remote
