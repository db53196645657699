// Diagnose: four kinds of information, and edits that can be applied.
#include "server/core/neighbours.h"

#include <nlohmann/json.hpp>

#include "tests/unit/server_loop/evolving.h"

namespace server::testing {
namespace {

constexpr const char* kProgram =
    "// param X in {1} = 9\nparam WARPS in {1, 2, 4} = 2  // knob\n"
    "param STAGES in 2..=4 = 3; param S in {1} = 1\n";

TEST(Neighbours, TheEditIsTheNumberOfTheDefault) {
  for (const auto& [param, value, old] :
       {std::tuple{"WARPS", "4", "2"}, {"STAGES", "4", "3"}, {"S", "2", "1"}}) {
    const auto fix = nlohmann::json::parse(core::DefaultEdit(kProgram, param, value));
    const auto& edit = fix.at("edits").at(0);
    const std::string text = kProgram;
    const size_t begin = edit.at("span").at("begin"), end = edit.at("span").at("end");
    EXPECT_EQ(text.substr(begin, end - begin), old) << param;
    EXPECT_EQ(edit.at("text"), value);
    EXPECT_EQ(edit.at("span").at("line"), std::string(param) == "WARPS" ? 2 : 3);
  }
  EXPECT_EQ(core::DefaultEdit(kProgram, "NONE", "1"), "");
  EXPECT_EQ(core::DefaultEdit("param P in {1} = N\n", "P", "1"), "");
}

TEST(Diagnose, SaysWhatIsAgainstWhatWasAndWhatToChange) {
  Evolving e;
  e.time = [](const std::string&, int64_t member) { return 900.0 + 30.0 * member; };
  e.Play(Evolving::Arm("full"), 24, {"name=a members=12 ns=1000"});
  const state::State& state = e.world.state();
  // The slowest member of the family that was measured: others of it are faster.
  const state::Variant* slow = nullptr;
  for (const auto& [id, variant] : state.variants) {
    const bool member = variant.canon_hash.starts_with("a:") && variant.time_ns > 0;
    if (member && (slow == nullptr || variant.time_ns > slow->time_ns)) slow = &variant;
  }
  ASSERT_NE(slow, nullptr);
  const std::string name = state.candidates.at(slow->candidate).Name();
  auto reply = e.world.core->Diagnose(name);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(reply->now.empty());
  EXPECT_EQ(reply->bottleneck, "hbm");
  ASSERT_EQ(reply->comparisons.size(), 4u);
  const auto& against_best = reply->comparisons[2];
  EXPECT_EQ(against_best.against, core::Against::kBest);
  EXPECT_FALSE(against_best.changes.empty());
  const auto measured =
      std::find_if(reply->advice.begin(), reply->advice.end(),
                   [](const core::Advice& advice) { return advice.why.starts_with("measured "); });
  ASSERT_NE(measured, reply->advice.end()) << "a member beside it was measured to be faster";
  EXPECT_TRUE(measured->what.starts_with("set P to "));
  EXPECT_NE(measured->why.find("all else equal"), std::string::npos);
}

TEST(Diagnose, TheBottleneckIsShownWithItsShares) {
  const char* report = R"({"estimate":{"time_ns":900,"bottleneck":"hbm","runner_up":"issue",
      "utilisation":{"issue":0.41,"hbm":0.93,"l2":0.2,"smem":0.1},
      "attribution":[{"line":23,"ns":512,"resource":"hbm"}]}})";
  EXPECT_EQ(core::BottleneckWhy(report),
            "hbm 93%, issue 41%, l2 20%; runner-up issue; line 23 takes 512 of 900 ns (hbm)");
  EXPECT_EQ(core::BottleneckWhy("{}"), "");
}

}  // namespace
}  // namespace server::testing
