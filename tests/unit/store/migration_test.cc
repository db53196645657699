// Stores of every schema that was ever landed open and keep what they held. The dumps in past/ were
// written by the programs of that time.
#include <fstream>
#include <map>
#include <sstream>

#include "store/error.h"
#include "store/migrations.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

// Rows of every table, by its name.
std::map<std::string, int64_t> Counts(Database& db) {
  std::vector<std::string> names;
  {
    Statement s = db.Use("SELECT name FROM sqlite_schema WHERE type = 'table'");
    while (*s.Step()) names.push_back(s.Text(0));
  }
  std::map<std::string, int64_t> counts;
  for (const std::string& name : names) {
    Statement s = db.Once("SELECT count(*) FROM " + name);
    EXPECT_TRUE(*s.Step());
    counts[name] = s.Int(0);
  }
  return counts;
}

std::string LogOf(Database& db) {
  std::string out;
  Statement s = db.Use("SELECT seq || ' ' || kind || ' ' || schema || ' ' || body FROM event");
  while (*s.Step()) out += s.Text(0) + "\n";
  return out;
}

class Past : public testing::TestWithParam<int> {};

TEST_P(Past, OpensMigratesAndKeepsEverything) {
  const std::string version = std::to_string(GetParam());
  std::ifstream file("tests/unit/store/past/v" + version + ".sql");
  std::stringstream text;
  text << file.rdbuf();
  TempDir dir;
  std::map<std::string, int64_t> before;
  std::string log;
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(db->Exec(text.str()).ok());
    ASSERT_EQ(*db->Int("PRAGMA user_version"), GetParam());
    before = Counts(*db);
    log = LogOf(*db);
    ASSERT_GT(before.at("event"), 20);
  }
  OpenStepped(dir.path()).reset();
  auto db = OpenRaw(dir.path());
  EXPECT_EQ(*db->Int("PRAGMA user_version"), Migrations().back().to);
  EXPECT_EQ(LogOf(*db), log);
  const std::map<std::string, int64_t> after = Counts(*db);
  for (const auto& [table, rows] : before) {
    // The key for pages of lists is made at the first start of a program that has it.
    if (table != "meta") EXPECT_EQ(after.at(table), rows) << table;
  }
  const FsckReport check = MustCheck(dir.path());
  EXPECT_TRUE(check.fold.equal());
  for (const auto& d : check.fold.differences) {
    ADD_FAILURE() << d.table << " " << d.key << ": " << d.expected << " / " << d.found;
  }
  EXPECT_EQ(check.fault_count, 0);
  EXPECT_TRUE(std::filesystem::exists(dir.path() + "/cake.db.v" + version + ".bak"));
}

INSTANTIATE_TEST_SUITE_P(EveryVersion, Past, testing::Values(1, 2, 3, 4));

// A schema without a dump of its own would not be tested.
TEST(PastVersions, AreAllThere) {
  const int64_t newest = Migrations().back().to;
  for (int64_t version = 1; version < newest; ++version) {
    EXPECT_TRUE(
        std::filesystem::exists("tests/unit/store/past/v" + std::to_string(version) + ".sql"))
        << "keep a store of version " << version;
  }
}

// What this program writes is refused by one that knows one version less, with both named.
TEST(PastVersions, AnOlderProgramRefusesTodaysFile) {
  TempDir dir;
  OpenStepped(dir.path()).reset();
  auto db = OpenRaw(dir.path());
  const auto older = Migrations().first(Migrations().size() - 1);
  const absl::Status refused = CheckFile(*db, older);
  EXPECT_EQ(ReasonOf(refused), Reason::kNewerSchema);
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("version " + std::to_string(Migrations().back().to)));
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("up to " + std::to_string(older.back().to)));
}

}  // namespace
}  // namespace store
