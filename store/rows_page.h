// Rows of the pages that people look through: newest first, with the names that go with the ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/rows.h"

namespace store {

// How many rows have a word: a state, a verdict.
struct CountRow {
  std::string word;
  int64_t count = 0;
};

struct FindingFilter {
  std::string state, route;  // "" : any
};

// A candidate that shows a finding.
struct FindingCaseRow {
  int64_t candidate = 0, run = 0, n = 0;
  Verdict verdict = Verdict::kPending;
  std::string workload;
};

// One charged evaluation of a run, with what it was about.
struct ScoreRow {
  int64_t number = 0;  // 1, 2, .. in the run
  int64_t n = 0;       // of its candidate
  std::string params_json;
  Verdict verdict = Verdict::kPending;  // that holds now
  ScoreSource source = ScoreSource::kNone;
  bool simulated = false;
  int64_t tokens = 0, active_ns = 0, gpu_ns = 0;        // of the run when it ended
  double ratio_low = 0, ratio_med = 0, ratio_high = 0;  // 0: none
  double time_ns = 0, predicted_ns = 0;                 // 0: none
};

struct ListedFilter {
  int64_t run = 0, candidate = 0;                   // 0: any
  std::string workload, device, purpose, protocol;  // "" : any; device: uuid or name
  std::vector<std::string> verdicts;                // that hold now; empty: any
  bool charged_only = false;
};

// An evaluation with the names of what it was of.
struct ListedEvaluationRow {
  EvaluationRow evaluation;
  int64_t n = 0;  // of its candidate
  std::string params_json, workload, device_uuid, device_name;
  bool simulated = false;
};

// A parent link with both ends by name.
struct LineageEdgeRow {
  int64_t child_run = 0, child_n = 0, parent_run = 0, parent_n = 0;
  std::string role, child_tactic;
  Verdict child_verdict = Verdict::kPending, parent_verdict = Verdict::kPending;
};

struct EventFilter {
  int64_t run = 0;            // 0: any
  std::string subject, kind;  // "" : any
};

}  // namespace store
