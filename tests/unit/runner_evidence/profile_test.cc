// Tables in the form of `ncu --csv --page raw` (Nsight Compute CLI, "Print Options").
#include "runner/evidence/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner::evidence {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRaw[] =
    "==PROF== Connected to process 4321 (/work/cake-worker)\n"
    "==PROF== Profiling \"norm\" - 0: 0%....50%....100% - 8 passes\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__throughput.avg.pct_of_peak_sustained_"
    "elapsed\",\"gpu__time_duration.sum\",\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum\","
    "\"launch__occupancy_limit_registers\",\"launch__occupancy_limit_shared_mem\","
    "\"launch__waves_per_multiprocessor\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"smsp__average_warps_issue_stalled_"
    "long_scoreboard_per_issue_active.ratio\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"%\",\"usecond\",\"\",\"block\","
    "\"block\",\"\",\"%\",\"%\",\"warp\"\n"
    "\"0\",\"4321\",\"cake-worker\",\"127.0.0.1\",\"norm(const float *, \"\"x\"\")\",\"1\",\"13\","
    "\"(256, 1, 1)\",\"(8,192, 1, 1)\",\"0\",\"9.0\",\"91.25\",\"1,234.5\",\"0\",\"2\",\"8\","
    "\"31.03\",\"24.1\",\"18.4\",\"6.5\"\n"
    "==PROF== Disconnected from process 4321\n";

TEST(Profile, ReadsNamedMetricsInTheirUnits) {
  const auto kernels = ParseProfile(kRaw);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  ASSERT_EQ(kernels->size(), 1u);
  const ProfiledKernel& norm = kernels->front();
  EXPECT_EQ(norm.name, "norm(const float *, \"x\")");
  EXPECT_DOUBLE_EQ(norm.metrics.at("time_ns"), 1'234'500);
  EXPECT_DOUBLE_EQ(norm.metrics.at("dram_pct"), 91.25);
  EXPECT_DOUBLE_EQ(norm.metrics.at("occupancy_pct"), 18.4);
  EXPECT_EQ(norm.metrics.count("tensor_pct"), 0u);  // what is not there is absent, never 0
}

TEST(Profile, FindsTheBottleneckInWords) {
  const auto kernels = ParseProfile(kRaw);
  ASSERT_TRUE(kernels.ok());
  EXPECT_THAT(FindingsOf(kernels->front()),
              ElementsAre("bound by device memory: it moves bytes at 91% of its peak",
                          "warps wait mostly for global or local memory: 6.5 of them at each issue",
                          "few warps: 18% of what fits, limited by registers"));
}

TEST(Profile, FindsLatencyTensorUnitsAndBadAccesses) {
  EXPECT_THAT(FindingsOf({.name = "k", .metrics = {{"memory_pct", 20}, {"compute_pct", 11}}}),
              ElementsAre(HasSubstr("bound by latency: memory at 20%")));
  EXPECT_THAT(FindingsOf({.name = "k", .metrics = {{"tensor_pct", 85}, {"compute_pct", 90}}}),
              ElementsAre("bound by tensor units: busy in 85% of the cycles"));
  const auto found = FindingsOf(
      {.name = "k",
       .metrics = {{"coalesced_load_pct", 12.5}, {"shared_conflicts", 4096}, {"waves", 0.25}}});
  EXPECT_THAT(found, ElementsAre("the grid fills 25% of the device once",
                                 "loads use 12% of the bytes of the sectors that they touch",
                                 "4096 bank conflicts in shared memory"));
  EXPECT_THAT(FindingsOf({.name = "k", .metrics = {}}), IsEmpty());
}

TEST(Profile, NamesTheToolsOwnError) {
  const auto refused = ParseProfile(
      "==PROF== Connected to process 1 (/work/cake-worker)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0.\n");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(refused.status().message(), HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_EQ(ParseProfile("nothing").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(ParseProfile("\"ID\",\"x\"\n\"\",\"\"\n\"0\",\"1\"\n").ok());
  EXPECT_FALSE(ParseProfile("\"ID\",\"Kernel Name\"\n\"\",\"\"\n").ok());
}

TEST(Profile, AsksForEachCounterOnce) {
  const std::string wanted = CountersWanted();
  for (const Metric& metric : Metrics()) {
    const size_t at = wanted.find(metric.counter);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(wanted.find(metric.counter, at + 1), std::string::npos) << metric.counter;
  }
}

}  // namespace
}  // namespace runner::evidence
