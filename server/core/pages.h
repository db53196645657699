// What people and tools look through: pages and curves. Everything is bounded, and newest first
// unless it says otherwise.
//
// The functions over Reads need a snapshot of the store and nothing else: any thread may call them,
// so that looking never keeps the core from working. Pages reads the core's own state, on its
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/context.h"
#include "server/core/experiments.h"
#include "store/reads.h"

namespace server::core {

inline constexpr int64_t kCurvePointsMax = 2000;
inline constexpr int64_t kLineageDepthMax = 64;

struct PageRequest {
  int64_t size = 0;   // 0: 50; at most kPageRowsMax
  std::string token;  // of the page before; "" for the first
};

template <typename Row>
struct PageOf {
  std::vector<Row> rows;
  std::string next_token;  // "" at the end
  int64_t as_of_seq = 0;
};

// ---- Of the store

struct CurvePoint {
  store::ScoreRow row;
  double value = 0;  // in the curve's unit; 0: none
  double best = 0;   // so far; 0: none yet
};

struct Curve {
  int64_t run = 0;
  store::ScoreSource objective = store::ScoreSource::kNone;
  std::vector<CurvePoint> points;
  int64_t evaluations = 0;
  bool simulated = false;
};

struct FindingView {
  store::FindingRow row;
  std::string minimised;
  std::vector<store::FindingCaseRow> cases;  // the first kFindingCasesMax
};
inline constexpr int64_t kFindingCasesMax = 100;

struct LineageView {
  std::string candidate;
  std::vector<store::LineageEdgeRow> links;
  bool truncated = false;
};

struct EventsRequest {
  std::string run, subject, kind;  // "" : any
  PageRequest page;
};

struct FindingsRequest {
  store::FindingFilter filter;
  PageRequest page;
};

struct EvaluationsRequest {
  std::string run, candidate;  // by name; "" : any
  store::ListedFilter filter;
  PageRequest page;
};

// PAGE_TOKEN_STALE for a token of another filter.
absl::StatusOr<PageOf<store::ListedEvaluationRow>> EvaluationsPage(
    store::Reads& reads, const EvaluationsRequest& request);
absl::StatusOr<PageOf<store::FindingRow>> FindingsPage(store::Reads& reads,
                                                       const FindingsRequest& request);
absl::StatusOr<FindingView> GetFinding(store::Reads& reads, const std::string& name);
absl::StatusOr<PageOf<store::Event>> EventsPage(store::Reads& reads, const EventsRequest& request);
absl::StatusOr<LineageView> GetLineage(store::Reads& reads, const std::string& candidate,
                                       int64_t max_depth);
absl::StatusOr<Curve> GetCurve(store::Reads& reads, const std::string& run, int64_t max_points);

// Keeps the points that change the best, the first and the last, and of the rest every so many.
std::vector<CurvePoint> Thin(std::vector<CurvePoint> points, int64_t max_points);

// ---- Of the core's state

struct ExperimentView {
  std::string name, visibility;
  int64_t runs = 0, running = 0, candidates = 0, evaluations = 0;
  std::vector<std::string> arms, workloads;  // the first kNamesMax
  bool imported = false;
};
inline constexpr size_t kNamesMax = 8;

struct RunsRequest {
  std::string experiment, workload, run;
  std::optional<store::RunState> state;
  PageRequest page;
};

struct QueueRequest {
  std::string run;
  PageRequest page;
};

struct QueuedJob {
  state::Job job;
  std::string candidate, binding, worker, waits_because;
};

struct QueuePage : PageOf<QueuedJob> {
  int64_t queued = 0, leased = 0;
};

struct WorkerView {
  state::Worker row;
  std::string candidate;
};

struct DeviceView {
  state::Device row;  // id 0: workers without a device
  std::vector<WorkerView> workers;
};

struct Overview {
  int64_t as_of_seq = 0;
  std::vector<store::CountRow> runs, candidates, jobs, findings, devices, workers;
  bool demo = false;
};

class Pages {
 public:
  Pages(Context& context, Experiments& experiments) : c_(context), experiments_(experiments) {}

  absl::StatusOr<Overview> GetOverview();
  absl::StatusOr<PageOf<RunView>> Runs(const RunsRequest& request) const;
  absl::StatusOr<PageOf<ExperimentView>> ExperimentsPage(const PageRequest& request) const;
  absl::StatusOr<QueuePage> Queue(const QueueRequest& request) const;
  absl::StatusOr<PageOf<DeviceView>> Devices(const PageRequest& request) const;

 private:
  std::string WhyItWaits(const state::Job& job) const;

  Context& c_;
  Experiments& experiments_;
};

// The campaign of imported evidence that is demo data and nothing else.
inline constexpr std::string_view kDemoCampaign = "demo";

}  // namespace server::core
