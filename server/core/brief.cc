#include "server/core/brief.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace server::core {
namespace {

using runner::contract::Case;
using state::Run;
using state::Variant;

constexpr size_t kParentsShown = 4, kParentsKept = 2;

int64_t TokensOf(const std::string& text) { return static_cast<int64_t>(text.size() + 3) / 4; }

std::string ContractText(const Contract& contract) {
  const auto& w = contract.workload;
  std::string out = absl::StrCat(w.name, ": ", w.summary, "\n");
  for (const auto& dim : w.dims) {
    absl::StrAppend(&out, "dim ", dim.name, " in ", dim.low, "..", dim.high, "\n");
  }
  for (const auto& tensor : w.tensors) {
    absl::StrAppend(&out, std::string(runner::contract::ToString(tensor.role)), " ", tensor.name,
                    " : ", std::string(compiler::ir::ToString(tensor.dtype)), "[",
                    absl::StrJoin(tensor.shape, ", "), "]");
    if (!tensor.strides.empty())
      absl::StrAppend(&out, " stride (", absl::StrJoin(tensor.strides, ", "), ")");
    if (tensor.alignment > 0)
      absl::StrAppend(&out, " at multiples of ", tensor.alignment, " bytes");
    absl::StrAppend(&out, "\n");
  }
  for (const auto& arg : w.args) {
    absl::StrAppend(&out, "arg ", arg.name, " = ", absl::StrFormat("%g", arg.value), "\n");
  }
  for (const Case& one : w.cases) {
    if (one.set == runner::contract::Set::kHeldOut) continue;
    absl::StrAppend(&out, "case ", one.name, " (",
                    std::string(runner::contract::ToString(one.tier)), ")");
    for (const auto& [dim, value] : one.dims) absl::StrAppend(&out, " ", dim, "=", value);
    absl::StrAppend(&out, "\n");
  }
  return out;
}

std::string RunText(const state::State& state, const Run& run) {
  const state::Progress progress = state::ProgressOf(state, run);
  std::string out = absl::StrFormat(
      "run r-%d %s; candidates %d, members judged %d, rejected %d, evaluated %d, ranked out %d\n",
      run.id, std::string(store::ToString(run.state)), run.candidates.size(), progress.expanded,
      progress.rejected, progress.evaluated, progress.ranked_out);
  for (const auto& [kind, budget] : run.budgets) {
    absl::StrAppend(&out, "budget ", kind, ": ", budget.limit - budget.spent - budget.reserved,
                    " of ", budget.limit, " left\n");
  }
  if (run.baseline_ns > 0) {
    absl::StrAppend(&out, absl::StrFormat("baseline program: predicted %.0f ns (not measured)\n",
                                          run.baseline_ns));
  }
  return out;
}

// Whether who works in the run may know of the finding: one of its cases is of the same experiment,
// or of an open one where the run's is open too.
bool MayKnow(const state::State& state, const Run& run, const state::Finding& finding) {
  const auto open = [&](const Run& of) {
    return state.experiments.at(of.experiment).visibility == "OPEN";
  };
  return std::any_of(finding.candidates.begin(), finding.candidates.end(), [&](int64_t id) {
    const Run& of = state.runs.at(state.candidates.at(id).run);
    return of.experiment == run.experiment || (open(of) && open(run));
  });
}

// What keeps failing: codes with counts, most frequent first.
std::string FailuresText(const state::State& state, const Run& run) {
  std::map<std::string, int> counts;
  for (const int64_t id : run.candidates) {
    for (const std::string& code : state.candidates.at(id).rejected_codes) ++counts[code];
    for (const int64_t variant : state.candidates.at(id).variants) {
      const Variant& v = state.variants.at(variant);
      const bool failed =
          store::VerdictRank(v.verdict) > store::VerdictRank(store::Verdict::kRankedOut) &&
          store::VerdictRank(v.verdict) < store::VerdictRank(store::Verdict::kCorrect);
      if (failed) ++counts[std::string(store::ToString(v.verdict))];
    }
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [code, count] : counts) order.emplace_back(-count, code);
  std::sort(order.begin(), order.end());
  std::string out;
  for (const auto& [count, code] : order) absl::StrAppend(&out, code, " x ", -count, "\n");
  for (const auto& [id, finding] : state.findings) {
    if (!MayKnow(state, run, finding)) continue;
    absl::StrAppend(&out, "finding f-", id, ": ", finding.title, " -> ", finding.route, "\n");
  }
  return out;
}

// Correct members of the run, best prediction first, one a candidate.
std::vector<const Variant*> Parents(const state::State& state, const Run& run) {
  std::vector<const Variant*> out;
  for (const int64_t id : run.candidates) {
    const Variant* best = state::JudgedOf(state, state.candidates.at(id)).best;
    if (best != nullptr &&
        store::VerdictRank(best->verdict) >= store::VerdictRank(store::Verdict::kCorrect)) {
      out.push_back(best);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Variant* a, const Variant* b) {
    return a->PredictedNs() < b->PredictedNs();
  });
  if (out.size() > kParentsShown) out.resize(kParentsShown);
  return out;
}

std::string NextText(const state::State& state, const Run& run, const Variant* best) {
  if (best == nullptr) return "nothing is correct yet: start from the baseline program\n";
  std::string out =
      absl::StrCat("the best member ", best->params_json, " is bound by ",
                   best->bottleneck.empty() ? "an unknown resource" : best->bottleneck,
                   "; a change that relieves it comes first\n");
  std::map<std::string, int> cells;
  for (const int64_t id : run.candidates) ++cells[state.candidates.at(id).struct_hash];
  if (cells.size() < 2) {
    absl::StrAppend(&out, "every candidate has one structure: try another, not only params\n");
  }
  return out;
}

using Sections = std::vector<std::pair<BriefSection, int>>;

class Builder {
 public:
  explicit Builder(Context& context) : c_(context) {}

  absl::Status AddParents(const Run& run) {
    size_t shown = 0;
    for (const Variant* variant : Parents(c_.state(), run)) {
      const state::Candidate& candidate = c_.state().candidates.at(variant->candidate);
      auto source = c_.ledger.Object(candidate.source_hash);
      if (!source.ok()) return source.status();
      const std::string head =
          absl::StrFormat("# %s %s, predicted %.0f ns (not measured)\n", candidate.Name(),
                          variant->params_json, variant->PredictedNs());
      Add(absl::StrCat(shown == 0 ? "best" : "parent", shown == 0 ? "" : absl::StrCat("-", shown)),
          head + *source, shown < kParentsKept ? 3 : 0);
      ++shown;
    }
    return absl::OkStatus();
  }

  // Lower `keep` is dropped sooner; 9 is never dropped.
  void Add(std::string name, std::string text, int keep) {
    if (text.empty()) return;
    sections_.push_back({{std::move(name), text, TokensOf(text)}, keep});
  }

  Sections Take() { return std::move(sections_); }

 private:
  Context& c_;
  Sections sections_;
};

void Finish(Sections sections, int64_t max_tokens, BriefReply& reply) {
  int64_t total = 0;
  for (const auto& [section, keep] : sections) total += section.tokens;
  for (int keep = 0; keep < 9 && total > max_tokens; ++keep) {
    for (auto it = sections.end(); it != sections.begin() && total > max_tokens;) {
      --it;
      if (it->second != keep) continue;
      total -= it->first.tokens;
      reply.dropped.push_back(it->first.name);
      it = sections.erase(it);
    }
  }
  for (auto& [section, keep] : sections) reply.sections.push_back(std::move(section));
}

// The named run, else the newest one of the workload; null if there is none.
absl::StatusOr<const Run*> RunFor(const state::State& state, const BriefRequest& request,
                                  std::string_view hash) {
  auto named = NamedRun(state, request.meta);
  if (!named.ok() || *named != nullptr) return named;
  for (auto it = state.runs.rbegin(); it != state.runs.rend(); ++it) {
    if (it->second.contract_hash == hash) return &it->second;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<Briefing::Kept> Briefing::Make(const Contract& contract, const Run* run) {
  Kept kept{.seq = c_.state().last_seq, .made_ns = c_.ledger.NowNs()};
  Builder builder(c_);
  builder.Add("contract", ContractText(contract), 9);
  if (run != nullptr) {
    builder.Add("run", RunText(c_.state(), *run), 9);
    const Variant* best = run->best ? &c_.state().variants.at(run->best->variant) : nullptr;
    builder.Add("next", NextText(c_.state(), *run, best), 8);
    builder.Add("failures", FailuresText(c_.state(), *run), 4);
    if (auto status = builder.AddParents(*run); !status.ok()) return status;
  }
  builder.Add("baseline", contract.baseline_source, 2);
  builder.Add("language", language_, 1);
  kept.sections = builder.Take();
  return kept;
}

absl::StatusOr<BriefReply> Briefing::Brief(const BriefRequest& request) {
  const state::State& state = c_.state();
  auto named = NamedRun(state, request.meta);
  if (!named.ok()) return named.status();
  const state::Workload* workload = *named != nullptr ? &state.workloads.at((*named)->workload)
                                                      : state.FindWorkload(request.workload);
  const Contract* contract = workload != nullptr ? c_.contracts.Find(workload->hash) : nullptr;
  if (contract == nullptr) {
    return state::Error(state::Reason::kUnknownWorkload,
                        absl::StrCat("no workload `", request.workload.substr(0, 64), "`"));
  }
  auto found = RunFor(state, request, contract->hash);
  if (!found.ok()) return found.status();
  const Run* run = *found;
  const bool large = run != nullptr && run->candidates.size() > kLargeRun;
  std::erase_if(
      kept_, [&](const auto& row) { return c_.ledger.NowNs() - row.second.made_ns >= kKeptForNs; });
  auto it = large ? kept_.find(run->id) : kept_.end();
  Kept fresh;
  if (it == kept_.end()) {
    auto made = Make(*contract, run);
    if (!made.ok()) return made.status();
    fresh = *std::move(made);
    if (large) it = kept_.emplace(run->id, fresh).first;
  }
  const Kept& kept = it == kept_.end() ? fresh : it->second;
  BriefReply reply;
  reply.event_seq = kept.seq;
  if (run != nullptr) {
    reply.run = RunName(run->id);
    reply.objective = run->objective;
    reply.budget = run->budgets;
  }
  Finish(kept.sections, request.max_tokens == 0 ? kBriefTokensDefault : request.max_tokens, reply);
  return reply;
}

}  // namespace server::core
