#include "server/core/expansion.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/loop/plan.h"
#include "server/routing/route.h"

namespace server::core {
namespace {

using store::Blame;
using store::Verdict;

std::vector<store::DiagnosticRef> Refs(const GateMember& member, int64_t variant) {
  std::vector<store::DiagnosticRef> out;
  for (const GateDiagnostic& d : member.diagnostics) {
    store::DiagnosticRef ref{.variant = variant,
                             .code = d.code,
                             .category = d.category,
                             .severity = d.severity,
                             .rule_id = d.rule,
                             .span_begin = d.span_begin,
                             .span_end = d.span_end,
                             .fingerprint = d.fingerprint,
                             .message = d.message};
    if (!member.report_json.empty()) ref.body_hash = store::HashOf(member.report_json);
    out.push_back(std::move(ref));
  }
  return out;
}

std::string FirstErrorCode(const GateMember& member) {
  for (const GateDiagnostic& d : member.diagnostics) {
    if (d.severity == "error") return d.code;
  }
  return member.verdict;
}

class Expansion {
 public:
  Expansion(const state::State& state, const state::Candidate& candidate, const GateReply& reply,
            int64_t next_variant, double audit_share)
      : state_(state),
        candidate_(candidate),
        run_(state.runs.at(candidate.run)),
        reply_(reply),
        next_variant_(next_variant),
        audit_share_(audit_share),
        dice_(run_.seed, static_cast<uint64_t>(run_.id), static_cast<uint64_t>(candidate.id),
              state::DrawFor::kAudit) {}

  store::Batch Make(std::string_view default_report_json) {
    if (!candidate_.gates_done) AddGatesDone();
    if (!reply_.family_ok) return std::move(batch_);
    const auto seen = candidate_.members_seen + static_cast<int64_t>(reply_.members.size());
    const int64_t reachable = reply_.reachable > 0
                                  ? reply_.reachable
                                  : std::min(reply_.members_total, loop::kFamilyMembersMax);
    expanded_.candidate = candidate_.id;
    expanded_.members_total = reply_.members_total;
    expanded_.members_seen = seen;
    expanded_.last = seen >= reachable || reply_.members.empty();
    for (const GateMember& member : reply_.members) AddMember(member);
    for (auto& [code, group] : rejected_) expanded_.rejected.push_back(group);
    if (expanded_.last && NothingPassed()) {
      expanded_.verdict = default_report_json.empty() ? GateVerdict(reply_.members.front().verdict)
                                                      : VerdictOfReport(default_report_json);
      expanded_.blame = Blame::kCandidate;
    }
    batch_.events.push_back(std::move(expanded_));
    for (auto& estimate : estimates_) batch_.events.push_back(std::move(estimate));
    if (known_best_) batch_.events.push_back(*known_best_);
    for (auto& finding : findings_) batch_.events.push_back(std::move(finding));
    for (auto& [cell, elite] : known_elites_) batch_.events.push_back(std::move(elite));
    return std::move(batch_);
  }

 private:
  bool NothingPassed() const {
    return std::all_of(candidate_.variants.begin(), candidate_.variants.end(),
                       [&](int64_t id) { return state_.variants.at(id).audit; }) &&
           std::all_of(expanded_.variants.begin(), expanded_.variants.end(),
                       [](const store::NewVariant& row) { return store::IsReject(row.verdict); });
  }

  void Keep(const std::string& report) {
    if (!report.empty()) batch_.objects.push_back({store::ObjectKind::kReport, report});
  }

  // The default member comes first, so its judgement ends the gates of the candidate.
  void AddGatesDone() {
    const GateMember& first = reply_.members.front();
    store::GatesDone done{.candidate = candidate_.id,
                          .canon_hash = first.canon_hash,
                          .struct_hash = first.struct_hash,
                          .cpu_ns = reply_.cpu_ns,
                          .fixable = first.fixable};
    if (!first.report_json.empty()) done.report_hash = store::HashOf(first.report_json);
    Keep(first.report_json);
    const bool rejected = first.verdict != "PASSED";
    done.gates.push_back({.gate = "pipeline",
                          .verifier_rev = reply_.verifier_rev,
                          .ruleset_hash = reply_.ruleset_hash,
                          .outcome = rejected ? "REJECT" : "PASS",
                          .wall_ns = reply_.cpu_ns});
    for (const GateRuleSaid& said : first.rules) {
      done.gates.push_back(RuleGate(said, 0, false));
    }
    if (!reply_.family_ok) {
      done.verdict = GateVerdict(first.verdict);
      done.blame = Blame::kCandidate;
      done.diagnostics = Refs(first, 0);
    }
    batch_.events.push_back(std::move(done));
  }

  // What a learnt rule said, under its own name as a gate.
  store::GateOutcome RuleGate(const GateRuleSaid& said, int64_t variant, bool audit) const {
    return {.variant = variant,
            .gate = absl::StrCat(std::string(state::kRuleGate), said.id),
            .verifier_rev = reply_.verifier_rev,
            .ruleset_hash = reply_.ruleset_hash,
            .outcome = said.unknown    ? "UNKNOWN"
                       : said.hits > 0 ? "REJECT"
                                       : "PASS",
            .audit = audit,
            .wall_ns = said.cpu_ns};
  }

  // Hits on a member that has a row: `refused` by an active rule, or counted in the shadow.
  void AddRuleHits(const GateMember& member, int64_t variant, bool refused) {
    for (const GateRuleSaid& said : member.rules) {
      if (said.hits == 0 || !hit_.insert({variant, said.id}).second) continue;
      expanded_.gates.push_back(RuleGate(said, variant, refused));
    }
  }

  void AddMember(const GateMember& member) {
    if (member.verdict != "PASSED") {
      AddRejected(member);
      return;
    }
    store::NewVariant row{.variant = next_variant_++,
                          .binding_hash = store::Sha256Hex(member.binding_json),
                          .params_json = member.binding_json,
                          .canon_hash = member.canon_hash,
                          .features = member.features};
    row.duplicate_of = FirstOf(member.canon_hash, row.variant);
    if (row.duplicate_of != 0) {
      row.verdict = Verdict::kDuplicate;
      row.blame = Blame::kNone;
      NoteKnown(row.duplicate_of);
    } else {
      Keep(member.report_json);
      AddEstimates(member, row.variant);
    }
    AddRuleHits(member, row.variant, false);
    expanded_.variants.push_back(std::move(row));
  }

  // Rejected members become no rows: one count a code, one witness, its diagnostics once.
  void AddRejected(const GateMember& member) {
    const std::string code = FirstErrorCode(member);
    auto [group, fresh] = rejected_.try_emplace(code);
    if (fresh) {
      group->second.code = code;
      group->second.witness_params_json = member.binding_json;
      if (!candidate_.rejected_codes.contains(code)) {
        Keep(member.report_json);
        for (auto& ref : Refs(member, 0)) expanded_.diagnostics.push_back(std::move(ref));
      }
    }
    if (fresh) AddUnresolved(member);
    ++group->second.count;
    // A twin of a member that the oracle has judged needs no audit: the rule is judged by that.
    const auto twin = state_.first_of.find(state_.KeyOf(run_, member.canon_hash));
    if (twin != state_.first_of.end()) AddRuleHits(member, twin->second, true);
    if (member.stage == "gates" && audit_share_ > 0 && dice_.Unit() < audit_share_) {
      AddAudited(member);
    }
  }

  // A form that the gates cannot resolve: once it is seen in several lineages, the language lacks
  // it.
  void AddUnresolved(const GateMember& member) {
    const auto first = std::find_if(member.diagnostics.begin(), member.diagnostics.end(),
                                    [](const GateDiagnostic& d) { return d.severity == "error"; });
    if (first == member.diagnostics.end()) return;
    const bool outside = first->code == "CK1031";  // not in this build
    if (!outside && first->category != "unproven") return;
    const Verdict verdict = GateVerdict(member.verdict);
    store::DiagnosticRef ref{.code = first->code,
                             .category = first->category,
                             .severity = "finding",
                             .message = first->message};
    ref.fingerprint = routing::FailureFingerprint(
        {.stage = "GATES", .verdict = verdict, .code = first->code, .form = first->form});
    const routing::Route route = routing::VocabularyRoute(verdict);
    if (auto found = routing::FindingAfter(state_, ref.fingerprint, candidate_.id, route)) {
      findings_.push_back(*std::move(found));
    }
    expanded_.diagnostics.push_back(std::move(ref));
  }

  // A rejected member that is run all the same: whether the gates were right is measured, not
  // guessed.
  void AddAudited(const GateMember& member) {
    store::NewVariant row{.variant = next_variant_++,
                          .binding_hash = store::Sha256Hex(member.binding_json),
                          .params_json = member.binding_json,
                          .canon_hash = member.canon_hash,
                          .verdict = GateVerdict(member.verdict),
                          .blame = Blame::kCandidate,
                          .features = member.features};
    expanded_.gates.push_back({.variant = row.variant,
                               .gate = "pipeline",
                               .verifier_rev = reply_.verifier_rev,
                               .ruleset_hash = reply_.ruleset_hash,
                               .outcome = "REJECT",
                               .audit = true,
                               .wall_ns = reply_.cpu_ns});
    AddRuleHits(member, row.variant, true);
    expanded_.variants.push_back(std::move(row));
  }

  // The variant that was first with this form, or 0: then `self` is it.
  int64_t FirstOf(const std::string& canon_hash, int64_t self) {
    const auto known = state_.first_of.find(state_.KeyOf(run_, canon_hash));
    if (known != state_.first_of.end()) return known->second;
    const auto [mine, fresh] = fresh_.try_emplace(canon_hash, self);
    return fresh ? 0 : mine->second;
  }

  // A twin that was evaluated before counts for this run too: nothing needs to run again.
  void NoteKnown(int64_t variant) {
    const auto it = state_.variants.find(variant);
    if (it == state_.variants.end()) return;
    auto elite =
        loop::EliteAfter(state_, run_, it->second, it->second.verdict, it->second.ratio_low);
    if (elite && (!known_best_ || elite->score > known_best_->score)) known_best_ = elite;
    auto cell = loop::CellEliteAfter(state_, run_, it->second, candidate_.island,
                                     it->second.verdict, it->second.ratio_low);
    if (!cell) return;
    const auto [best, fresh] = known_elites_.try_emplace(cell->cell, *cell);
    if (!fresh && cell->score > best->second.score) best->second = *cell;
  }

  void AddEstimates(const GateMember& member, int64_t variant) {
    for (const GateEstimate& e : member.estimates) {
      estimates_.push_back(store::Estimated{.variant = variant,
                                            .shape = e.shape,
                                            .calibration = e.calibration,
                                            .model_rev = reply_.model_rev,
                                            .time_ns = e.time_ns,
                                            .low_ns = e.low_ns,
                                            .high_ns = e.high_ns,
                                            .weight = e.weight,
                                            .bottleneck = e.bottleneck,
                                            .runner_up = e.runner_up,
                                            .coverage = e.rank_only ? "RANK_ONLY" : "CALIBRATED",
                                            .body_hash = store::HashOf(member.report_json)});
    }
  }

  const state::State& state_;
  const state::Candidate& candidate_;
  const state::Run& run_;
  const GateReply& reply_;
  int64_t next_variant_;
  double audit_share_;
  state::Rng dice_;
  store::Batch batch_;
  store::VariantsExpanded expanded_;
  std::vector<store::Estimated> estimates_;
  std::map<std::string, store::RejectedGroup> rejected_;
  std::map<std::string, int64_t> fresh_;
  std::set<std::pair<int64_t, std::string>> hit_;  // variants and rules that have a row
  std::vector<store::EventBody> findings_;
  std::optional<store::EliteChanged> known_best_;
  std::map<std::string, store::EliteChanged> known_elites_;  // by cell
};

}  // namespace

Verdict GateVerdict(std::string_view word) {
  if (word == "PASSED") return Verdict::kPending;
  return store::ParseEnum<Verdict>(word).value_or(Verdict::kRejectedUnproven);
}

Verdict VerdictOfReport(std::string_view member_report_json) {
  const auto report = nlohmann::json::parse(member_report_json, nullptr, false);
  if (!report.is_object()) return Verdict::kRejectedUnproven;
  return GateVerdict(report.value("verdict", ""));
}

store::Batch ExpansionOf(const state::State& state, const state::Candidate& candidate,
                         const GateReply& reply, int64_t next_variant,
                         std::string_view default_report_json, double audit_share) {
  return Expansion(state, candidate, reply, next_variant, audit_share).Make(default_report_json);
}

}  // namespace server::core
