#include "server/gates/family.h"

#include <set>

#include "gtest/gtest.h"
#include "server/gates/judge.h"

namespace server::gates {
namespace {

using compiler::sema::ParamDomain;

std::vector<ParamDomain> Params() {
  ParamDomain a{.name = "A", .values = {1, 2, 4}, .default_value = 2};
  ParamDomain b{.name = "B", .values = {32, 64}, .default_value = 64};
  return {a, b};
}

std::set<std::string> All(const Family& family) {
  std::set<std::string> out;
  for (int64_t i = 0; i < family.reachable(); ++i) out.insert(BindingJson(family.At(i)));
  return out;
}

TEST(Family, DefaultFirstThenEveryOtherMemberOnce) {
  auto family = Family::Make(Params(), {}, 4096, 1);
  ASSERT_TRUE(family.ok());
  EXPECT_EQ(family->size(), 6);
  EXPECT_EQ(family->reachable(), 6);
  EXPECT_FALSE(family->sampled());
  EXPECT_EQ(BindingJson(family->At(0)), R"({"A":2,"B":64})");
  EXPECT_EQ(BindingJson(family->At(1)), R"({"A":1,"B":32})");
  EXPECT_EQ(All(*family).size(), 6u);
}

TEST(Family, NarrowingKeepsTheDefaultWhereItCan) {
  auto family = Family::Make(Params(), {{"A", {"4", "2"}}}, 4096, 1);
  ASSERT_TRUE(family.ok());
  EXPECT_EQ(family->size(), 4);
  EXPECT_EQ(BindingJson(family->At(0)), R"({"A":2,"B":64})");
  auto other = Family::Make(Params(), {{"A", {"4"}}}, 4096, 1);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(BindingJson(other->At(0)), R"({"A":4,"B":64})");
}

TEST(Family, NarrowingNeverWidens) {
  EXPECT_EQ(Family::Make(Params(), {{"A", {"3"}}}, 4096, 1).status().message(),
            "`3` is not in the domain of param `A`");
  EXPECT_EQ(Family::Make(Params(), {{"C", {"1"}}}, 4096, 1).status().message(),
            "the program has no param `C`");
  EXPECT_FALSE(Family::Make(Params(), {{"A", {"two"}}}, 4096, 1).ok());
}

TEST(Family, LargeFamiliesAreSampledWithoutRepeats) {
  std::vector<ParamDomain> params;
  for (const char* name : {"A", "B", "C"}) {
    ParamDomain param{.name = name, .default_value = 7};
    for (int64_t i = 0; i < 100; ++i) param.values.push_back(i);
    params.push_back(param);
  }
  auto family = Family::Make(params, {}, 50, 3);
  ASSERT_TRUE(family.ok());
  EXPECT_EQ(family->size(), 1'000'000);
  EXPECT_EQ(family->reachable(), 50);
  EXPECT_TRUE(family->sampled());
  EXPECT_EQ(BindingJson(family->At(0)), R"({"A":7,"B":7,"C":7})");
  EXPECT_GE(All(*family).size(), 49u);
  auto again = Family::Make(params, {}, 50, 3);
  EXPECT_EQ(All(*again), All(*family));
  auto other = Family::Make(params, {}, 50, 4);
  EXPECT_NE(All(*other), All(*family));
}

TEST(Family, BindingsRoundTrip) {
  const compiler::sema::Binding binding = {{"A", -3}, {"B", 64}};
  EXPECT_EQ(BindingFromJson(BindingJson(binding)), binding);
  EXPECT_FALSE(BindingFromJson("[1]").has_value());
  EXPECT_FALSE(BindingFromJson(R"({"A":"x"})").has_value());
}

}  // namespace
}  // namespace server::gates
