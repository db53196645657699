// The program whose results are known: a device gets no work before it got that right.
#include "runner/worker/passport.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using ::testing::HasSubstr;

TEST_F(Fake, ADeviceThatComputesRightIsAdmitted) {
  const auto job = GoldenJob(7);
  ASSERT_TRUE(job.ok()) << job.status();
  const JobResult result = Run(*job);
  EXPECT_TRUE(Admits(result).ok()) << Admits(result);
  EXPECT_TRUE(result.timings.empty());
}

TEST_F(Fake, ADeviceThatFlipsBitsIsNot) {
  const auto job = GoldenJob(8);
  ASSERT_TRUE(job.ok());
  const JobResult result = Run(*job, R"({"rules": [{"fault": "flip", "byte": 0, "count": 4}]})");
  EXPECT_THAT(Admits(result).message(), HasSubstr("whose results are known"));
}

TEST_F(Fake, ADeviceThatHangsIsNot) {
  auto job = GoldenJob(9);
  ASSERT_TRUE(job.ok());
  job->limits.launch_ms = 300;
  EXPECT_FALSE(Admits(Run(*job, R"({"rules": [{"fault": "hang"}]})")).ok());
}

}  // namespace
}  // namespace runner::worker
