#include "runner/worker/replay_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

using contract::Blame;
using contract::Verdict;
using ::testing::HasSubstr;

const std::string kProgram(64, 'a');

Job OneJob() {
  Job job{.id = "j-1"};
  job.program_id = kProgram;
  job.workload.name = "w";
  job.workload.protocol = "cold-abba-v1";
  job.baseline = launch::ProgramText{.source = "baseline"};
  return job;
}

replay::Table TableOf(const std::vector<replay::Entry>& entries) {
  std::string text =
      replay::ToLine(replay::Header{
          .name = "GPU", .arch = "sm_90a", .uuid = "GPU-1", .times = replay::Times::kEstimated}) +
      "\n";
  for (const replay::Entry& entry : entries) text += replay::ToLine(entry) + "\n";
  auto table = replay::Table::Parse(text, "t");
  EXPECT_TRUE(table.ok()) << table.status();
  return *std::move(table);
}

replay::Entry Recorded() {
  return {.key = {kProgram, contract::Hash(OneJob().workload), "cold-abba-v1"},
          .time_ns = 500,
          .ratio = {2, 1.9, 2.1},
          .baseline = contract::Sha256Hex("baseline"),
          .machine = "right",
          .checks = {{"repeat", "PASS", "twice"}},
          .origin = "receipt 12"};
}

TEST(Replay, SaysThatItIsOne) {
  const JobResult result = ReplayOf(TableOf({Recorded()}), OneJob());
  EXPECT_EQ(result.verdict, Verdict::kCorrect);
  EXPECT_EQ(result.blame, Blame::kNone);
  EXPECT_EQ(result.source, "REPLAY");
  EXPECT_EQ(result.time_ns, 500);
  EXPECT_EQ(result.ratio.low, 1.9);
  EXPECT_EQ(result.machine, "right");
  ASSERT_EQ(result.checks.size(), 2u);
  EXPECT_EQ(result.checks[0].name, "repeat");
  EXPECT_EQ(result.checks[1].name, kCheckRecorded);
  EXPECT_EQ(result.checks[1].outcome, oracle::Outcome::kPass);
  EXPECT_EQ(result.checks[1].detail, "receipt 12");
  EXPECT_THAT(result.device_json, HasSubstr("replay of GPU, times ESTIMATED"));
  EXPECT_TRUE(result.timings.empty());  // nothing is made up beside the figures
  const auto receipt = ReceiptJson(OneJob(), result);
  EXPECT_THAT(receipt, HasSubstr("\"source\":\"REPLAY\""));
}

TEST(Replay, AMissIsNobodysFaultAndGuessesNothing) {
  const auto miss = [](const replay::Table& table, const Job& job) {
    const JobResult result = ReplayOf(table, job);
    EXPECT_EQ(result.verdict, Verdict::kMeasurementFault);
    EXPECT_EQ(result.blame, Blame::kInfra);
    EXPECT_EQ(result.time_ns, 0);
    EXPECT_EQ(result.ratio.median, 0);
    EXPECT_EQ(result.source, "");
    EXPECT_EQ(result.checks.at(0).outcome, oracle::Outcome::kFail);
    return result.checks.at(0).detail;
  };
  EXPECT_THAT(miss(TableOf({}), OneJob()), HasSubstr("is not in the table"));
  Job other = OneJob();
  other.protocol = "rot-graph-v1";
  EXPECT_THAT(miss(TableOf({Recorded()}), other), HasSubstr("not for"));
  other = OneJob();
  other.baseline->source = "another baseline";
  EXPECT_THAT(miss(TableOf({Recorded()}), other), HasSubstr("recorded against baseline"));
  other = OneJob();
  other.program_id = "";
  EXPECT_THAT(miss(TableOf({Recorded()}), other), HasSubstr("canonical hash"));
}

TEST(Replay, AFailureIsReplayedAsOne) {
  replay::Entry wrong = Recorded();
  wrong.verdict = Verdict::kWrongResult;
  wrong.ratio = {};
  wrong.time_ns = 0;
  wrong.varies = true;
  wrong.detail = "case a: c[0]";
  const JobResult result = ReplayOf(TableOf({wrong}), OneJob());
  EXPECT_EQ(result.verdict, Verdict::kWrongResult);
  EXPECT_TRUE(result.varies);
  EXPECT_EQ(result.detail, "case a: c[0]");
}

TEST(ReplayDeviceOf, IsNoRealDevice) {
  const auto table = TableOf({Recorded()});
  const DeviceInfo device = ReplayDevice(table);
  EXPECT_TRUE(device.simulated);
  EXPECT_EQ(device.uuid, "replay:" + table.hash().substr(0, 16));
  EXPECT_EQ(device.arch, "sm_90a");
}

bool Readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

TEST(ReplayJobs, WakesItsWorkerOnceAJobAndCounts) {
  std::vector<std::string> lines;
  ReplayJobs jobs(TableOf({Recorded()}), [&](const std::string& line) { lines.push_back(line); });
  EXPECT_FALSE(Readable(jobs.fd()));
  EXPECT_FALSE(jobs.Poll().has_value());
  ASSERT_TRUE(jobs.Start(OneJob()).ok());
  EXPECT_TRUE(Readable(jobs.fd()));
  const auto event = jobs.Poll();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, JobEvent::Kind::kResult);
  EXPECT_FALSE(event->receipt_json.empty());
  EXPECT_FALSE(Readable(jobs.fd()));
  Job other = OneJob();
  other.program_id = std::string(64, 'b');
  ASSERT_TRUE(jobs.Start(other).ok());
  jobs.Kill();
  EXPECT_FALSE(jobs.Poll().has_value());
  EXPECT_EQ(jobs.answered(), 1);
  EXPECT_EQ(jobs.missing(), 1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("1 answered, 1 not recorded"));
}

}  // namespace
}  // namespace runner::worker
