// The seven programs of tests/corpus/language/kernels.cake: each passes the gates, is right on
// every machine-tier case of its contract, and builds for every architecture that its target admits
// without local memory (exceptions: spills.txt); and slips in them are refused (mutants.txt).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/diag/render.h"
#include "compiler/emit/emit.h"
#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "runner/contract/bind.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "server/pipeline/pipeline.h"
#include "tests/corpus/mutants.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace tests {
namespace {

namespace fs = std::filesystem;
namespace contract = runner::contract;
namespace launch = runner::launch;
namespace machine = compiler::machine;

constexpr const char* kPrograms = "tests/corpus/language/kernels.cake";
constexpr const char* kFolder = "tests/kernels";

struct Entry {
  std::string name, contract;
};

std::vector<Entry> Entries() {
  return {{"kmeans_assign", "tests/kernels/kmeans_assign.workload.textproto"},
          {"fa3_fwd", "tests/kernels/fa3_fwd.workload.textproto"},
          {"moe_fc1", "tests/kernels/moe_fc1.workload.textproto"},
          {"kda_chunk", "tests/corpus/kda/kda_chunk.workload.textproto"},
          {"ssu_decode", "tests/kernels/ssu_decode.workload.textproto"},
          {"streamk_gemm", "tests/kernels/streamk_gemm.workload.textproto"},
          {"fp8_blockwise", "tests/corpus/gemm_blockwise/gemm_fp8_blockwise.workload.textproto"}};
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text of one program of the file; "" if there is none of this name.
std::string SourceOf(const std::string& name) {
  const std::string all = Read(kPrograms);
  const size_t begin = all.find("program " + name + " ");
  if (begin == std::string::npos) return "";
  return all.substr(begin, all.find("\nprogram ", begin) - begin) + "\n";
}

launch::Elaborated Elaborate(const std::string& source, const std::string& name,
                             const std::string& arch = "") {
  compiler::diag::Report report;
  auto out = launch::Elaborate({.source = source, .file = name + ".cake", .arch = arch}, report);
  EXPECT_NE(out.program, nullptr) << arch << compiler::diag::RenderText(report, name, source);
  return out;
}

void ExpectAccepted(const std::string& source) {
  const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
  ASSERT_TRUE(candidate.ok()) << compiler::diag::RenderText(candidate.report(), "", source);
  const auto member = candidate.CheckMember(candidate.Bind({}).value());
  EXPECT_EQ(member.verdict, server::pipeline::Verdict::kPassed)
      << server::pipeline::ToText(candidate, member, false);
}

// The canonical text is its own, and the same program.
void ExpectFormatted(const std::string& source, const std::string& name) {
  compiler::diag::Report report;
  const std::string canonical = compiler::text::Format(source, compiler::ops::Table(), report);
  ASSERT_FALSE(report.has_errors());
  EXPECT_EQ(compiler::text::Format(canonical, compiler::ops::Table(), report), canonical);
  EXPECT_EQ(Elaborate(canonical, name).canonical_hash, Elaborate(source, name).canonical_hash);
}

bool RunOnce(const launch::Elaborated& program, const launch::CasePlan& plan,
             const launch::Layout& layout, uint64_t schedule, std::span<std::byte> image,
             const std::string& source) {
  machine::Memory memory;
  for (const launch::Slot& slot : layout.slots) {
    const auto data = launch::DataOf(slot, image);
    if (slot.zero) std::fill(data.begin(), data.end(), std::byte{0});
    memory.tensors.push_back(data);
  }
  const auto result = machine::Run(*program.program, program.facts, plan.plan, plan.values, memory,
                                   {.schedule_seed = schedule});
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return false;
  EXPECT_EQ(result->outcome, machine::Outcome::kFinished);
  EXPECT_TRUE(result->report.diagnostics().empty())
      << compiler::diag::RenderText(result->report, "", source);
  return result->outcome == machine::Outcome::kFinished && !result->report.has_errors();
}

void ExpectRight(const std::string& source, const std::string& name,
                 const contract::Workload& workload) {
  const launch::Elaborated program = Elaborate(source, name);
  ASSERT_NE(program.program, nullptr);
  compiler::diag::Report binding;
  contract::CheckBinding(workload, *program.program, binding);
  ASSERT_FALSE(binding.has_errors()) << compiler::diag::RenderText(binding, name, source);
  constexpr uint64_t kSeed = 11;
  const std::vector<launch::RunSpec> runs = {{101, 0, 0}, {103, 1, 3}};
  for (const contract::Case& at : workload.cases) {
    if (at.tier != contract::Tier::kMachine) continue;
    SCOPED_TRACE(at.name);
    const auto plan =
        launch::PlanCase(program, workload, at, contract::MachineSms(*program.program));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const launch::Layout layout = launch::LayOut(plan->plan);
    std::vector<std::vector<std::byte>> images;
    std::vector<runner::oracle::Run> views;
    for (const launch::RunSpec& run : runs) {
      auto& image = images.emplace_back(static_cast<size_t>(layout.bytes));
      const auto filled = launch::FillRun(workload, at, layout, run, kSeed, image, 1);
      ASSERT_TRUE(filled.ok()) << filled;
      if (!RunOnce(program, *plan, layout, run.schedule_seed, image, source)) return;
      views.push_back(launch::ViewOf(layout, run, image));
    }
    const auto result = runner::oracle::JudgeCase(workload, at, kSeed, views, 1);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->verdict, contract::Verdict::kCorrect);
  }
}

// "PROGRAM ARCHITECTURE" -> bytes that its build is known to need.
std::map<std::string, int64_t> KnownSpills() {
  std::map<std::string, int64_t> out;
  std::ifstream file(fs::path(kFolder) / "spills.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string program, arch;
    int64_t bytes = 0;
    if (line.empty() || line[0] == '#') continue;
    EXPECT_TRUE(words >> program >> arch >> bytes) << line;
    out[program + " " + arch] = bytes;
  }
  return out;
}

// Bytes of stack frames and spills in a log of ptxas -v.
int64_t LocalBytes(const std::string& log) {
  int64_t bytes = 0;
  const std::regex each("(\\d+) bytes (stack frame|spill stores|spill loads)");
  for (std::sregex_iterator at(log.begin(), log.end(), each), end; at != end; ++at) {
    bytes += std::stoll((*at)[1]);
  }
  return bytes;
}

void ExpectBuilds(const std::string& source, const std::string& name) {
  const auto& nvrtc = compiler::emit::RealNvrtc();
  if (!nvrtc.available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const auto known = KnownSpills();
  const std::string target = Elaborate(source, name).program->target;
  int built = 0;
  for (const std::string_view arch : compiler::arch::Known()) {
    if (!compiler::arch::Admits(target, arch)) continue;
    SCOPED_TRACE(std::string(arch));
    const launch::Elaborated program = Elaborate(source, name, std::string(arch));
    ASSERT_NE(program.program, nullptr);
    const auto made = compiler::emit::Emit(*program.program, program.facts, program.canonical_hash,
                                           name + ".cake");
    const auto compiled = nvrtc.Compile(made.cuda, made.options, std::string(arch));
    ASSERT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_EQ(compiled.log.find("(C75"), std::string::npos) << compiled.log;
    const auto entry = known.find(name + " " + std::string(arch));
    EXPECT_EQ(LocalBytes(compiled.log), entry == known.end() ? 0 : entry->second) << compiled.log;
    ++built;
  }
  EXPECT_GT(built, 0);
}

class Kernel : public testing::TestWithParam<Entry> {};

TEST_P(Kernel, PassesRunsInItsContractAndBuilds) {
  const auto& [name, path] = GetParam();
  const std::string source = SourceOf(name);
  ASSERT_FALSE(source.empty());
  const auto workload = contract::ParseTextproto(Read(path));
  ASSERT_TRUE(workload.ok()) << path << workload.status();
  ExpectFormatted(source, name);
  ExpectAccepted(source);
  ExpectRight(source, name, *workload);
  ExpectBuilds(source, name);
}

INSTANTIATE_TEST_SUITE_P(All, Kernel, testing::ValuesIn(Entries()),
                         [](const testing::TestParamInfo<Entry>& info) { return info.param.name; });

TEST(Kernels, SlipsAreRefusedWithTheirCodeAtTheirLine) {
  std::map<std::string, int> slips;
  for (const Mutant& mutant : ReadMutants(fs::path(kFolder) / "mutants.txt")) {
    ExpectRefused(mutant, SourceOf(mutant.program));
    ++slips[mutant.program];
  }
  for (const Entry& entry : Entries()) EXPECT_GE(slips[entry.name], 10) << entry.name;
}

}  // namespace
}  // namespace tests
