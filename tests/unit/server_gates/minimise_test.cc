// From a fault that the gates do not foresee to a finding with a small program: real gates, a
// device that fails on one instruction.
#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "server/core/core.h"
#include "server/gates/judge.h"
#include "store/store.h"
#include "tests/unit/server_core/gpu.h"

namespace server::gates {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

class Clock : public store::Clock {
 public:
  int64_t UnixMicros() override { return now_ns / 1000; }
  int64_t MonotonicNanos() override { return now_ns; }
  int64_t now_ns = 1'000'000'000;
};

class Gates : public core::GateRunner {
 public:
  void Start(uint64_t id, core::GateRequest request, bool) override {
    asked.emplace_back(id, std::move(request));
  }
  std::deque<std::pair<uint64_t, core::GateRequest>> asked;
};

// The planted fault: this device cannot stream, and nobody has told the verifier.
constexpr const char* kPlanted = "ld.streaming";

class Plant {
 public:
  Plant() {
    store::Options options;
    options.clock = &clock_;
    options.threads = false;
    options.disk_reserve_bytes = 0;
    store_ = *store::Store::Open(options);
    core::CoreOptions core_options;
    const std::string folder = "tests/corpus/router_gemm/";
    core_options.contracts = {{folder + "router_gemm.workload.textproto",
                               ReadFile(folder + "router_gemm.workload.textproto"),
                               {{"router_gemm.cake", ReadFile(folder + "router_gemm.cake")}}}};
    auto made = core::Core::Open(*store_, clock_, gates_, core_options);
    EXPECT_TRUE(made.ok()) << made.status();
    core_ = *std::move(made);
    EXPECT_TRUE(core_->Register(testing::GpuThatMeasures(Meta(), {"run:sm_90a"})).ok());
  }

  core::Meta Meta() {
    core::Meta meta;
    meta.request_id = absl::StrCat("request-", 1000 + ++requests_);
    meta.request_hash = meta.request_id;
    return meta;
  }

  void Submit(const std::string& source) {
    core::SubmitRequest submit;
    submit.meta = Meta();
    submit.source.text = source;
    submit.workload = "router_gemm";
    submit.params = {{"WARPS", {"8"}}, {"R", {"2"}}};
    core_->Submit(submit, [](auto reply) { EXPECT_TRUE(reply.ok()) << reply.status(); });
  }

  void Settle() {
    for (int i = 0; i < 20000; ++i) {
      const bool any = core_->Step();
      if (!gates_.asked.empty()) {
        auto [id, request] = std::move(gates_.asked.front());
        gates_.asked.pop_front();
        core_->GateDone(id, judge_.Answer(request));
        continue;
      }
      if (!RunOne() && !any) return;
    }
    ADD_FAILURE() << "it never comes to rest";
  }

  bool RunOne() {
    std::optional<core::Grant> grant;
    core_->Acquire("gpu", 1, 0, [&](auto reply) { grant = reply->grant; });
    core_->Step();
    if (!grant) return false;
    const state::Job& job = state().jobs.at(*store::ParseRowName('j', grant->job));
    const state::Variant& variant = state().variants.at(job.variant);
    const std::string source =
        *core_->GetObject(state().candidates.at(variant.candidate).source_hash);
    core::CompleteRequest result;
    result.meta = Meta();
    result.worker = "gpu";
    result.incarnation = 1;
    result.lease = grant->lease;
    result.job = grant->job;
    result.fencing_token = grant->fencing_token;
    result.receipt_json = absl::StrCat("{\"lease\":\"", grant->lease, "\"}");
    result.machine = "right";
    result.clocks = {{store::Stage::kOracle, store::StageEnd::kOk, 10, 10, 0}};
    const size_t at = source.find(kPlanted);
    result.verdict =
        at == std::string::npos ? store::Verdict::kCorrect : store::Verdict::kDeviceFault;
    if (at != std::string::npos) {
      core::WorkerDiagnostic d{"CK8001", "run", "error", "misaligned address", "route"};
      d.span_begin = static_cast<int64_t>(at);
      d.span_end = d.span_begin + 12;
      result.diagnostics.push_back(d);
    }
    ++runs;
    EXPECT_TRUE(core_->Complete(result).ok());
    return true;
  }

  const state::State& state() const { return core_->state(); }
  std::string Object(const store::ObjectHash& hash) { return *core_->GetObject(hash); }

  std::vector<store::FindingUpdated> Updates() {
    std::vector<store::FindingUpdated> out;
    auto view = store_->Snapshot();
    for (int64_t after = 0;;) {
      auto events = (*view)->reads().EventsAfter(after, 0, 500);
      if (!events.ok() || events->empty()) return out;
      for (const store::Event& event : *events) {
        after = event.seq;
        const auto* updated = std::get_if<store::FindingUpdated>(&event.body);
        if (updated != nullptr) out.push_back(*updated);
      }
    }
  }

  int runs = 0;

 private:
  Clock clock_;
  Gates gates_;
  Judge judge_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<core::Core> core_;
  int requests_ = 0;
};

TEST(Minimise, APlantedFaultBecomesAFindingWithASmallProgram) {
  Plant plant;
  const std::string source = ReadFile("tests/corpus/router_gemm/router_gemm.cake");
  ASSERT_GT(std::count(source.begin(), source.end(), '\n'), 45);
  plant.Submit(source);
  plant.Settle();
  // Bounds had been proved: one case is enough, and it is the verifier's.
  ASSERT_EQ(plant.state().findings.size(), 1u);
  const state::Finding& finding = plant.state().findings.begin()->second;
  EXPECT_EQ(finding.route, "verifier");
  EXPECT_EQ(finding.title, "a proved property failed: bounds");
  EXPECT_EQ(finding.state, "MINIMISED");
  EXPECT_EQ(finding.candidates.size(), 1u) << "attempts are no cases of their own";
  const auto updates = plant.Updates();
  ASSERT_FALSE(updates.empty());
  const std::string small = plant.Object(updates.back().minimised_hash);
  EXPECT_NE(small.find(kPlanted), std::string::npos);
  EXPECT_LE(std::count(small.begin(), small.end(), '\n'), 40) << small;
  EXPECT_LT(std::count(small.begin(), small.end(), '\n'),
            std::count(source.begin(), source.end(), '\n') / 2);
  // It still passes the gates, and fails the same way.
  pipeline::Options options;
  options.emit_cuda = false;
  const pipeline::Candidate candidate(small, options);
  EXPECT_EQ(candidate.CheckMember(*candidate.Bind({})).verdict, pipeline::Verdict::kPassed);
  EXPECT_LT(plant.runs, 200);
}

TEST(Minimise, WhatWorksMakesNoFinding) {
  Plant plant;
  std::string source = ReadFile("tests/corpus/router_gemm/router_gemm.cake");
  source.replace(source.find(kPlanted), std::string(kPlanted).size(), "ld");
  plant.Submit(source);
  plant.Settle();
  EXPECT_TRUE(plant.state().findings.empty());
  EXPECT_EQ(plant.runs, 1);
}

}  // namespace
}  // namespace server::gates
