#include "server/core/pages.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/core/page_token.h"

namespace server::core {
namespace {

using store::RunState;

void AddName(std::vector<std::string>& names, const std::string& name) {
  if (names.size() < kNamesMax && std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

std::vector<store::CountRow> Counts(const std::map<std::string, int64_t>& counts) {
  std::vector<store::CountRow> rows;
  for (const auto& [word, count] : counts) rows.push_back({word, count});
  return rows;
}

// Places in the queue: running jobs first, then by priority, then by age.
struct Place {
  int64_t waits = 0, minus_priority = 0, id = 0;
  auto operator<=>(const Place&) const = default;
  std::string Token() const { return absl::StrCat(waits, ".", minus_priority, ".", id); }
};

std::optional<Place> ReadPlace(std::string_view token) {
  Place place;
  const char* at = token.data();
  const char* end = token.data() + token.size();
  for (int64_t* part : {&place.waits, &place.minus_priority, &place.id}) {
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc()) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  if (place.Token() != token) return std::nullopt;
  return place;
}

}  // namespace

absl::StatusOr<Overview> Pages::GetOverview() {
  const state::State& state = c_.state();
  auto snapshot = c_.ledger.store().Snapshot();
  if (!snapshot.ok()) return state::FromStore(snapshot.status());
  store::Reads& reads = (*snapshot)->reads();
  Overview out;
  out.as_of_seq = state.last_seq;
  const auto read = [](absl::StatusOr<std::vector<store::CountRow>> rows,
                       std::vector<store::CountRow>& into) {
    if (rows.ok()) into = *std::move(rows);
    return rows.status();
  };
  for (const absl::Status& status :
       {read(reads.RunCounts(), out.runs), read(reads.CandidateCounts(), out.candidates),
        read(reads.WaitingJobCounts(), out.jobs), read(reads.FindingCounts(), out.findings)}) {
    if (!status.ok()) return state::FromStore(status);
  }
  std::map<std::string, int64_t> devices, workers;
  for (const auto& [id, device] : state.devices) ++devices[device.state];
  for (const auto& [id, worker] : state.workers) ++workers[worker.state];
  out.devices = Counts(devices);
  out.workers = Counts(workers);
  for (const auto& [id, import] : state.imports) out.demo |= import.campaign == kDemoCampaign;
  return out;
}

absl::StatusOr<PageOf<RunView>> Pages::Runs(const RunsRequest& request) const {
  const state::State& state = c_.state();
  auto cursor = ReadCursor('r', request.page);
  if (!cursor.ok()) return cursor.status();
  int64_t experiment = 0, only = 0;
  if (!request.experiment.empty()) {
    const state::Experiment* found = state.FindExperiment(request.experiment);
    if (found == nullptr) return state::NotFound("experiment", request.experiment);
    experiment = found->id;
  }
  if (!request.run.empty()) {
    const auto id = store::ParseRowName('r', request.run);
    if (!id || !state.runs.contains(*id)) return state::NotFound("run", request.run);
    only = *id;
  }
  std::vector<RunView> rows;
  auto it = cursor->before == 0 ? state.runs.end() : state.runs.lower_bound(cursor->before);
  while (it != state.runs.begin() && static_cast<int64_t>(rows.size()) < cursor->limit) {
    const state::Run& run = (--it)->second;
    const bool wanted =
        (experiment == 0 || run.experiment == experiment) && (only == 0 || run.id == only) &&
        (!request.state || run.state == *request.state) &&
        (request.workload.empty() || state.workloads.at(run.workload).name == request.workload);
    if (wanted) rows.push_back(experiments_.View(run));
  }
  auto page = CutRows(*cursor, std::move(rows), [](const RunView& view) { return view.row.id; });
  page.as_of_seq = state.last_seq;
  return page;
}

absl::StatusOr<PageOf<ExperimentView>> Pages::ExperimentsPage(const PageRequest& request) const {
  const state::State& state = c_.state();
  auto cursor = ReadCursor('x', request);
  if (!cursor.ok()) return cursor.status();
  std::map<int64_t, ExperimentView> views;
  std::vector<int64_t> order;
  auto it =
      cursor->before == 0 ? state.experiments.end() : state.experiments.lower_bound(cursor->before);
  while (it != state.experiments.begin() && static_cast<int64_t>(order.size()) < cursor->limit) {
    const state::Experiment& experiment = (--it)->second;
    views[experiment.id] = {.name = experiment.name, .visibility = experiment.visibility};
    order.push_back(experiment.id);
  }
  for (const auto& [id, run] : state.runs) {
    const auto view = views.find(run.experiment);
    if (view == views.end()) continue;
    ++view->second.runs;
    view->second.running +=
        run.state == RunState::kRunning || run.state == RunState::kConfirming ? 1 : 0;
    view->second.candidates += static_cast<int64_t>(run.candidates.size());
    view->second.evaluations += static_cast<int64_t>(run.confirmed_curve.size());
    view->second.imported |= run.import != 0;
    AddName(view->second.arms, run.arm);
    AddName(view->second.workloads, state.workloads.at(run.workload).name);
  }
  auto ids = CutRows(*cursor, std::move(order), [](int64_t id) { return id; });
  PageOf<ExperimentView> page;
  for (const int64_t id : ids.rows) page.rows.push_back(std::move(views.at(id)));
  page.next_token = ids.next_token;
  page.as_of_seq = state.last_seq;
  return page;
}

std::string Pages::WhyItWaits(const state::Job& job) const {
  const state::Run& run = c_.state().runs.at(job.run);
  if (run.state != RunState::kRunning && run.state != RunState::kConfirming) {
    return absl::StrCat("the run is ", std::string(store::ToString(run.state)));
  }
  if (AnyWorkerFor(c_.state(), job.needs)) return "";
  return absl::StrCat("no worker serves ", absl::StrJoin(job.needs, ", "));
}

absl::StatusOr<QueuePage> Pages::Queue(const QueueRequest& request) const {
  const state::State& state = c_.state();
  auto cursor = ReadCursor('j', {request.page.size, ""});
  if (!cursor.ok()) return cursor.status();
  const auto from = request.page.token.empty() ? Place{-1} : ReadPlace(request.page.token);
  if (!from) {
    return state::Error(state::Reason::kPageTokenStale,
                        "the page token was not made for this list");
  }
  const auto run = store::ParseRowName('r', request.run);
  if (!request.run.empty() && !run) return state::NotFound("run", request.run);
  QueuePage page;
  std::vector<Place> places;
  const auto add = [&](const state::Job& job, bool waits) {
    if (run && job.run != *run) return;
    ++(waits ? page.queued : page.leased);
    const Place place{waits ? 1 : 0, -job.priority, job.id};
    if (place > *from) places.push_back(place);
  };
  for (const int64_t lease : state.open_leases)
    add(state.jobs.at(state.leases.at(lease).job), false);
  for (const int64_t id : state.queued_jobs) add(state.jobs.at(id), true);
  const size_t shown = std::min(places.size(), static_cast<size_t>(cursor->size));
  std::partial_sort(places.begin(), places.begin() + static_cast<int64_t>(shown), places.end());
  if (shown < places.size()) page.next_token = places[shown - 1].Token();
  places.resize(shown);
  for (const Place& place : places) {
    const state::Job& job = state.jobs.at(place.id);
    const state::Variant& variant = state.variants.at(job.variant);
    QueuedJob row{job, state.candidates.at(variant.candidate).Name(), variant.params_json, {}, {}};
    if (place.waits != 0) {
      row.waits_because = WhyItWaits(job);
    } else if (const auto worker = state.workers.find(job.worker); worker != state.workers.end()) {
      row.worker = worker->second.name;
    }
    page.rows.push_back(std::move(row));
  }
  page.as_of_seq = state.last_seq;
  return page;
}

absl::StatusOr<PageOf<DeviceView>> Pages::Devices(const PageRequest& request) const {
  const state::State& state = c_.state();
  auto cursor = ReadCursor('d', request);
  if (!cursor.ok()) return cursor.status();
  std::map<int64_t, DeviceView> views;
  std::vector<int64_t> order;
  auto it = cursor->before == 0 ? state.devices.end() : state.devices.lower_bound(cursor->before);
  while (it != state.devices.begin() && static_cast<int64_t>(order.size()) < cursor->limit) {
    const state::Device& device = (--it)->second;
    views[device.id].row = device;
    order.push_back(device.id);
  }
  auto ids = CutRows(*cursor, std::move(order), [](int64_t id) { return id; });
  // Those that run on no device stand at the end of the last page.
  if (ids.next_token.empty()) ids.rows.push_back(0);
  std::map<int64_t, std::string> busy;
  for (const int64_t lease : state.open_leases) {
    const state::Job& job = state.jobs.at(state.leases.at(lease).job);
    busy[job.worker] = state.candidates.at(state.variants.at(job.variant).candidate).Name();
  }
  for (const auto& [id, worker] : state.workers) {
    if (std::find(ids.rows.begin(), ids.rows.end(), worker.device) == ids.rows.end()) continue;
    const auto work = busy.find(id);
    views[worker.device].workers.push_back({worker, work == busy.end() ? "" : work->second});
  }
  PageOf<DeviceView> page;
  for (const int64_t id : ids.rows) {
    const auto view = views.find(id);
    if (view != views.end()) page.rows.push_back(std::move(view->second));
  }
  page.next_token = ids.next_token;
  page.as_of_seq = state.last_seq;
  return page;
}

}  // namespace server::core
