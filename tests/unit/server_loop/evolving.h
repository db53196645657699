// A run that evolves on a device whose times are a known function of the program: what it decides
// can be read from its log.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/loop/generate.h"
#include "server/loop/plan.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {

// Nanoseconds of a member "name:i" of the fake families, on the device.
using DeviceTime = std::function<double(const std::string& family, int64_t member)>;

class Evolving {
 public:
  explicit Evolving(std::string dir = "") : world(std::move(dir)) {
    world.RegisterGpu({"run:sm_90a", "audit"});
  }

  static loop::RunSpec Arm(const std::string& arm) {
    auto spec = loop::SpecOfArm({}, arm);
    EXPECT_TRUE(spec.ok()) << arm;
    return *spec;
  }

  // Creates the run, hands the seeds in before it starts, and plays it to its end.
  const state::Run& Play(const loop::RunSpec& spec, int64_t evaluations,
                         const std::vector<std::string>& seeds) {
    core::CreateExperimentRequest create;
    create.meta = world.NewMeta();
    create.name = "e";
    create.workload = "vector_add";
    create.evaluations = evaluations;
    create.seed = 7;
    create.spec = spec;
    EXPECT_TRUE(world.core->CreateExperiment(create).ok());
    for (const std::string& seed : seeds) {
      auto request = world.Request(seed, world.NewMeta());
      request.meta.experiment = "e";
      EXPECT_TRUE(world.Submit(request).ok());
    }
    core::ExperimentRequest start;
    start.meta = world.NewMeta();
    start.experiment = "e";
    EXPECT_TRUE(world.core->StartExperiment(start).ok());
    for (int i = 0; i < 20000 && Run().state != store::RunState::kStopped; ++i) Once();
    EXPECT_EQ(Run().state, store::RunState::kStopped);
    return Run();
  }

  // One step of the daemon, one answer of a gate child or one result.
  bool Once() {
    bool any = world.core->Step();
    if (!world.gates.asked.empty()) {
      const auto asked = std::move(world.gates.asked.front());
      world.gates.asked.pop_front();
      world.core->GateDone(asked.id, FakeGates::Reply(asked.request));
      return true;
    }
    const auto grant = world.Acquire("gpu");
    if (!grant) return any;
    EXPECT_TRUE(world.core->Complete(ResultOf(*grant)).ok());
    return true;
  }

  core::CompleteRequest ResultOf(const core::Grant& grant) {
    const auto& job = world.state().jobs.at(*store::ParseRowName('j', grant.job));
    const std::string& form = world.state().variants.at(job.variant).canon_hash;
    const size_t colon = form.find(':');
    const double ns = time(form.substr(0, colon), std::stoll(form.substr(colon + 1)));
    core::CompleteRequest result = world.Result(grant, store::Verdict::kCorrect, "gpu");
    result.receipt_json = absl::StrCat("{\"lease\":\"", grant.lease, "\"}");
    result.time_ns = ns;
    result.ratio_med = kBaselineNs / ns;
    result.ratio_low = 0.99 * result.ratio_med;
    result.ratio_high = 1.01 * result.ratio_med;
    result.clocks.push_back({store::Stage::kTiming, store::StageEnd::kOk, 5'000'000, 1000, 0});
    world.clock.AdvanceMs(20);
    return result;
  }

  const state::Run& Run() const { return world.state().runs.begin()->second; }

  std::vector<state::Choice> Choices(std::string_view kind) {
    std::vector<state::Choice> out;
    for (const auto& d : world.Events<store::Decision>()) {
      if (d.kind == kind) out.push_back(state::ChoiceFromJson(d.kind, d.chosen_json));
    }
    return out;
  }

  // What was evaluated, in order.
  std::vector<std::string> Evaluated() const {
    std::vector<std::string> out;
    for (const auto& [id, job] : world.state().jobs) {
      out.push_back(world.state().variants.at(job.variant).canon_hash);
    }
    return out;
  }

  static constexpr double kBaselineNs = 1000;
  World world;
  DeviceTime time = [](const std::string&, int64_t member) {
    return 900.0 + static_cast<double>((member * 37) % 400);
  };
};

}  // namespace server::testing
