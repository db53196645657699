#include "runner/replay/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace runner::replay {
namespace {

using ::testing::HasSubstr;

const std::string kA(64, 'a'), kB(64, 'b'), kC(64, 'c');

Header Device() {
  return {.name = "NVIDIA H200",
          .arch = "sm_90a",
          .driver = "580",
          .uuid = "GPU-1",
          .times = Times::kMeasured,
          .noise = {{"under_10us", 0.004}}};
}

Entry One(const std::string& program, double ratio = 1.25) {
  return {.key = {program, kB, "cold-abba-v1"},
          .detail = "all cases",
          .time_ns = 8100.5,
          .ratio = {ratio, ratio - 0.01, ratio + 0.01},
          .baseline = kC,
          .machine = "right",
          .checks = {{"shape_cases", "PASS", "6 cases"}},
          .origin = "receipt x"};
}

std::string File(const std::vector<Entry>& entries) {
  std::string out = ToLine(Device()) + "\n";
  for (const Entry& entry : entries) out += ToLine(entry) + "\n";
  return out;
}

TEST(Table, GivesBackWhatWasRecorded) {
  const auto table = Table::Parse(File({One(kA)}), "t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->header().name, "NVIDIA H200");
  EXPECT_EQ(table->header().times, Times::kMeasured);
  EXPECT_EQ(table->header().noise.at("under_10us"), 0.004);
  const Entry* found = table->Find({kA, kB, "cold-abba-v1"}, "SEARCH");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->time_ns, 8100.5);
  EXPECT_EQ(found->ratio.low, 1.24);
  EXPECT_EQ(found->checks, One(kA).checks);
  EXPECT_EQ(found->machine, "right");
  EXPECT_EQ(ToLine(*found), ToLine(One(kA)));
}

TEST(Table, AKeyFitsWholeOrNotAtAll) {
  const auto table = Table::Parse(File({One(kA)}), "t");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->Find({kB, kB, "cold-abba-v1"}, ""), nullptr);
  EXPECT_EQ(table->Find({kA, kA, "cold-abba-v1"}, ""), nullptr);
  EXPECT_EQ(table->Find({kA, kB, "cold-abba-v1-events"}, ""), nullptr);
  EXPECT_THAT(table->WhyMissing({kB, kB, "cold-abba-v1"}), HasSubstr("is not in the table"));
  EXPECT_THAT(table->WhyMissing({kA, kB, "rot-graph-v1"}),
              HasSubstr("is recorded for contract bbbbbbbbbbbb by cold-abba-v1"));
}

TEST(Table, APurposeOfItsOwnGoesFirst) {
  Entry confirm = One(kA, 1.1);
  confirm.purpose = "CONFIRM";
  const auto table = Table::Parse(File({One(kA), confirm}), "t");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->Find(confirm.key, "CONFIRM")->ratio.median, 1.1);
  EXPECT_EQ(table->Find(confirm.key, "SEARCH")->ratio.median, 1.25);
  EXPECT_EQ(table->Find(confirm.key, "RECHECK")->ratio.median, 1.25);
}

TEST(Table, TwoAnswersToOneQuestionAreRefused) {
  EXPECT_TRUE(Table::Parse(File({One(kA), One(kA)}), "t").ok());
  const auto table = Table::Parse(File({One(kA), One(kA, 2)}), "t");
  EXPECT_THAT(table.status().message(), HasSubstr("t:3: another entry has this program"));
}

TEST(Table, BrokenLinesAreRefusedWithTheirPlace) {
  const std::string good = ToLine(One(kA));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    return std::string(Table::Parse(ToLine(Device()) + "\n" + line, "t").status().message());
  };
  EXPECT_EQ(with("\"cold-abba-v1\"", "\"cold-abba-v1\""), "");
  EXPECT_THAT(with("\"CORRECT\"", "\"INFRA_DEVICE\""), HasSubstr("t:2: \"verdict\" is none"));
  EXPECT_THAT(with("\"CORRECT\"", "\"PERFECT\""), HasSubstr("\"verdict\""));
  EXPECT_THAT(with("8100.5", "-1"), HasSubstr("\"time_ns\""));
  EXPECT_THAT(with("8100.5", "\"fast\""), HasSubstr("\"time_ns\""));
  EXPECT_THAT(with("\"low\":1.24", "\"low\":1.26"), HasSubstr("low <= median"));
  EXPECT_THAT(with(kA, "zz"), HasSubstr("\"program\" is no SHA-256"));
  EXPECT_THAT(with("\"varies\":false", "\"varies\":false,\"extra\":1"), HasSubstr("unknown"));
  EXPECT_THAT(with("{", "["), HasSubstr("no JSON object"));
  EXPECT_THAT(Table::Parse(good, "t").status().message(), HasSubstr("t:1: is no replay file"));
  EXPECT_FALSE(Table::Parse("", "t").ok());
  const std::string longer(static_cast<size_t>(kLineBytesMax) + 1, ' ');
  EXPECT_THAT(Table::Parse(longer, "t").status().message(), HasSubstr("the limit is"));
}

TEST(Entries, ComeFromResultsOfAWorker) {
  const std::string result =
      R"({"verdict":"CORRECT","detail":"","protocol":"cold-abba-v1","time_ns":5.5,"machine":"right",)"
      R"("varies":false,"ratio":{"median":2.0,"low":1.5,"high":2.5},"receipt_id":"r1","job":"j",)"
      R"("checks":[{"name":"repeat","outcome":"PASS","detail":""}],"hashes":{"canonical":")" +
      kA + R"(","contract":")" + kB + R"(","baseline":")" + kC + R"(","source":")" + kC + "\"}}";
  const auto entry = EntryFromResult(result, "");
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(entry->key, (Key{kA, kB, "cold-abba-v1"}));
  EXPECT_EQ(entry->ratio.high, 2.5);
  EXPECT_EQ(entry->baseline, kC);
  EXPECT_EQ(entry->origin, "receipt r1");
  std::string infra = result;
  infra.replace(infra.find("CORRECT"), 7, "INFRA_DEVICE");
  EXPECT_THAT(EntryFromResult(infra, "").status().message(), HasSubstr("is not recorded"));
  std::string direct = result;  // direct CUDA has no canonical form
  direct.replace(direct.find("\"canonical\""), 11, "\"other\"");
  EXPECT_EQ(EntryFromResult(direct, "")->key.program, kC);
}

TEST(Recorder, AddsToAFileOfItsDeviceAndRefusesAnother) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("cake-replay-" + std::to_string(getpid())))
          .string();
  std::filesystem::remove(path);
  {
    auto recorder = Recorder::Open(path, Device());
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    EXPECT_EQ(*recorder->Add(One(kA)), true);
    EXPECT_EQ(*recorder->Add(One(kA, 3)), false);  // the first one stays
  }
  {
    auto recorder = Recorder::Open(path, Device());
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    EXPECT_EQ(*recorder->Add(One(kA, 3)), false);
    EXPECT_EQ(*recorder->Add(One(kB)), true);
    EXPECT_EQ(recorder->added(), 1);
  }
  const auto table = Table::Load(path);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->size(), 2);
  EXPECT_EQ(table->Find({kA, kB, "cold-abba-v1"}, "")->ratio.median, 1.25);
  Header other = Device();
  other.uuid = "GPU-2";
  EXPECT_THAT(Recorder::Open(path, other).status().message(), HasSubstr("was recorded from"));
  other = Device();
  other.times = Times::kEstimated;
  EXPECT_FALSE(Recorder::Open(path, other).ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace runner::replay
