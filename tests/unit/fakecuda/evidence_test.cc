// Evidence of tools beside a verdict, with tools that a test wrote: what they leave is kept and
// named, and their absence too.
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Verdict;
using ::testing::HasSubstr;

class ToolTest : public Fake {
 protected:
  // A tool that writes `log` where it is told, and then becomes what it was to start.
  void Tool(const std::string& name, const std::string& log) {
    fs::create_directory(dir_ + "/tools");
    const std::string path = dir_ + "/tools/" + name;
    std::ofstream(path + ".txt") << log;
    std::ofstream(path) << "#!/bin/sh\nwhile true; do case \"$1\" in\n"
                           "--log-file) log=\"$2\"; shift 2;;\n"
                           "--csv) shift;;\n--*) shift 2;;\n*) break;;\nesac; done\n"
                           "cat "
                        << path << ".txt > \"$log\"\nexec \"$@\"\n";
    chmod(path.c_str(), 0755);
  }
  JobResult RunWithTools(Job job) {
    EvaluatorOptions options = Options("{}");
    options.tool_folders = {dir_ + "/tools"};
    return RunWith(options, job);
  }
  static Job Asking(const std::vector<std::string>& evidence) {
    Job job = AddJob(kRight);
    job.evidence = evidence;
    return job;
  }
};

TEST_F(ToolTest, CountersAreReadFromARunOfTheirOwn) {
  Tool("ncu",
       "==PROF== Connected to process 1\n"
       "\"ID\",\"Kernel Name\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\"\n"
       "\"\",\"\",\"%\"\n\"0\",\"add\",\"93.0\"\n");
  const JobResult result = RunWithTools(Asking({"profile"}));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const oracle::Check& check = CheckOf(result, "evidence_profile");
  EXPECT_EQ(check.outcome, oracle::Outcome::kPass) << check.detail;
  EXPECT_THAT(check.detail, HasSubstr("add: bound by device memory: it moves bytes at 93%"));
  EXPECT_THAT(result.objects.at("profile"), HasSubstr("\"dram_pct\":93.0"));
  EXPECT_EQ(result.time_ns, 0);  // profiled runs are no times
  EXPECT_EQ(result.stages.back().stage, "PROFILE");
}

TEST_F(ToolTest, ASanitizersErrorsAreNamedAndDoNotChangeTheVerdict) {
  Tool("compute-sanitizer",
       "========= COMPUTE-SANITIZER\n"
       "========= Invalid __global__ read of size 4 bytes\n"
       "=========     at add(int)+0x70\n"
       "=========     by thread (0,0,0) in block (0,0,0)\n"
       "=========\n========= ERROR SUMMARY: 1 error\n");
  const JobResult result = RunWithTools(Asking({"sanitizer"}));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const oracle::Check& check = CheckOf(result, "evidence_sanitizer");
  EXPECT_EQ(check.outcome, oracle::Outcome::kFail);
  EXPECT_THAT(check.detail, HasSubstr("memcheck: 1 error; Invalid __global__ read of size 4 bytes "
                                      "at add+0x70"));
}

TEST_F(ToolTest, AToolThatHasNoPermissionIsNotAvailable) {
  Tool("ncu", "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
  const JobResult result = RunWithTools(Asking({"profile"}));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const oracle::Check& check = CheckOf(result, "evidence_profile");
  EXPECT_EQ(check.outcome, oracle::Outcome::kNotRun);
  EXPECT_THAT(check.detail, HasSubstr("not available: Nsight Compute: ERR_NVGPUCTRPERM"));
}

TEST_F(ToolTest, ListingsAreReadWithoutARun) {
  fs::create_directory(dir_ + "/tools");
  std::ofstream(dir_ + "/tools/cuobjdump") << "#!/bin/sh\necho 'Function : add'\n"
                                              "echo '/*0000*/ LDG.E.128 R4, [R2] ;'\n";
  chmod((dir_ + "/tools/cuobjdump").c_str(), 0755);
  const JobResult result = RunWithTools(Asking({"sass"}));
  EXPECT_EQ(CheckOf(result, "evidence_sass").outcome, oracle::Outcome::kPass);
  EXPECT_THAT(result.objects.at("sass"), HasSubstr("\"LDG\":1"));
}

TEST_F(ToolTest, NothingIsAskedUnlessTheJobSaysSo) {
  const JobResult result = RunWithTools(AddJob(kRight));
  for (const oracle::Check& check : result.checks)
    EXPECT_FALSE(check.name.starts_with("evidence_")) << check.name;
}

}  // namespace
}  // namespace runner::worker
