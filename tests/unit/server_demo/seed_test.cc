// Demo data: the same seed gives the same log, as many rows as were asked for, a log that folds and
// rebuilds, and nothing that could be taken for a measurement or for work.
#include "server/demo/seed.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "server/core/core.h"

namespace server::demo {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

std::vector<core::ContractFile> Contracts() {
  const std::string folder = "tests/corpus/vector_add/";
  core::ContractFile file{folder + "vector_add.workload.textproto",
                          ReadFile(folder + "vector_add.workload.textproto"),
                          {}};
  file.programs["vector_add.cake"] = ReadFile(folder + "vector_add.cake");
  return {file};
}

std::unique_ptr<store::Store> Open(const std::string& dir = "") {
  store::Options options;
  options.dir = dir;
  options.threads = false;
  options.disk_reserve_bytes = 0;
  auto store = store::Store::Open(options);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

std::vector<store::Event> Log(store::Store& store) {
  std::vector<store::Event> all;
  auto view = store.Snapshot();
  for (;;) {
    auto events = (*view)->reads().EventsAfter(all.empty() ? 0 : all.back().seq, 0, 500);
    EXPECT_TRUE(events.ok());
    if (!events.ok() || events->empty()) return all;
    all.insert(all.end(), events->begin(), events->end());
  }
}

state::State Fold(const std::vector<store::Event>& log) {
  state::State state;
  for (const store::Event& event : log) state.Apply(event);
  return state;
}

TEST(Demo, HasAsManyRowsAsWereAskedFor) {
  for (const int64_t rows : {0, 1, 300}) {
    auto store = Open();
    const auto seeded = Seed(*store, Contracts(), {.rows = rows, .seed = 3});
    ASSERT_TRUE(seeded.ok()) << seeded.status();
    const state::State state = Fold(Log(*store));
    const auto count = static_cast<size_t>(rows);
    EXPECT_EQ(state.candidates.size(), count);
    EXPECT_EQ(state.experiments.size(), count);
    EXPECT_EQ(state.runs.size(), count);
    EXPECT_EQ(state.devices.size(), count);
    EXPECT_EQ(state.findings.size(), count);
    EXPECT_EQ(state.proposals.size(), count);
    for (const auto& [id, proposal] : state.proposals) EXPECT_FALSE(proposal.IsAsked()) << id;
    EXPECT_EQ(state.queued_jobs.size(), count);
    EXPECT_EQ(seeded->best.empty(), rows == 0);
  }
}

TEST(Demo, IsTheSameForTheSameSeedOnly) {
  const auto bodies = [](uint64_t seed) {
    auto store = Open();
    EXPECT_TRUE(Seed(*store, Contracts(), {.rows = 40, .seed = seed}).ok());
    std::vector<std::string> out;
    for (const store::Event& event : Log(*store)) {
      // The store itself makes the first ones, about its folder and its time.
      if (std::holds_alternative<store::PrincipalChanged>(event.body)) continue;
      out.push_back(store::BodyToJson(event.body));
    }
    return out;
  };
  EXPECT_EQ(bodies(1), bodies(1));
  EXPECT_NE(bodies(1), bodies(2));
}

TEST(Demo, IsMarkedAndNeverMeasuredAndNeverWork) {
  auto store = Open();
  ASSERT_TRUE(Seed(*store, Contracts(), {.rows = 60}).ok());
  const std::vector<store::Event> log = Log(*store);
  const state::State state = Fold(log);
  ASSERT_EQ(state.imports.size(), 1u);
  EXPECT_EQ(state.imports.at(1).campaign, core::kDemoCampaign);
  for (const auto& [id, run] : state.runs) {
    EXPECT_EQ(run.import, 1);
    EXPECT_NE(run.objective, store::ScoreSource::kMeasured);
    EXPECT_NE(run.state, store::RunState::kRunning);
  }
  for (const auto& [id, device] : state.devices) EXPECT_TRUE(device.simulated);
  for (const store::Event& event : log) {
    const auto* done = std::get_if<store::EvaluationDone>(&event.body);
    if (done != nullptr) {
      EXPECT_NE(done->source, store::ScoreSource::kMeasured);
    }
  }
}

TEST(Demo, RebuildsFromItsLogAndRefusesAFolderInUse) {
  const std::string dir = ::testing::TempDir() + "cake-demo-test";
  std::filesystem::remove_all(dir);
  {
    auto store = Open(dir);
    ASSERT_TRUE(Seed(*store, Contracts(), {.rows = 30}).ok());
    EXPECT_EQ(Seed(*store, Contracts(), {.rows = 30}).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  const auto report = store::RebuildCheck(dir);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->equal()) << (report->differences.empty() ? report->integrity
                                                               : report->differences[0].table);
  std::filesystem::remove_all(dir);
}

struct NoGates : core::GateRunner {
  void Start(uint64_t, core::GateRequest, bool) override { ADD_FAILURE() << "demo data is work"; }
};

TEST(Demo, IsServedByADaemonAndStaysAsItIs) {
  auto store = Open();
  ASSERT_TRUE(Seed(*store, Contracts(), {.rows = 60}).ok());
  const size_t before = Log(*store).size();
  NoGates gates;
  core::CoreOptions options;
  options.contracts = Contracts();
  auto core = core::Core::Open(*store, store::SystemClock(), gates, std::move(options));
  ASSERT_TRUE(core.ok()) << core.status();
  for (int i = 0; i < 10; ++i) (*core)->Step();
  EXPECT_EQ(Log(*store).size(), before);
  const auto runs = (*core)->pages().Runs({});
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->rows.size(), 50u);
}

TEST(Demo, AsksForARangeThatItKnows) {
  auto store = Open();
  EXPECT_FALSE(Seed(*store, Contracts(), {.rows = -1}).ok());
  EXPECT_FALSE(Seed(*store, Contracts(), {.rows = kRowsMax + 1}).ok());
  EXPECT_EQ(Seed(*store, {}, {.rows = 1}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace server::demo
