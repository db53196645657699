// A run that computes only the values that matter finds what the whole run finds, and goes the same
// way: over every example of the instruction table, every program of the golden tests of the gates,
// and programs in which a float reaches control, addresses and trips by a way of its own.
#include "compiler/machine/values.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>

#include "compiler/ir/constant.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

namespace fs = std::filesystem;

struct Given {
  std::unique_ptr<ir::Program> program;
  facts::Facts facts;
  ir::LaunchValues values;
  facts::LaunchPlan plan;
};

// Nothing for a text that is no program, or that no simple shape fits.
std::optional<Given> Take(const std::string& source) {
  diag::Report report;
  const auto file = text::Parse(source, ops::Table(), report);
  if (report.has_errors() || file->programs.size() != 1) return std::nullopt;
  const text::Program& program = *file->programs[0];
  const sema::Binding binding = sema::DefaultBinding(sema::Params(program, report));
  Given given{.program = sema::Elaborate(*file, program, binding, ops::Table(), report)};
  if (given.program == nullptr || report.has_errors()) return std::nullopt;
  const auto device = arch::DeviceOfTarget(given.program->target);
  if (!device.ok()) return std::nullopt;
  given.facts = facts::Derive(*given.program, **device, report);
  if (report.has_errors()) return std::nullopt;
  for (const int64_t wanted : {70, 64, 16, 4, 1}) {
    std::map<std::string, int64_t> named;
    for (const ir::Symbol& symbol : given.program->symbols) {
      if (symbol.kind == ir::SymbolKind::kStride) continue;
      int64_t value = symbol.kind == ir::SymbolKind::kSms ? 4 : wanted;
      if (symbol.kind == ir::SymbolKind::kArg) value = 1;
      named[symbol.name] = symbol.has_range ? std::clamp(value, symbol.low, symbol.high) : value;
    }
    const auto values = facts::BindLaunch(*given.program, named);
    if (!values.ok() || !facts::CheckGuard(*given.program, *values).ok()) continue;
    const auto plan = facts::PlanLaunch(*given.program, given.facts, *values, "hash");
    if (!plan.ok()) continue;
    given.values = *values;
    given.plan = *plan;
    return given;
  }
  return std::nullopt;
}

// Small numbers, so that indices that are loaded are mostly inside.
std::vector<std::byte> Filled(const facts::TensorPlan& tensor, unsigned seed) {
  std::mt19937 random(seed);
  const ir::DTypeInfo& type = ir::Info(tensor.dtype);
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.bytes));
  const auto size = static_cast<size_t>(std::max(1, type.bits / 8));
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = random() % 2;
    if (type.is_float) bits = ir::EncodeFloat(tensor.dtype, static_cast<double>(random() % 9) / 4);
    std::memcpy(&bytes[at], &bits, size);
  }
  return bytes;
}

Result RunIt(const Given& given, const Values* values) {
  std::vector<std::vector<std::byte>> bytes;
  for (size_t i = 0; i < given.plan.tensors.size(); ++i) {
    bytes.push_back(Filled(given.plan.tensors[i], static_cast<unsigned>(i)));
  }
  Memory memory;
  for (auto& tensor : bytes) memory.tensors.emplace_back(tensor);
  const auto result = Run(*given.program, given.facts, given.plan, given.values, memory,
                          {.max_lane_statements = 2'000'000, .values = values});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Result{};
}

// Whether the two ended alike and every statement ran as often, on as many bytes.
void ExpectTheSame(const Result& whole, const Result& sliced, const std::string& name,
                   const std::string& source) {
  EXPECT_EQ(whole.outcome, sliced.outcome);
  EXPECT_EQ(diag::RenderText(whole.report, name, source),
            diag::RenderText(sliced.report, name, source));
  EXPECT_EQ(whole.lane_statements, sliced.lane_statements);
  EXPECT_EQ(whole.written, sliced.written);
  ASSERT_EQ(whole.statements.size(), sliced.statements.size());
  for (size_t i = 0; i < whole.statements.size(); ++i) {
    const StatementCount &a = whole.statements[i], &b = sliced.statements[i];
    EXPECT_EQ(a.lane_executions, b.lane_executions) << "statement " << i;
    EXPECT_EQ(a.most_trips, b.most_trips) << "statement " << i;
    EXPECT_EQ(a.global_bytes_read + a.global_bytes_written,
              b.global_bytes_read + b.global_bytes_written)
        << "statement " << i;
    EXPECT_EQ(a.shared_bytes_read + a.shared_bytes_written,
              b.shared_bytes_read + b.shared_bytes_written)
        << "statement " << i;
  }
}

void ExpectTheSame(const std::string& name, const std::string& source) {
  const std::optional<Given> given = Take(source);
  if (!given) return;
  SCOPED_TRACE(name);
  const Result whole = RunIt(*given, nullptr);
  for (const bool open_picks : {false, true}) {
    const Values some = ValuesThatMatter(*given->program, open_picks);
    const Result sliced = RunIt(*given, &some);
    if (!sliced.open_pick) ExpectTheSame(whole, sliced, name, source);
    if (!open_picks) EXPECT_FALSE(sliced.open_pick);
  }
}

TEST(ValuesThatMatter, EveryExampleOfTheTableRunsTheSame) {
  int programs = 0;
  for (const ir::OpDef& op : ops::Table().ops()) {
    if (op.example.empty()) continue;
    ++programs;
    ExpectTheSame(std::string(op.name), std::string(op.example));
  }
  EXPECT_GT(programs, 100);
}

TEST(ValuesThatMatter, EveryProgramOfTheGatesRunsTheSame) {
  int programs = 0;
  for (const auto& entry : fs::directory_iterator("tests/golden/verify")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    ++programs;
    ExpectTheSame(entry.path().filename().string(), text.str());
  }
  EXPECT_GT(programs, 100);
}

// `between` computes v, a float of each lane, and hands it on; `use` lets it decide something.
struct Way {
  const char* name;
  const char* between;
  const char* use;
  bool matters;  // whether x must be loaded for it
};
constexpr Way kWays[] = {
    {"Stored", "var v = ld x[lane]", "st y[lane] <- v", false},
    {"Computed", "var v = exp2.approx(ld x[lane]) * 2.0", "st y[lane] <- max(v, 0.0)", false},
    {"Branch", "var v = ld x[lane]", "if v > 1.0 { st y[lane] <- v }", true},
    {"Trips", "var v = ld x[lane]", "for i in 0..cvt.i32(v) { st y[lane] <- v }", true},
    {"Address", "var v = ld x[lane]", "st y[cvt.i32(v)*8 % 32] <- 1.0", true},
    {"Select", "let a = ld x[lane]\n    var v = select(a > 1.0, 1, 20)",
     "if lane < v { st y[lane] <- 0.0 }", true},
    {"Shared", "st s[lane] <- ld x[lane]\n    sync cta\n    var v = ld s[31 - lane]",
     "if v > 1.0 { st y[lane] <- v }", true},
    {"SharedStoredOn", "st s[lane] <- ld x[lane]\n    sync cta\n    var v = ld s[31 - lane]",
     "st y[lane] <- v", false},
    {"Vote", "var v = lanes.max(ld x[lane], 32)", "while v > 1.0 { v = v - 1.0 }", true},
    {"Bits", "var v = bitcast.u32(ld x[lane])", "if (v & 1) == 0 { st y[lane] <- 0.0 }", true},
    {"Poll", "var v = ld x[lane]\n    red.add.relaxed.gpu(z[0], v)",
     "if atomic.add.relaxed.gpu(z[0], 0.0) > 1.0 { st y[lane] <- 0.0 }", true},
    {"Loop", "var v = 0.0\n    for i in 0..4 { v = v + (ld x[i]) }",
     "if v > 4.0 { st y[lane] <- v }", true},
};

class WayTest : public testing::TestWithParam<Way> {};

TEST_P(WayTest, RunsTheSameAndNeedsWhatDecides) {
  const std::string source =
      std::string(
          "program t target sm_80\nin x: f32[32]; out y: f32[32]; inout z: f32[1]\n"
          "kernel k {\n  grid (1)\n  smem s: f32[32]\n  role main: warps 1 {\n    ") +
      GetParam().between + "\n    " + GetParam().use + "\n  }\n}\n";
  const std::optional<Given> given = Take(source);
  ASSERT_TRUE(given) << source;
  EXPECT_EQ(ValuesThatMatter(*given->program).tensors[0], GetParam().matters) << source;
  ExpectTheSame(GetParam().name, source);
}

INSTANTIATE_TEST_SUITE_P(All, WayTest, testing::ValuesIn(kWays),
                         [](const auto& info) { return std::string(info.param.name); });

// `pick` selects by a float of x: whether that is loaded for it, and whether a run without can tell
// what is undefined.
struct Pick {
  const char* name;
  const char* pick;
  bool matters, open;
};
constexpr Pick kPicks[] = {
    {"BothDefined", "st y[lane] <- select(v > 1.0, v, 0.0)", false, false},
    {"OneUndefined", "var u: f32\n    st s[lane] <- select(v > 1.0, u, 0.0)", false, true},
    {"OtherUndefined", "var u: f32\n    st s[lane] <- select(v > 1.0, 0.0, u)", false, true},
    {"BothUndefined", "var u: f32\n    st s[lane] <- select(v > 1.0, u, u)", false, false},
    {"ConditionUndefined", "var u: f32\n    st s[lane] <- select(u > 1.0, 1.0, v)", false, false},
    {"SomeLanes",
     "var u: f32\n    if lane > 3 { u = 0.0 }\n    st s[lane] <- select(v > 1.0, u, v)",
     false, true},
    {"OtherLanes",
     "var u: f32\n    if lane > 3 { u = 0.0 }\n"
     "    if lane > 3 { st s[lane] <- select(v > 1.0, u, v) }",
     false, false},
    {"Integers", "var u: f32\n    st s[lane] <- select(lane > 3, u, v)", false, false},
    {"Decides", "if select(v > 1.0, lane, 0) > 3 { st y[lane] <- 0.0 }", true, false},
};

class PickTest : public testing::TestWithParam<Pick> {};

TEST_P(PickTest, IsOpenWhereOneSideIsUndefined) {
  const std::string source =
      std::string(
          "program t target sm_80\nin x: f32[32]; out y: f32[32]\n"
          "kernel k {\n  grid (1)\n  smem s: f32[32]\n  role main: warps 1 {\n    "
          "let v = ld x[lane]\n    ") +
      GetParam().pick + "\n  }\n}\n";
  const std::optional<Given> given = Take(source);
  ASSERT_TRUE(given) << source;
  const Values fewer = ValuesThatMatter(*given->program, true);
  EXPECT_EQ(fewer.tensors[0], GetParam().matters) << source;
  EXPECT_EQ(RunIt(*given, &fewer).open_pick, GetParam().open) << source;
  ExpectTheSame(GetParam().name, source);
}

INSTANTIATE_TEST_SUITE_P(All, PickTest, testing::ValuesIn(kPicks),
                         [](const auto& info) { return std::string(info.param.name); });

// Both names of a memory that overlaps matter where one does.
TEST(ValuesThatMatter, OverlappingTensorsMatterTogether) {
  const std::optional<Given> given = Take(
      "program t target sm_80\nin x: f32[32]; out y: f32[32]\nalias x, y\nkernel k {\n"
      "  grid (1)\n  role main: warps 1 { st y[lane] <- ld x[lane] }\n}\n");
  ASSERT_TRUE(given);
  EXPECT_EQ(ValuesThatMatter(*given->program).tensors, (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace compiler::machine
