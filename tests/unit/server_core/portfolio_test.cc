// Portfolios: who is chosen for which shape, what stands in the folder, and that it follows from
// the manifest.
#include "server/core/portfolio.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::PortfolioReply;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

absl::StatusOr<PortfolioReply> Export(World& world, const std::string& run = "") {
  return world.core->ExportPortfolio(
      {.meta = world.NewMeta(), .workload = "vector_add", .run = run, .reason = "release"});
}

const core::PortfolioFile* FileOf(const PortfolioReply& reply, const std::string& path) {
  for (const auto& file : reply.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}
json ManifestOf(const PortfolioReply& reply) {
  const auto* file = FileOf(reply, "manifest.json");
  EXPECT_NE(file, nullptr);
  return json::parse(file->content);
}

// Samples of the two shapes of the contract's device tier.
std::string Samples(double n28, double n24) {
  const auto series = [](double ns) { return json{{"cold_ns", {ns, ns, ns}}}; };
  const auto one = [&](const char* name, double ratio) {
    return json{{"case", name}, {"candidate", series(1000)}, {"baseline", series(1000 * ratio)}};
  };
  return json{{"cases", {one("n28", n28), one("n24", n24)}}}.dump();
}

class Measured {
 public:
  Measured() {
    world.RegisterGpu();
    loop::RunSpec spec;
    spec.open = true;
    run = world.StartRun("e", 100, spec);
  }

  // A program that a GPU found right, with these ratios to the baseline. Its candidate.
  std::string Add(const std::string& name, double n28, double n24) {
    auto request = world.Request("name=" + name, world.NewMeta());
    request.meta.experiment = "e";
    auto reply = world.Submit(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    world.Settle();
    while (const auto grant = world.Acquire("gpu")) {
      core::CompleteRequest result = world.Result(*grant, store::Verdict::kCorrect, "gpu");
      result.machine = "right";
      auto samples = world.core->PutObject(store::ObjectKind::kSamples, Samples(n28, n24));
      EXPECT_TRUE(samples.ok());
      result.samples = *samples;
      result.time_ns = 1000;
      result.ratio_med = std::sqrt(n28 * n24);
      result.ratio_low = result.ratio_med * 0.99;
      result.ratio_high = result.ratio_med * 1.01;
      result.clocks.push_back({store::Stage::kTiming, store::StageEnd::kOk, 100, 10, 0});
      EXPECT_TRUE(world.core->Complete(result).ok());
      world.Settle();
    }
    return reply->candidate;
  }

  World world;
  std::string run;
};

TEST(Portfolio, AShapeHasItsOwnProgramOnlyWhereThatPays) {
  Measured measured;
  measured.Add("even", 0.80, 0.80);
  const std::string best = measured.Add("large", 0.90, 0.75);
  const std::string small = measured.Add("small", 0.60, 0.95);
  const std::string close = measured.Add("close", 0.80, 0.951);
  const auto reply = Export(measured.world);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const json manifest = ManifestOf(*reply);
  ASSERT_EQ(manifest["devices"].size(), 1u);
  const json& device = manifest["devices"][0];
  EXPECT_EQ(device["arch"], "sm_90a");
  EXPECT_FALSE(device["simulated"]);
  // `close` is the best over both; for n28 `large` is 12% faster, for n24 nobody is by 1%.
  EXPECT_THAT(device["default"].get<std::string>(), HasSubstr(close + "-"));
  ASSERT_EQ(device["routes"].size(), 2u);
  std::map<std::string, std::string> routes;
  for (const json& route : device["routes"]) {
    routes[route["case"]] = route["kernel"];
    EXPECT_EQ(route["own"], route["case"] == "n28");
  }
  EXPECT_THAT(routes["n28"], HasSubstr(best + "-"));
  EXPECT_THAT(routes["n24"], HasSubstr(close + "-"));
  EXPECT_EQ(reply->kernels, 2);
  EXPECT_EQ(reply->routes, 1);
  const auto* header = FileOf(*reply, "portfolio.h");
  ASSERT_NE(header, nullptr);
  EXPECT_THAT(header->content, HasSubstr("if (N == 268435456) return "));
  EXPECT_EQ(header->content.find("16777216"), std::string::npos);
}

TEST(Portfolio, EveryFileIsInTheManifestWithItsHash) {
  Measured measured;
  const std::string name = measured.Add("a", 0.9, 0.9);
  const auto reply = Export(measured.world);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const json manifest = ManifestOf(*reply);
  std::vector<std::string> paths;
  for (const json& file : manifest["files"]) {
    const auto* found = FileOf(*reply, file["path"]);
    ASSERT_NE(found, nullptr) << file;
    auto bytes = measured.world.core->GetObject(found->hash);
    ASSERT_TRUE(bytes.ok()) << file;
    EXPECT_EQ(store::Sha256Hex(*bytes), file["sha256"]);
    EXPECT_EQ(static_cast<int64_t>(bytes->size()), file["bytes"]);
    paths.push_back(file["path"]);
  }
  const std::string at =
      absl::StrCat("kernels/", manifest["kernels"][0]["name"].get<std::string>(), "/");
  EXPECT_THAT(at, HasSubstr(name));
  EXPECT_THAT(paths, UnorderedElementsAre(at + "kernel.cake", at + "binding.json", at + "job.json",
                                          at + "kernel.cu", at + "receipt.json",
                                          "vector_add.workload.textproto", "vector_add.cake"));
  EXPECT_EQ(reply->files.size(), paths.size() + 3);
  EXPECT_EQ(store::HashOf(FileOf(*reply, "manifest.json")->content), reply->manifest);
  const auto notes = measured.world.Events<store::AdminAction>();
  EXPECT_EQ(notes.back().action, "EXPORT_PORTFOLIO");
  EXPECT_EQ(notes.back().reason, "release");
  EXPECT_EQ(notes.back().object_hash, reply->manifest);
}

TEST(Portfolio, OfPredictionsSaysThatNothingWasMeasured) {
  World world;
  world.RegisterWorker();
  const std::string slow = world.Submit("name=slow ns=5000");
  const std::string fast = world.Submit("name=fast ns=500");
  EXPECT_EQ(world.WorkOff(), 2);
  const auto reply = Export(world);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const json manifest = ManifestOf(*reply);
  ASSERT_EQ(manifest["devices"].size(), 1u);
  EXPECT_EQ(manifest["devices"][0]["device"], "");
  EXPECT_EQ(manifest["devices"][0]["figures"]["source"], "ESTIMATED");
  EXPECT_NEAR(manifest["devices"][0]["figures"]["predicted_ns"].get<double>(), 500, 1e-6);
  EXPECT_THAT(manifest["devices"][0]["default"].get<std::string>(), HasSubstr(fast + "-"));
  EXPECT_FALSE(manifest.dump().find("\"ratio\"") != std::string::npos);
  EXPECT_THAT(FileOf(*reply, "README.md")->content, HasSubstr("not measured"));
}

TEST(Portfolio, IsOfRightProgramsOfTheRunsThatWereAskedFor) {
  World world;
  world.RegisterWorker();
  EXPECT_FALSE(Export(world).ok()) << "there is none yet";
  world.Submit("name=wrong ns=10");
  EXPECT_EQ(world.WorkOff(store::Verdict::kWrongResult), 1);
  EXPECT_FALSE(Export(world).ok());
  const std::string right = world.Submit("name=right ns=900");
  EXPECT_EQ(world.WorkOff(), 1);
  EXPECT_TRUE(Export(world).ok());
  const std::string other = world.StartRun("other", 0);
  EXPECT_FALSE(Export(world, other).ok()) << "nothing of this run was judged";
  EXPECT_FALSE(Export(world, "r-99").ok());
  const auto unknown =
      world.core->ExportPortfolio({.meta = world.NewMeta(), .workload = "nothing"});
  EXPECT_EQ(state::ReasonOf(unknown.status()), state::Reason::kUnknownWorkload);
}

TEST(Portfolio, TheSameRequestAgainIsTheSameFolder) {
  World world;
  world.RegisterWorker();
  world.Submit("name=a ns=900");
  EXPECT_EQ(world.WorkOff(), 1);
  core::PortfolioRequest request{.meta = world.NewMeta(), .workload = "vector_add"};
  const auto first = world.core->ExportPortfolio(request);
  ASSERT_TRUE(first.ok()) << first.status();
  world.Submit("name=b ns=100");
  EXPECT_EQ(world.WorkOff(), 1);
  const auto again = world.core->ExportPortfolio(request);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->files.size(), first->files.size());
  for (size_t i = 0; i < first->files.size(); ++i) {
    EXPECT_EQ(again->files[i].path, first->files[i].path);
    EXPECT_EQ(again->files[i].hash, first->files[i].hash);
  }
  EXPECT_EQ(again->kernels, first->kernels);
}

}  // namespace
}  // namespace server::testing
