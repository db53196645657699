#include "store/apply.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "store/apply_body.h"
#include "store/error.h"
#include "store/try.h"

namespace store {

absl::Status Apply(Database& db, const Event& event) {
  return std::visit([&](const auto& body) { return ApplyBody(db, event, body); }, event.body);
}

absl::Status ChangedOne(const Database& db, std::string_view message) {
  return db.changes() == 1 ? absl::OkStatus() : Error(Reason::kBadState, message);
}

std::string JoinLines(const std::vector<std::string>& lines) { return absl::StrJoin(lines, "\n"); }

std::vector<std::string> SplitLines(std::string_view text) {
  if (text.empty()) return {};
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
}

absl::Status ApplyBody(Database& db, const Event& event, const PrincipalChanged& e) {
  return db.Run(
      "INSERT INTO principal(id, name, role, token_hash, experiment_id, revoked_us, weight,"
      " checks_max, open_max) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
      " ON CONFLICT(id) DO UPDATE SET role = excluded.role, token_hash = excluded.token_hash,"
      " experiment_id = excluded.experiment_id, revoked_us = excluded.revoked_us,"
      " weight = excluded.weight, checks_max = excluded.checks_max, open_max = excluded.open_max",
      e.principal, e.name, e.role, Opt(e.token_hash), Opt(e.experiment),
      Opt(e.revoked ? event.at_us : int64_t{0}), Opt(e.weight), Opt(e.checks_max), Opt(e.open_max));
}

absl::Status ApplyBody(Database& db, const Event& event, const WorkloadRegistered& e) {
  CAKE_STORE_TRY(
      db.Run("INSERT INTO workload(id, name, hash, text_hash, canon_hash, created_us, imported)"
             " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(id) DO UPDATE SET"
             " name = excluded.name, text_hash = excluded.text_hash,"
             " canon_hash = excluded.canon_hash, imported = 0"
             " WHERE hash = excluded.hash AND imported = 1 AND excluded.imported = 0",
             e.workload, e.name, e.hash, e.text_hash, e.canon_hash, event.at_us, e.imported));
  return ChangedOne(db, "the contract is registered already");
}

absl::Status ApplyBody(Database& db, const Event& event, const DeviceState& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO device(id, uuid, name, arch, driver, state, simulated, reason)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(id) DO UPDATE SET name = excluded.name,"
      " arch = excluded.arch, driver = excluded.driver, state = excluded.state,"
      " simulated = excluded.simulated, reason = excluded.reason WHERE uuid = excluded.uuid",
      e.device, e.uuid, e.name, e.arch, e.driver, e.state, e.simulated, Opt(e.reason)));
  CAKE_STORE_TRY(ChangedOne(db, "a device keeps its uuid"));
  for (const NoiseFloor& noise : e.noise) {
    CAKE_STORE_TRY(
        db.Run("INSERT OR REPLACE INTO noise(device_id, class, at_us, floor)"
               " VALUES(?1, ?2, ?3, ?4)",
               e.device, noise.kernel_class, event.at_us, noise.floor));
  }
  return absl::OkStatus();
}

absl::Status ApplyBody(Database& db, const Event&, const WorkerState& e) {
  CAKE_STORE_TRY(
      db.Run("INSERT INTO worker(id, name, incarnation, state, device_id, capabilities)"
             " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(id) DO UPDATE SET"
             " incarnation = excluded.incarnation, state = excluded.state,"
             " device_id = excluded.device_id, capabilities = excluded.capabilities"
             " WHERE name = excluded.name",
             e.worker, e.name, e.incarnation, e.state, Opt(e.device), JoinLines(e.capabilities)));
  return ChangedOne(db, "a worker keeps its name");
}

absl::Status ApplyBody(Database& db, const Event& event, const AdminAction& e) {
  if (e.action != "EXPORT_PORTFOLIO") return absl::OkStatus();
  return db.Run(
      "INSERT INTO portfolio(seq, who_id, subject, manifest_hash, at_us)"
      " VALUES(?1, ?2, ?3, ?4, ?5)",
      event.seq, e.who, e.subject, e.object_hash, event.at_us);
}

absl::Status ApplyBody(Database& db, const Event& event, const EvidenceImported& e) {
  return db.Run(
      "INSERT INTO import(id, manifest_hash, log_hash, campaign, git, script, bundle, device,"
      " driver, simulated, events, who_id, at_us)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
      e.import, e.manifest_hash, e.log_hash, e.campaign, e.git, e.script, e.bundle, e.device,
      e.driver, e.simulated, e.events, e.who, event.at_us);
}

namespace {

absl::Status AddCases(Database& db, int64_t finding, const std::vector<int64_t>& candidates) {
  for (const int64_t candidate : candidates) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO finding_case(finding_id, candidate_id) VALUES(?1, ?2)"
               " ON CONFLICT DO NOTHING",
               finding, candidate));
  }
  return db.Run(
      "UPDATE finding SET count = (SELECT count(*) FROM finding_case WHERE finding_id = ?1)"
      " WHERE id = ?1",
      finding);
}

}  // namespace

absl::Status ApplyBody(Database& db, const Event& event, const FindingOpened& e) {
  CAKE_STORE_TRY(
      db.Run("INSERT INTO finding(id, fingerprint, route, state, title, count, first_us, last_us)"
             " VALUES(?1, ?2, ?3, 'OPEN', ?4, 0, ?5, ?5)",
             e.finding, e.fingerprint, e.route, e.title, event.at_us));
  return AddCases(db, e.finding, e.candidates);
}

absl::Status ApplyBody(Database& db, const Event& event, const FindingUpdated& e) {
  CAKE_STORE_TRY(
      db.Run("UPDATE finding SET state = coalesce(?2, state), last_us = ?3,"
             " minimised_hash = coalesce(?4, minimised_hash) WHERE id = ?1",
             e.finding, Opt(e.state), event.at_us, e.minimised_hash));
  CAKE_STORE_TRY(ChangedOne(db, "the finding does not exist"));
  return AddCases(db, e.finding, e.candidates);
}

absl::Status ApplyBody(Database& db, const Event&, const ProposalState& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO proposal(id, kind, name, rev, body_hash, state, author_id)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(id) DO UPDATE SET rev = excluded.rev,"
      " body_hash = excluded.body_hash, state = excluded.state WHERE kind = excluded.kind"
      " AND name = excluded.name AND author_id IS excluded.author_id AND rev <= excluded.rev",
      e.proposal, e.kind, e.name, e.rev, e.body_hash, e.state, Opt(e.author)));
  CAKE_STORE_TRY(ChangedOne(db, "a proposal keeps its kind, name and author; rev only grows"));
  for (const GateRun& run : e.gate_runs) {
    CAKE_STORE_TRY(
        db.Run("INSERT OR REPLACE INTO gate_run(proposal_id, rev, gate, corpus_hash, verifier_rev,"
               " outcome, body_hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
               e.proposal, e.rev, run.gate, run.corpus_hash, run.verifier_rev, run.outcome,
               run.body_hash));
  }
  if (e.kind != "tactic") return absl::OkStatus();
  return db.Run(
      "INSERT INTO tactic(id, name, rev, body_hash, state) VALUES(?1, ?2, ?3, ?4, ?5)"
      " ON CONFLICT(id) DO UPDATE SET rev = excluded.rev, body_hash = excluded.body_hash,"
      " state = excluded.state",
      e.proposal, e.name, e.rev, e.body_hash, e.state);
}

absl::Status ApplyBody(Database& db, const Event& event, const Decided& e) {
  Statement proposal = db.Use("SELECT rev, author_id FROM proposal WHERE id = ?1");
  CAKE_STORE_ASSIGN(const bool found, proposal.Bind(e.proposal).Step());
  if (!found) return Error(Reason::kUnknownId, "the proposal does not exist");
  if (proposal.Int(0) != e.rev) {
    return Error(Reason::kBadState, "the proposal has another revision by now");
  }
  if (e.verdict == "APPROVE" && proposal.Int(1) == e.who) {
    return Error(Reason::kBadState, "an author cannot approve their own proposal");
  }
  return db.Run(
      "INSERT INTO decision(seq, proposal_id, rev, who_id, verdict, reason, at_us)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      event.seq, e.proposal, e.rev, e.who, e.verdict, e.reason, event.at_us);
}

absl::Status ApplyBody(Database& db, const Event&, const CalibrationActivated& e) {
  CAKE_STORE_TRY(
      db.Run("UPDATE calibration SET state = 'RETIRED' WHERE device_arch = ?1", e.device_arch));
  return db.Run(
      "INSERT INTO calibration(id, device_arch, version, state, body_hash)"
      " VALUES(?1, ?2, ?3, 'ACTIVE', ?4) ON CONFLICT(id) DO UPDATE SET state = 'ACTIVE',"
      " body_hash = excluded.body_hash",
      e.calibration, e.device_arch, e.version, e.body_hash);
}

}  // namespace store
