// Judging on the device: the second program of a contract and seed is judged by marks of its runs,
// which say what its memory says, or bring the memory along.
#include "runner/launch/marks.h"

#include "runner/oracle/generate.h"
#include "runner/oracle/known_cases.h"
#include "runner/reference/numbers.h"
#include "runner/worker/known_marks.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Verdict;
using ::testing::HasSubstr;

// Everything that is said of cases, in words.
std::string Said(const JobResult& result) {
  std::string out;
  for (const CaseOutcome& at : result.cases) {
    out += at.name + " " + std::string(contract::ToString(at.verdict)) + " " + at.detail + "\n";
    for (const oracle::Check& check : at.checks)
      out += "  " + check.name + " " + std::string(ToString(check.outcome)) + " " + check.detail +
             "\n";
  }
  return out;
}

int64_t Count(const JobResult& result, const std::string& span) {
  const auto found = result.spans.find(span);
  return found == result.spans.end() ? 0 : found->second.count;
}

class Marks : public Fake {};

TEST_F(Marks, TheSecondProgramIsJudgedOnTheDeviceAndTheSameIsSaid) {
  const std::pair<const char*, const char*> programs[] = {{"vector_add", "vector_add"},
                                                          {"rmsnorm", "rmsnorm"},
                                                          {"histogram", "histogram"},
                                                          {"gemm_bf16", "gemm"},
                                                          {"row_max", "row_max"}};
  for (const auto& [name, family] : programs) {
    const Job job = CorpusJob(name, family);
    const JobResult first = Run(job);
    ASSERT_EQ(first.verdict, Verdict::kCorrect) << name << " " << first.detail;
    EXPECT_EQ(Count(first, "judge.marks"), 0) << "nothing was known";
    const JobResult second = Again(job);
    EXPECT_EQ(Said(second), Said(first)) << name;
    EXPECT_EQ(Count(second, "judge.marks"), static_cast<int64_t>(job.cases.size())) << name;
    EXPECT_EQ(Count(second, "judge.case"), 0) << name;
    Job other = job;
    other.seed = 12;
    EXPECT_EQ(Count(Again(other), "judge.marks"), 0) << "other inputs";
  }
}

TEST_F(Marks, WhatWasTimedIsJudgedOnTheDeviceToo) {
  const Job job = TimedJob();
  const JobResult first = Run(job), second = Again(job);
  ASSERT_EQ(second.verdict, Verdict::kCorrect) << second.detail;
  EXPECT_EQ(CheckOf(second, "timed_outputs").outcome, oracle::Outcome::kPass);
  EXPECT_EQ(Said(second), Said(first));
}

// A worker that has no room for the inputs of two searches forgets one's while their bounds, which
// are smaller, are still known: they are made anew, and nobody takes that for the device's fault.
TEST_F(Marks, WhatIsForgottenIsMadeAnewAndNobodyIsBlamed) {
  Job job = AddJob(kRight);
  job.cases = {"tile"};
  Job other = job;
  other.seed = 12;
  EvaluatorOptions options = Options("{}");
  options.known_bytes = 100'000;  // three input sets of 24 kB, and their bounds of 8 kB
  const JobResult first = RunWith(options, job);
  ASSERT_EQ(first.verdict, Verdict::kCorrect) << first.detail;
  EXPECT_EQ(Count(Again(job), "judge.marks"), 1);
  EXPECT_EQ(Count(Again(other), "judge.case"), 1);
  EXPECT_EQ(Count(Again(other), "judge.marks"), 1);
  const JobResult again = Again(job);
  EXPECT_EQ(Count(again, "judge.case"), 1) << "nothing was forgotten";
  EXPECT_EQ(Said(again), Said(first));
  for (const oracle::Check& check : again.checks) EXPECT_NE(check.name, "device_judge");
  EXPECT_EQ(again.child_served, 5) << "the child was let go of";
}

// A confirmation has a child and inputs of its own: what searches have made stays.
TEST_F(Marks, AConfirmationLeavesWhatSearchesHaveMade) {
  Job job = TimedJob();
  ASSERT_EQ(Run(job).verdict, Verdict::kCorrect);
  const int64_t cases = Count(Again(job), "judge.marks");
  Job confirm = job;
  confirm.purpose = "CONFIRM";
  confirm.fresh_child = true;
  confirm.seed = 99;
  ASSERT_EQ(Again(confirm).verdict, Verdict::kCorrect);
  const JobResult after = Again(job);
  EXPECT_EQ(Count(after, "judge.marks"), cases);
  EXPECT_EQ(Count(after, "judge.case"), 0);
  EXPECT_EQ(after.child_served, 3);
}

// What is said for good is judged from memory.
TEST_F(Marks, AConfirmationTakesTheMemory) {
  Job job = CorpusJob("vector_add");
  ASSERT_EQ(Run(job).verdict, Verdict::kCorrect);
  job.purpose = "CONFIRM";
  EXPECT_EQ(Count(Again(job), "judge.marks"), 0);
  job.purpose = "SEARCH";
  EXPECT_GT(Count(Again(job), "judge.marks"), 0);
  job.fresh_child = true;
  EXPECT_EQ(Count(Again(job), "judge.marks"), 0);
}

// The memory comes along and says what is wrong, in the words of every other judgement.
TEST_F(Marks, WrongProgramsGetTheVerdictThatTheirMemoryGets) {
  const std::pair<const char*, const char*> bodies[] = {
      {"    if i < N { st c[i] <- (ld a[i]) - (ld b[i]) }", "expected"},
      {"    if i + 1 < N { st c[i] <- (ld a[i]) + (ld b[i]) }", "never written"},
      {"    if i < N { st c[i] <- (ld a[i]) * 1.001 + (ld b[i]) }", "expected"}};
  for (const auto& [body, words] : bodies) {
    const JobResult alone = Run(AddJob(body));
    ASSERT_EQ(Run(AddJob(kRight)).verdict, Verdict::kCorrect);
    const JobResult after = Again(AddJob(body));
    EXPECT_EQ(after.verdict, alone.verdict) << body;
    EXPECT_EQ(Said(after), Said(alone)) << body;
    EXPECT_THAT(after.detail, HasSubstr(words));
    EXPECT_EQ(Again(AddJob(kRight)).verdict, Verdict::kCorrect);
  }
}

// An element of an output that does not begin with poison could be an answer that somebody left
// there: the device's copy of the image is not believed, and the case is judged again.
TEST_F(Marks, AnOutputThatBeganWithSomethingElseIsSeen) {
  Job job = AddJob(kRight);
  job.cases = {"tile"};
  const int64_t of_one_buffer = 1024 * 4 + 2 * oracle::kGuardBytes + launch::kSlotAlignment;
  const int64_t slot = (of_one_buffer + launch::kSlotAlignment - 1) / launch::kSlotAlignment *
                       launch::kSlotAlignment;
  const int64_t c = 2 * slot + oracle::kGuardBytes;
  constexpr int kRunsOfACase = 5;  // each begins with a copy of its image
  const std::string plan =
      "{\"rules\": [{\"stage\": \"copy\", \"nth\": " + std::to_string(kRunsOfACase + 1) +
      ", \"fault\": \"flip\", \"byte\": " + std::to_string(c + 40) + "}]}";
  ASSERT_EQ(Run(job, plan).verdict, Verdict::kCorrect);
  const JobResult second = Again(job);
  EXPECT_EQ(second.verdict, Verdict::kCorrect) << second.detail;
  EXPECT_EQ(CheckOf(second, "device_judge").outcome, oracle::Outcome::kFail);
  EXPECT_THAT(CheckOf(second, "device_judge").detail, HasSubstr("run 0 began with another c"));
  EXPECT_GT(Count(second, "judge.case"), 0);
}

// What a program changes in place begins with what the contract says.
TEST_F(Marks, ContentsThatAreChangedInPlaceAreKnownToo) {
  Job job = AddJob(kRight);
  job.program.source.replace(job.program.source.find("out c"), 5, "inout c");
  job.workload.tensors[2].role = contract::Role::kInOut;
  contract::Generator generator = job.workload.generators[0];
  generator.tensor = "c";
  job.workload.generators.push_back(generator);
  job.cases = {"few", "tile"};
  const JobResult first = Run(job), second = Again(job);
  ASSERT_EQ(first.verdict, Verdict::kCorrect) << first.detail;
  EXPECT_EQ(second.verdict, Verdict::kCorrect) << second.detail;
  EXPECT_EQ(Count(second, "judge.marks"), 2);
}

// A program of the sample that is judged twice says so.
TEST_F(Marks, OneProgramOfManyIsJudgedByBoth) {
  Job job = AddJob(kRight);
  EvaluatorOptions options = Options("{}");
  options.audit_share = 4;
  ASSERT_EQ(RunWith(options, job).verdict, Verdict::kCorrect);
  int64_t audited = 0, marked = 0;
  for (int i = 0; i < 60 && (audited == 0 || marked == 0); ++i) {
    const JobResult result = Again(job);
    ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
    for (const oracle::Check& check : result.checks) {
      if (check.name != "device_judge") continue;
      EXPECT_EQ(check.outcome, oracle::Outcome::kPass) << check.detail;
      EXPECT_GT(Count(result, "judge.case"), 0);
      ++audited;
    }
    marked += Count(result, "judge.marks") > 0;
    job.program.source += "\n";
  }
  EXPECT_GT(audited, 0);
  EXPECT_GT(marked, 0);
}

// The first elements that come along are compared here each time.
TEST(Heads, AnElementThatIsWrongIsSeen) {
  const Job job = CorpusJob("rmsnorm");
  const contract::Case& at = *contract::FindCase(job.workload, "ragged");
  const auto tensors = contract::TensorsOf(job.workload, at).value();
  auto drawn = oracle::DrawInputs(job.workload, at, tensors, 7, 0, 1).value();
  oracle::Expect(**reference::FindBuiltin("rmsnorm"), tensors[2], drawn.inputs, 1);
  const auto marks = MarksOf(job.workload, at, drawn, 5).value();
  ASSERT_TRUE(marks->usable);
  const auto& want = drawn.inputs.given.at("y").want;
  std::vector<std::byte> head(static_cast<size_t>(marks->heads.at("y")));
  for (size_t i = 0; 2 * i < head.size(); ++i)
    reference::StoreElement(compiler::ir::DType::kBF16, want[i], &head[2 * i]);
  EXPECT_TRUE(HeadsPass(job.workload, at, drawn, marks->heads, head));
  head[2 * 77 + 1] ^= std::byte{1};
  EXPECT_FALSE(HeadsPass(job.workload, at, drawn, marks->heads, head));
}

// ---- What marks have to be

struct Ordered {
  contract::Workload workload = CorpusJob("vector_add").workload;
  launch::Layout layout;
  launch::MarksOrder order{.key = 9};
  std::vector<launch::RunSpec> runs = {{.poison = 1}, {.poison = 2}};
  std::vector<launch::RunMarks> marks;
  launch::CanarySums canaries;

  Ordered() {
    for (const char* name : {"a", "b", "c"}) {
      layout.slots.push_back({.name = name, .bytes = 64, .offset = layout.bytes});
      layout.bytes += 64 + 2 * oracle::kGuardBytes + launch::kSlotAlignment;
    }
    for (const launch::RunSpec& run : runs) {
      order.runs.push_back({"set", {{"a", 100}, {"b", 200}}, {{"c", 300}}});
      launch::RunMarks& mine = marks.emplace_back();
      for (const launch::Part& part : launch::ConstantParts(layout, workload)) {
        const bool input = part.side == 2;
        mine.before.push_back(input ? (part.slot == 0 ? 100 : 200)
                                    : canaries.Of(9, run.poison, part.slot, part.side));
      }
      mine.after = mine.before;
      mine.starts = {0};
      mine.outputs.push_back({.outputs = 5, .accepted = 300});
    }
  }
  launch::MarksFault Fault() {
    return launch::FaultOf(order, workload, layout, runs, marks, canaries);
  }
};

TEST(MarksFault, EveryMarkCounts) {
  using Kind = launch::MarksFault::Kind;
  EXPECT_EQ(Ordered().Fault().kind, Kind::kNone);
  const size_t parts = Ordered().marks[0].before.size();
  ASSERT_EQ(parts, 8u) << "two canaries a buffer and two inputs";
  for (size_t i = 0; i < parts; ++i) {
    Ordered program, kept;
    program.marks[1].after[i] ^= 1;
    EXPECT_EQ(program.Fault().kind, Kind::kProgram) << i;
    kept.marks[0].before[i] ^= 1;
    EXPECT_EQ(kept.Fault().kind, Kind::kKept) << i;
  }
  Ordered started, timed;
  started.marks[1].starts[0] = 1;
  EXPECT_EQ(started.Fault().kind, Kind::kKept) << "an element of c was no poison";
  timed.order.timed = true;
  timed.marks[1].starts.clear(), timed.marks[1].before.clear();
  EXPECT_EQ(timed.Fault().kind, Kind::kNone) << "timed runs begin unseen";
  const std::pair<uint64_t launch::OutputMarks::*, Kind> marks[] = {
      {&launch::OutputMarks::wrong, Kind::kProgram},
      {&launch::OutputMarks::between, Kind::kProgram},
      {&launch::OutputMarks::poisoned, Kind::kProgram},
      {&launch::OutputMarks::outputs, Kind::kProgram},  // not what run 0 left
      {&launch::OutputMarks::accepted, Kind::kKept}};
  for (const auto& [mark, kind] : marks) {
    Ordered one;
    one.marks[1].outputs[0].*mark += 1;
    EXPECT_EQ(one.Fault().kind, kind);
  }
  Ordered varies;
  varies.marks[1].outputs[0].outputs += 1;
  varies.workload.determinism = contract::Determinism::kNone;
  EXPECT_EQ(varies.Fault().kind, Kind::kNone);
  Ordered fewer;
  fewer.marks.pop_back();
  EXPECT_EQ(fewer.Fault().kind, Kind::kKept);
}

}  // namespace
}  // namespace runner::worker
