// References that are programs of their own: the files between, and jobs that they judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/worker/command_reference.h"
#include "runner/worker/evaluator.h"
#include "runner/worker/safetensors.h"

namespace runner::worker {
namespace {

using contract::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Safetensors, RoundTripAndRefusal) {
  const std::map<std::string, NamedTensor> tensors = {
      {"a", {"BF16", {2}, std::string("\x80\x3f\x00\xc0", 4)}},
      {"b", {"I32", {}, std::string("\xfd\xff\xff\xff", 4)}},
      {"none", {"F64", {0, 3}, ""}}};
  const std::string file = WriteSafetensors(tensors);
  EXPECT_EQ(file.size() % 4, 0u);
  const auto read = ReadSafetensors(file).value();
  EXPECT_THAT(Values(read.at("a")), ElementsAre(1, -2));
  EXPECT_THAT(Values(read.at("b")), ElementsAre(-3));
  EXPECT_THAT(read.at("none").shape, ElementsAre(0, 3));
  EXPECT_EQ(WriteSafetensors(read), file);
  for (size_t cut : {0u, 7u, 9u, 60u}) EXPECT_FALSE(ReadSafetensors(file.substr(0, cut)).ok());
  EXPECT_FALSE(ReadSafetensors(file.substr(0, file.size() - 1)).ok());
  std::string longer = file;
  longer[7] = 1;
  EXPECT_FALSE(ReadSafetensors(longer).ok());
}

JobResult Judge(const std::string& operation, const std::string& fault) {
  const std::string folder = "tests/corpus/vector_add/vector_add";
  Job job;
  job.program = {.source = Read(folder + ".cake"), .file = "add.cake"};
  const std::string sum = "x[e] + y[e]";
  job.program.source.replace(job.program.source.find(sum), sum.size(), operation);
  job.workload = contract::ParseTextproto(Read(folder + ".workload.textproto")).value();
  const auto script = std::filesystem::absolute("tests/unit/runner_worker/add_reference.py");
  job.workload.reference = {"", {{"python3", script.string(), "{inputs}", "{outputs}", fault}, 60}};
  job.cases = {"few", "middle", "specials"};
  auto evaluator = Evaluator::Create({.worker = CAKE_WORKER, .libnvrtc = "/nowhere"});
  auto result = (*evaluator)->Run(job, [](const std::string&, int) {});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : JobResult{};
}

TEST(Command, JudgesAProgram) {
  EXPECT_EQ(Judge("x[e] + y[e]", "").verdict, Verdict::kCorrect) << Judge("x[e] + y[e]", "").detail;
  const JobResult wrong = Judge("x[e] - y[e]", "");
  EXPECT_EQ(wrong.verdict, Verdict::kWrongResult);
  EXPECT_EQ(wrong.cases[0].difference->output, "c");
}

// Who fails here is the contract, never the candidate.
TEST(Command, AFailingReferenceIsTheContractsFault) {
  const JobResult fails = Judge("x[e] + y[e]", "fails");
  EXPECT_EQ(fails.verdict, Verdict::kContractSuspect);
  EXPECT_EQ(fails.blame, contract::Blame::kContract);
  EXPECT_THAT(fails.detail, HasSubstr("no such sum"));
  EXPECT_THAT(Judge("x[e] + y[e]", "short").detail, HasSubstr("c has another shape"));
}

}  // namespace
}  // namespace runner::worker
