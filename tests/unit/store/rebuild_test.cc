// The log is the truth: a fold of it gives the tables, at every length; and a table that was
// touched otherwise is found.
#include <random>
#include <set>

#include "store/error.h"
#include "store/migrations.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

using testing::HasSubstr;

std::unique_ptr<Database> Scratch() {
  auto db = *Database::Open("", OpenMode::kReadWriteCreate, "");
  EXPECT_TRUE(Migrate(*db, "", Migrations()).ok());
  EXPECT_TRUE(db->Exec("PRAGMA foreign_keys = ON").ok());
  return db;
}

// Commits events of every sort, good and bad, drawn from a seed.
class RandomHistory {
 public:
  RandomHistory(Store& store, uint64_t seed)
      : store_(store), world_(store), raw_(OpenRaw(store.dir())), random_(seed) {}

  // One command; refusals are part of the history.
  void Step() {
    std::vector<EventBody> events;
    std::vector<Object> objects;
    const int count = Draw(4) == 0 ? 3 : 1;
    for (int i = 0; i < count; ++i) events.push_back(Next(objects));
    Batch batch;
    batch.events = std::move(events);
    batch.objects = std::move(objects);
    const auto result = store_.Commit(std::move(batch));
    (result.ok() ? accepted : refused) += 1;
  }

  int accepted = 0, refused = 0;

 private:
  uint64_t Draw(uint64_t below) { return random_() % below; }
  // Mostly an id that exists, sometimes one past the end.
  int64_t Id(const char* table) {
    Statement s = raw_->Once(std::string("SELECT count(*) FROM ") + table);
    EXPECT_TRUE(*s.Step());
    const auto rows = static_cast<uint64_t>(s.Int(0));
    return static_cast<int64_t>(rows == 0 || Draw(9) == 0 ? rows + 1 : 1 + Draw(rows));
  }
  // One for which the event is likely to be accepted, most of the time; else any.
  int64_t Ungated() {
    const auto rows = *Reader()->reads().CandidatesWithoutGates({});
    return rows.empty() || Draw(9) == 0 ? Id("candidate") : rows[Draw(rows.size())].id;
  }
  int64_t Unexpanded() {
    const auto rows = *Reader()->reads().CandidatesToExpand({});
    return rows.empty() || Draw(9) == 0 ? Id("candidate") : rows[Draw(rows.size())].id;
  }
  int64_t JobIn(JobState state) {
    const auto rows = *Reader()->reads().ListJobs(state, 1, 100);
    return rows.empty() || Draw(9) == 0 ? Id("job") : rows[Draw(rows.size())].id;
  }
  std::unique_ptr<SnapshotView> Reader() { return *store_.Snapshot(); }
  Verdict AnyVerdict() { return static_cast<Verdict>(1 + Draw(34)); }
  Blame AnyBlame() { return static_cast<Blame>(1 + Draw(5)); }
  // The job's own token, most of the time.
  int64_t Token(int64_t job) {
    if (Draw(8) == 0) return static_cast<int64_t>(Draw(5));
    const auto row = Reader()->reads().GetJob(job);
    return row.ok() ? row->fencing_token : 0;
  }

  EventBody Next(std::vector<Object>& objects) {
    switch (Draw(20)) {
      case 0:
      case 1: return Submission(objects);
      case 2:
      case 3: return Gates();
      case 4:
      case 5: return Expansion();
      case 6:
        return Estimated{.variant = Id("variant"),
                         .shape = std::string(1, 'a' + Draw(3)),
                         .calibration = "none",
                         .model_rev = "m",
                         .time_ns = 1.0 + Draw(100),
                         .low_ns = 1,
                         .high_ns = 200,
                         .weight = 1.0 * Draw(3),
                         .bottleneck = "hbm"};
      case 7:
        return Ranked{.run = world_.run,
                      .variants = {{Id("variant"), 1, Draw(2) == 0, "TOP"},
                                   {Id("variant"), 2, Draw(2) == 0, "OUT"}}};
      case 8:
      case 9:
        return JobQueued{.variant = Id("variant"),
                         .purpose = static_cast<Purpose>(Draw(6)),
                         .protocol = "p",
                         .round = static_cast<int64_t>(Draw(2))};
      case 10:
      case 11:
        return LeaseGranted{.job = JobIn(JobState::kQueued),
                            .worker = world_.worker,
                            .incarnation = Draw(9) == 0 ? 8u : 7u,
                            .device = Draw(2) == 0 ? world_.device : 0};
      case 12: {
        const int64_t job = JobIn(JobState::kLeased);
        return LeaseLost{
            .job = job, .fencing_token = Token(job), .reason = "EXPIRED", .infra = Draw(2) == 0};
      }
      case 13: {
        const int64_t job = JobIn(JobState::kLeased);
        return StageEnded{.job = job,
                          .fencing_token = Token(job),
                          .stage = static_cast<Stage>(Draw(6)),
                          .wall_ns = 5};
      }
      case 14: return Evaluation();
      default: return Rest();
    }
  }

  EventBody Submission(std::vector<Object>& objects) {
    const std::string source = "source " + std::to_string(Draw(1000));
    objects.push_back({ObjectKind::kSource, source});
    CandidateSubmitted e{.run = world_.run, .source_hash = HashOf(source), .arm_kind = "cake-ir"};
    if (Draw(2) == 0) e.parents = {{Id("candidate"), "parent"}};
    return e;
  }
  EventBody Gates() {
    const bool rejected = Draw(3) == 0;
    return GatesDone{.candidate = Ungated(),
                     .verdict = rejected ? Verdict::kRejectedSafety : Verdict::kPending,
                     .blame = rejected ? Blame::kCandidate : Blame::kUnset,
                     .canon_hash = "c" + std::to_string(Draw(9)),
                     .diagnostics = {{.code = "CK2001"}},
                     .gates = {{.gate = "bounds", .outcome = "PASS"}}};
  }
  EventBody Expansion() {
    const int64_t seen = static_cast<int64_t>(Draw(4));
    return VariantsExpanded{
        .candidate = Id("candidate"),
        .members_total = 3,
        .members_seen = seen,
        .last = seen == 3,
        .variants = {{.binding_hash = std::to_string(Draw(4)), .params_json = "{}"}},
        .rejected = {{"CK3001", 1, "{}"}}};
  }
  EventBody Evaluation() {
    const int64_t job = JobIn(JobState::kLeased);
    return EvaluationDone{.job = job,
                          .fencing_token = Token(job),
                          .verdict = AnyVerdict(),
                          .blame = AnyBlame(),
                          .source = static_cast<ScoreSource>(Draw(5)),
                          .oracle_completed = Draw(2) == 0,
                          .ratio_low = 0.01 * Draw(200),
                          .checks = {{.name = "values", .outcome = "PASS"}}};
  }
  EventBody Rest() {
    switch (Draw(9)) {
      case 0:
        return BudgetReserved{
            .run = world_.run, .kind = "evaluations", .amount = static_cast<int64_t>(Draw(5))};
      case 1:
        return BudgetSettled{.run = world_.run,
                             .kind = "evaluations",
                             .reserved = static_cast<int64_t>(Draw(3)),
                             .spent = 1};
      case 2: return BudgetRefunded{.run = world_.run, .kind = "evaluations", .amount = 1};
      case 3:
        return UsageReported{.run = world_.run,
                             .session = "s",
                             .model = std::string(1, 'a' + Draw(2)),
                             .input = static_cast<int64_t>(Draw(100))};
      case 4:
        return FindingOpened{.fingerprint = std::to_string(Draw(5)),
                             .route = "verifier",
                             .candidates = {Id("candidate")}};
      case 5:
        return VerdictRevised{
            .variant = Id("variant"), .verdict = AnyVerdict(), .blame = AnyBlame(), .reason = "r"};
      case 6:
        return EliteChanged{.run = world_.run,
                            .cell = std::to_string(Draw(2)),
                            .variant = Id("variant"),
                            .score = 1.0 * Draw(9)};
      case 7: return Checked{.run = world_.run, .principal = 1, .codes = {"CK1001"}};
      default: return DeviceState{.uuid = "GPU-1", .state = "SUSPECT", .noise = {{"copy", 0.5}}};
    }
  }

  Store& store_;
  World world_;
  std::unique_ptr<Database> raw_;
  std::mt19937_64 random_;
};

TEST(Rebuild, TheFoldOfEachPrefixOfTheLogIsTheLiveState) {
  int accepted = 0, refused = 0;
  std::set<std::string> kinds;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TempDir dir;
    auto store = OpenStepped(dir.path());
    RandomHistory history(*store, seed);
    auto fold = Scratch();
    auto live = OpenRaw(dir.path());
    int64_t folded = 0;
    for (int step = 0; step < 100; ++step) {
      history.Step();
      auto view = *store->Snapshot();
      const auto events = *view->reads().EventsAfter(folded, 0, 500);
      for (const Event& event : events) {
        ASSERT_TRUE(Apply(*fold, event).ok()) << seed << " " << event.seq;
        folded = event.seq;
        kinds.insert(std::string(KindOf(event.body)));
      }
      ASSERT_EQ(DumpProjections(*fold), DumpProjections(*live))
          << "seed " << seed << " seq " << folded;
    }
    accepted += history.accepted;
    refused += history.refused;
    const auto report = RebuildCheck(dir.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->equal());
    EXPECT_EQ(report->events, folded);
  }
  // The histories are of use only if both sorts are many.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
  EXPECT_THAT(kinds, testing::IsSupersetOf({"EvaluationDone", "LeaseLost", "StageEnded", "Ranked",
                                            "VerdictRevised", "EliteChanged", "BudgetSettled"}));
}

class Corruption : public testing::Test {
 protected:
  Corruption() {
    auto store = OpenStepped(dir.path());
    World world(*store);
    const int64_t variant = world.Expand(world.Submit("k"), "c");
    MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kCorrect, 1.5)});
    MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  }
  // The differences after `sql` was run on the file behind the store's back.
  std::vector<RebuildDifference> After(const std::string& sql) {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    EXPECT_TRUE(db->Exec(sql).ok()) << sql;
    const auto report = RebuildCheck(dir.path());
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok()) return {};
    EXPECT_EQ(report->equal(), report->differences.empty());
    return report->differences;
  }
  TempDir dir;
};

TEST_F(Corruption, AnUntouchedFileIsEqual) {
  EXPECT_TRUE(After("SELECT 1").empty());
  const auto report = *RebuildCheck(dir.path());
  EXPECT_EQ(report.exempt, (std::vector<std::string>{"meta", "object", "idem", "event"}));
  EXPECT_THAT(report.tables, testing::IsSupersetOf({"candidate", "late_evidence", "lease", "run"}));
  EXPECT_GT(report.rows, 10);
}

TEST_F(Corruption, OneByteOfOneRowNamesTableAndKey) {
  const auto differences = After("UPDATE candidate SET canon_hash = 'd' WHERE id = 1");
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].table, "candidate");
  EXPECT_EQ(differences[0].key, "id=1");
  EXPECT_THAT(differences[0].expected, HasSubstr("canon_hash='c'"));
  EXPECT_THAT(differences[0].found, HasSubstr("canon_hash='d'"));
}

TEST_F(Corruption, EveryProjectionIsCompared) {
  const std::pair<const char*, const char*> cases[] = {
      {"run", "UPDATE run SET seed = seed + 1"},
      {"job", "UPDATE job SET priority = 3"},
      {"lease", "UPDATE lease SET attempt = 2"},
      {"evaluation", "UPDATE evaluation SET ratio_low = ratio_low * (1 + 1e-15)"},
      {"check_result", "UPDATE check_result SET name = 'other'"},
      {"budget", "UPDATE budget SET spent = 1"},
      {"worker", "UPDATE worker SET capabilities = 'x'"},
      {"principal", "UPDATE principal SET revoked_us = 0"},
  };
  for (const auto& [table, sql] : cases) {
    const auto differences = After(std::string("SAVEPOINT s; ") + sql + "; RELEASE s");
    ASSERT_FALSE(differences.empty()) << sql;
    bool named = false;
    for (const auto& d : differences) named = named || d.table == table;
    EXPECT_TRUE(named) << sql;
  }
}

TEST_F(Corruption, MissingAndExtraRowsAreTold) {
  auto differences = After("DELETE FROM finding");
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].table, "finding");
  EXPECT_EQ(differences[0].found, "no row");
  differences = After("INSERT INTO noise VALUES(1, 'x', 2, 0.5)");
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[1].table, "noise");
  EXPECT_EQ(differences[1].key, "device_id=1, class='x', at_us=2");
  EXPECT_EQ(differences[1].expected, "no row");
}

TEST_F(Corruption, AnEventThatWasChangedIsFound) {
  const auto differences =
      After("UPDATE event SET body = replace(body, '\"CORRECT\"', '\"IMPROVED\"')");
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences[0].table, "candidate");
}

TEST_F(Corruption, AnEventThatIsGoneIsFound) {
  const auto differences = After("DELETE FROM event WHERE kind = 'LeaseGranted'");
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences[0].table, "event");
  EXPECT_THAT(differences[0].found, HasSubstr("not the next"));
}

TEST_F(Corruption, AnEventOfAnotherSubjectIsFound) {
  const auto differences = After("UPDATE event SET subject = 'c-1-2' WHERE kind = 'GatesDone'");
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_THAT(differences[0].expected, HasSubstr("subject=c-1-1"));
}

TEST_F(Corruption, ADamagedPageFailsTheIntegrityCheck) {
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(db->Exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = "
                         "(SELECT rootpage FROM sqlite_schema WHERE name = 'noise') "
                         "WHERE name = 'parent_parent'")
                    .ok());
  }
  const auto report = RebuildCheck(dir.path());
  EXPECT_TRUE(!report.ok() || !report->equal());
}

TEST(Rebuild, RunsBesideAnOpenStore) {
  TempDir dir;
  auto store = MustOpen({.dir = dir.path(), .disk_reserve_bytes = kTestReserveBytes});
  World world(*store);
  for (int i = 0; i < 20; ++i) world.Submit(std::to_string(i));
  const auto report = RebuildCheck(dir.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->equal());
  EXPECT_EQ(report->events, *(*store->Snapshot())->reads().LastSeq());
}

}  // namespace
}  // namespace store
