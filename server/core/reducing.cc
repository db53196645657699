#include "server/core/reducing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/loop/spec.h"

namespace server::core {
namespace {

using store::RunState;

constexpr std::string_view kTactic = "reduce";

template <typename Map>
int64_t NextId(const Map& rows) {
  return rows.empty() ? 1 : rows.rbegin()->first + 1;
}

// What a smaller program says more of: faults of the system that a device or the machine showed.
bool IsReducible(const state::State& state, const state::Finding& finding) {
  const bool ours =
      finding.route == "verifier" || finding.route == "lowering" || finding.route == "vocabulary";
  if (finding.state != "OPEN" || !ours || finding.candidates.empty()) return false;
  if (state.runs.at(state.candidates.at(*finding.candidates.begin()).run).import != 0) return false;
  return state.failures.contains(finding.fingerprint);
}

// The variant that failed: the first one of the case with a finished job.
const state::Variant* FailedVariant(const state::State& state, int64_t candidate) {
  for (const int64_t id : state.candidates.at(candidate).variants) {
    const state::Variant& variant = state.variants.at(id);
    // What the gates refuse cannot be tried again smaller: nothing smaller would run.
    if (variant.jobs.empty() || variant.audit) continue;
    if (variant.verdict != store::Verdict::kPending) return &variant;
  }
  return nullptr;
}

}  // namespace

bool IsReduction(const state::State& state, const state::Run& run) {
  const auto it = state.experiments.find(run.experiment);
  return it != state.experiments.end() && it->second.name == kFindingsExperiment;
}

bool Reducing::Step() {
  bool any = false;
  for (const auto& [id, finding] : c_.state().findings) {
    if (static_cast<int64_t>(searches_.size()) >= kReductionsAtOnce) break;
    if (searches_.contains(id) || given_up_.contains(id)) continue;
    if (IsReducible(c_.state(), finding) && Open(finding)) any = true;
  }
  std::vector<int64_t> open;
  for (const auto& [id, search] : searches_) open.push_back(id);
  for (const int64_t id : open) any = Advance(id, searches_.at(id)) || any;
  return any;
}

// The run of the finding, found again after a restart: what was tried before is then known.
bool Reducing::Open(const state::Finding& finding) {
  const state::State& state = c_.state();
  const int64_t case_id = *finding.candidates.begin();
  const state::Candidate& candidate = state.candidates.at(case_id);
  const state::Variant* failed = FailedVariant(state, case_id);
  const state::Run& origin = state.runs.at(candidate.run);
  auto source = c_.ledger.Object(candidate.source_hash);
  if (failed == nullptr || !source.ok() || candidate.arm_kind != "cake-ir") {
    given_up_.insert(finding.id);
    return false;
  }
  Search search{.source = *std::move(source), .binding_json = failed->params_json};
  const std::string arm = store::RowName('f', finding.id);
  const state::Experiment* experiment = state.FindExperiment(kFindingsExperiment);
  for (const auto& [id, run] : state.runs) {
    if (experiment != nullptr && run.experiment == experiment->id && run.arm == arm)
      search.run = id;
  }
  if (search.run == 0) {
    loop::RunSpec spec;
    spec.open = true;
    const std::string spec_json = loop::ToJson(spec);
    store::Batch batch;
    batch.objects.push_back({store::ObjectKind::kOther, spec_json});
    const int64_t id = experiment != nullptr ? experiment->id : NextId(state.experiments);
    if (experiment == nullptr) {
      batch.events.push_back(store::ExperimentCreated{
          .experiment = id, .name = std::string(kFindingsExperiment), .visibility = "CLEAN"});
    }
    search.run = NextId(state.runs);
    batch.events.push_back(store::RunStateChanged{.run = search.run,
                                                  .state = RunState::kCreated,
                                                  .experiment = id,
                                                  .arm = arm,
                                                  .repeat_no = 1,
                                                  .seed = static_cast<uint64_t>(finding.id),
                                                  .workload = origin.workload,
                                                  .contract_hash = origin.contract_hash,
                                                  .objective = origin.objective,
                                                  .spec_hash = store::HashOf(spec_json)});
    batch.events.push_back(store::RunStateChanged{.run = search.run, .state = RunState::kRunning});
    if (!c_.ledger.Commit(std::move(batch)).ok()) return false;
  } else if (state.runs.at(search.run).state != RunState::kRunning) {
    given_up_.insert(finding.id);
    return false;
  }
  searches_.emplace(finding.id, std::move(search));
  return true;
}

void Reducing::Ask(int64_t finding, Search& search) {
  GateRequest request;
  request.source = search.source;
  request.binding_json = search.binding_json;
  request.reduce = true;
  request.reduce_from = search.from;
  request.reduce_count = std::max<int64_t>(search.size, 1);
  search.asked = true;
  start_(finding, std::move(request));
}

// What is tried next: the same place of a text that shrank, the next chunk, smaller chunks.
void Reducing::Next(Search& search, bool shrunk) {
  search.shrank = search.shrank || shrunk;
  if (!shrunk) search.from += search.size;
  if (search.from < search.units) return;
  search.from = 0;
  if (search.size > 1) {
    search.size = (search.size + 1) / 2;
  } else if (search.shrank) {
    search.shrank = false;  // once more with single units: what went may have held others
  } else {
    search.size = 0;  // nothing more goes
  }
}

bool Reducing::Advance(int64_t id, Search& search) {
  if (search.asked) return false;
  const state::Finding& finding = c_.state().findings.at(id);
  if (search.attempt != 0) {
    const state::Candidate& attempt = c_.state().candidates.at(search.attempt);
    if (!state::ProgressOf(c_.state(), attempt).terminal) return false;
    const bool fails = StillFails(finding, search.attempt);
    if (fails) search.source = search.attempt_source;
    search.attempt = 0;
    Next(search, fails);
  }
  const bool done = search.units > 0 && search.size == 0;
  if (done || search.tries >= kReductionTriesMax) return Close(id, search);
  Ask(id, search);
  return true;
}

void Reducing::Answered(int64_t id, const absl::StatusOr<GateReply>& reply) {
  const auto it = searches_.find(id);
  if (it == searches_.end()) return;
  Search& search = it->second;
  search.asked = false;
  if (!reply.ok()) {
    ++search.tries;
    if (search.units == 0) search.tries = kReductionTriesMax;  // the child cannot read it at all
    return Next(search, false);
  }
  const GateProposal& made = reply->proposal;
  if (search.units == 0) {
    search.units = made.units;
    search.size = std::max<int64_t>(1, made.units / 2);
    search.from = 0;
    if (made.units == 0) search.tries = kReductionTriesMax;
    return;
  }
  search.units = made.units;
  if (!made.found) return Next(search, false);
  ++search.tries;
  if (!Submit(search, made)) Next(search, false);
}

bool Reducing::Submit(Search& search, const GateProposal& made) {
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kSource, made.source});
  batch.events.push_back(store::CandidateSubmitted{.run = search.run,
                                                   .source_hash = store::HashOf(made.source),
                                                   .arm_kind = "cake-ir",
                                                   .author = c_.principal,
                                                   .session = "loop",
                                                   .tactic = std::string(kTactic),
                                                   .intent = made.text,
                                                   .params_json = made.params_json});
  auto done = c_.ledger.Commit(std::move(batch));
  if (!done.ok()) return false;
  search.attempt = std::get<store::CandidateSubmitted>(done->events.front().body).candidate;
  search.attempt_source = made.source;
  return true;
}

// The attempt, or the program that it is a twin of, is a case of the same failure.
bool Reducing::StillFails(const state::Finding& finding, int64_t attempt) const {
  const auto cases = c_.state().failures.find(finding.fingerprint);
  if (cases == c_.state().failures.end()) return false;
  std::set<int64_t> mine = {attempt};
  for (const int64_t id : c_.state().candidates.at(attempt).variants) {
    const int64_t twin = c_.state().variants.at(id).duplicate_of;
    if (twin != 0) mine.insert(c_.state().variants.at(twin).candidate);
  }
  return std::any_of(cases->second.begin(), cases->second.end(),
                     [&](int64_t candidate) { return mine.contains(candidate); });
}

bool Reducing::Close(int64_t id, const Search& search) {
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kSource, search.source});
  batch.events.push_back(store::FindingUpdated{
      .finding = id, .state = "MINIMISED", .minimised_hash = store::HashOf(search.source)});
  batch.events.push_back(store::RunStateChanged{
      .run = search.run, .state = RunState::kStopped, .reason = "EXHAUSTED"});
  if (!c_.ledger.Commit(std::move(batch)).ok()) return false;
  searches_.erase(id);
  return true;
}

}  // namespace server::core
