// SQL of people: what is documented answers, everything else is refused or stopped.
#include "store/query.h"

#include <fstream>
#include <sstream>

#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

class Query : public testing::Test {
 protected:
  Query() : store(OpenStepped(dir.path())), world(*store) {
    const int64_t variant = world.Expand(world.Submit("k"), "c");
    MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kConfirmed, 1.5)});
    MustCommit(
        *store,
        {PrincipalChanged{.name = "agent-1", .role = "agent", .token_hash = std::string(64, 'f')}});
  }

  absl::StatusOr<QueryResult> Ask(const std::string& sql, QueryLimits limits = {}) {
    return RunQuery(dir.path(), sql, limits, SystemClock());
  }

  TempDir dir;
  std::unique_ptr<Store> store;
  World world;
};

TEST_F(Query, AnswersWithTypesAndTheLogItSaw) {
  const auto result =
      Ask("SELECT candidate, best_ratio_low, duplicate_of, candidate_id FROM v_candidate");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->columns, (std::vector<std::string>{"candidate", "best_ratio_low",
                                                       "duplicate_of", "candidate_id"}));
  ASSERT_EQ(result->rows.size(), 1u);
  EXPECT_EQ(result->rows[0], (std::vector<QueryCell>{"c-1-1", 1.5, {}, int64_t{1}}));
  EXPECT_EQ(result->as_of_seq, *(*store->Snapshot())->reads().LastSeq());
  EXPECT_FALSE(result->truncated);
}

TEST_F(Query, EveryExampleAndEveryListedViewAnswers) {
  std::ifstream file("store/VIEWS.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  int examples = 0, views = 0;
  for (size_t at = 0; (at = page.find("```sql\n", at)) != std::string::npos; ++examples) {
    at += 7;
    const std::string sql = page.substr(at, page.find("```", at) - at);
    const auto result = Ask(sql);
    EXPECT_TRUE(result.ok()) << sql << result.status();
  }
  auto db = OpenRaw(dir.path());
  Statement s = db->Use("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1");
  while (*s.Step()) {
    ++views;
    EXPECT_NE(page.find("| `" + s.Text(0) + "` |"), std::string::npos)
        << s.Text(0) << " is not documented";
    EXPECT_TRUE(Ask("SELECT * FROM " + s.Text(0)).ok()) << s.Text(0);
  }
  EXPECT_GE(examples, 7);
  EXPECT_GE(views, 17);
}

TEST_F(Query, WhatIsNotDocumentedIsRefused) {
  for (const char* sql : {
           "SELECT value FROM meta",
           "SELECT token_hash FROM principal",
           "SELECT * FROM principal",
           "SELECT body FROM event",
           "SELECT * FROM event",
           "SELECT body FROM main.v_event",
           "WITH v_event AS (SELECT body FROM event) SELECT body FROM v_event",
           "SELECT name FROM temp.sqlite_master",
           "SELECT v.seq FROM v_event v JOIN event e ON e.body = v.body",
           "SELECT reply FROM idem",
           "SELECT bytes_inline FROM object",
           "WITH v_candidate AS (SELECT * FROM meta) SELECT * FROM v_candidate",
           "WITH x AS (SELECT token_hash AS h FROM principal) SELECT h FROM x",
           "SELECT (SELECT value FROM meta LIMIT 1) FROM v_candidate",
           "SELECT sql FROM sqlite_master",
           "SELECT name FROM sqlite_schema",
           "SELECT name FROM sqlite_temp_master",
           "SELECT * FROM pragma_database_list",
           "SELECT * FROM pragma_table_info('meta')",
           "PRAGMA user_version",
           "ATTACH '/etc/passwd' AS x",
           "INSERT INTO meta VALUES('a', 'b')",
           "DELETE FROM event",
           "CREATE TEMP TABLE t(x)",
           "BEGIN",
           "COMMIT",
           "VACUUM INTO '/tmp/stolen.db'",
           "SELECT randomblob(10)",
           "SELECT zeroblob(1000000000)",
           "SELECT load_extension('x')",
           "SELECT printf('%1000000000d', 1)",
           "SELECT hex(x) FROM (SELECT 1 AS x)",
           "SELECT readfile('/etc/passwd')",
           "SELECT sqlite_version()",
           "SELECT 1; SELECT 2",
           "",
           "nonsense",
       }) {
    const auto result = Ask(sql);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << sql;
  }
  EXPECT_TRUE(Ask("SELECT name, role FROM principal").ok());
  EXPECT_TRUE(Ask("SELECT 1;\n").ok());
}

TEST_F(Query, EventsShowTheirBodiesWithoutTokenHashes) {
  const auto shown =
      Ask("SELECT body, json_extract(body, '$.name') FROM V_EVENT WHERE subject = 'u-2'");
  ASSERT_TRUE(shown.ok()) << shown.status();
  ASSERT_EQ(shown->rows.size(), 1u);
  EXPECT_EQ(shown->rows[0][1], QueryCell("agent-1"));
  const auto all = Ask("SELECT group_concat(body, ' ') AS text, count(*) FROM v_event");
  ASSERT_TRUE(all.ok()) << all.status();
  const auto& text = std::get<std::string>(all->rows[0][0]);
  EXPECT_EQ(text.find(std::string(64, 'f')), std::string::npos);
  EXPECT_NE(text.find("\"verdict\":\"CONFIRMED\""), std::string::npos);
  EXPECT_EQ(all->rows[0][1], QueryCell(*(*store->Snapshot())->reads().LastSeq()));
}

TEST_F(Query, WhatNeverEndsIsStopped) {
  const char* endless =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
  EXPECT_EQ(Ask(endless, {.deadline_ns = 20'000'000}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  int looks = 0;
  EXPECT_EQ(Ask(endless, {.cancelled = [&] { return ++looks > 3; }}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(looks, 4);  // stopped at the next look
}

TEST_F(Query, SizesAreBounded) {
  const std::string count =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 30000) ";
  const auto cut = Ask(count + "SELECT x FROM n", {.rows_max = 10});
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->rows.size(), 10u);
  EXPECT_TRUE(cut->truncated);
  EXPECT_FALSE(Ask("SELECT 1", {.rows_max = kQueryRowsMax + 1}).ok());
  EXPECT_FALSE(Ask("SELECT '" + std::string(kQueryBytesMax, 'x') + "'").ok());
  // 64 bytes doubled 16 times in each row would be 4 MiB: a value may have 1 MiB.
  std::string doubled = "'" + std::string(64, 'x') + "'";
  for (int i = 0; i < 16; ++i) doubled = "(SELECT y || y AS y FROM (SELECT " + doubled + " AS y))";
  EXPECT_FALSE(Ask("SELECT length(" + doubled + ")").ok());
  const auto wide = Ask(count + "SELECT group_concat(x) OVER () FROM n", {.rows_max = 10'000});
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_TRUE(wide->truncated);
  EXPECT_LT(wide->rows.size(), 100u);
}

}  // namespace
}  // namespace store
