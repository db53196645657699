#include <charconv>

#include "absl/strings/str_cat.h"
#include "store/collect.h"
#include "store/files.h"
#include "store/reads.h"

#define CANDIDATE_COLUMNS                                                                     \
  "c.id, c.run_id, c.n, c.source_hash, c.canon_hash, c.struct_hash, c.arm_kind, c.author_id," \
  " c.session_id, c.tactic, c.intent, c.params_json, c.prediction_json, c.verdict, c.blame,"  \
  " c.duplicate_of, c.best_ratio_low, c.report_hash, c.gates_done, c.expanded,"               \
  " c.members_total, c.members_seen, c.created_us, c.created_seq"
#define VARIANT_COLUMNS                                                                           \
  "v.id, v.candidate_id, v.binding_hash, v.params_json, v.canon_hash, v.duplicate_of, v.verdict," \
  " v.blame, v.rank, v.rank_why"
// Runs whose candidates a search of `?3` may see: its own experiment's, or every open one's.
#define VISIBLE_RUNS                                                                \
  " AND r.contract_hash = ?2 AND ((?3 <> 0 AND r.experiment_id = ?3)"               \
  " OR (?3 = 0 AND EXISTS (SELECT 1 FROM experiment e WHERE e.id = r.experiment_id" \
  " AND e.visibility = 'OPEN')))"

// What ListCandidates keeps, with the parameters that it binds.
#define MATCHES_FILTER                                                         \
  " AND c.created_seq <= ?2 AND (?3 = 0 OR c.run_id = ?3)"                     \
  " AND (?4 = 0 OR c.run_id IN (SELECT id FROM run WHERE experiment_id = ?4))" \
  " AND (?5 = 0 OR c.author_id = ?5)"                                          \
  " AND (?6 = '' OR c.verdict = ?6 OR (?6 = 'PENDING' AND c.verdict IS NULL))" \
  " AND (?7 = '' OR c.struct_hash = ?7) AND (?8 = '' OR c.canon_hash = ?8)"    \
  " AND (?9 = '' OR EXISTS (SELECT 1 FROM diagnostic d"                        \
  "  WHERE d.code = ?9 AND d.candidate_id = c.id))"                            \
  " AND (?10 = '' OR c.run_id IN (SELECT r.id FROM run r JOIN workload w"      \
  "  ON w.id = r.workload_id WHERE w.name = ?10))"                             \
  " AND (?11 = '' OR c.tactic = ?11)"                                          \
  " AND (?12 = '' OR instr(lower(c.intent), lower(?12)) > 0)"

namespace store {
namespace {

void FillCandidate(Statement& s, CandidateRow& r) {
  s.Get(r.id).Get(r.run).Get(r.n).Get(r.source_hash).Get(r.canon_hash).Get(r.struct_hash);
  s.Get(r.arm_kind).Get(r.author).Get(r.session).Get(r.tactic).Get(r.intent).Get(r.params_json);
  s.Get(r.prediction_json).Get(r.verdict).Get(r.blame).Get(r.duplicate_of).Get(r.best_ratio_low);
  s.Get(r.report_hash).Get(r.gates_done).Get(r.expanded).Get(r.members_total);
  s.Get(r.members_seen).Get(r.created_us).Get(r.created_seq);
}

void FillVariant(Statement& s, VariantRow& r) {
  s.Get(r.id).Get(r.candidate).Get(r.binding_hash).Get(r.params_json).Get(r.canon_hash);
  s.Get(r.duplicate_of).Get(r.verdict).Get(r.blame).Get(r.rank).Get(r.rank_why);
}

void FillLineage(Statement& s, LineageRow& r) {
  s.Get(r.child).Get(r.parent).Get(r.role).Get(r.depth);
}

// A page token: as_of_seq, last id, and a tag that binds both to the filter.
struct Token {
  int64_t as_of_seq = 0, last_id = 0;
};

std::string FilterText(const CandidateFilter& f) {
  std::string text;
  for (const std::string& part :
       {absl::StrCat(f.run), absl::StrCat(f.experiment), absl::StrCat(f.author), f.verdict,
        f.struct_hash, f.canon_hash, f.diagnostic_code, f.workload, f.tactic, f.text,
        std::string(f.newest_first ? "newest" : "")}) {
    absl::StrAppend(&text, part.size(), ":", part, ";");
  }
  return text;
}

std::string MakeToken(const std::string& key, const CandidateFilter& filter, Token token) {
  const std::string body = absl::StrCat(token.as_of_seq, ".", token.last_id);
  return absl::StrCat(body, ".", HmacHex(key, absl::StrCat(FilterText(filter), body)));
}

absl::StatusOr<Token> ReadToken(const std::string& key, const CandidateFilter& filter,
                                std::string_view text) {
  Token token;
  const char* end = text.data() + text.size();
  auto [dot, error] = std::from_chars(text.data(), end, token.as_of_seq);
  if (error == std::errc() && dot != end && *dot == '.') {
    std::from_chars(dot + 1, end, token.last_id);
  }
  if (MakeToken(key, filter, token) != text) {
    return Error(Reason::kPageTokenStale, "the page token was not made for this filter");
  }
  return token;
}

}  // namespace

absl::StatusOr<CandidateRow> Reads::GetCandidate(int64_t id) {
  Statement s = db_.Use("SELECT " CANDIDATE_COLUMNS " FROM candidate c WHERE c.id = ?1");
  return CollectOne<CandidateRow>(s.Bind(id), FillCandidate, "candidate", id);
}

absl::StatusOr<CandidateRow> Reads::GetCandidate(int64_t run, int64_t n) {
  Statement s =
      db_.Use("SELECT " CANDIDATE_COLUMNS " FROM candidate c WHERE c.run_id = ?1 AND c.n = ?2");
  CAKE_STORE_ASSIGN(auto row, CollectOptional<CandidateRow>(s.Bind(run, n), FillCandidate));
  if (row) return *std::move(row);
  return Error(Reason::kUnknownId, absl::StrCat("no candidate ", CandidateName(run, n)));
}

absl::StatusOr<CandidatePage> Reads::ListCandidates(const CandidateFilter& filter,
                                                    int64_t page_size, std::string_view token) {
  CAKE_STORE_TRY(CheckLimit(page_size));
  std::string key;
  {
    Statement meta = db_.Use("SELECT value FROM meta WHERE key = 'page_key'");
    CAKE_STORE_ASSIGN(const bool found, meta.Step());
    if (found) meta.Get(key);
  }
  Token from;
  if (token.empty()) {
    CAKE_STORE_ASSIGN(from.as_of_seq, LastSeq());
  } else {
    CAKE_STORE_ASSIGN(from, ReadToken(key, filter, token));
  }
  Statement s =
      filter.newest_first
          ? db_.Use("SELECT " CANDIDATE_COLUMNS
                    " FROM candidate c WHERE (?1 = 0 OR c.id < ?1)" MATCHES_FILTER
                    " ORDER BY c.id DESC LIMIT ?13")
          : db_.Use("SELECT " CANDIDATE_COLUMNS " FROM candidate c WHERE c.id > ?1" MATCHES_FILTER
                    " ORDER BY c.id LIMIT ?13");
  s.Bind(from.last_id, from.as_of_seq, filter.run, filter.experiment, filter.author, filter.verdict,
         filter.struct_hash, filter.canon_hash, filter.diagnostic_code, filter.workload,
         filter.tactic, filter.text, page_size + 1);
  CandidatePage page;
  CAKE_STORE_ASSIGN(page.rows, Collect<CandidateRow>(s, FillCandidate));
  page.as_of_seq = from.as_of_seq;
  if (static_cast<int64_t>(page.rows.size()) > page_size) {
    page.rows.pop_back();
    page.next_token = MakeToken(key, filter, {from.as_of_seq, page.rows.back().id});
  }
  return page;
}

absl::StatusOr<std::vector<CandidateRow>> Reads::CandidatesWithoutGates(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " CANDIDATE_COLUMNS
                        " FROM candidate c WHERE c.gates_done = 0 AND c.id > ?1"
                        " ORDER BY c.id LIMIT ?2");
  return Collect<CandidateRow>(s.Bind(page.after, page.limit), FillCandidate);
}

absl::StatusOr<std::vector<CandidateRow>> Reads::CandidatesToExpand(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " CANDIDATE_COLUMNS
                        " FROM candidate c WHERE c.gates_done = 1 AND c.gates_verdict IS NULL"
                        " AND c.expanded = 0 AND c.id > ?1 ORDER BY c.id LIMIT ?2");
  return Collect<CandidateRow>(s.Bind(page.after, page.limit), FillCandidate);
}

absl::StatusOr<std::optional<CandidateRow>> Reads::FindByCanon(std::string_view canon_hash,
                                                               std::string_view contract_hash,
                                                               int64_t experiment) {
  Statement s = db_.Use("SELECT " CANDIDATE_COLUMNS
                        " FROM candidate c JOIN run r ON r.id = c.run_id"
                        " WHERE c.canon_hash = ?1" VISIBLE_RUNS " ORDER BY c.id LIMIT 1");
  return CollectOptional<CandidateRow>(s.Bind(canon_hash, contract_hash, experiment),
                                       FillCandidate);
}

absl::StatusOr<std::optional<VariantRow>> Reads::FindVariantByCanon(std::string_view canon_hash,
                                                                    std::string_view contract_hash,
                                                                    int64_t experiment) {
  Statement s = db_.Use("SELECT " VARIANT_COLUMNS
                        " FROM variant v JOIN candidate c ON c.id = v.candidate_id"
                        " JOIN run r ON r.id = c.run_id"
                        " WHERE v.canon_hash = ?1" VISIBLE_RUNS " ORDER BY v.id LIMIT 1");
  return CollectOptional<VariantRow>(s.Bind(canon_hash, contract_hash, experiment), FillVariant);
}

absl::StatusOr<VariantRow> Reads::GetVariant(int64_t id) {
  Statement s = db_.Use("SELECT " VARIANT_COLUMNS " FROM variant v WHERE v.id = ?1");
  return CollectOne<VariantRow>(s.Bind(id), FillVariant, "variant", id);
}

absl::StatusOr<std::vector<VariantRow>> Reads::ListVariants(int64_t candidate, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " VARIANT_COLUMNS
                        " FROM variant v WHERE v.candidate_id = ?1 AND v.id > ?2"
                        " ORDER BY v.id LIMIT ?3");
  return Collect<VariantRow>(s.Bind(candidate, page.after, page.limit), FillVariant);
}

absl::StatusOr<std::vector<RejectedGroupRow>> Reads::RejectedGroups(int64_t candidate) {
  Statement s = db_.Use(
      "SELECT candidate_id, code, count, witness_params_json FROM rejected_group"
      " WHERE candidate_id = ?1 ORDER BY code");
  return Collect<RejectedGroupRow>(s.Bind(candidate), [](Statement& row, RejectedGroupRow& r) {
    row.Get(r.candidate).Get(r.code).Get(r.count).Get(r.witness_params_json);
  });
}

absl::StatusOr<std::vector<DiagnosticRow>> Reads::ListDiagnostics(int64_t candidate, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use(
      "SELECT id, candidate_id, variant_id, evaluation_id, code, category, severity, rule_id,"
      " span_start, span_end, fingerprint, message, body_hash FROM diagnostic"
      " WHERE candidate_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3");
  s.Bind(candidate, page.after, page.limit);
  return Collect<DiagnosticRow>(s, [](Statement& row, DiagnosticRow& r) {
    row.Get(r.id).Get(r.candidate).Get(r.variant).Get(r.evaluation).Get(r.code).Get(r.category);
    row.Get(r.severity).Get(r.rule_id).Get(r.span_begin).Get(r.span_end).Get(r.fingerprint);
    row.Get(r.message).Get(r.body_hash);
  });
}

absl::StatusOr<std::vector<GateResultRow>> Reads::GateResults(int64_t candidate) {
  Statement s = db_.Use(
      "SELECT candidate_id, variant_id, gate, verifier_rev, ruleset_hash, outcome, audit, wall_ns"
      " FROM gate_result WHERE candidate_id = ?1 ORDER BY id");
  return Collect<GateResultRow>(s.Bind(candidate), [](Statement& row, GateResultRow& r) {
    row.Get(r.candidate).Get(r.variant).Get(r.gate).Get(r.verifier_rev).Get(r.ruleset_hash);
    row.Get(r.outcome).Get(r.audit).Get(r.wall_ns);
  });
}

absl::StatusOr<std::vector<EstimateRow>> Reads::Estimates(int64_t variant) {
  Statement s = db_.Use(
      "SELECT variant_id, shape, calibration_id, model_rev, time_ns, low_ns, high_ns, weight,"
      " bottleneck, runner_up, coverage, body_hash FROM estimate WHERE variant_id = ?1"
      " ORDER BY shape, seq DESC");
  return Collect<EstimateRow>(s.Bind(variant), [](Statement& row, EstimateRow& r) {
    row.Get(r.variant).Get(r.shape).Get(r.calibration).Get(r.model_rev).Get(r.time_ns);
    row.Get(r.low_ns).Get(r.high_ns).Get(r.weight).Get(r.bottleneck).Get(r.runner_up);
    row.Get(r.coverage).Get(r.body_hash);
  });
}

absl::StatusOr<std::vector<LineageRow>> Reads::Ancestors(int64_t candidate, int64_t max_depth) {
  Statement s = db_.Use(
      "WITH RECURSIVE up(child, parent, role, depth) AS ("
      "  SELECT child_id, parent_id, role, 1 FROM parent WHERE child_id = ?1"
      "  UNION SELECT p.child_id, p.parent_id, p.role, up.depth + 1"
      "  FROM parent p JOIN up ON p.child_id = up.parent WHERE up.depth < ?2)"
      " SELECT child, parent, role, min(depth) FROM up GROUP BY child, parent"
      " ORDER BY min(depth), child, parent LIMIT ?3");
  return Collect<LineageRow>(s.Bind(candidate, max_depth, kMaxPageRows), FillLineage);
}

absl::StatusOr<std::vector<LineageRow>> Reads::Descendants(int64_t candidate, int64_t max_depth) {
  Statement s = db_.Use(
      "WITH RECURSIVE down(child, parent, role, depth) AS ("
      "  SELECT child_id, parent_id, role, 1 FROM parent WHERE parent_id = ?1"
      "  UNION SELECT p.child_id, p.parent_id, p.role, down.depth + 1"
      "  FROM parent p JOIN down ON p.parent_id = down.child WHERE down.depth < ?2)"
      " SELECT child, parent, role, min(depth) FROM down GROUP BY child, parent"
      " ORDER BY min(depth), child, parent LIMIT ?3");
  return Collect<LineageRow>(s.Bind(candidate, max_depth, kMaxPageRows), FillLineage);
}

}  // namespace store
