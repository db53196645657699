#include "server/core/experiments.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace server::core {
namespace {

using state::Run;
using store::RunState;
using store::ScoreSource;

constexpr std::string_view kDefaultExperiment = "default";

template <typename Map>
int64_t NextId(const Map& rows) {
  return rows.empty() ? 1 : rows.rbegin()->first + 1;
}

// MEASURED only where a real device serves: an estimate is never taken for a measurement later.
// REPLAY where nothing measures and a table of recorded evaluations is served.
ScoreSource ObjectiveNow(const state::State& state) {
  ScoreSource found = ScoreSource::kEstimated;
  for (const auto& [id, worker] : state.workers) {
    const auto device = state.devices.find(worker.device);
    if (worker.state != "SERVE" || device == state.devices.end() ||
        device->second.state != "HEALTHY") {
      continue;
    }
    if (!device->second.simulated) return ScoreSource::kMeasured;
    if (Replays(worker)) found = ScoreSource::kReplay;
  }
  return found;
}

// What a run on a replay device has to say of its table: how many answers it had, and had not.
std::string ReplaySentence(const state::State& state, const Run& run) {
  int64_t answered = 0, missing = 0;
  std::string device;
  for (const int64_t candidate : run.candidates) {
    for (const int64_t variant : state.candidates.at(candidate).variants) {
      for (const int64_t id : state.variants.at(variant).jobs) {
        const state::Job& job = state.jobs.at(id);
        if (job.state != store::JobState::kDone) continue;
        ++(job.verdict == store::Verdict::kMeasurementFault ? missing : answered);
        const auto worker = state.workers.find(job.worker);
        if (worker == state.workers.end()) continue;
        const auto found = state.devices.find(worker->second.device);
        if (found != state.devices.end()) device = found->second.name;
      }
    }
  }
  return absl::StrCat("; ", answered, " evaluations replayed, ", missing, " not recorded",
                      device.empty() ? "" : absl::StrCat(" (", device, ")"));
}

std::string Sentence(const state::State& state, const Run& run) {
  if (run.objective == ScoreSource::kReplay) {
    std::string best = "nothing better than the baseline in the table yet";
    if (run.best) {
      const state::Variant& variant = state.variants.at(run.best->variant);
      best =
          absl::StrFormat("best replayed: baseline time / candidate time = %.3f (lower end %.3f)",
                          variant.ratio_med, variant.ratio_low);
    }
    return best + ReplaySentence(state, run);
  }
  if (!run.best) return "no correct candidate yet";
  const state::Variant& best = state.variants.at(run.best->variant);
  if (run.objective == ScoreSource::kMeasured) {
    const bool direct = state.candidates.at(best.candidate).IsDirect();
    return absl::StrFormat(
        "best measured%s: baseline time / candidate time = %.3f (lower end %.3f)",
        direct ? ", direct CUDA that no gate knows" : "", best.ratio_med, best.ratio_low);
  }
  if (run.baseline_ns <= 0) {
    return absl::StrFormat("best by estimate, predicted %.0f ns (not measured)",
                           best.PredictedNs());
  }
  return absl::StrFormat(
      "best by estimate, predicted %.2fx the time of the baseline program (not measured)",
      best.PredictedNs() / run.baseline_ns);
}

// Each arm with what its runs do; one arm without a word where none is asked for.
absl::StatusOr<std::vector<std::pair<std::string, loop::RunSpec>>> ArmsOf(
    const CreateExperimentRequest& request) {
  std::vector<std::pair<std::string, loop::RunSpec>> arms;
  if (request.arms.empty()) arms.emplace_back("cake-ir", request.spec);
  for (const std::string& arm : request.arms) {
    auto spec = loop::SpecOfArm(request.spec, arm);
    if (!spec.ok()) return spec.status();
    const bool twice = std::any_of(arms.begin(), arms.end(),
                                   [&](const auto& known) { return known.first == arm; });
    if (twice) return state::BadField("arms", absl::StrCat(arm, " is named twice"));
    arms.emplace_back(arm, *spec);
  }
  return arms;
}

std::vector<store::BudgetLimit> BudgetsOf(const CreateExperimentRequest& request) {
  std::vector<store::BudgetLimit> budgets;
  const std::pair<const char*, int64_t> all[] = {{"evaluations", request.evaluations},
                                                 {"tokens", request.tokens},
                                                 {"active_ns", request.active_ns},
                                                 {"gpu_ns", request.gpu_ns}};
  for (const auto& [kind, limit] : all) {
    if (limit > 0) budgets.push_back({kind, limit});
  }
  return budgets;
}

absl::Status CheckName(const std::string& name) {
  const bool sized = !name.empty() && name.size() <= 64;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (sized && std::all_of(name.begin(), name.end(), fits)) return absl::OkStatus();
  return state::BadField("name", "must match ^[A-Za-z0-9._-]{1,64}$");
}

}  // namespace

absl::StatusOr<ExperimentReply> Experiments::Create(const CreateExperimentRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(c_); !status.ok()) return status;
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, "CreateExperiment", request.meta);
  auto answered = c_.ledger.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return List(request.name);
  if (auto status = CheckName(request.name); !status.ok()) return status;
  if (auto status = loop::Check(request.spec); !status.ok()) return status;
  if (request.repeats < 1 || request.repeats > kRepeatsMax) {
    return state::BadField("repeats", "must be in 1..100");
  }
  if (request.arms.size() > kArmsMax) return state::BadField("arms", "more than 8");
  if (c_.state().FindExperiment(request.name) != nullptr) {
    return absl::AlreadyExistsError(absl::StrCat("experiment ", request.name, " exists"));
  }
  const state::Workload* workload = c_.state().FindWorkload(request.workload);
  if (workload == nullptr) {
    return state::Error(state::Reason::kUnknownWorkload,
                        absl::StrCat("no workload `", request.workload, "`"));
  }
  auto arms = ArmsOf(request);
  if (!arms.ok()) return arms.status();
  const std::string spec = loop::ToJson(request.spec);
  batch.objects.push_back({store::ObjectKind::kOther, spec});
  const int64_t experiment = NextId(c_.state().experiments);
  batch.events.push_back(
      store::ExperimentCreated{.experiment = experiment,
                               .name = request.name,
                               .spec_hash = store::HashOf(spec),
                               .visibility = request.visibility == "isolated" ? "CLEAN" : "OPEN"});
  int64_t run = NextId(c_.state().runs);
  std::vector<int64_t> runs;
  for (const auto& [arm, arm_spec] : *arms) {
    const std::string text = loop::ToJson(arm_spec);
    batch.objects.push_back({store::ObjectKind::kOther, text});
    for (int64_t repeat = 1; repeat <= request.repeats; ++repeat, ++run) {
      store::RunStateChanged created{.run = run,
                                     .state = RunState::kCreated,
                                     .experiment = experiment,
                                     .arm = arm,
                                     .repeat_no = repeat,
                                     .seed = request.seed + static_cast<uint64_t>(repeat - 1),
                                     .workload = workload->id,
                                     .contract_hash = workload->hash,
                                     .objective = ObjectiveNow(c_.state()),
                                     .spec_hash = store::HashOf(text)};
      created.budgets = BudgetsOf(request);
      batch.events.push_back(created);
      runs.push_back(run);
    }
  }
  if (auto done = c_.ledger.Commit(std::move(batch)); !done.ok()) return done.status();
  return Reply(request.name, runs);
}

absl::StatusOr<int64_t> Experiments::DefaultRun(std::string_view name) {
  const state::Workload* workload = c_.state().FindWorkload(name);
  if (workload == nullptr) {
    return state::Error(state::Reason::kUnknownWorkload,
                        absl::StrCat("no workload `", std::string(name.substr(0, 64)), "`"));
  }
  const state::Experiment* experiment = c_.state().FindExperiment(kDefaultExperiment);
  for (const auto& [id, run] : c_.state().runs) {
    const bool mine = experiment != nullptr && run.experiment == experiment->id &&
                      run.contract_hash == workload->hash && run.state != RunState::kStopped;
    // A device that came later gets a run of its own: sources of scores never mix.
    if (mine && run.objective == ObjectiveNow(c_.state())) return id;
  }
  loop::RunSpec spec;
  spec.open = true;
  const std::string spec_json = loop::ToJson(spec);
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kOther, spec_json});
  const int64_t experiment_id =
      experiment != nullptr ? experiment->id : NextId(c_.state().experiments);
  if (experiment == nullptr) {
    batch.events.push_back(store::ExperimentCreated{.experiment = experiment_id,
                                                    .name = std::string(kDefaultExperiment),
                                                    .visibility = "OPEN"});
  }
  int64_t repeat_no = 1;
  for (const auto& [id, run] : c_.state().runs) {
    if (run.experiment == experiment_id) repeat_no = std::max(repeat_no, run.repeat_no + 1);
  }
  const int64_t run = NextId(c_.state().runs);
  batch.events.push_back(store::RunStateChanged{.run = run,
                                                .state = RunState::kCreated,
                                                .experiment = experiment_id,
                                                .arm = workload->name,
                                                .repeat_no = repeat_no,
                                                .seed = static_cast<uint64_t>(run),
                                                .workload = workload->id,
                                                .contract_hash = workload->hash,
                                                .objective = ObjectiveNow(c_.state()),
                                                .spec_hash = store::HashOf(spec_json)});
  batch.events.push_back(store::RunStateChanged{.run = run, .state = RunState::kRunning});
  if (auto done = c_.ledger.Commit(std::move(batch)); !done.ok()) return done.status();
  return run;
}

absl::StatusOr<loop::RunSpec> Experiments::SpecOf(const Run& run) {
  auto known = specs_.find(run.spec_hash.hex);
  if (known == specs_.end()) {
    auto text = c_.ledger.Object(run.spec_hash);
    if (!text.ok()) return text.status();
    auto spec = loop::RunSpecFromJson(*text);
    if (!spec.ok()) return spec.status();
    known = specs_.emplace(run.spec_hash.hex, *spec).first;
  }
  if (known->second.ordered) c_.ordered_runs.insert(run.id);
  return known->second;
}

absl::Status Experiments::NoteOrdered() {
  for (const auto& [id, run] : c_.state().runs) {
    // Runs that were imported or seeded have no specification, and nobody drives them.
    if (run.state == RunState::kStopped || run.spec_hash.hex.empty()) continue;
    if (auto spec = SpecOf(run); !spec.ok()) return spec.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> Experiments::Runs(const ExperimentRequest& request) const {
  std::vector<int64_t> ids;
  if (!request.run.empty()) {
    const auto id = store::ParseRowName('r', request.run);
    if (!id || !c_.state().runs.contains(*id)) return state::NotFound("run", request.run);
    ids.push_back(*id);
    return ids;
  }
  const state::Experiment* experiment = c_.state().FindExperiment(request.experiment);
  if (experiment == nullptr) return state::NotFound("experiment", request.experiment);
  for (const auto& [id, run] : c_.state().runs) {
    if (run.experiment == experiment->id) ids.push_back(id);
  }
  return ids;
}

absl::StatusOr<ExperimentReply> Experiments::Change(const ExperimentRequest& request,
                                                    std::string_view method, RunState to,
                                                    std::string_view reason,
                                                    const std::vector<RunState>& from) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  auto ids = Runs(request);
  if (!ids.ok()) return ids.status();
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, method, request.meta);
  batch.ends_held_work = to == RunState::kStopped || to == RunState::kPaused;
  auto answered = c_.ledger.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (!answered->has_value()) {
    for (const int64_t id : *ids) {
      const Run& run = c_.state().runs.at(id);
      if (run.state == to) continue;
      if (std::find(from.begin(), from.end(), run.state) == from.end()) {
        return absl::FailedPreconditionError(
            absl::StrCat(RunName(id), " is ", std::string(store::ToString(run.state)),
                         run.reason.empty() ? "" : absl::StrCat("(", run.reason, ")")));
      }
      batch.events.push_back(
          store::RunStateChanged{.run = id, .state = to, .reason = std::string(reason)});
    }
    if (!request.reason.empty()) {
      batch.events.push_back(
          store::AdminAction{.who = c_.principal,
                             .action = std::string(method),
                             .subject = request.run.empty() ? request.experiment : request.run,
                             .reason = request.reason.substr(0, kIntentBytesMax)});
    }
    if (auto done = c_.ledger.Commit(std::move(batch)); !done.ok()) return done.status();
  }
  return Reply(request.experiment, *ids);
}

absl::StatusOr<ExperimentReply> Experiments::Start(const ExperimentRequest& request) {
  if (auto status = CheckServing(c_); !status.ok()) return status;
  return Change(request, "StartExperiment", RunState::kRunning, "", {RunState::kCreated});
}

absl::StatusOr<ExperimentReply> Experiments::Pause(const ExperimentRequest& request) {
  return Change(request, "PauseExperiment", RunState::kPaused, "OPERATOR", {RunState::kRunning});
}

absl::StatusOr<ExperimentReply> Experiments::Resume(const ExperimentRequest& request) {
  if (auto status = CheckServing(c_); !status.ok()) return status;
  return Change(request, "ResumeExperiment", RunState::kRunning, "", {RunState::kPaused});
}

absl::StatusOr<ExperimentReply> Experiments::Stop(const ExperimentRequest& request) {
  return Change(request, "StopExperiment", RunState::kStopped, "OPERATOR",
                {RunState::kCreated, RunState::kRunning, RunState::kPaused, RunState::kConfirming});
}

absl::StatusOr<ExperimentReply> Experiments::Get(const ExperimentRequest& request) {
  auto ids = Runs(request);
  if (!ids.ok()) return ids.status();
  return Reply(request.experiment, *ids);
}

absl::StatusOr<ExperimentReply> Experiments::List(const std::string& experiment) {
  ExperimentRequest request;
  request.experiment = experiment;
  if (!experiment.empty()) return Get(request);
  std::vector<int64_t> all;
  for (const auto& [id, run] : c_.state().runs) all.push_back(id);
  return Reply("", all);
}

RunView Experiments::View(const Run& run) const {
  const state::State& state = c_.state();
  RunView view;
  view.row = run;
  view.experiment = state.experiments.at(run.experiment).name;
  view.workload = state.workloads.at(run.workload).name;
  view.progress = state::ProgressOf(state, run);
  view.text = Sentence(state, run);
  view.imported = ImportOf(state, run);
  if (run.best) {
    const state::Variant& best = state.variants.at(run.best->variant);
    view.best_candidate = state.candidates.at(best.candidate).Name();
    view.best_binding = best.params_json;
    view.best_verdict = best.verdict;
    view.best_ns = store::HasRatios(run.objective) ? best.time_ns : best.PredictedNs();
  }
  return view;
}

ExperimentReply Experiments::Reply(const std::string& experiment,
                                   const std::vector<int64_t>& runs) const {
  ExperimentReply reply;
  reply.experiment = experiment;
  for (const int64_t id : runs) reply.runs.push_back(View(c_.state().runs.at(id)));
  if (reply.experiment.empty() && reply.runs.size() == 1) {
    reply.experiment = reply.runs.front().experiment;
  }
  reply.event_seq = c_.state().last_seq;
  return reply;
}

}  // namespace server::core
