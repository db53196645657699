#include "server/core/rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/core/judging.h"

namespace server::core {
namespace {

using state::Proposal;

constexpr size_t kProgramsAtOnce = 4, kNamedMax = 16;
constexpr int64_t kGateCpuMs = 30'000;

absl::Status NotNow(const Proposal& proposal, std::string_view what) {
  return state::BadField("proposal", absl::StrCat("is ", proposal.state, ", ", std::string(what)));
}

// The smallest value that 99 of 100 are not above; 0 of none.
int64_t P99(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() * 99 + 99) / 100 - 1];
}

nlohmann::json Few(const std::vector<std::string>& names) {
  return std::vector<std::string>(
      names.begin(), names.begin() + static_cast<int64_t>(std::min(names.size(), kNamedMax)));
}

}  // namespace

std::vector<CorpusProgram> CorpusOf(const std::vector<ContractFile>& contracts) {
  std::map<std::string, std::string> by_text;  // -> name
  for (const ContractFile& contract : contracts) {
    for (const auto& [name, text] : contract.programs) by_text.try_emplace(text, name);
  }
  std::vector<CorpusProgram> corpus;
  for (const auto& [text, name] : by_text) corpus.push_back({name, text});
  std::sort(corpus.begin(), corpus.end(), [](const CorpusProgram& a, const CorpusProgram& b) {
    return std::tie(a.name, a.source) < std::tie(b.name, b.source);
  });
  return corpus;
}

size_t LineagesOf(const state::State& state, const std::set<int64_t>& candidates) {
  std::set<int64_t> seeds;
  for (const int64_t id : candidates) seeds.insert(state.Lineage(id));
  return seeds.size();
}

Rules::Rules(Context& context, Start start, std::vector<CorpusProgram> corpus)
    : c_(context), start_(std::move(start)), corpus_(std::move(corpus)) {
  std::string all;
  for (const CorpusProgram& one : corpus_) {
    absl::StrAppend(&all, one.name, " ", store::Sha256Hex(one.source), "\n");
  }
  corpus_hash_ = store::Sha256Hex(all);
}

absl::Status Rules::CheckPropose(const ProposeRequest& request,
                                 std::vector<int64_t>& failures) const {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(c_); !status.ok()) return status;
  if (request.kind != "rule") return state::BadField("kind", "must be rule: nothing else is gated");
  if (request.body.empty() || request.body.size() > kRuleTextBytesMax) {
    return state::BadField("body", absl::StrCat("must have 1..", kRuleTextBytesMax, " bytes"));
  }
  if (request.failures.size() > kFailuresMax) {
    return state::BadField("failures", absl::StrCat("are more than ", kFailuresMax));
  }
  for (const std::string& name : request.failures) {
    const state::Candidate* candidate = c_.state().FindCandidate(name);
    if (candidate == nullptr) return state::NotFound("candidate", name);
    if (candidate->IsDirect()) return state::BadField("failures", "name hand-written device code");
    failures.push_back(candidate->id);
  }
  return absl::OkStatus();
}

absl::StatusOr<const Proposal*> Rules::Named(const std::string& name) const {
  const auto id = store::ParseRowName('p', name);
  const auto found = id ? c_.state().proposals.find(*id) : c_.state().proposals.end();
  if (found == c_.state().proposals.end()) return state::NotFound("proposal", name);
  return &found->second;
}

// Each keeps a gate child busy for seconds.
absl::Status Rules::HasRoom() const {
  const auto mine = static_cast<size_t>(
      std::count_if(gatings_.begin(), gatings_.end(),
                    [&](const auto& row) { return row.second.principal == c_.principal; }));
  if (mine < kGatingsOfCallerMax && gatings_.size() < kGatingsMax) return absl::OkStatus();
  return state::Error(state::Reason::kRate,
                      absl::StrCat(gatings_.size(), " rules are being gated, ", mine,
                                   " of them of this caller; wait for one to end"));
}

absl::StatusOr<const Proposal*> Rules::StillGated(const Gating& gating,
                                                  const std::vector<std::string_view>& in) const {
  const auto known = c_.state().proposals.find(gating.proposal);
  if (known == c_.state().proposals.end() || known->second.rev != gating.rev) {
    return state::BadField("proposal", "has another revision by now");
  }
  const Proposal& proposal = known->second;
  if (std::find(in.begin(), in.end(), proposal.state) != in.end()) return &proposal;
  return state::BadField("proposal", absl::StrCat("is ", proposal.state, " by now"));
}

void Rules::Propose(const ProposeRequest& request, Done<ProposalView> done) {
  Gating gating{.propose = request, .principal = c_.principal, .text = request.body};
  if (auto status = CheckPropose(request, gating.failures); !status.ok()) return done(status);
  auto answered = c_.ledger.Answered(IdempotencyOf(c_, "Propose", request.meta));
  if (!answered.ok()) return done(answered.status());
  if (answered->has_value()) {
    const auto known = Named(**answered);
    if (!known.ok()) return done(known.status());
    return done(ViewOf(**known, true));
  }
  if (auto status = HasRoom(); !status.ok()) return done(status);
  gating.done = std::move(done);
  StartSpecimens(std::move(gating));
}

void Rules::Gate(const ProposalRequest& request, Done<ProposalView> done) {
  if (auto status = CheckServing(c_); !status.ok()) return done(status);
  const auto known = Named(request.proposal);
  if (!known.ok()) return done(known.status());
  const Proposal& proposal = **known;
  if (proposal.IsAsked()) return done(NotNow(proposal, "which is past the gates: demote it first"));
  if (proposal.state == state::kRejected) {
    return done(NotNow(proposal, "only another revision is gated"));
  }
  if (auto status = HasRoom(); !status.ok()) return done(status);
  auto text = c_.ledger.Object(proposal.body_hash);
  if (!text.ok()) return done(text.status());
  Gating gating{.proposal = proposal.id, .rev = proposal.rev, .principal = c_.principal};
  gating.failures = proposal.failures;
  gating.text = *std::move(text);
  gating.done = std::move(done);
  StartSpecimens(std::move(gating));
}

void Rules::StartSpecimens(Gating gating) {
  const uint64_t id = next_++;
  GateRequest request;
  request.specimens = true;
  request.rules.push_back({"proposed", false, gating.text});
  request.cpu_limit_ms = kGateCpuMs;
  gatings_.emplace(id, std::move(gating));
  const uint64_t task = next_++;
  tasks_[task] = {.gating = id, .specimens = true};
  start_(task, std::move(request));
}

void Rules::Answered(uint64_t task_id, const absl::StatusOr<GateReply>& reply) {
  const auto it = tasks_.find(task_id);
  if (it == tasks_.end()) return;
  const Task task = it->second;
  tasks_.erase(it);
  const auto gating = gatings_.find(task.gating);
  if (gating == gatings_.end()) return;
  if (task.specimens) {
    if (reply.ok()) return SpecimensDone(task.gating, *reply);
    const bool died = absl::IsAborted(reply.status());
    return Finish(task.gating,
                  died ? state::BadField("body", "its programs end a gate child") : reply.status());
  }
  --gating->second.open;
  Judged(gating->second, task.program, reply);
  if (StartNext(task.gating)) return;
  if (gating->second.open == 0) CorpusDone(task.gating);
}

void Rules::SpecimensDone(uint64_t id, const GateReply& reply) {
  Gating& gating = gatings_.at(id);
  const GateSpecimens& specimens = reply.specimens;
  if (!specimens.error.empty()) return Finish(id, state::BadField("body", specimens.error));
  if (gating.proposal == 0) {
    if (auto status = Keep(gating, specimens); !status.ok()) return Finish(id, status);
  }
  const auto known = StillGated(gating, {state::kDraft, state::kSpecimens, state::kCorpus,
                                         state::kDemoted, state::kRetired});
  if (!known.ok()) return Finish(id, known.status());
  gating.id = (*known)->RuleId();
  const store::GateRun run{.gate = "specimens",
                           .corpus_hash = corpus_hash_,
                           .verifier_rev = std::string(kVerifierRev),
                           .outcome = specimens.good ? "PASS" : "FAIL"};
  const auto moved = Move(**known, specimens.good ? state::kSpecimens : state::kDraft, {run},
                          {specimens.trials_json});
  if (!moved.ok() || !specimens.good) return Finish(id, moved);
  StartCorpus(id);
}

// The text as a new proposal, or as the next revision of one: durable before it is gated.
absl::Status Rules::Keep(Gating& gating, const GateSpecimens& specimens) {
  const store::ObjectHash body = store::HashOf(gating.text);
  store::ProposalState event{.kind = "rule", .rev = 1, .name = specimens.name, .body_hash = body};
  event.state = std::string(state::kDraft);
  event.author = gating.principal;
  event.code = specimens.code;
  event.failures = gating.failures;
  int64_t last = 0;
  for (const auto& [id, other] : c_.state().proposals) {
    last = std::max(last, id);
    if (other.kind != "rule") continue;
    const bool same = other.name == specimens.name;
    if (same && other.author != gating.principal) {
      return state::BadField("name", absl::StrCat("is that of ", store::RowName('p', id),
                                                  ", whose author is somebody else"));
    }
    if (!same && other.code == specimens.code && other.state != state::kRejected &&
        other.state != state::kRetired) {
      return state::BadField(
          "code", absl::StrCat("is that of ", store::RowName('p', id), " (", other.name, ")"));
    }
    if (!same) continue;
    event.proposal = id;
    event.rev = other.rev + 1;
  }
  if (event.proposal == 0) event.proposal = last + 1;
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, "Propose", gating.propose.meta);
  batch.idem->principal = gating.principal;
  batch.reply = store::RowName('p', event.proposal);
  batch.objects.push_back({store::ObjectKind::kOther, gating.text});
  batch.events.push_back(event);
  auto done = c_.ledger.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  gating.proposal = event.proposal;
  gating.rev = event.rev;
  return absl::OkStatus();
}

void Rules::StartCorpus(uint64_t id) {
  Gating& gating = gatings_.at(id);
  for (size_t i = 0; i < corpus_.size() + gating.failures.size(); ++i) gating.waiting.push_back(i);
  while (gating.open < kProgramsAtOnce && StartNext(id)) {
  }
  if (gating.open == 0) CorpusDone(id);
}

// False: nothing is left to start.
bool Rules::StartNext(uint64_t id) {
  Gating& gating = gatings_.at(id);
  if (gating.waiting.empty()) return false;
  const size_t number = gating.waiting.front();
  gating.waiting.pop_front();
  GateRequest request;
  request.gate_rule = true;
  request.members_max = 1;
  request.rules.push_back({gating.id, false, gating.text});
  if (number < corpus_.size()) {
    request.file_name = corpus_[number].name;
    request.source = corpus_[number].source;
  } else {
    const state::Candidate& candidate =
        c_.state().candidates.at(gating.failures[number - corpus_.size()]);
    auto source = c_.ledger.Object(candidate.source_hash);
    if (!source.ok()) gating.failed = source.status();
    request.source = source.ok() ? *std::move(source) : "";
    request.narrow = NarrowedFrom(candidate.params_json);
  }
  const uint64_t task = next_++;
  tasks_[task] = {.gating = id, .program = number};
  ++gating.open;
  start_(task, std::move(request));
  return true;
}

void Rules::Judged(Gating& gating, size_t program, const absl::StatusOr<GateReply>& reply) {
  const bool failure = program >= corpus_.size();
  const std::string name =
      failure ? c_.state().candidates.at(gating.failures[program - corpus_.size()]).Name()
              : corpus_[program].name;
  if (!reply.ok() && !absl::IsAborted(reply.status())) gating.failed = reply.status();
  const GateMember* member =
      reply.ok() && !reply->members.empty() ? &reply->members.front() : nullptr;
  if (member == nullptr || member->rules.empty()) {
    ++gating.not_asked;
    if (failure) gating.missed.push_back(name);
    return;
  }
  // Of the corpus only what the built-in gates accept is known to be good.
  const bool built_in =
      std::any_of(member->diagnostics.begin(), member->diagnostics.end(),
                  [](const auto& d) { return d.severity == "error" && d.rule.empty(); });
  const GateRuleSaid& said = member->rules.front();
  gating.cpu_ns.push_back(said.cpu_ns);
  ++gating.asked;
  if (failure) {
    if (said.hits == 0) gating.missed.push_back(name);
  } else if (said.unknown || (said.hits > 0 && !built_in)) {
    gating.refused.push_back(name);
  }
}

void Rules::CorpusDone(uint64_t id) {
  Gating& gating = gatings_.at(id);
  if (!gating.failed.ok()) return Finish(id, gating.failed);
  const auto known = StillGated(gating, {state::kSpecimens});
  if (!known.ok()) return Finish(id, known.status());
  const int64_t p99 = P99(gating.cpu_ns);
  const bool good = gating.refused.empty() && gating.missed.empty() && p99 <= kRuleP99NsMax;
  const nlohmann::json report = {{"asked", gating.asked},
                                 {"not_asked", gating.not_asked},
                                 {"refused", Few(gating.refused)},
                                 {"failures", gating.failures.size()},
                                 {"failures_missed", Few(gating.missed)},
                                 {"p99_cpu_ns", p99}};
  const store::GateRun run{.gate = "corpus",
                           .corpus_hash = corpus_hash_,
                           .verifier_rev = std::string(kVerifierRev),
                           .outcome = good ? "PASS" : "FAIL"};
  Finish(id,
         Move(**known, good ? state::kCorpus : state::kSpecimens, {run}, {report.dump()}));
}

void Rules::Finish(uint64_t id, const absl::Status& status) {
  Gating gating = std::move(gatings_.at(id));
  gatings_.erase(id);
  std::erase_if(tasks_, [&](const auto& entry) { return entry.second.gating == id; });
  if (!status.ok()) return gating.done(status);
  gating.done(ViewOf(c_.state().proposals.at(gating.proposal), true));
}

void Rules::AnswerAll(const absl::Status& why) {
  while (!gatings_.empty()) Finish(gatings_.begin()->first, why);
}

store::ProposalState Rules::EventOf(const Proposal& proposal, std::string_view to) const {
  return store::ProposalState{.proposal = proposal.id,
                              .kind = proposal.kind,
                              .rev = proposal.rev,
                              .name = proposal.name,
                              .body_hash = proposal.body_hash,
                              .state = std::string(to),
                              .author = proposal.author,
                              .gate_runs = {},
                              .code = proposal.code,
                              .failures = proposal.failures};
}

// `reports`: one a run, kept as an object.
absl::Status Rules::Move(const Proposal& proposal, std::string_view to,
                         std::vector<store::GateRun> runs, std::vector<std::string> reports) {
  store::Batch batch;
  store::ProposalState event = EventOf(proposal, to);
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].body_hash = store::HashOf(reports[i]);
    batch.objects.push_back({store::ObjectKind::kReport, std::move(reports[i])});
  }
  event.gate_runs = std::move(runs);
  batch.events.push_back(std::move(event));
  return c_.ledger.Commit(std::move(batch)).status();
}

}  // namespace server::core
