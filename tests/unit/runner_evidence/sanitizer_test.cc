// Logs in the form of the Compute Sanitizer's manual.
#include "runner/evidence/sanitizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner::evidence {
namespace {

using ::testing::HasSubstr;

constexpr char kMemcheck[] = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x70
=========     by thread (96,0,0) in block (1,0,0)
=========     Address 0x7f0a00000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0a00000000 of size 1,024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: [0x2f3a1b]
=========                in /lib/x86_64-linux-gnu/libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x70
=========     by thread (97,0,0) in block (1,0,0)
=========     Address 0x7f0a00000404 is out of bounds
=========
========= Misaligned shared read of size 8 bytes
=========     at add(const float *, const float *, float *, int)+0x90
=========     by thread (0,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 3 errors
)";

TEST(Sanitizer, GathersWhatIsTheSame) {
  const auto report = ParseSanitizer(kMemcheck, "memcheck");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->errors, 3);
  ASSERT_EQ(report->shown.size(), 2u);
  EXPECT_EQ(report->shown[0].what, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(report->shown[0].at, "add+0x70");
  EXPECT_EQ(report->shown[0].thread, "(96,0,0) in block (1,0,0)");
  EXPECT_EQ(report->shown[0].count, 2);
  EXPECT_EQ(report->shown[1].what, "Misaligned shared read of size 8 bytes");
  EXPECT_EQ(ToText(*report),
            "memcheck: 3 errors; Invalid __global__ write of size 4 bytes at add+0x70 by thread "
            "(96,0,0) in block (1,0,0) and 1 more; Misaligned shared read of size 8 bytes at "
            "add+0x90 by thread (0,0,0) in block (0,0,0)");
  EXPECT_THAT(ToJson({*report}), HasSubstr("\"errors\":3"));
}

TEST(Sanitizer, ReadsRacesAndCleanRuns) {
  const auto races = ParseSanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at k(float *)+0x150\n"
      "=========     and Read access at k(float *)+0x2a0 [1984 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      "racecheck");
  ASSERT_TRUE(races.ok()) << races.status();
  EXPECT_EQ(races->errors, 1);
  EXPECT_EQ(races->warnings, 0);
  EXPECT_THAT(ToText(*races), HasSubstr("Race reported between Write access"));
  const auto clean = ParseSanitizer(
      "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "initcheck");
  ASSERT_TRUE(clean.ok());
  EXPECT_EQ(ToText(*clean), "initcheck: 0 errors");
}

TEST(Sanitizer, ARunThatDidNotEndHasNoReport) {
  EXPECT_THAT(ParseSanitizer("========= COMPUTE-SANITIZER\n", "memcheck").status().message(),
              HasSubstr("left no summary"));
  EXPECT_FALSE(ParseSanitizer("", "memcheck").ok());
}

}  // namespace
}  // namespace runner::evidence
