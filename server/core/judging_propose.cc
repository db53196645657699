// Proposals: what the loop decided to make, made by the gate children, and the serial order in
// which ordered runs do all their work.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/judging.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

constexpr std::string_view kLoopSession = "loop";

}  // namespace

bool Judging::StartPropose(const state::Run& run, int64_t decision_no,
                           const state::Choice& choice) {
  const bool started = std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    const Task& task = entry.second;
    return task.kind == Kind::kPropose && task.run == run.id && task.decision_no == decision_no;
  });
  if (started) return false;
  const state::Candidate& parent = c_.state().candidates.at(choice.candidate);
  auto request = RequestFor(parent);
  if (!request.ok()) {
    Backoff(run.id);
    return false;
  }
  request->propose = choice.tactic;
  request->pick = choice.pick;
  request->structural = choice.structural;
  if (choice.variant != 0) {
    request->binding_json = c_.state().variants.at(choice.variant).params_json;
  }
  if (choice.other != 0) {
    const state::Variant& other = c_.state().variants.at(choice.other);
    request->other_binding_json = other.params_json;
    auto source = c_.ledger.Object(c_.state().candidates.at(other.candidate).source_hash);
    if (!source.ok()) {
      Backoff(run.id);
      return false;
    }
    request->other_source = *std::move(source);
  }
  Task task{.kind = Kind::kPropose, .run = run.id, .candidate = choice.candidate};
  task.decision_no = decision_no;
  StartTask(std::move(task), *std::move(request), false);
  return true;
}

// A proposal that gives nothing uses no candidate's number: a decision says why.
void Judging::NoteBarren(const state::Run& run, int64_t decision_no, std::string_view why) {
  state::Choice choice{.kind = std::string(state::kNoProposal)};
  choice.from = decision_no;
  choice.detail = std::string(why.substr(0, 256));
  loop::Step step;
  step.choices.push_back(std::move(choice));
  Decide(run, step);
}

void Judging::Proposed(const Task& task, const absl::StatusOr<GateReply>& reply) {
  const state::Run& run = c_.state().runs.at(task.run);
  const auto pending = run.proposals.find(task.decision_no);
  // The run may have stopped meanwhile, or the answer may be to a question asked twice.
  if (pending == run.proposals.end() || run.state != store::RunState::kRunning) return;
  if (!reply.ok()) {
    if (absl::IsAborted(reply.status()))
      NoteBarren(run, task.decision_no, absl::StrCat("the child died: ", reply.status().message()));
    else
      Backoff(task.run);
    return;
  }
  const GateProposal& made = reply->proposal;
  if (!made.found || made.source.size() > kSourceBytesMax) {
    NoteBarren(run, task.decision_no, made.text);
    return;
  }
  const state::Choice& choice = pending->second;
  store::CandidateSubmitted event{.run = run.id,
                                  .source_hash = store::HashOf(made.source),
                                  .arm_kind = "cake-ir",
                                  .author = c_.principal,
                                  .session = std::string(kLoopSession),
                                  .tactic = choice.tactic,
                                  .intent = made.text.substr(0, kIntentBytesMax),
                                  .params_json = made.params_json,
                                  .island = choice.island,
                                  .decision_no = task.decision_no};
  event.parents.push_back({choice.candidate, choice.tactic == "fix" ? "repair" : "parent"});
  if (choice.other != 0) {
    const int64_t other = c_.state().variants.at(choice.other).candidate;
    if (other != choice.candidate) event.parents.push_back({other, "crossover"});
  }
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kSource, made.source});
  batch.events.push_back(std::move(event));
  CAKE_FAILPOINT("server.gates.before_commit");
  auto done = c_.ledger.Commit(std::move(batch));
  CAKE_FAILPOINT("server.gates.after_commit");
  if (!done.ok()) Backoff(task.run);
}

void Judging::StartReduce(int64_t finding, GateRequest request) {
  Task task{.kind = Kind::kReduce};
  task.finding = finding;
  StartTask(std::move(task), std::move(request), false);
}

// One piece of gate work at a time, the oldest decision first: whatever the machines do, answers
// arrive in one order.
bool Judging::DispatchInOrder(const state::Run& run, const loop::RunSpec& spec) {
  if (HasTaskOf(run.id)) return false;
  if (!run.proposals.empty()) {
    const auto& [decision_no, choice] = *run.proposals.begin();
    return StartPropose(run, decision_no, choice);
  }
  int64_t first = INT64_MAX;
  const state::Candidate* expand = nullptr;
  const state::Variant* lower = nullptr;
  store::Purpose purpose = store::Purpose::kSearch;
  for (const int64_t id : run.open) {
    const state::Candidate& candidate = c_.state().candidates.at(id);
    if (candidate.pending && candidate.pending->decision_no < first) {
      first = candidate.pending->decision_no;
      expand = &candidate;
    }
    for (const int64_t variant_id : candidate.variants) {
      const state::Variant& variant = c_.state().variants.at(variant_id);
      for (const auto& [wanted, decision] : variant.pending) {
        if (decision >= first) continue;
        first = decision;
        lower = &variant;
        purpose = wanted;
      }
    }
  }
  if (lower != nullptr && lower->pending.at(purpose) == first) return StartLower(*lower, purpose);
  return expand != nullptr && StartExpand(*expand, spec);
}

}  // namespace server::core
