// Every program of the corpus: formatted as `cake fmt` leaves it, accepted by the gates, right on
// each machine-tier case of its contract on the reference machine, and built without local memory
// for every architecture that its target admits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "compiler/arch/device.h"
#include "compiler/diag/render.h"
#include "compiler/emit/emit.h"
#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "costmodel/counts.h"
#include "runner/contract/bind.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "server/pipeline/pipeline.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace tests {
namespace {

namespace fs = std::filesystem;
namespace contract = runner::contract;
namespace launch = runner::launch;
namespace machine = compiler::machine;

constexpr std::string_view kFolder = "tests/corpus";
constexpr std::string_view kSuffix = ".workload.textproto";

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A program and the contract of its folder whose name begins the program's: several programs may
// answer one contract, as gemm_bf16.cake and gemm_bf16_tma.cake do.
struct Entry {
  fs::path program, contract;
  std::string family() const { return program.parent_path().filename(); }
  std::string name() const { return program.stem(); }
};

void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.program; }

fs::path ContractOf(const fs::path& program) {
  const std::string stem = program.stem();
  fs::path best;
  for (const auto& at : fs::directory_iterator(program.parent_path())) {
    const std::string file = at.path().filename();
    if (!file.ends_with(kSuffix)) continue;
    const std::string name = file.substr(0, file.size() - kSuffix.size());
    if (stem != name && !stem.starts_with(name + "_")) continue;
    if (best.empty() || file.size() > best.filename().string().size()) best = at.path();
  }
  return best;
}

// The folder `language` holds texts for the parser, not programs of a contract.
std::vector<Entry> Entries() {
  std::vector<Entry> out;
  for (const auto& at : fs::recursive_directory_iterator(kFolder)) {
    if (at.path().extension() != ".cake") continue;
    if (at.path().parent_path().filename() == "language") continue;
    out.push_back({at.path(), ContractOf(at.path())});
  }
  std::sort(out.begin(), out.end(),
            [](const Entry& a, const Entry& b) { return a.program < b.program; });
  return out;
}

class Program : public testing::TestWithParam<Entry> {
 protected:
  void SetUp() override {
    source_ = Read(GetParam().program);
    auto parsed = contract::ParseTextproto(Read(GetParam().contract));
    ASSERT_TRUE(parsed.ok()) << GetParam().contract << parsed.status();
    workload_ = *std::move(parsed);
  }

  launch::Elaborated Elaborate(const std::string& arch = "") const {
    compiler::diag::Report report;
    auto out = launch::Elaborate(
        {.source = source_, .file = GetParam().program.filename(), .arch = arch}, report);
    EXPECT_NE(out.program, nullptr)
        << arch << compiler::diag::RenderText(report, GetParam().name(), source_);
    return out;
  }

  std::string source_;
  contract::Workload workload_;
};

TEST_P(Program, IsWrittenAsFmtLeavesIt) {
  compiler::diag::Report report;
  EXPECT_EQ(compiler::text::Format(source_, compiler::ops::Table(), report), source_);
  EXPECT_FALSE(report.has_errors());
}

TEST_P(Program, PassesTheGates) {
  const server::pipeline::Candidate candidate(source_, {.emit_cuda = false});
  ASSERT_TRUE(candidate.ok()) << compiler::diag::RenderText(candidate.report(), "", source_);
  const auto member = candidate.CheckMember(candidate.Bind({}).value());
  EXPECT_TRUE(member.verdict == server::pipeline::Verdict::kPassed)
      << server::pipeline::ToText(candidate, member, false);
}

// The contract decides what is legal: a program may not keep out of a part of its domain.
TEST_P(Program, AdmitsTheWholeDomainOfItsContract) {
  const launch::Elaborated program = Elaborate();
  ASSERT_NE(program.program, nullptr);
  compiler::diag::Report report;
  contract::CheckBinding(workload_, *program.program, report);
  EXPECT_FALSE(report.has_errors())
      << compiler::diag::RenderText(report, GetParam().name(), source_);
  for (const contract::Dim& dim : workload_.dims) {
    for (const int64_t value : {dim.low, dim.high}) {
      contract::Case at = workload_.cases.front();
      at.dims[dim.name] = value;
      if (!contract::TensorsOf(workload_, at).ok()) continue;  // larger than a tensor may be
      EXPECT_TRUE(
          launch::PlanCase(program, workload_, at, contract::MachineSms(*program.program)).ok())
          << dim.name << " = " << value << ": "
          << launch::PlanCase(program, workload_, at, contract::MachineSms(*program.program))
                 .status();
    }
  }
}

// The first estimate stands on the counts of the model: where it sees the whole launch, they are
// those of the machine, statement by statement.
void ExpectEstimated(const launch::Elaborated& program, const launch::CasePlan& plan,
                     const machine::Result& ran, const std::string& source) {
  std::vector<costmodel::StatementCost> sums(program.program->stmts.size());
  for (size_t k = 0; k < program.program->kernels.size(); ++k) {
    const auto counts = costmodel::CountKernel(*program.program, program.facts, k, plan.values);
    ASSERT_TRUE(counts.ok()) << counts.status();
    if (!counts->exact) return;
    for (size_t i = 0; i < counts->statements.size(); ++i) {
      const costmodel::StatementCost& one = counts->statements[i];
      const size_t s = counts->first + i;
      sums[s].warp_executions += one.warp_executions;
      sums[s].lane_executions += one.lane_executions;
      sums[s].global_bytes_read += one.global_bytes_read;
      sums[s].global_bytes_written += one.global_bytes_written;
      sums[s].shared_bytes_read += one.shared_bytes_read;
      sums[s].shared_bytes_written += one.shared_bytes_written;
    }
  }
  for (size_t s = 0; s < sums.size(); ++s) {
    const machine::StatementCount& m = ran.statements[s];
    const auto span = program.program->stmts[s].source.span;
    SCOPED_TRACE(source.substr(span.begin, span.end - span.begin));
    EXPECT_EQ(sums[s].warp_executions, static_cast<double>(m.warp_executions));
    EXPECT_EQ(sums[s].lane_executions, static_cast<double>(m.lane_executions));
    EXPECT_EQ(sums[s].global_bytes_read, static_cast<double>(m.global_bytes_read));
    EXPECT_EQ(sums[s].global_bytes_written, static_cast<double>(m.global_bytes_written));
    EXPECT_EQ(sums[s].shared_bytes_read, static_cast<double>(m.shared_bytes_read));
    EXPECT_EQ(sums[s].shared_bytes_written, static_cast<double>(m.shared_bytes_written));
  }
}

// Runs one case once; false where the machine found a fault.
bool RunOnce(const launch::Elaborated& program, const launch::CasePlan& plan,
             const launch::Layout& layout, uint64_t schedule, std::span<std::byte> image,
             const std::string& source) {
  machine::Memory memory;
  for (const launch::Slot& slot : layout.slots) {
    const auto data = launch::DataOf(slot, image);
    if (slot.zero) std::fill(data.begin(), data.end(), std::byte{0});
    memory.tensors.push_back(data);
  }
  auto result = machine::Run(*program.program, program.facts, plan.plan, plan.values, memory,
                             {.schedule_seed = schedule});
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return false;
  }
  EXPECT_EQ(result->outcome, machine::Outcome::kFinished)
      << result->lane_statements << " lane statements";
  EXPECT_TRUE(result->report.diagnostics().empty())
      << compiler::diag::RenderText(result->report, "", source);
  if (schedule == 0) ExpectEstimated(program, plan, *result, source);
  return result->outcome == machine::Outcome::kFinished && !result->report.has_errors();
}

TEST_P(Program, IsRightOnEveryMachineCase) {
  const launch::Elaborated program = Elaborate();
  ASSERT_NE(program.program, nullptr);
  constexpr uint64_t kSeed = 11;
  const std::vector<launch::RunSpec> runs = {{101, 0, 0}, {102, 0, 7}, {103, 1, 3}};
  for (const contract::Case& at : workload_.cases) {
    if (at.tier != contract::Tier::kMachine) continue;
    SCOPED_TRACE(at.name);
    const auto plan =
        launch::PlanCase(program, workload_, at, contract::MachineSms(*program.program));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const launch::Layout layout = launch::LayOut(plan->plan);
    std::vector<std::vector<std::byte>> images;
    std::vector<runner::oracle::Run> views;
    for (const launch::RunSpec& run : runs) {
      auto& image = images.emplace_back(static_cast<size_t>(layout.bytes));
      ASSERT_TRUE(launch::FillRun(workload_, at, layout, run, kSeed, image, 1).ok());
      if (!RunOnce(program, *plan, layout, run.schedule_seed, image, source_)) return;
      views.push_back(launch::ViewOf(layout, run, image));
    }
    const auto result = runner::oracle::JudgeCase(workload_, at, kSeed, views, 1);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->verdict, contract::Verdict::kCorrect);
    for (const auto& check : result->checks) {
      EXPECT_NE(check.outcome, runner::oracle::Outcome::kFail)
          << check.name << ": " << check.detail;
    }
  }
}

// "PROGRAM ARCHITECTURE" -> bytes that its build is known to need.
std::map<std::string, int64_t> KnownSpills() {
  std::map<std::string, int64_t> out;
  std::ifstream file(fs::path(kFolder) / "spills.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string program, arch;
    int64_t bytes = 0;
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

TEST_P(Program, BuildsEverywhereWithoutLocalMemory) {
  const auto& nvrtc = compiler::emit::RealNvrtc();
  if (!nvrtc.available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const auto known = KnownSpills();
  int built = 0;
  const std::string target = Elaborate().program->target;
  for (const std::string_view arch : compiler::arch::Known()) {
    if (!compiler::arch::Admits(target, arch)) continue;
    SCOPED_TRACE(std::string(arch));
    const launch::Elaborated program = Elaborate(std::string(arch));
    if (program.program == nullptr) continue;
    const auto source = compiler::emit::Emit(*program.program, program.facts,
                                             program.canonical_hash, GetParam().name() + ".cake");
    const auto compiled = nvrtc.Compile(source.cuda, source.options, std::string(arch));
    ASSERT_EQ(compiled.status, 0) << compiled.log << source.cuda;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_EQ(compiled.log.find("(C75"), std::string::npos) << "products run one by one\n"
                                                            << compiled.log;
    const auto entry = known.find(GetParam().name() + " " + std::string(arch));
    EXPECT_EQ(LocalBytes(compiled.log), entry == known.end() ? 0 : entry->second) << compiled.log;
    ++built;
  }
  EXPECT_GT(built, 0);
}

// With its log of events and its delays, on the newest architecture that its target admits of those
// that campaigns run on.
TEST_P(Program, BuildsWithALogOfItsEvents) {
  const auto& nvrtc = compiler::emit::RealNvrtc();
  if (!nvrtc.available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  constexpr std::string_view kArch = "sm_90a";
  const std::string target = Elaborate().program->target;
  if (!compiler::arch::Admits(target, kArch)) GTEST_SKIP() << "not for " << kArch;
  const launch::Elaborated program = Elaborate(std::string(kArch));
  const auto source = compiler::emit::Emit(*program.program, program.facts, program.canonical_hash,
                                           GetParam().name() + ".cake", {.log_events = true});
  const auto compiled = nvrtc.Compile(source.cuda, source.options, std::string(kArch));
  ASSERT_EQ(compiled.status, 0) << compiled.log << source.cuda;
  EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
  const auto known = KnownSpills();
  const auto entry = known.find(GetParam().name() + " " + std::string(kArch) + "+log");
  EXPECT_EQ(LocalBytes(compiled.log), entry == known.end() ? 0 : entry->second) << compiled.log;
}

INSTANTIATE_TEST_SUITE_P(All, Program, testing::ValuesIn(Entries()),
                         [](const testing::TestParamInfo<Entry>& info) {
                           return info.param.family() + "_in_" + info.param.name();
                         });

TEST(Corpus, EveryProgramHasItsContractAndEveryContractItsBaseline) {
  for (const Entry& entry : Entries()) EXPECT_FALSE(entry.contract.empty()) << entry.program;
  for (const auto& at : fs::recursive_directory_iterator(kFolder)) {
    if (!at.path().string().ends_with(kSuffix)) continue;
    const auto workload = contract::ParseTextproto(Read(at.path()));
    ASSERT_TRUE(workload.ok()) << at.path() << workload.status();
    EXPECT_TRUE(fs::exists(at.path().parent_path() / workload->baseline)) << workload->baseline;
  }
}

}  // namespace
}  // namespace tests
