// Expected outputs from the device: those of the host, in every element.
#include <cmath>

#include "runner/oracle/known_cases.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Verdict;

class References : public Fake {
 protected:
  // Everything that has a plain form comes from the device.
  JobResult RunAll(const Job& job) {
    EvaluatorOptions options = Options("{}");
    options.reference_work_min = 1;
    return RunWith(options, job);
  }
};

// The cases have specials, ties and sizes that fill no tile; programs are judged by the values that
// the device gave, a second one by bounds made of them.
TEST_F(References, ProgramsAreRightByTheDevicesValuesToo) {
  const std::pair<const char*, const char*> programs[] = {{"gemm_f16", "gemm"},
                                                          {"attention_causal", "attention"}};
  for (const auto& [name, family] : programs) {
    Job job = CorpusJob(name, family);
    job.cases.resize(4);
    const JobResult result = RunAll(job);
    EXPECT_EQ(result.verdict, Verdict::kCorrect) << name << " " << result.detail;
    EXPECT_GT(result.spans.at("judge.on_device").count, 0) << name;
    EXPECT_EQ(Again(job).verdict, Verdict::kCorrect);
  }
}

// A confirmation is judged by the host's reference alone, also where a search of the same seed has
// the device's values at hand.
TEST_F(References, AConfirmationAsksTheHost) {
  Job job = CorpusJob("gemm_f16", "gemm");
  job.cases.resize(1);
  const JobResult search = RunAll(job);
  ASSERT_GT(search.spans.at("judge.on_device").count, 0);
  job.purpose = "CONFIRM";
  const JobResult confirmed = Again(job);
  EXPECT_EQ(confirmed.verdict, Verdict::kCorrect) << confirmed.detail;
  EXPECT_EQ(confirmed.machine, "right");
  EXPECT_FALSE(confirmed.spans.contains("judge.on_device"));
}

TEST_F(References, WhatIsWrongIsFoundByThem) {
  Job job = CorpusJob("gemm_bf16", "gemm");
  const std::string at = "acc[r, e + 1]";
  ASSERT_NE(job.program.source.find(at), std::string::npos);
  job.program.source.replace(job.program.source.find(at), at.size(), "acc[r, e]");
  const JobResult result = RunAll(job);
  EXPECT_EQ(result.verdict, Verdict::kWrongResult) << result.detail;
}

}  // namespace
}  // namespace runner::worker
