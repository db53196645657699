// Walks the instruction table: every example parses, elaborates and is emitted as its golden text.
// With CAKE_GOLDEN_UPDATE=1 the golden texts are rewritten; the diff is then what a person reads.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/facts/contents.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"
#include "verifier/verify.h"

namespace compiler::emit {
namespace {

std::vector<const ir::OpDef*> AvailableEntries() {
  std::vector<const ir::OpDef*> entries;
  for (const ir::OpDef& op : ops::Table().ops()) {
    if (op.Available()) entries.push_back(&op);
  }
  return entries;
}

class ExampleTest : public testing::TestWithParam<const ir::OpDef*> {};

TEST_P(ExampleTest, IsEmittedAsItsGolden) {
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  // The hash is not what the golden is about.
  const std::string cuda =
      Emit(*emitted.program, emitted.facts, std::string(64, '0'), "example.cake").cuda;
  const std::filesystem::path path =
      "tests/golden/emit/" + ops::ManualFileName(*GetParam()) + ".cu";
  const char* update = std::getenv("CAKE_GOLDEN_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << cuda;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in.good()) << path;
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(cuda, golden.str());
}

TEST_P(ExampleTest, CompilesWithoutSpillsOrStack) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  for (const char* arch : {"sm_80", "sm_90a", "sm_120a", "sm_100a"}) {
    const bool everywhere = std::string_view(arch) != "sm_100a";
    if (!everywhere && emitted.program->target != arch) continue;
    if (!arch::Admits(emitted.program->target, arch)) continue;
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
    EXPECT_GT(compiled.cubin_bytes, 0u);
    EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
              std::string::npos)
        << compiled.log << emitted.source.cuda;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_NE(compiled.ptx.find("cake_program_id"), std::string::npos);
  }
}

TEST_P(ExampleTest, FormatsToItselfWithTheSameMeaning) {
  const std::string source(GetParam()->example);
  diag::Report report;
  const std::string formatted = text::Format(source, ops::Table(), report);
  ASSERT_FALSE(report.has_errors()) << Describe(report);
  EXPECT_EQ(formatted, source) << "examples are written in canonical form";
  const Emitted original = EmitText(source);
  const Emitted again = EmitText(formatted);
  ASSERT_NE(original.program, nullptr);
  ASSERT_NE(again.program, nullptr);
  EXPECT_EQ(sema::CanonicalHash(*original.program), sema::CanonicalHash(*again.program));
}

// Small positive numbers of every type: no example divides by zero or overflows on them.
void FillInput(const facts::TensorPlan& tensor, std::vector<std::byte>& bytes) {
  const auto put = [&](size_t i, const auto& value) {
    std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
  };
  const size_t element = static_cast<size_t>(ir::Info(tensor.dtype).bits) / 8;
  for (size_t i = 0; i < bytes.size() / element; ++i) {
    const auto small = static_cast<uint32_t>(i % 13 + 1);
    if (tensor.dtype == ir::DType::kF32) {
      put(i, 0.25f * static_cast<float>(small));
    } else if (tensor.dtype == ir::DType::kBF16) {
      put(i, static_cast<uint16_t>(0x3f80 + small));
    } else {  // f16: subnormal numbers
      std::memcpy(bytes.data() + i * element, &small, std::min(element, sizeof(small)));
    }
  }
}

TEST_P(ExampleTest, PassesTheGates) {
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  // Programs for early architectures are judged on the one at hand.
  const std::string& target = emitted.program->target;
  const bool here = arch::Admits(target, "sm_90a");
  const auto device = here ? arch::Find("sm_90a") : arch::DeviceOfTarget(target);
  ASSERT_TRUE(device.ok());
  const verifier::Verdict verdict =
      verifier::Verify(*emitted.program, emitted.facts, **device, verifier::Policy());
  EXPECT_TRUE(verdict.accepted) << Describe(verdict.report);
}

// With 100 elements the last CTA is ragged, so guards and neutral values are used.
TEST_P(ExampleTest, RunsOnTheMachineAndWritesItsWholeOutput) {
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  const ir::Program& program = *emitted.program;
  std::map<std::string, int64_t> named;
  for (const ir::Symbol& symbol : program.symbols) {
    named[symbol.name] = symbol.has_range ? std::clamp<int64_t>(100, symbol.low, symbol.high) : 100;
  }
  const auto values = facts::BindLaunch(program, named);
  ASSERT_TRUE(values.ok()) << values.status();
  const auto plan = facts::PlanLaunch(program, emitted.facts, *values, std::string(64, '0'));
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::vector<std::byte>> bytes;
  machine::Memory memory;
  for (const facts::TensorPlan& tensor : plan->tensors) {
    bytes.emplace_back(static_cast<size_t>(tensor.bytes));
    if (tensor.direction == ir::Direction::kIn) FillInput(tensor, bytes.back());
  }
  for (std::vector<std::byte>& tensor : bytes) memory.tensors.emplace_back(tensor);
  facts::TensorBytes given(program.tensors.size());
  for (size_t i = 0; i < given.size(); ++i) {
    for (size_t k = 0; k < plan->tensors.size(); ++k) {
      if (plan->tensors[k].name == program.tensors[i].name) given[i] = memory.tensors[k];
    }
  }
  const absl::Status obeyed = facts::FillContents(program, *plan, *values, given, 1);
  ASSERT_TRUE(obeyed.ok()) << obeyed;
  const auto result =
      machine::Run(program, emitted.facts, *plan, *values, memory, machine::Options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, machine::Outcome::kFinished) << Describe(result->report);
  EXPECT_TRUE(result->report.diagnostics().empty()) << Describe(result->report);
  for (size_t t = 0; t < plan->tensors.size(); ++t) {
    if (plan->tensors[t].direction != ir::Direction::kOut) continue;
    const std::vector<bool>& written = result->written[t];
    EXPECT_EQ(std::count(written.begin(), written.end(), false), 0) << plan->tensors[t].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ExampleTest, testing::ValuesIn(AvailableEntries()),
                         [](const testing::TestParamInfo<const ir::OpDef*>& info) {
                           return ops::ManualFileName(*info.param);
                         });

}  // namespace
}  // namespace compiler::emit
