#include <algorithm>

#include "store/collect.h"
#include "store/event_rows.h"
#include "store/reads.h"

#define FINDING_COLUMNS                                                                 \
  "id, fingerprint, route, state, title, count, first_us, last_us, minimised_hash FROM" \
  " finding"

namespace store {
namespace {

void FillCount(Statement& s, CountRow& r) { s.Get(r.word).Get(r.count); }

void FillFinding(Statement& s, FindingRow& r) {
  s.Get(r.id).Get(r.fingerprint).Get(r.route).Get(r.state).Get(r.title).Get(r.count);
  s.Get(r.first_us).Get(r.last_us).Get(r.minimised_hash);
}

void FillScore(Statement& s, ScoreRow& r) {
  s.Get(r.number).Get(r.n).Get(r.params_json).Get(r.verdict).Get(r.source).Get(r.simulated);
  s.Get(r.tokens).Get(r.active_ns).Get(r.gpu_ns).Get(r.ratio_low).Get(r.ratio_med);
  s.Get(r.ratio_high).Get(r.time_ns).Get(r.predicted_ns);
}

void FillEdge(Statement& s, LineageEdgeRow& r) {
  s.Get(r.child_run).Get(r.child_n).Get(r.parent_run).Get(r.parent_n).Get(r.role);
  s.Get(r.child_tactic).Get(r.child_verdict).Get(r.parent_verdict);
}

}  // namespace

absl::StatusOr<std::vector<CountRow>> Reads::CandidateCounts() {
  Statement s = db_.Use(
      "SELECT coalesce(verdict, 'PENDING'), count(*) FROM candidate GROUP BY 1 ORDER BY 2 DESC, 1");
  return Collect<CountRow>(s, FillCount);
}

absl::StatusOr<std::vector<CountRow>> Reads::RunCounts() {
  Statement s = db_.Use("SELECT state, count(*) FROM run GROUP BY 1 ORDER BY 1");
  return Collect<CountRow>(s, FillCount);
}

absl::StatusOr<std::vector<CountRow>> Reads::FindingCounts() {
  Statement s = db_.Use("SELECT state, count(*) FROM finding GROUP BY 1 ORDER BY 1");
  return Collect<CountRow>(s, FillCount);
}

absl::StatusOr<std::vector<CountRow>> Reads::WaitingJobCounts() {
  Statement s = db_.Use(
      "SELECT state, count(*) FROM job WHERE state IN ('QUEUED', 'LEASED') GROUP BY 1 ORDER BY 1");
  return Collect<CountRow>(s, FillCount);
}

absl::StatusOr<std::optional<FindingRow>> Reads::FindFinding(std::string_view fingerprint) {
  Statement s = db_.Use("SELECT " FINDING_COLUMNS " WHERE fingerprint = ?1");
  return CollectOptional<FindingRow>(s.Bind(fingerprint), FillFinding);
}

absl::StatusOr<std::vector<FindingRow>> Reads::ListFindings(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " FINDING_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<FindingRow>(s.Bind(page.after, page.limit), FillFinding);
}

absl::StatusOr<std::vector<int64_t>> Reads::FindingCases(int64_t finding) {
  Statement s = db_.Use(
      "SELECT candidate_id FROM finding_case WHERE finding_id = ?1 ORDER BY candidate_id"
      " LIMIT ?2");
  return Collect<int64_t>(s.Bind(finding, kMaxPageRows),
                          [](Statement& row, int64_t& id) { row.Get(id); });
}

absl::StatusOr<std::vector<FindingRow>> Reads::FindingsBefore(const FindingFilter& filter,
                                                              int64_t before, int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  Statement s = db_.Use("SELECT " FINDING_COLUMNS
                        " WHERE (?1 = 0 OR id < ?1) AND (?2 = '' OR state = ?2)"
                        " AND (?3 = '' OR route = ?3) ORDER BY id DESC LIMIT ?4");
  return Collect<FindingRow>(s.Bind(before, filter.state, filter.route, limit), FillFinding);
}

absl::StatusOr<FindingRow> Reads::GetFinding(int64_t id) {
  Statement s = db_.Use("SELECT " FINDING_COLUMNS " WHERE id = ?1");
  return CollectOne<FindingRow>(s.Bind(id), FillFinding, "finding", id);
}

absl::StatusOr<std::vector<FindingCaseRow>> Reads::FindingCasesOf(int64_t finding, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use(
      "SELECT c.id, c.run_id, c.n, c.verdict, w.name FROM finding_case f"
      " JOIN candidate c ON c.id = f.candidate_id JOIN run r ON r.id = c.run_id"
      " LEFT JOIN workload w ON w.id = r.workload_id"
      " WHERE f.finding_id = ?1 AND f.candidate_id > ?2 ORDER BY f.candidate_id LIMIT ?3");
  return Collect<FindingCaseRow>(s.Bind(finding, page.after, page.limit),
                                 [](Statement& row, FindingCaseRow& r) {
                                   row.Get(r.candidate).Get(r.run).Get(r.n).Get(r.verdict);
                                   row.Get(r.workload);
                                 });
}

absl::StatusOr<std::vector<ScoreRow>> Reads::Scores(int64_t run, int64_t after, int64_t limit) {
  limit = std::min(limit, kMaxScoreRows);
  Statement s = db_.Use(
      "SELECT ev.charged_no, c.n, v.params_json,"
      " coalesce((SELECT x.verdict FROM verdict_revision x WHERE x.evaluation_id = ev.id"
      "  ORDER BY x.seq DESC LIMIT 1), ev.verdict),"
      " ev.source, coalesce(d.simulated, 0), ev.charged_tokens, ev.active_ns, ev.gpu_ns,"
      " ev.ratio_low, ev.ratio_med, ev.ratio_high, ev.time_ns, v.predicted_ns"
      " FROM evaluation ev JOIN variant v ON v.id = ev.variant_id"
      " JOIN candidate c ON c.id = v.candidate_id LEFT JOIN device d ON d.id = ev.device_id"
      " WHERE ev.run_id = ?1 AND ev.charged_no > ?2 ORDER BY ev.charged_no LIMIT ?3");
  return Collect<ScoreRow>(s.Bind(run, after, limit), FillScore);
}

absl::StatusOr<std::vector<LineageEdgeRow>> Reads::LineageEdges(int64_t candidate,
                                                                int64_t max_depth) {
  Statement s = db_.Use(
      "WITH RECURSIVE up(id, depth) AS (SELECT ?1, 0"
      "  UNION SELECT p.parent_id, up.depth + 1 FROM parent p JOIN up ON p.child_id = up.id"
      "  WHERE up.depth < ?2),"
      " down(id, depth) AS (SELECT ?1, 0"
      "  UNION SELECT p.child_id, down.depth + 1 FROM parent p JOIN down ON p.parent_id = down.id"
      "  WHERE down.depth < ?2),"
      " edge(child, parent) AS (SELECT l.child_id, l.parent_id FROM parent l JOIN up"
      "   ON l.child_id = up.id WHERE up.depth < ?2"
      "  UNION SELECT l.child_id, l.parent_id FROM parent l JOIN down"
      "   ON l.parent_id = down.id WHERE down.depth < ?2)"
      " SELECT c.run_id, c.n, p.run_id, p.n, l.role, c.tactic, c.verdict, p.verdict"
      " FROM edge JOIN parent l ON l.child_id = edge.child AND l.parent_id = edge.parent"
      " JOIN candidate c ON c.id = l.child_id JOIN candidate p ON p.id = l.parent_id"
      " ORDER BY l.child_id, l.parent_id LIMIT ?3");
  return Collect<LineageEdgeRow>(s.Bind(candidate, max_depth, kMaxPageRows), FillEdge);
}

absl::StatusOr<std::vector<Event>> Reads::EventsBefore(const EventFilter& filter, int64_t before,
                                                       int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  if (!filter.subject.empty()) {
    Statement s = db_.Use("SELECT " EVENT_COLUMNS
                          " WHERE subject = ?1 AND (?2 = 0 OR seq < ?2)"
                          " AND (?3 = '' OR kind = ?3) ORDER BY seq DESC LIMIT ?4");
    return CollectEvents(s.Bind(filter.subject, before, filter.kind, limit));
  }
  if (filter.run != 0) {
    Statement s = db_.Use("SELECT " EVENT_COLUMNS
                          " WHERE run_id = ?1 AND (?2 = 0 OR seq < ?2)"
                          " AND (?3 = '' OR kind = ?3) ORDER BY seq DESC LIMIT ?4");
    return CollectEvents(s.Bind(filter.run, before, filter.kind, limit));
  }
  Statement s = db_.Use("SELECT " EVENT_COLUMNS
                        " WHERE (?1 = 0 OR seq < ?1) AND (?2 = '' OR kind = ?2)"
                        " ORDER BY seq DESC LIMIT ?3");
  return CollectEvents(s.Bind(before, filter.kind, limit));
}

}  // namespace store
