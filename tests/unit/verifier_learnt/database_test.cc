// Questions to the facts: what they can do, what they cannot, and that every table has its rows.
#include "verifier/learnt/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "verifier/learnt/evaluate.h"

namespace verifier::learnt {
namespace {

using testing::ElementsAre;

// A program up to its facts, and a verdict that says a little of everything.
struct Subject {
  explicit Subject(std::string text) : source(std::move(text)) {
    const auto file = compiler::text::Parse(source, compiler::ops::Table(), report);
    EXPECT_FALSE(file->programs.empty());
    const auto& parsed = *file->programs[0];
    const auto binding = compiler::sema::DefaultBinding(compiler::sema::Params(parsed, report));
    program = compiler::sema::Elaborate(*file, parsed, binding, compiler::ops::Table(), report);
    EXPECT_NE(program, nullptr);
    device = *compiler::arch::DeviceOfTarget(program->target);
    facts = compiler::facts::Derive(*program, *device, report);
    EXPECT_FALSE(report.has_errors());
    verdict.properties.push_back({"bounds", How::kProved, "3 of 3"});
    verdict.premises.push_back({"P0", "determinism", Met::kHolds, "no flags"});
    verdict.accepted = true;
  }
  Source Of() const { return {*program, facts, *device, verdict}; }

  std::string source;
  compiler::diag::Report report;
  std::unique_ptr<compiler::ir::Program> program;
  const compiler::arch::Device* device = nullptr;
  compiler::facts::Facts facts;
  Verdict verdict;
};

std::string Corpus(const std::string& path) {
  std::stringstream text;
  text << std::ifstream("tests/corpus/" + path).rdbuf();
  return text.str();
}

std::set<std::string> AllTables() {
  std::set<std::string> names;
  for (const Table& table : Tables()) names.emplace(table.name);
  return names;
}

int64_t Number(FactBase& facts, const std::string& query) {
  const auto answer = facts.Ask(query);
  EXPECT_TRUE(answer.ok()) << query << ": " << answer.status();
  if (!answer.ok() || answer->rows.empty()) return -1;
  const auto* number = std::get_if<int64_t>(&answer->rows[0][0]);
  EXPECT_NE(number, nullptr) << query;
  return number == nullptr ? -1 : *number;
}

constexpr const char* kRowSums = R"(
program rows target sm_80
dim M in 0..=1024
in x: f32[M, 64]
out y: f32[M]
kernel sums {
  grid (M)
  smem part[2]: f32[2]
  role main: warps 2 {
    let v = ld x[cta, thread]
    let s = lanes.sum(v, 32)
    elect { st part@0[warp] <- s }
    sync cta
    if thread == 0 {
      let a = ld part@0[0]
      let b = ld part@0[1]
      st y[cta] <- a + b
    } else {
      fence cta
    }
  }
}
)";

TEST(Facts, SayWhatIsWritten) {
  const Subject subject(kRowSums);
  FactBase facts;
  facts.Fill(subject.Of(), AllTables());
  EXPECT_EQ(Number(facts, "SELECT count(*) FROM statement WHERE sync = 'scope sync'"), 1);
  EXPECT_EQ(Number(facts, "SELECT warps FROM role WHERE name = 'main'"), 2);
  EXPECT_EQ(Number(facts, "SELECT distance FROM buffer WHERE name = 'part' AND stages = 2"), 16);
  EXPECT_EQ(Number(facts, "SELECT count(*) FROM access WHERE space = 'shared' AND kind = 'read'"),
            2);
  EXPECT_EQ(Number(facts, "SELECT bytes FROM access WHERE space = 'shared' AND kind = 'write'"), 4);
  EXPECT_EQ(Number(facts, "SELECT high FROM symbol WHERE name = 'M'"), 1024);
  // The store of the partial sum stands in `elect`; the fence in the else of the `if`.
  EXPECT_EQ(Number(facts,
                   "SELECT count(*) FROM inside i JOIN statement s ON s.id = i.statement"
                   " JOIN statement e ON e.id = i.ancestor"
                   " WHERE s.op = 'st' AND e.kind = 'elect' AND i.distance = 1"),
            1);
  EXPECT_EQ(Number(facts, "SELECT branch FROM statement WHERE sync = 'fence'"), 1);
  // The barrier comes after the first store and before the second; the two sides of the `if`
  // never follow each other.
  const auto reaches = [&](const char* first, const char* second) {
    return Number(facts, std::string("SELECT count(*) FROM reaches r JOIN statement a ON a.id = "
                                     "r.first JOIN statement b ON b.id = r.second WHERE ") +
                             first + " AND " + second);
  };
  EXPECT_EQ(reaches("a.sync = 'scope sync'", "b.op = 'st'"), 1);
  EXPECT_EQ(reaches("a.op = 'st'", "b.sync = 'scope sync'"), 1);
  EXPECT_EQ(reaches("a.op = 'st'", "b.sync = 'fence'"), 1);
  EXPECT_EQ(reaches("a.sync = 'fence'", "b.op = 'st'"), 0);
}

TEST(Facts, LoopsReachAround) {
  const Subject subject(R"(
program spin target sm_80
dim N in 1..=64
inout y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 {
    for i in 0..N {
      st y[thread] <- 1.0
      sync warp
    }
  }
}
)");
  FactBase facts;
  facts.Fill(subject.Of(), AllTables());
  const std::string pair =
      "FROM reaches r JOIN statement a ON a.id = r.first JOIN statement b ON b.id = r.second ";
  EXPECT_EQ(Number(facts, "SELECT around " + pair + "WHERE a.op = 'st' AND b.word = 'warp'"), 0);
  EXPECT_EQ(Number(facts, "SELECT around " + pair + "WHERE a.word = 'warp' AND b.op = 'st'"), 1);
  EXPECT_EQ(Number(facts, "SELECT around " + pair + "WHERE a.op = 'st' AND b.op = 'st'"), 1);
}

// A table that no program fills would be a promise that nobody keeps.
TEST(Facts, EveryTableHasRowsOfSomeProgram) {
  std::set<std::string> empty = AllTables();
  for (const char* path :
       {"gemm/gemm_bf16_decode.cake", "gemm/gemm_bf16_tensor_memory.cake", "rmsnorm/rmsnorm.cake",
        "attention/attention_wgmma.cake", "prefix_sum/prefix_sum_lookback.cake"}) {
    Subject subject(Corpus(path));
    constexpr compiler::diag::Def<> kNote{"CK2590", compiler::diag::Severity::kAdvice,
                                          compiler::diag::Category::kSafety, "a note", "why"};
    subject.verdict.report.Add(kNote, {1, 2});
    FactBase facts;
    facts.Fill(subject.Of(), AllTables());
    for (const std::string& name : AllTables()) {
      if (Number(facts, "SELECT count(*) FROM " + name) > 0) empty.erase(name);
    }
  }
  EXPECT_THAT(empty, ElementsAre());
}

TEST(Sandbox, RefusesEverythingButAQuestion) {
  const char* kRefused[] = {
      "ATTACH '/tmp/x.db' AS other",
      "PRAGMA writable_schema = 1",
      "INSERT INTO program VALUES('a', 'b')",
      "DELETE FROM program",
      "UPDATE program SET name = 'x'",
      "CREATE TABLE t(a)",
      "CREATE TEMP VIEW v AS SELECT 1",
      "DROP TABLE program",
      "VACUUM INTO '/tmp/x.db'",
      "BEGIN",
      "SELECT * FROM sqlite_master",
      "SELECT * FROM sqlite_schema",
      "SELECT * FROM pragma_database_list",
      "WITH program AS (SELECT sql FROM sqlite_master) SELECT * FROM program",
      "SELECT randomblob(1000000)",
      "SELECT zeroblob(1000000)",
      "SELECT hex(name) FROM program",
      "SELECT printf('%1000000d', 1)",
      "SELECT replace(name, 'a', 'aaaaaaaaaaaaaaaa') FROM program",
      "SELECT load_extension('x')",
      "SELECT readfile('/etc/passwd')",
      "SELECT random()",
      "SELECT date('now')",
      "SELECT current_timestamp",
      "SELECT sqlite_version()",
      "SELECT json_extract('{}', '$')",
      "SELECT 1; SELECT 2",
      "EXPLAIN SELECT 1",
      "",
      "-- nothing",
  };
  const Subject subject(kRowSums);
  FactBase facts;
  facts.Fill(subject.Of(), AllTables());
  for (const char* query : kRefused) {
    const auto answer = facts.Ask(query);
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << query;
  }
  EXPECT_EQ(Number(facts, "SELECT count(*) FROM program"), 1);
}

TEST(Sandbox, EndsWhatDoesNotEnd) {
  const char* kEndless[] = {
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 3000)"
      " SELECT count(*) FROM n a, n b, n c",
      "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) SELECT max(t) FROM n",
  };
  FactBase facts;
  for (const char* query : kEndless) {
    EXPECT_EQ(facts.Ask(query).status().code(), absl::StatusCode::kResourceExhausted) << query;
  }
  std::string deep = "1";
  for (int i = 0; i < 200; ++i) deep = "(" + deep + "+1)";
  EXPECT_FALSE(facts.Ask("SELECT " + deep).ok());
  EXPECT_FALSE(facts.Ask("SELECT '" + std::string(kQueryBytesMax, 'x') + "'").ok());
}

TEST(Sandbox, AnswersHaveALimitAndCostTheSameEverywhere) {
  FactBase facts;
  const std::string many =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i FROM n";
  const auto answer = facts.Ask(many);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->rows.size(), kAnswerRowsMax);
  EXPECT_TRUE(answer->more);
  FactBase other;
  EXPECT_EQ(other.Ask(many)->steps, answer->steps);
}

std::shared_ptr<const CompiledRule> Rule(const std::string& query, const std::string& fix = "") {
  auto rule = CompileRule(
      "name = \"some_rule\"\ncode = \"CK2750\"\ncategory = \"safety\"\n"
      "message = \"`{text}` comes {n} times\"\nwhy = \"it does\"\n" +
      (fix.empty() ? "" : "fix = \"" + fix + "\"\n") + "query = \"" + query +
      "\"\n[[accepts]]\nprogram = \"a\"\n[[rejects]]\nprogram = \"b\"\n");
  EXPECT_TRUE(rule.ok()) << rule.status();
  return std::make_shared<const CompiledRule>(*std::move(rule));
}

TEST(Evaluate, SaysWhereAndWhat) {
  const Subject subject(kRowSums);
  const RuleSet rules({{"some_rule@1", false,
                        Rule("SELECT span_begin, span_end, text, 1 AS n, 'here' AS label,"
                             " span_begin AS label_begin, span_end AS label_end"
                             " FROM statement WHERE sync = 'scope sync'")}});
  const Findings found = Evaluate(rules, subject.Of());
  ASSERT_EQ(found.report.diagnostics().size(), 1u);
  const auto& d = found.report.diagnostics()[0];
  EXPECT_EQ(d.code, "CK2750");
  EXPECT_EQ(d.message, "`sync cta` comes 1 times");
  EXPECT_EQ(subject.source.substr(d.primary.begin, d.primary.end - d.primary.begin), "sync cta");
  ASSERT_EQ(d.labels.size(), 1u);
  EXPECT_EQ(d.labels[0].text, "here");
  EXPECT_EQ(std::get<int64_t>(d.args[1]), 1);
  EXPECT_TRUE(found.report.has_errors());
}

TEST(Evaluate, CountsShadowsAndKeepsTheUnknownApart) {
  const Subject subject(kRowSums);
  const std::string all = "SELECT span_begin, span_end, text, 1 AS n FROM statement";
  const RuleSet rules(
      {{"shadow@1", true, Rule(all)},
       {"endless@1", false,
        Rule("WITH RECURSIVE x(i) AS (SELECT id FROM statement UNION ALL SELECT i + 1 FROM x)"
             " SELECT span_begin, span_end, text, count(*) AS n FROM statement, x")}});
  const Findings found = Evaluate(rules, subject.Of());
  EXPECT_TRUE(found.report.diagnostics().empty());
  ASSERT_EQ(found.outcomes.size(), 2u);
  EXPECT_TRUE(found.outcomes[0].unknown);  // endless@1: in the order of their names
  EXPECT_EQ(found.outcomes[0].hits, 0);
  EXPECT_FALSE(found.outcomes[1].unknown);
  EXPECT_GT(found.outcomes[1].hits, 5);
}

// What a query says of places is no place until it is one of the source.
TEST(Evaluate, PlacesOutsideTheSourceAreNone) {
  const Subject subject(kRowSums);
  for (const char* place : {"-1, 5", "5, 4", "0, 1000000", "'a', 'b'", "NULL, NULL"}) {
    const std::string at(place);
    const size_t comma = at.find(',');
    const RuleSet rules(
        {{"some_rule@1", false,
          Rule("SELECT " + at.substr(0, comma) + " AS span_begin," + at.substr(comma + 1) +
                   " AS span_end, 1 AS n, 'x' AS text, 0 AS edit_begin,"
                   " 1000000 AS edit_end, 'y' AS edit_text",
               "change it")}});
    const Findings found = Evaluate(rules, subject.Of());
    ASSERT_EQ(found.report.diagnostics().size(), 1u) << place;
    EXPECT_EQ(found.report.diagnostics()[0].primary, compiler::diag::Span{}) << place;
    EXPECT_TRUE(found.report.diagnostics()[0].fixes[0].edits.empty()) << place;
  }
}

}  // namespace
}  // namespace verifier::learnt
