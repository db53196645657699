#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/emit/emit.h"
#include "runner/compile/nvrtc.h"
#include "runner/contract/workload.h"
#include "runner/cuda/image_cache.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "runner/oracle/generate.h"
#include "tests/fakecuda/fault_plan.h"
#include "tests/fakecuda/module_image.h"

namespace fakecuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

const std::string kId = "00ff102030405060708090a0b0c0d0e0f0e1d2c3b4a5968778695a4b3c2d1e0f";

runner::launch::Elaborated Corpus(const std::string& name) {
  std::ifstream in("tests/corpus/" + name + "/" + name + ".cake");
  std::stringstream text;
  text << in.rdbuf();
  compiler::diag::Report report;
  return runner::launch::Elaborate({.source = text.str(), .file = name + ".cake"}, report);
}

TEST(ModuleImage, ReadsWhatItWrites) {
  const ModuleImage out{.program_id = kId, .arch = "sm_90a", .kernels = {"p_a", "p_b"}};
  const std::string bytes = WriteImage(out);
  const auto in = ReadImage(bytes.data());
  ASSERT_TRUE(in);
  EXPECT_EQ(in->program_id, kId);
  EXPECT_EQ(in->arch, "sm_90a");
  EXPECT_THAT(in->kernels, ElementsAre("p_a", "p_b"));
}

TEST(ModuleImage, AModuleWithoutAnIdentityIsReadToo) {
  const std::string bytes = WriteImage({.arch = "sm_80", .kernels = {"k"}});
  const auto in = ReadImage(bytes.data());
  ASSERT_TRUE(in);
  EXPECT_EQ(in->program_id, "");
  EXPECT_THAT(in->kernels, ElementsAre("k"));
}

TEST(ModuleImage, OtherBytesAreNoImage) {
  EXPECT_FALSE(ReadImage(nullptr));
  EXPECT_FALSE(ReadImage("// PTX, not a cubin, and long enough to hold a header of sixty-four"));
  std::string bytes = WriteImage({.program_id = kId});
  bytes[18] = 62;  // another machine: x86-64
  EXPECT_FALSE(ReadImage(bytes.data()));
}

TEST(ModuleImage, ASourceGivesItsIdentityAndKernels) {
  const auto program = Corpus("rmsnorm");
  ASSERT_NE(program.program, nullptr);
  const auto source =
      compiler::emit::Emit(*program.program, program.facts, program.canonical_hash, "r.cake");
  const ModuleImage image = ImageOfSource(source.cuda, "sm_90a");
  EXPECT_EQ(image.program_id, program.canonical_hash);
  EXPECT_THAT(image.kernels, UnorderedElementsAreArray(source.kernels));
}

TEST(ModuleImage, KernelsOfDirectCudaAreFoundThroughTheirAttributes) {
  EXPECT_THAT(ImageOfSource("extern \"C\" __global__ void __launch_bounds__(128, 1)\nmine(int* x)"
                            " {}\n__global__ void other(float) {}\n__device__ int helper(int);",
                            "sm_80")
                  .kernels,
              ElementsAre("mine", "other"));
}

// The other way round: the fake driver loads what the real compiler makes.
TEST(ModuleImage, ACubinOfTheRealCompilerIsReadWhereThereIsOne) {
  const auto path = runner::compile::FindNvrtc("");
  if (!path.ok()) GTEST_SKIP() << path.status();
  const auto nvrtc = runner::compile::Nvrtc::Open(*path);
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.status();
  const auto program = Corpus("vector_add");
  const auto source =
      compiler::emit::Emit(*program.program, program.facts, program.canonical_hash, "v.cake");
  const auto built = nvrtc->Compile(
      {.cuda = source.cuda, .file_name = "v.cu", .arch = "sm_90a", .options = source.options});
  ASSERT_EQ(built.result, runner::compile::kNvrtcSuccess) << built.log;
  const auto image = ReadImage(built.cubin.data());
  ASSERT_TRUE(image);
  EXPECT_EQ(image->program_id, program.canonical_hash);
  for (const std::string& kernel : source.kernels) {
    EXPECT_THAT(image->kernels, testing::Contains(kernel));
  }
}

TEST(FaultPlan, RulesFireWhenAllTheyNameAgrees) {
  FaultPlan plan(R"({"rules": [
      {"program": "ab", "stage": "launch", "nth": 2, "fault": "hang"},
      {"fault": "flip", "byte": 3, "times": 2},
      {"stage": "alloc", "fault": "oom"}]})");
  const auto faults = [&](const char* stage, const char* program) {
    std::string out;
    for (const Rule& rule : plan.Reach(stage, program)) {
      out += rule.fault == Fault::kHang ? "hang " : rule.fault == Fault::kFlip ? "flip " : "oom ";
    }
    return out;
  };
  EXPECT_EQ(faults("launch", "abc"), "flip ");
  EXPECT_EQ(faults("launch", "cd"), "flip ");
  EXPECT_EQ(faults("launch", "abd"), "hang ");  // its second; the flips are used up
  EXPECT_EQ(faults("launch", "abd"), "");
  EXPECT_EQ(faults("timed", "abd"), "");
  EXPECT_EQ(faults("alloc", ""), "oom ");
  EXPECT_EQ(faults("context", ""), "");
}

// Memory to copy from is kept and grows; where none can be pinned it is ordinary memory.
TEST(Staging, IsPinnedWhereTheDriverHasRoom) {
  const std::string plan = testing::TempDir() + "/cake-staging-plan.json";
  std::ofstream(plan) << R"({"rules": [{"stage": "host_alloc", "nth": 3, "fault": "oom"}]})";
  setenv("CAKE_FAKE_PLAN", plan.c_str(), 1);
  const auto driver =
      runner::cuda::Driver::Open(std::string(CAKE_FAKE_FOLDER) + "/libcuda.so.1").value();
  unsetenv("CAKE_FAKE_PLAN");
  std::remove(plan.c_str());
  runner::cuda::Staging staging(*driver);
  const auto small = staging.Take(1000);
  ASSERT_EQ(small.size(), 1000u);
  EXPECT_TRUE(staging.pinned());
  EXPECT_EQ(staging.Take(500).data(), small.data()) << "there is enough already";
  const auto large = staging.Take(5'000'000);
  std::fill(large.begin(), large.end(), std::byte{7});
  EXPECT_TRUE(staging.pinned());
  const auto refused = staging.Take(9'000'000);
  ASSERT_EQ(refused.size(), 9'000'000u);
  EXPECT_FALSE(staging.pinned());
  std::fill(refused.begin(), refused.end(), std::byte{7});
  EXPECT_EQ(staging.Take(100).size(), 100u);
  EXPECT_TRUE(staging.pinned()) << "asked again";
}

// Runs that differ in poison, layout or alignment begin with the same inputs: those are made once.
TEST(Images, ShareTheirInputs) {
  namespace cuda = runner::cuda;
  const auto driver = cuda::Driver::Open(std::string(CAKE_FAKE_FOLDER) + "/libcuda.so.1").value();
  cuda::CUcontext context = nullptr;
  ASSERT_EQ(driver->api().ctx_create(&context, 0, 0), cuda::kSuccess);
  std::ifstream in("tests/corpus/rmsnorm/rmsnorm.workload.textproto");
  std::stringstream text;
  text << in.rdbuf();
  auto workload = runner::contract::ParseTextproto(text.str()).value();
  runner::contract::Case at = workload.cases.front();
  at.dims = {{"M", 100}, {"N", 700}};  // x is worth keeping by itself, w is not
  const auto elaborated = Corpus("rmsnorm");
  const auto plan = runner::launch::PlanCase(elaborated, workload, at, 4).value();
  cuda::ImageCache images(*driver, 64 << 20);
  const cuda::ImageCache::Start start{&workload, &at, "contract", 5};
  const auto bytes_of = [&](const runner::launch::Layout& layout,
                            const runner::launch::RunSpec& run) {
    auto found = images.Get(start, layout, run);
    EXPECT_TRUE(found.ok() && found->failure.ok());
    std::vector<std::byte> got(static_cast<size_t>(layout.bytes));
    EXPECT_EQ(driver->api().memcpy_dtoh(got.data(), found->memory->address(), got.size()), 0);
    std::vector<std::byte> want(got.size());
    EXPECT_TRUE(runner::launch::FillRun(workload, at, layout, run, 5, want, 1).ok());
    EXPECT_TRUE(got == want) << "poison " << run.poison << " set " << run.input_set;
  };
  const auto layout = runner::launch::LayOut(plan.plan);
  auto other = layout;
  other.slots.push_back({.name = "scratch", .bytes = 4096, .offset = layout.bytes,
                         .workspace = true});
  other.bytes += 4096 + 2 * runner::oracle::kGuardBytes;
  bytes_of(layout, {.poison = 1});
  bytes_of(layout, {.poison = 2});
  bytes_of(other, {.poison = 1});
  bytes_of(runner::launch::LayoutOf(layout, {.shifted = true}), {.poison = 3, .shifted = true});
  EXPECT_EQ(images.drawn(), 1);
  bytes_of(layout, {.poison = 1, .input_set = 1});
  EXPECT_EQ(images.drawn(), 2);
  EXPECT_EQ(images.hits(), 0);
}

TEST(FaultPlan, WithoutAPlanNothingFails) {
  FaultPlan plan("{}");
  EXPECT_TRUE(plan.Reach("launch", "ab").empty());
  EXPECT_EQ(plan.device().arch, "sm_90a");
}

TEST(FaultPlanDeathTest, APlanThatCannotBeReadEndsTheProcess) {
  EXPECT_DEATH(FaultPlan("{"), "cannot be read");
  EXPECT_DEATH(FaultPlan(R"({"rule": []})"), "unknown key rule");
  EXPECT_DEATH(FaultPlan(R"({"rules": [{"fault": "sneeze"}]})"), "no fault is called `sneeze`");
  EXPECT_DEATH(FaultPlan(R"({"rules": [{"fault": "hang", "nht": 1}]})"), "unknown key nht");
}

}  // namespace
}  // namespace fakecuda
