#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "runner/contract/bind.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/frames.h"
#include "runner/launch/image.h"
#include "runner/oracle/generate.h"

namespace runner::launch {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

contract::Workload Contract(const std::string& name) {
  return contract::ParseTextproto(Read("tests/corpus/" + name + "/" + name + ".workload.textproto"))
      .value();
}

Elaborated Corpus(const std::string& name) {
  compiler::diag::Report report;
  auto out = Elaborate(
      {.source = Read("tests/corpus/" + name + "/" + name + ".cake"), .file = "x.cake"}, report);
  EXPECT_NE(out.program, nullptr);
  return out;
}

// The codes that binding a program to a contract reports.
std::vector<std::string> Codes(const contract::Workload& workload, const std::string& source) {
  compiler::diag::Report report;
  const auto program = Elaborate({.source = source, .file = "x.cake"}, report);
  EXPECT_NE(program.program, nullptr)
      << (report.diagnostics().empty() ? "" : report.diagnostics()[0].message);
  compiler::diag::Report found;
  if (program.program) contract::CheckBinding(workload, *program.program, found);
  std::vector<std::string> codes;
  for (const auto& d : found.diagnostics()) {
    EXPECT_EQ(d.category, compiler::diag::Category::kData);
    if (codes.empty() || codes.back() != d.code) codes.emplace_back(d.code);
  }
  return codes;
}

std::string Add(const std::string& head, const std::string& guard = "") {
  return "program add target sm_80\n" + head + guard +
         "kernel add {\n  grid (ceildiv(N, 256))\n  role main: warps 8 {\n    let i = cta*256 + "
         "thread\n"
         "    if i < N { st c[i] <- ld a[i] }\n  }\n}\n";
}

TEST(Binding, CorpusProgramsFitTheirContracts) {
  for (const char* name : {"vector_add", "rmsnorm"}) {
    compiler::diag::Report report;
    contract::CheckBinding(Contract(name), *Corpus(name).program, report);
    EXPECT_FALSE(report.has_errors()) << report.diagnostics()[0].message;
  }
}

TEST(Binding, EachKindOfConflictHasItsCode) {
  const auto workload = Contract("vector_add");
  using ::testing::ElementsAre;
  EXPECT_THAT(Codes(workload, Add("dim N in 0..=1073741824\nin a: f32[N]\nout c: f32[N]\n")),
              ElementsAre("CK9101"));
  EXPECT_THAT(
      Codes(workload,
            Add("dim N in 0..=1073741824\nin a: f32[N], b: f32[N], d: f32[N]\nout c: f32[N]\n")),
      ElementsAre("CK9102"));
  EXPECT_THAT(
      Codes(workload, Add("dim N in 0..=1073741824\nin a: f32[N], b: bf16[N]\nout c: f32[N]\n")),
      ElementsAre("CK9103"));
  EXPECT_THAT(
      Codes(workload,
            Add("dim N in 0..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\narg k: i32\n")),
      ElementsAre("CK9105"));
  EXPECT_THAT(
      Codes(workload, Add("dim N in 1..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\n")),
      ElementsAre("CK9108"));
  EXPECT_THAT(
      Codes(workload, Add("dim N in 0..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\n",
                          "where N % 4 == 0\n")),
      ElementsAre("CK9109"));
}

TEST(Binding, StridesAreThoseOfTheContract) {
  auto workload = Contract("vector_add");
  for (auto& tensor : workload.tensors) {
    if (tensor.name == "a") tensor.strides = {"3"};
  }
  const auto with = [](const std::string& a) {
    return Add("dim N in 0..=1073741824\nin a: " + a + ", b: f32[N]\nout c: f32[N]\n");
  };
  EXPECT_THAT(Codes(workload, with("f32[N]")), ::testing::ElementsAre("CK9107"));
  EXPECT_THAT(Codes(workload, with("f32[N] stride (2)")), ::testing::ElementsAre("CK9107"));
  EXPECT_THAT(Codes(workload, with("f32[N] stride (3)")), ::testing::IsEmpty());
  EXPECT_THAT(Codes(workload, with("f32[N] stride (apart)")), ::testing::IsEmpty());
}

TEST(Binding, ProgramsRelyOnNoMoreThanTheContractsAlignment) {
  auto workload = Contract("vector_add");
  const auto with = [](const std::string& where) {
    return Add("dim N in 0..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\n", where);
  };
  EXPECT_THAT(Codes(workload, with("where align(a) % 128 == 0\n")), ::testing::IsEmpty());
  workload.tensors[0].alignment = 64;
  EXPECT_THAT(Codes(workload, with("where align(a) % 128 == 0\n")),
              ::testing::ElementsAre("CK9110"));
  EXPECT_THAT(Codes(workload, with("where align(a) % 64 == 0\n")), ::testing::IsEmpty());
  workload.tensors[2].alignment = 4;  // programs of the language rely on 16
  EXPECT_THAT(Codes(workload, with("")), ::testing::ElementsAre("CK9110"));
}

TEST(Binding, HeldOutCasesMayBeRefusedWhereTheContractLetsSearchSpecialise) {
  auto workload = Contract("vector_add");
  for (auto& at : workload.cases) at.set = contract::Set::kHeldOut;
  const std::string narrow = Add("dim N in 2..=4\nin a: f32[N], b: f32[N]\nout c: f32[N]\n");
  EXPECT_FALSE(Codes(workload, narrow).empty());
  workload.specialise = {{.dim = "N", .search_only = true}};
  EXPECT_TRUE(Codes(workload, narrow).empty());
}

TEST(Elaborate, FaultsOfAJobAreFindings) {
  const auto first = [](const ProgramText& text) {
    compiler::diag::Report report;
    EXPECT_EQ(Elaborate(text, report).program, nullptr);
    return report.diagnostics().empty() ? std::string() : std::string(report.diagnostics()[0].code);
  };
  const std::string source = Read("tests/corpus/vector_add/vector_add.cake");
  EXPECT_EQ(first({.source = source, .program = "other"}), "CK9120");
  EXPECT_EQ(first({.source = source, .binding = {{"NOPE", 1}}}), "CK9121");
  EXPECT_EQ(first({.source = source, .arch = "sm_1"}), "CK9122");
}

// The gates read the limits of a plain target from the description of its capability: so does a
// run.
TEST(Elaborate, APlainTargetHasTheLimitsOfItsCapability) {
  std::string source = Read("tests/corpus/vector_add/vector_add.cake");
  const size_t at = source.find("target ") + 7;
  source.replace(at, source.find_first_of(" \n", at) - at, "sm_90");
  compiler::diag::Report report;
  const Elaborated elaborated = Elaborate({.source = source}, report);
  ASSERT_NE(elaborated.program, nullptr);
  EXPECT_EQ(elaborated.program->target, "sm_90");
  EXPECT_EQ(elaborated.device->compute_capability, 90);
}

TEST(Image, CanariesInputsAndPoisonStandWhereTheLayoutSays) {
  const auto workload = Contract("rmsnorm");
  const auto program = Corpus("rmsnorm");
  const auto& at = *contract::FindCase(workload, "ragged");
  const auto plan = PlanCase(program, workload, at, contract::kMachineSms).value();
  const Layout layout = LayOut(plan.plan);
  std::vector<std::byte> image(static_cast<size_t>(layout.bytes));
  const RunSpec run{.poison = 5, .input_set = 1};
  ASSERT_TRUE(FillRun(workload, at, layout, run, 9, image, 1).ok());
  const auto view = ViewOf(layout, run, image);
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    EXPECT_EQ(layout.slots[i].offset % kSlotAlignment, 0);
    EXPECT_EQ(oracle::FirstBrokenGuardByte(5, static_cast<int>(i), 0, view.buffers[i].before), -1);
    EXPECT_EQ(oracle::FirstBrokenGuardByte(5, static_cast<int>(i), 1, view.buffers[i].after), -1);
  }
  // Nothing has run: the judge sees an output that was never written, and nothing else out of
  // place.
  const auto judged = oracle::JudgeCase(workload, at, 9, {view}, 1);
  ASSERT_TRUE(judged.ok()) << judged.status();
  EXPECT_EQ(judged->verdict, contract::Verdict::kIncompleteOutput);
}

// A shifted buffer begins at a multiple of its alignment and of no larger power of two, and keeps
// its canaries; buffers stay apart.
TEST(Image, ShiftedBuffersAreAsFarOffAsTheyMayBe) {
  compiler::facts::LaunchPlan plan;
  for (const int64_t alignment : {16, 128, 256, 4}) {
    plan.tensors.push_back({.name = "t", .bytes = 4092, .alignment = alignment});
  }
  const Layout layout = LayOut(plan);
  const Layout shifted = LayoutOf(layout, {.shifted = true});
  EXPECT_EQ(LayoutOf(layout, {}).slots[0].offset, layout.slots[0].offset);
  int64_t end = 0;
  for (size_t i = 0; i < 4; ++i) {
    const Slot& slot = shifted.slots[i];
    const int64_t begin = slot.offset + oracle::kGuardBytes;
    EXPECT_EQ(begin % slot.alignment, 0);
    if (slot.alignment < kSlotAlignment) {
      EXPECT_NE(begin % (2 * slot.alignment), 0);
    }
    EXPECT_GE(slot.offset, end);
    end = slot.offset + slot.bytes + 2 * oracle::kGuardBytes;
    EXPECT_LE(end, layout.bytes);
  }
}

TEST(Frames, RoundTrip) {
  const launch::Setup setup{.workload = Contract("rmsnorm"),
                            .program = {.source = "s", .file = "f", .binding = {{"A", -1}}},
                            .seed = ~uint64_t{0},
                            .emit = true,
                            .cases = {"tile"}};
  EXPECT_EQ(ToJson(SetupFromJson(ToJson(setup)).value()), ToJson(setup));
  const CaseRequest request{.name = "tile",
                            .role = "jitter",
                            .runs = {{.poison = ~uint64_t{0},
                                      .input_set = 1,
                                      .schedule_seed = 3,
                                      .shifted = true,
                                      .same_memory = true,
                                      .jitter_seed = 5}}};
  EXPECT_EQ(ToJson(CaseRequestFromJson(ToJson(request)).value()), ToJson(request));
  CaseReply reply{
      .outcome = CaseReply::Outcome::kFault, .name = "tile", .code = "CK2001", .runs_done = 1};
  reply.layout = {.slots = {{.name = "x", .bytes = 64}},
                  .bytes = 64 + 2 * oracle::kGuardBytes + kSlotAlignment};
  EXPECT_EQ(ToJson(CaseReplyFromJson(ToJson(reply)).value()), ToJson(reply));
}

// What a child claims about its memory is checked before anything is read by it.
TEST(Frames, ASlotOutsideTheImageIsRefused) {
  CaseReply reply{.name = "tile", .runs_done = 1};
  for (const Slot& bad :
       {Slot{.name = "x", .bytes = 65}, Slot{.name = "x", .bytes = 64, .offset = 1},
        Slot{.name = "x", .bytes = 64, .alignment = 0}, Slot{.name = "x", .bytes = -1},
        Slot{.name = "x", .bytes = int64_t{1} << 62}}) {
    reply.layout = {.slots = {bad}, .bytes = 64 + 2 * oracle::kGuardBytes + kSlotAlignment};
    EXPECT_FALSE(CaseReplyFromJson(ToJson(reply)).ok()) << bad.bytes << " at " << bad.offset;
  }
  for (const char* text : {"", "{}", "[1]", "{\"outcome\": 9}"})
    EXPECT_FALSE(CaseReplyFromJson(text).ok());
}

}  // namespace
}  // namespace runner::launch
