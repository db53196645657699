// A log is the same whether or not the machine keeps clocks: who knows what decides nothing that a
// warp does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <sstream>

#include "runner/contract/bind.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "tests/device/events/record.h"

namespace device::events {
namespace {

namespace fs = std::filesystem;
namespace contract = runner::contract;
namespace launch = runner::launch;
namespace machine = compiler::machine;

constexpr uint64_t kCases = 2;  // of a program, the last: the first are of nothing and of one
constexpr uint64_t kSchedules = 2;  // the canonical order and another, in turn

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Seen {
  std::vector<WarpLog> logs;
  std::vector<std::byte> image;
  int64_t lane_statements = 0;
};

// The programs of the corpus with the contracts whose names begin theirs.
std::vector<std::pair<fs::path, fs::path>> Programs() {
  std::vector<std::pair<fs::path, fs::path>> found;
  for (const auto& at : fs::recursive_directory_iterator("tests/corpus")) {
    if (at.path().extension() != ".cake") continue;
    const std::string name = at.path().stem().string();
    fs::path best;
    for (const auto& beside : fs::directory_iterator(at.path().parent_path())) {
      const std::string contract = beside.path().stem().stem().string();
      const bool fits = name == contract || name.starts_with(contract + "_");
      if (beside.path().extension() != ".textproto" || !fits) continue;
      if (best.empty() || contract.size() > best.stem().stem().string().size()) best = beside;
    }
    if (!best.empty()) found.emplace_back(at.path(), best);
  }
  std::ranges::sort(found);
  return found;
}

Seen RunCase(const launch::Elaborated& program, const contract::Workload& workload,
             const contract::Case& at, bool clocks, uint64_t seed) {
  const auto plan =
      launch::PlanCase(program, workload, at, contract::MachineSms(*program.program));
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  const launch::Layout layout = launch::LayOut(plan->plan);
  Seen seen{.image = std::vector<std::byte>(static_cast<size_t>(layout.bytes))};
  EXPECT_TRUE(launch::FillRun(workload, at, layout, {}, 1, seen.image, 1).ok());
  machine::Memory memory;
  for (const launch::Slot& slot : layout.slots) {
    memory.tensors.push_back(launch::DataOf(slot, seen.image));
    if (slot.zero) std::ranges::fill(memory.tensors.back(), std::byte{0});
  }
  const auto result =
      machine::Run(*program.program, program.facts, plan->plan, plan->values, memory,
                   {.check_races = false,
                    .clocks = clocks,
                    .max_lane_statements = int64_t{1} << 40,
                    .schedule_seed = seed,
                    .log_events = true});
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, machine::Outcome::kFinished);
  seen.logs = FromMachine(*program.program, program.facts, *result);
  seen.lane_statements = result->lane_statements;
  return seen;
}

void ExpectSame(const Seen& with, const Seen& without) {
  EXPECT_EQ(with.image, without.image);
  EXPECT_EQ(with.lane_statements, without.lane_statements);
  ASSERT_EQ(with.logs.size(), without.logs.size());
  for (size_t i = 0; i < with.logs.size(); ++i) {
    const bool same = std::ranges::equal(
        with.logs[i].records, without.logs[i].records, [](const Record& a, const Record& b) {
          return a.Same(b) && a.lanes == b.lanes && a.line == b.line;
        });
    EXPECT_TRUE(same) << "warp " << with.logs[i].warp << " of CTA " << with.logs[i].cta;
  }
}

TEST(WithoutClocks, EveryWarpOfTheCorpusLogsTheSame) {
  size_t programs = 0, records = 0;
  for (const auto& [file, contract_file] : Programs()) {
    SCOPED_TRACE(file);
    compiler::diag::Report report;
    const launch::Elaborated program = launch::Elaborate({.source = Read(file)}, report);
    ASSERT_NE(program.program, nullptr);
    const auto workload = contract::ParseTextproto(Read(contract_file));
    ASSERT_TRUE(workload.ok()) << workload.status();
    ++programs;
    uint64_t cases = 0;
    for (const contract::Case& at : workload->cases | std::views::reverse) {
      if (at.tier != contract::Tier::kMachine || cases == kCases) continue;
      SCOPED_TRACE(at.name);
      const uint64_t seed = cases++ % kSchedules;
      const Seen with = RunCase(program, *workload, at, true, seed);
      ExpectSame(with, RunCase(program, *workload, at, false, seed));
      for (const WarpLog& log : with.logs) records += log.records.size();
    }
  }
  EXPECT_GT(programs, 70u);
  EXPECT_GT(records, 10'000u);
}

}  // namespace
}  // namespace device::events
