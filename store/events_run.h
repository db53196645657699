// Events of experiments, runs and the loop. See events.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/types.h"

namespace store {

// ---- Principals, workloads, experiments, runs

struct PrincipalChanged {
  static constexpr std::string_view kKind = "PrincipalChanged";
  static constexpr int kSchema = 2;
  int64_t principal = 0;  // assigned
  std::string name;
  std::string role;        // agent | worker | operator | researcher | all
  std::string token_hash;  // "" : no token (the local socket)
  int64_t experiment = 0;  // scope; 0: all
  bool revoked = false;
  // Its quota; 0: what the daemon gives everybody.
  int64_t weight = 0;      // of its part of the gates' CPU time
  int64_t checks_max = 0;  // at a time
  int64_t open_max = 0;    // candidates that are not judged yet
};

struct WorkloadRegistered {
  static constexpr std::string_view kKind = "WorkloadRegistered";
  static constexpr int kSchema = 2;
  int64_t workload = 0;  // assigned; that of an imported one when it is registered here too
  std::string name;
  std::string hash;       // of the canonical form; unique
  ObjectHash text_hash;   // the file's bytes
  ObjectHash canon_hash;  // the canonical JSON, when stored as an object
  bool imported = false;  // known from evidence only: its name means nothing here
};

struct ExperimentCreated {
  static constexpr std::string_view kKind = "ExperimentCreated";
  static constexpr int kSchema = 1;
  int64_t experiment = 0;  // assigned
  std::string name;        // unique
  ObjectHash spec_hash;
  std::string visibility;  // OPEN | CLEAN
};

struct ExperimentSealed {
  static constexpr std::string_view kKind = "ExperimentSealed";
  static constexpr int kSchema = 1;
  int64_t experiment = 0;
  std::string state;  // PREREGISTERED | SEALED
};

struct BudgetLimit {
  std::string kind;  // evaluations | tokens | active_ns | gpu_ns
  int64_t limit = 0;
};

// The first one of a run (state CREATED) makes it and must carry every field; later ones carry run,
// state and reason.
struct RunStateChanged {
  static constexpr std::string_view kKind = "RunState";
  static constexpr int kSchema = 2;
  int64_t run = 0;  // assigned when CREATED
  RunState state = RunState::kCreated;
  std::string reason;  // STOPPED: TARGET | PLATEAU | BUDGET(kind) | EXHAUSTED | OPERATOR |
                       // IMPORTED (it went on elsewhere); PAUSED: OPERATOR | INFRA_DOWN
  int64_t experiment = 0;
  std::string arm;
  int64_t repeat_no = 0;
  uint64_t seed = 0;
  int64_t workload = 0;
  std::string contract_hash;
  ScoreSource objective = ScoreSource::kNone;
  ObjectHash spec_hash;
  std::vector<BudgetLimit> budgets;
  int64_t import = 0;      // the evidence that the run came with; 0: it is this store's own
  int64_t source_run = 0;  // its number there
};

// Written before its effect. decision_no is dense from 1 in each run and checked.
struct Decision {
  static constexpr std::string_view kKind = "Decision";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  int64_t decision_no = 0;
  std::string kind;
  int64_t inputs_through_seq = 0;
  uint64_t rng_counter = 0;
  std::string chosen_json;
  std::string reasons_json;
};

// ---- The loop

struct EliteChanged {
  static constexpr std::string_view kKind = "EliteChanged";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  ScoreSource source = ScoreSource::kNone;
  int64_t island = 0;
  std::string cell;
  int64_t variant = 0;
  double score = 0;  // higher is better: ratio's lower end, or -predicted ns
};

struct PlateauDetected {
  static constexpr std::string_view kKind = "PlateauDetected";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  int64_t detected_at = 0;  // on the budget axis
  int64_t point = 0;        // the last gain before
};

struct BudgetReserved {
  static constexpr std::string_view kKind = "BudgetReserved";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t amount = 0;
  int64_t job = 0;
};

struct BudgetSettled {
  static constexpr std::string_view kKind = "BudgetSettled";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t reserved = 0;  // gives this much of the reservation back
  int64_t spent = 0;     // and spends this much
  int64_t job = 0;
};

struct BudgetRefunded {
  static constexpr std::string_view kKind = "BudgetRefunded";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t amount = 0;
  int64_t job = 0;
};

// Cumulative counters: the table keeps the largest of each, so that a retry never counts twice.
struct UsageReported {
  static constexpr std::string_view kKind = "UsageReported";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string session, model;
  UsageSource source = UsageSource::kAgent;
  int64_t input = 0, cached = 0, output = 0, reasoning = 0;
};

}  // namespace store
