#include "server/state/state.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace server::state {

double Variant::PredictedNs() const { return weight > 0 ? std::exp(log_ns / weight) : 0; }

double Variant::Spread() const { return weight > 0 ? (log_high - log_low) / weight : 0; }

const Workload* State::FindWorkload(std::string_view name_or_hash) const {
  for (auto it = workloads.rbegin(); it != workloads.rend(); ++it) {
    const bool named = it->second.name == name_or_hash && !it->second.imported;
    if (named || it->second.hash == name_or_hash) return &it->second;
  }
  return nullptr;
}

const Import* State::FindImport(std::string_view manifest_hash) const {
  for (const auto& [id, import] : imports) {
    if (import.manifest_hash.hex == manifest_hash) return &import;
  }
  return nullptr;
}

const Experiment* State::FindExperiment(std::string_view name) const {
  for (const auto& [id, experiment] : experiments) {
    if (experiment.name == name) return &experiment;
  }
  return nullptr;
}

const Candidate* State::FindCandidate(std::string_view name) const {
  const auto key = store::ParseCandidateName(name);
  if (!key) return nullptr;
  const auto run = runs.find(key->run);
  if (run == runs.end() || key->n < 1 ||
      key->n > static_cast<int64_t>(run->second.candidates.size())) {
    return nullptr;
  }
  return &candidates.at(run->second.candidates[static_cast<size_t>(key->n - 1)]);
}

std::map<std::string, Calibration> State::CalibrationsInForce() const {
  std::map<std::string, Calibration> out;
  for (const auto& [arch, one] : calibrations) {
    if (!one.in_force.empty()) out.emplace(arch, one.in_force.back());
  }
  return out;
}

const Worker* State::FindWorker(std::string_view name) const {
  for (const auto& [id, worker] : workers) {
    if (worker.name == name) return &worker;
  }
  return nullptr;
}

std::string State::AgentOf(const Job& job) const {
  const Candidate& candidate = candidates.at(variants.at(job.variant).candidate);
  return absl::StrCat(candidate.author, "\n", candidate.session);
}

DedupeKey State::KeyOf(const Run& run, std::string_view canon_hash) const {
  const auto experiment = experiments.find(run.experiment);
  const bool clean = experiment != experiments.end() && experiment->second.visibility == "CLEAN";
  return {run.contract_hash, std::string(canon_hash), clean ? run.id : 0, run.objective};
}

std::string State::CellOf(const Variant& variant) const {
  if (!variant.features.cell.empty()) return variant.features.cell;
  return candidates.at(variant.candidate).struct_hash.substr(0, 16) + "/" + variant.bottleneck;
}

double State::MeritOf(const Run& run, const Variant& variant) const {
  if (store::HasRatios(run.objective)) return variant.ratio_low;
  const double predicted = variant.PredictedNs();
  return predicted > 0 ? 1e6 / predicted : 0;
}

int64_t State::Lineage(int64_t candidate) const {
  for (;;) {
    const auto it = candidates.find(candidate);
    if (it == candidates.end() || it->second.parents.empty()) return candidate;
    candidate = it->second.parents.front();
  }
}

namespace {

bool RunIsOver(const State& state, int64_t run) {
  const auto it = state.runs.find(run);
  return it != state.runs.end() && it->second.state == store::RunState::kStopped;
}

void Count(const State& state, const Variant& variant, Progress& progress) {
  using store::Verdict;
  if (variant.verdict == Verdict::kRankedOut)
    ++progress.ranked_out;
  else if (variant.verdict == Verdict::kCancelled)
    ++progress.cancelled;
  else if (variant.verdict != Verdict::kPending && variant.blame == store::Blame::kInfra)
    ++progress.lost;
  else if (variant.verdict != Verdict::kPending && variant.verdict != Verdict::kDuplicate &&
           !store::IsReject(variant.verdict)) {
    ++progress.evaluated;
  }
  for (const int64_t id : variant.jobs) {
    const Job& job = state.jobs.at(id);
    if (job.state == store::JobState::kQueued || job.state == store::JobState::kLeased) {
      ++progress.queued;
    }
  }
}

// An improvement is confirmed before anybody relies on it.
bool AwaitsConfirmation(const State& state, const Variant& variant) {
  if (variant.verdict != store::Verdict::kImproved) return false;
  for (const int64_t id : variant.jobs) {
    if (state.jobs.at(id).purpose == store::Purpose::kConfirm) return false;
  }
  return true;
}

bool IsOpen(const State& state, const Variant& variant) {
  return variant.verdict == store::Verdict::kPending || !variant.pending.empty() ||
         variant.AwaitsAudit() || AwaitsConfirmation(state, variant);
}

}  // namespace

Progress ProgressOf(const State& state, const Candidate& candidate) {
  Progress progress;
  progress.members = candidate.members_total;
  progress.expanded = candidate.members_seen;
  progress.rejected = candidate.rejected;
  progress.duplicates = candidate.duplicates;
  bool open = !candidate.closed();
  for (const int64_t id : candidate.variants) {
    const Variant& variant = state.variants.at(id);
    Count(state, variant, progress);
    open = open || IsOpen(state, variant);
  }
  progress.terminal = progress.queued == 0 && (!open || RunIsOver(state, candidate.run));
  return progress;
}

Progress ProgressOf(const State& state, const Run& run) {
  Progress sum;
  sum.terminal = true;
  for (const int64_t id : run.candidates) {
    const Progress one = ProgressOf(state, state.candidates.at(id));
    sum.members += one.members;
    sum.expanded += one.expanded;
    sum.rejected += one.rejected;
    sum.duplicates += one.duplicates;
    sum.ranked_out += one.ranked_out;
    sum.evaluated += one.evaluated;
    sum.cancelled += one.cancelled;
    sum.lost += one.lost;
    sum.queued += one.queued;
    sum.terminal = sum.terminal && one.terminal;
  }
  return sum;
}

Judged JudgedOf(const State& state, const Candidate& candidate) {
  Judged judged{candidate.gates_verdict, candidate.gates_blame, nullptr};
  for (const int64_t id : candidate.variants) {
    const Variant& variant = state.variants.at(id);
    const int mine = store::VerdictRank(variant.verdict);
    const int best = judged.best ? store::VerdictRank(judged.best->verdict) : -1;
    const bool faster = judged.best && mine == best && variant.PredictedNs() > 0 &&
                        variant.PredictedNs() < judged.best->PredictedNs();
    if (!judged.best || mine > best || faster) judged.best = &variant;
  }
  if (judged.best && judged.best->verdict != store::Verdict::kPending) {
    judged.verdict = judged.best->verdict;
    judged.blame = judged.best->blame;
  }
  return judged;
}

double Device::NoiseFloor(std::string_view kernel_class) const {
  const auto measured = noise.find(std::string(kernel_class));
  return measured != noise.end() ? measured->second : LargestNoise();
}

double Device::LargestNoise() const {
  double largest = 0;
  for (const auto& [kernel_class, floor] : noise) largest = std::max(largest, floor);
  return largest;
}

}  // namespace server::state
