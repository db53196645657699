// How kernels cheat, tried: hand-written device code on the fake device, whose kernels really run
// (as C++), what the compilation of real code gives away, and programs of the language. Each must
// be refused by what is named for it, and an honest kernel accepted the same way. The catalogue of
// README.md is checked against this file.
#include <fstream>
#include <regex>
#include <set>

#include "runner/compile/compiler.h"
#include "runner/compile/ptx_scan.h"
#include "server/pipeline/pipeline.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Blame;
using contract::Verdict;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string CheatSource(const std::string& name) { return Read("tests/cheats/" + name + ".cu"); }

class Cheats : public Fake {
 protected:
  JobResult RunDirect(const std::string& name) {
    Job job = CorpusJob("vector_add");
    job.program = {.file = name + ".cu"};
    job.direct_cuda = CheatSource(name);
    job.cases.clear();
    for (contract::Case& at : job.workload.cases) {
      if (at.tier == contract::Tier::kDevice) at.dims["N"] = 3000;
    }
    job.timing = true;
    EvaluatorOptions options = Options("{}");
    options.direct_sandbox_min = child::Level::kL1;  // as far as the state of a fake reaches
    options.environment.push_back("CAKE_FAKE_NATIVE=" CAKE_NATIVE_FOLDER);
    return RunWith(options, job);
  }
};

std::set<std::string> Failed(const JobResult& result) {
  std::set<std::string> out;
  for (const auto& check : result.checks) {
    if (check.outcome == oracle::Outcome::kFail) out.insert(check.name);
  }
  return out;
}

TEST_F(Cheats, HonestCodePassesEveryCheck) {
  const JobResult result = RunDirect("honest_add");
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.source, "SIMULATED");
  EXPECT_TRUE(result.child_fresh);
  for (const char* name :
       {"canaries", "fully_written", "repeatable", "fresh_inputs", "perturbed_inputs",
        "misaligned_bases", "timed_outputs", "executed_kernels", "correct"}) {
    EXPECT_EQ(CheckOf(result, name).outcome, oracle::Outcome::kPass)
        << name << ": " << CheckOf(result, name).detail;
  }
}

struct Cheat {
  const char* name;
  const char* check;
  Verdict verdict;
};
constexpr Cheat kCheats[] = {
    {"leaves_outputs", "fully_written", Verdict::kIncompleteOutput},
    {"changes_inputs", "inputs_unchanged", Verdict::kInputModified},
    {"nan_everywhere", "correct", Verdict::kWrongResult},
    {"keeps_by_address", "fresh_inputs", Verdict::kStaleOutput},
    {"keeps_by_sample", "perturbed_inputs", Verdict::kStaleOutput},
    {"works_while_warm", "timed_outputs", Verdict::kIncompleteOutput},
    {"drifts_late", "timed_outputs", Verdict::kWrongResult},
    {"rounds_to_bf16", "correct", Verdict::kWrongResult},
    {"writes_zeros", "correct", Verdict::kWrongResult},
    {"writes_the_mean", "correct", Verdict::kWrongResult},
    {"knows_the_size", "correct", Verdict::kWrongResult},
    {"knows_the_values", "correct", Verdict::kWrongResult},
    {"lucky_order", "repeatable", Verdict::kNondeterministic},
    {"looks_around", "canaries", Verdict::kOutOfBoundsWrite},
    {"decoy", "fully_written", Verdict::kIncompleteOutput},
};

TEST_F(Cheats, EachIsRefusedByItsCheck) {
  for (const Cheat& cheat : kCheats) {
    SCOPED_TRACE(cheat.name);
    const JobResult result = RunDirect(cheat.name);
    EXPECT_EQ(result.verdict, cheat.verdict)
        << contract::ToString(result.verdict) << " " << result.detail;
    EXPECT_EQ(result.blame, Blame::kCandidate);
    EXPECT_THAT(Failed(result), Contains(cheat.check));
  }
}

TEST_F(Cheats, BelowItsSandboxLevelNoHandWrittenCodeRuns) {
  Job job = CorpusJob("vector_add");
  job.direct_cuda = CheatSource("honest_add");
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kInfraToolchain);
  EXPECT_THAT(result.detail, HasSubstr("needs sandbox level L3; this machine gives L1"));
}

// The declared launch is held to the contract before anything is built.
TEST_F(Cheats, ALaunchThatDoesNotFitTheContractIsRefused) {
  const std::pair<const char*, const char*> edits[] = {
      {"//@ arguments a b c N:i32", "//@ arguments a b N:i32"},
      {"//@ arguments a b c N:i32", "//@ arguments a b c d N:i32"},
      {"grid (N+255)/256 block 256", "grid (N+255)/256 block 2048"},
      {"//@ launch honest_add grid", "//@ start honest_add grid"}};
  const char* words[] = {"no argument is the output c", "argument d is no tensor",
                         "2048 is outside 1..=1024", "3: `start` is not arguments"};
  for (size_t i = 0; i < std::size(edits); ++i) {
    Job job = CorpusJob("vector_add");
    job.direct_cuda = CheatSource("honest_add");
    job.direct_cuda.replace(job.direct_cuda.find(edits[i].first),
                            std::string(edits[i].first).size(), edits[i].second);
    EvaluatorOptions options = Options("{}");
    options.direct_sandbox_min = child::Level::kL1;
    const JobResult result = RunWith(options, job);
    EXPECT_EQ(result.verdict, Verdict::kRejectedData);
    EXPECT_THAT(result.detail, HasSubstr(words[i]));
  }
}

struct Static {
  const char* name;
  const char* says;
};
constexpr Static kStatic[] = {
    {"calls_a_library", "`library_add` is a function from outside the module"},
    {"prints", "`vprintf` is a function from outside the module"},
    {"allocates", "`malloc` is a function from outside the module"},
    {"keeps_the_cache", "evict_last"},
    {"keeps_state", "`kept` is memory that outlives a launch"},
    {"reads_the_clock", "`%clock64` tells when it is measured"},
};

// With the real compiler: what it makes of the source gives these away.
TEST(Compiled, WhatCodeMayNotDoIsFoundInItsPtx) {
  auto compiler = compile::Compiler::Start(
      {.worker = CAKE_WORKER, .sandbox = child::Establish(CAKE_WORKER, child::Level::kL1)});
  if (!compiler.ok()) GTEST_SKIP() << compiler.status();
  for (const Static& cheat : kStatic) {
    SCOPED_TRACE(cheat.name);
    const auto build = (*compiler)->Compile(
        {.cuda = CheatSource(cheat.name), .file_name = "cheat.cu", .arch = "sm_90a"});
    ASSERT_TRUE(build.ok()) << build.status();
    // A function from outside is undefined where the module is linked: refused there or here.
    if (build->outcome == compile::Outcome::kRefused) {
      EXPECT_THAT(build->log, HasSubstr("nresolved"));
      continue;
    }
    ASSERT_EQ(build->outcome, compile::Outcome::kBuilt) << build->log << build->reason;
    EXPECT_THAT(compile::ScanPtx(build->ptx), Contains(HasSubstr(cheat.says)));
  }
  for (const char* honest : {"honest_add", "knows_the_values", "rounds_to_bf16", "decoy"}) {
    const auto build = (*compiler)->Compile(
        {.cuda = CheatSource(honest), .file_name = "honest.cu", .arch = "sm_90a"});
    ASSERT_TRUE(build.ok()) << build.status();
    ASSERT_EQ(build->outcome, compile::Outcome::kBuilt) << build->log;
    EXPECT_THAT(compile::ScanPtx(build->ptx), IsEmpty()) << build->ptx;
  }
}

TEST(PtxScan, DeclarationsInsideFunctionsAreTheFunctions) {
  EXPECT_THAT(
      compile::ScanPtx(".version 9.0\n.visible .entry k(\n.param .u64 a\n)\n{\n"
                       ".shared .align 4 .b8 s[64];\nld.global.f32 %f1, [%rd1];\nret;\n}\n"),
      IsEmpty());
  EXPECT_THAT(compile::ScanPtx(".extern .func  (.param .b32 r) f\n(\n.param .b64 p\n)\n;\n"
                               ".visible .global .align 4 .b8 kept[4];\n"
                               ".global .align 1 .b8 $str[4] = {37, 100, 10};\n"
                               ".const .align 4 .f32 table[2];\n"
                               ".entry k()\n{\n.reg .b64 %r;\nmov.u64 %r, %globaltimer;\n"
                               "createpolicy.fractional.L2::evict_last.b64 %p, 1.0;\n}\n"),
              ::testing::ElementsAre("`f` is a function from outside the module",
                                     "`kept` is memory that outlives a launch",
                                     "`%globaltimer` tells when it is measured",
                                     HasSubstr("keeps lines in the cache beyond the launch")));
}

// What the language lets nobody say, and the code that says so.
struct InTheLanguage {
  const char* what;
  const char* items;
  const char* body;
  const char* code;
};
constexpr InTheLanguage kRefused[] = {
    {"11: writes an input", "", "st a[i] <- 0.0; st c[i] <- ld b[i]", "CK"},
    {"10: hopes for old outputs", "", "st c[i] <- (ld c[i])", "CK"},
    {"12 to 17: asks what the last launch left", "workspace old: f32[N]",
     "st c[i] <- select((ld old[i]) == 1.0, ld a[i], (ld a[i]) + (ld b[i])); st old[i] <- 1.0",
     "CK2010"},
    {"25: calls a library", "", "st c[i] <- library(ld a[i], ld b[i])", "CK"},
    {"27: two threads, one place", "", "st c[i/2] <- (ld a[i]) + (ld b[i])", "CK"},
    {"7: looks beyond its buffers", "", "st c[i] <- (ld a[i + 1]) + (ld b[i])", "CK2"},
};

TEST(Language, CheatsThatCannotBeSaid) {
  for (const InTheLanguage& cheat : kRefused) {
    SCOPED_TRACE(cheat.what);
    const std::string source =
        std::string(
            "program add target sm_80\ndim N in 0..=1073741824\nin a: f32[N], b: f32[N]\n"
            "out c: f32[N]\n") +
        cheat.items +
        "\nkernel add {\n  grid (ceildiv(N, 256))\n  role main: warps 8 {\n"
        "    let i = cta*256 + thread\n    if i < N { " +
        cheat.body + " }\n  }\n}\n";
    const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
    std::vector<std::string> codes;
    for (const auto& one : candidate.report().diagnostics()) codes.emplace_back(one.code);
    if (candidate.ok()) {
      const auto member = candidate.CheckMember(candidate.Bind({}).value());
      EXPECT_NE(member.verdict, server::pipeline::Verdict::kPassed);
      for (const auto& one : member.report.diagnostics()) codes.emplace_back(one.code);
    }
    EXPECT_THAT(codes, Contains(testing::StartsWith(cheat.code)));
  }
}

// The page answers every entry, and names no check, file or test that is not there.
TEST(Catalogue, EveryEntryIsAnswered) {
  const std::string page = Read("tests/cheats/README.md"),
                    self = Read("tests/cheats/cheats_test.cc");
  const std::regex row("\\n\\| (\\d+) \\| ([^|]*)\\| ([^|]*)\\|");
  std::set<int> numbers;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    numbers.insert(std::stoi((*at)[1]));
    EXPECT_GT((*at)[3].length(), 5) << (*at)[0];
  }
  EXPECT_EQ(numbers.size(), 32u);
  EXPECT_EQ(*numbers.rbegin(), 32);
  const std::regex file("`([a-z_0-9]+)\\.cu`");
  std::set<std::string> named;
  for (std::sregex_iterator at(page.begin(), page.end(), file), end; at != end; ++at) {
    named.insert((*at)[1]);
    EXPECT_NE(self.find("\"" + std::string((*at)[1]) + "\""), std::string::npos) << (*at)[1];
  }
  for (const Cheat& cheat : kCheats) {
    EXPECT_TRUE(named.contains(cheat.name)) << cheat.name;
  }
  for (const Static& cheat : kStatic) EXPECT_TRUE(named.contains(cheat.name)) << cheat.name;
}

}  // namespace
}  // namespace runner::worker
