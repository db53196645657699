// Tensor maps and the instructions of copies, and what of them travels in a launch plan.
#include "compiler/facts/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/arch/device.h"
#include "compiler/diag/render.h"
#include "compiler/facts/launch.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace compiler::facts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Derived {
  std::unique_ptr<ir::Program> program;
  Facts facts;
};

Derived DeriveSource(const std::string& source) {
  diag::Report report;
  const std::unique_ptr<text::File> file = text::Parse(source, ops::Table(), report);
  const text::Program& program = *file->programs.at(0);
  Derived derived;
  derived.program = sema::Elaborate(
      *file, program, sema::DefaultBinding(sema::Params(program, report)), ops::Table(), report);
  EXPECT_NE(derived.program, nullptr) << diag::RenderText(report, "test", source);
  if (derived.program != nullptr) {
    derived.facts = Derive(*derived.program, **arch::Find("sm_90a"), report);
  }
  EXPECT_FALSE(report.has_errors()) << diag::RenderText(report, "test", source);
  return derived;
}

// One store of `tile` to `y`.
Derived Store(const std::string& y, const std::string& tile, const std::string& copy) {
  return DeriveSource("program p target sm_90\ndim N in 0..=4096\nout " + y +
                      "\nkernel k {\n  grid (ceildiv(N, 64))\n  smem tile: " + tile +
                      "\n  role main: warps 1 { once { " + copy +
                      "; tma.commit; tma.wait.read 0 } }\n}\n");
}

TEST(TensorMaps, ABoxOfRowsIsOneInstruction) {
  const Derived d = Store("y: f32[N, 64]", "f32[16, 32]", "tma.store y[0:+16, 32:+32] <- tile");
  ASSERT_EQ(d.facts.copies.maps.size(), 1u);
  const TensorMap& map = d.facts.copies.maps[0];
  EXPECT_EQ(map.name, "y_map");
  EXPECT_THAT(map.box, ElementsAre(16, 32));
  EXPECT_EQ(map.swizzle_bytes, 0);
  ASSERT_EQ(d.facts.copies.plans.size(), 1u);
  const CopyPlan& plan = d.facts.copies.plans.begin()->second;
  EXPECT_EQ(plan.bytes, 16 * 32 * 4);
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_THAT(plan.parts[0].at, ElementsAre(0, 0));
}

TEST(TensorMaps, SwizzledColumnsAreSplitIntoPanels) {
  const Derived d =
      Store("y: bf16[N, 256]", "bf16[16, 192] swizzle 128", "tma.store y[0:+16, 0:+192] <- tile");
  EXPECT_THAT(d.facts.copies.maps[0].box, ElementsAre(16, 64));
  const CopyPlan& plan = d.facts.copies.plans.begin()->second;
  ASSERT_EQ(plan.parts.size(), 3u);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_THAT(plan.parts[static_cast<size_t>(i)].at, ElementsAre(0, 64 * i));
    EXPECT_EQ(plan.parts[static_cast<size_t>(i)].shared_bytes, 16 * 128 * i);
  }
}

TEST(TensorMaps, MoreThan256RowsAreSplit) {
  const Derived d = Store("y: f32[N, 4]", "f32[384, 4]", "tma.store y[0:+384, :] <- tile");
  EXPECT_THAT(d.facts.copies.maps[0].box, ElementsAre(192, 4));
  const CopyPlan& plan = d.facts.copies.plans.begin()->second;
  ASSERT_EQ(plan.parts.size(), 2u);
  EXPECT_THAT(plan.parts[1].at, ElementsAre(192, 0));
  EXPECT_EQ(plan.parts[1].shared_bytes, 192 * 16);
}

TEST(TensorMaps, EqualUsesShareOneMapAndOthersHaveTheirOwn) {
  const Derived d = Store("y: f32[N, 64]", "f32[16, 32]",
                          "tma.store y[0:+16, 0:+32] <- tile; tma.store y[16:+16, 32:+32] <- tile; "
                          "tma.store y[0:+8, 0:+32] <- tile[0:+8, :]");
  ASSERT_EQ(d.facts.copies.maps.size(), 2u);
  EXPECT_EQ(d.facts.copies.maps[1].name, "y_map_2");
  EXPECT_THAT(d.facts.copies.maps[1].box, ElementsAre(8, 32));
  const std::vector<ArgumentSlot> slots = Parameters(*d.program, nullptr);
  ASSERT_EQ(slots.size(), 4u);
  EXPECT_EQ(slots[2].kind, ArgumentSlot::Kind::kTensorMap);
  EXPECT_EQ(slots[3].name, "y_map_2");
  EXPECT_EQ(slots[3].bytes, 128);
}

TEST(TensorMaps, TheirBuffersBeginAt128Bytes) {
  const Derived d = DeriveSource(
      "program p target sm_90\nout y: f32[16]\nkernel k {\n  grid (1)\n  smem small: f32[4]\n"
      "  smem tile: f32[16]\n  role main: warps 1 {\n    st small[0] <- 0.0\n"
      "    once { tma.store y[:] <- tile; tma.commit; tma.wait.read 0 }\n  }\n}\n");
  EXPECT_EQ(d.facts.kernels[0].shared[1].offset_bytes, 128);
}

absl::StatusOr<LaunchPlan> Plan(const Derived& d, std::map<std::string, int64_t> named) {
  const absl::StatusOr<ir::LaunchValues> values = BindLaunch(*d.program, named);
  if (!values.ok()) return values.status();
  return PlanLaunch(*d.program, d.facts, *values, "h");
}

TEST(TensorMapPlans, TravelAsJson) {
  const Derived d =
      Store("y: f32[N, 64]", "f32[16, 32] swizzle 128", "tma.store y[0:+16, 32:+32] <- tile");
  const auto plan = Plan(d, {{"N", 100}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto read = LaunchPlanFromJson(ToJson(*plan));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->tensor_maps.size(), 1u);
  const TensorMapPlan& map = read->tensor_maps[0];
  EXPECT_EQ(map.tensor, "y");
  EXPECT_THAT(map.extents, ElementsAre(100, 64));
  EXPECT_THAT(map.strides, ElementsAre(64, 1));
  EXPECT_THAT(map.box, ElementsAre(16, 32));
  EXPECT_EQ(map.swizzle_bytes, 128);
  EXPECT_TRUE(map.used);
  EXPECT_EQ(read->arguments.back().kind, ArgumentSlot::Kind::kTensorMap);
  EXPECT_EQ(ToJson(*read), ToJson(*plan));
}

TEST(TensorMapPlans, ASkippedLaunchUsesNone) {
  const Derived d = Store("y: f32[N, 64]", "f32[16, 32]", "tma.store y[0:+16, 32:+32] <- tile");
  const auto plan = Plan(d, {{"N", 0}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->tensor_maps[0].used);
}

TEST(TensorMapPlans, NameTheTensorThatHasNoMap) {
  const Derived d = Store("y: f32[N, N]", "f32[16, 32]", "tma.store y[0:+16, 0:+32] <- tile");
  EXPECT_TRUE(Plan(d, {{"N", 64}}).ok());
  const auto odd = Plan(d, {{"N", 65}});
  ASSERT_FALSE(odd.ok());
  EXPECT_THAT(std::string(odd.status().message()),
              HasSubstr("tensor `y` has a stride of 260 bytes in dimension 0"));
}

TEST(TensorMapPlans, AreExplained) {
  const Derived d =
      Store("y: f32[N, 64]", "f32[16, 32] swizzle 128", "tma.store y[0:+16, 32:+32] <- tile");
  EXPECT_THAT(ExplainText(*d.program, d.facts),
              HasSubstr("tensor map y_map    of y, box (16, 32), swizzle 128\n"));
  EXPECT_THAT(ExplainJson(*d.program, d.facts), HasSubstr("\"swizzle_bytes\": 128"));
  const Derived none = DeriveSource(
      "program p target sm_90\nout y: f32[1]\nkernel k {\n  grid (1)\n"
      "  role main: warps 1 { once { st y[0] <- 1.0 } }\n}\n");
  EXPECT_THAT(none.facts.copies.maps, IsEmpty());
}

}  // namespace
}  // namespace compiler::facts
