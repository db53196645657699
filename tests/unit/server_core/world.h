// A daemon's core with everything around it under the test's hand: the clock, the gate children,
// the store in memory. A source is "family" text that the fake gates read:
//   name=a members=4 bad=2,3 alias=b crash ns=1000
// Member i has binding {"P": i}, canonical form "<name>:i" (or "<alias>:i") and a prediction of
// ns + 100 i.
#pragma once

#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "costmodel/calibration.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/core/core.h"
#include "store/store.h"
#include "tests/unit/server_core/gpu.h"

namespace server::testing {

class FakeClock : public store::Clock {
 public:
  int64_t UnixMicros() override { return 1'700'000'000'000'000 + now_ns / 1000; }
  int64_t MonotonicNanos() override { return now_ns; }
  void AdvanceMs(int64_t ms) { now_ns += ms * 1'000'000; }
  int64_t now_ns = 1'000'000'000;
};

struct FakeFamily {
  std::string name = "a";
  int64_t members = 1, ns = 1000;
  std::set<int64_t> bad;
  bool crash = false, broken = false, unproven = false;

  static FakeFamily Parse(const std::string& text) {
    FakeFamily family;
    for (const absl::string_view word : absl::StrSplit(text, ' ')) {
      const std::pair<std::string, std::string> pair =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      if (pair.first == "name" || pair.first == "alias") family.name = pair.second;
      bool read = true;
      if (pair.first == "members") read = absl::SimpleAtoi(pair.second, &family.members);
      if (pair.first == "ns") read = absl::SimpleAtoi(pair.second, &family.ns);
      EXPECT_TRUE(read) << text;
      if (pair.first == "crash") family.crash = true;
      if (pair.first == "broken") family.broken = true;
      if (pair.first == "unproven") family.unproven = true;
      if (pair.first != "bad") continue;
      for (const absl::string_view one : absl::StrSplit(pair.second, ',')) {
        int64_t index = 0;
        EXPECT_TRUE(absl::SimpleAtoi(one, &index));
        family.bad.insert(index);
      }
    }
    return family;
  }
};

class FakeGates : public core::GateRunner {
 public:
  struct Asked {
    uint64_t id = 0;
    core::GateRequest request;
    bool interactive = false;
  };

  void Start(uint64_t id, core::GateRequest request, bool interactive) override {
    asked.push_back({id, std::move(request), interactive});
  }

  // A rule's text is words too: name=r code=CK2701 hits=slow good=0. It hits families whose name
  // begins so; `text` without a name is no rule.
  static std::string RuleWord(const std::string& text, const std::string& key) {
    for (const absl::string_view word : absl::StrSplit(text, ' ')) {
      const std::pair<std::string, std::string> pair =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      if (pair.first == key) return pair.second;
    }
    return "";
  }
  static core::GateSpecimens Specimens(const std::string& text) {
    core::GateSpecimens out;
    out.name = RuleWord(text, "name");
    out.code = RuleWord(text, "code");
    out.good = RuleWord(text, "good") != "0";
    out.trials_json = "[]";
    if (out.name.empty()) out.error = "`name` is missing";
    return out;
  }
  static void AskRules(const core::GateRequest& request, core::GateMember& member,
                       const FakeFamily& family) {
    const bool rejected = member.verdict != "PASSED";
    if (rejected && !request.gate_rule) return;
    for (const core::GateRule& rule : request.rules) {
      const std::string hits = RuleWord(rule.text, "hits");
      const bool hit = !hits.empty() && family.name.starts_with(hits);
      core::GateRuleSaid said{.id = rule.id, .shadow = rule.shadow, .hits = hit ? 1 : 0};
      if (!absl::SimpleAtoi(RuleWord(rule.text, "ns"), &said.cpu_ns)) said.cpu_ns = 1000;
      member.rules.push_back(said);
      if (!hit || rule.shadow) continue;
      member.verdict = "REJECTED_SAFETY";
      core::GateDiagnostic d{.code = RuleWord(rule.text, "code"), .category = "safety"};
      d.severity = "error";
      d.rule = rule.id;
      member.diagnostics.push_back(d);
    }
  }

  static core::GateMember Member(const FakeFamily& family, int64_t i) {
    core::GateMember member;
    member.binding_json = absl::StrCat("{\"P\":", i, "}");
    member.canon_hash = absl::StrCat(family.name, ":", i);
    member.struct_hash = family.name;
    member.stage = family.broken ? "syntax" : "gates";
    member.features = absl::StrCat("{\"form\":\"", family.name, "\",\"tile\":", 1 << (i % 12),
                                   ",\"params\":{\"P\":", i, "}}");
    const bool bad = family.broken || family.bad.contains(i);
    member.verdict = bad ? "REJECTED_SAFETY" : "PASSED";
    if (family.unproven) {
      member.verdict = "REJECTED_UNPROVEN";
      member.diagnostics.push_back({"CK2403", "unproven", "error", "fp-u", "too many ways", "st"});
    } else if (bad) {
      member.diagnostics.push_back({"CK2001", "safety", "error", absl::StrCat("fp-", i % 2),
                                    "reads past the end", "st", "", 3, 9});
    } else {
      core::GateEstimate estimate{.shape = "d", .calibration = "none", .bottleneck = "hbm"};
      estimate.time_ns = static_cast<double>(family.ns + 100 * i);
      estimate.low_ns = estimate.time_ns / 2;
      estimate.high_ns = estimate.time_ns * 2;
      member.estimates.push_back(estimate);
    }
    member.report_json = absl::StrCat(
        "{\"verdict\":\"", member.verdict, "\",\"binding\":", member.binding_json,
        ",\"diagnostics\":[],\"properties\":[{\"property\":\"bounds\",\"how\":\"proved\"}],",
        "\"estimate\":", bad ? "null" : absl::StrCat("{\"time_ns\":", family.ns + 100 * i, "}"),
        ",\"name\":\"", family.name, "\"}");
    return member;
  }

  // The member that a request narrows to, or -1.
  static int64_t NarrowedTo(const core::GateRequest& request) {
    int64_t value = -1;
    for (const core::Narrowed& one : request.narrow) {
      if (one.name == "P" && one.values.size() == 1) {
        EXPECT_TRUE(absl::SimpleAtoi(one.values.front(), &value));
      }
    }
    return value;
  }

  // Members of the parent's family by number; structural tactics give another family, 10 ns faster
  // or slower for each; a repair takes `broken` away.
  static core::GateProposal Proposal(const core::GateRequest& request) {
    const FakeFamily family = FakeFamily::Parse(request.source);
    core::GateProposal made;
    made.source = request.source;
    made.text = request.propose;
    if (request.propose == "fix") {
      const size_t at = made.source.find(" broken");
      made.found = at != std::string::npos;
      if (made.found) made.source.erase(at, 7);
      return made;
    }
    int64_t at = std::max<int64_t>(0, NarrowedTo(request));
    const bool params = request.propose == "step" || request.propose == "jump" ||
                        request.propose == "crossover" || request.propose == "random";
    if (params) {
      const int64_t step = request.propose == "step"
                               ? (request.pick % 2 == 0 ? 1 : family.members - 1)
                               : static_cast<int64_t>(request.pick % 1000);
      at = (at + step) % family.members;
      made.found = !request.structural;
    } else {
      const auto variant = static_cast<int64_t>(request.pick % 3);
      made.source =
          absl::StrCat("name=", family.name.substr(0, 12), variant, " members=", family.members,
                       " ns=", std::max<int64_t>(10, family.ns + 10 * (variant - 1)));
      made.found = request.propose != "fuse";
    }
    if (!made.found) made.text = "the program has no place for it";
    made.params_json = absl::StrCat("{\"P\":[\"", at, "\"]}");
    return made;
  }

  // A calibration with a latency of DRAM turns the order of predictions round; the rest of it is
  // what the text says.
  static void Estimate(core::GateMember& member, const core::GateCalibration& by) {
    const auto calibration = costmodel::ParseCalibration(by.text);
    if (!calibration.ok()) return;
    for (core::GateEstimate& one : member.estimates) {
      if (calibration->rates.contains("dram_latency_ns")) one.time_ns = 1e6 / one.time_ns;
      one.low_ns = one.time_ns * (calibration->low > 0 ? calibration->low : 0.5);
      one.high_ns = one.time_ns * (calibration->low > 0 ? calibration->high : 2);
      one.calibration = by.id;
      one.rank_only = !by.claims_time;
    }
  }

  static absl::StatusOr<core::GateReply> Reply(const core::GateRequest& request) {
    auto reply = JudgedReply(request);
    if (!reply.ok() || request.estimate || request.calibrations.empty()) return reply;
    for (core::GateMember& member : reply->members) Estimate(member, request.calibrations.front());
    return reply;
  }

  static absl::StatusOr<core::GateReply> JudgedReply(const core::GateRequest& request) {
    const FakeFamily family = FakeFamily::Parse(request.source);
    if (family.crash) return absl::AbortedError("signal 11");
    core::GateReply reply;
    reply.arch = "sm_90a";
    reply.verifier_rev = "1";
    reply.ruleset_hash = "r";
    reply.model_rev = "m";
    reply.cpu_ns = 5;
    if (request.specimens) {
      reply.specimens = Specimens(request.rules.front().text);
      return reply;
    }
    if (request.estimate) {
      const auto binding = nlohmann::json::parse(request.binding_json, nullptr, false);
      reply.members.push_back(Member(family, binding.value("P", 0)));
      for (const core::GateCalibration& one : request.calibrations) {
        reply.members.push_back(reply.members.front());
        Estimate(reply.members.back(), one);
      }
      return reply;
    }
    if (!request.propose.empty()) {
      reply.proposal = Proposal(request);
      return reply;
    }
    reply.family_ok = !family.broken;
    if (family.broken) {
      reply.members.push_back(Member(family, 0));
      reply.members.front().verdict = "REJECTED_SYNTAX";
      reply.members.front().fixable = true;
      return reply;
    }
    reply.members_total = family.members;
    if (request.emit) {
      reply.cuda = "// cuda of " + request.source;
      reply.program_id = "id";
      reply.members.push_back(Member(family, 0));
      return reply;
    }
    const int64_t only = NarrowedTo(request);
    if (only >= 0) {
      reply.members_total = reply.reachable = 1;
      reply.members.push_back(Member(family, only));
      AskRules(request, reply.members.back(), family);
      return reply;
    }
    reply.reachable =
        request.members_max > 0 ? std::min(family.members, request.members_max) : family.members;
    const int64_t end = std::min(request.from + request.count, reply.reachable);
    for (int64_t i = request.from; i < end; ++i) {
      reply.members.push_back(Member(family, i));
      AskRules(request, reply.members.back(), family);
    }
    return reply;
  }

  std::deque<Asked> asked;
};

inline core::ContractFile VectorAdd() {
  const std::string path = "tests/corpus/vector_add/vector_add.workload.textproto";
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  core::ContractFile contract{path, text.str(), {}};
  contract.programs["vector_add.cake"] = "name=baseline members=1 ns=2000";
  return contract;
}

class World {
 public:
  explicit World(std::string dir = "") : dir_(std::move(dir)) { Start(); }

  // The daemon's process ends and another one starts on the same folder.
  void Restart() {
    core.reset();
    gates.asked.clear();
    store.reset();
    Start();
  }

  // The same, while the store's memory stays: what a crash between two commits leaves.
  void RestartCore() {
    core.reset();
    while (store->WriterStep() > 0) {  // what it had handed over and heard no more of
    }
    gates.asked.clear();
    OpenCore();
  }

  // Steps until nothing is left to do now; gate requests are answered as they come.
  void Settle(int limit = 1000) {
    for (int i = 0; i < limit; ++i) {
      bool any = core->Step();
      if (!gates.asked.empty()) {
        const auto asked = std::move(gates.asked.front());
        gates.asked.pop_front();
        core->GateDone(asked.id, FakeGates::Reply(asked.request));
        any = true;
      }
      if (!any) return;
    }
    FAIL() << "the core never comes to rest";
  }

  core::Meta NewMeta() {
    core::Meta meta;
    meta.request_id = absl::StrCat("request-", ++requests_);
    meta.request_hash = meta.request_id;
    return meta;
  }

  absl::StatusOr<core::SubmitReply> Submit(core::SubmitRequest request) {
    std::optional<absl::StatusOr<core::SubmitReply>> reply;
    core->Submit(request, [&](absl::StatusOr<core::SubmitReply> r) { reply = std::move(r); });
    core->TakeCommitted();
    if (!reply) Settle();
    EXPECT_TRUE(reply.has_value());
    return *reply;
  }

  core::SubmitRequest Request(const std::string& source, core::Meta meta) {
    core::SubmitRequest request;
    request.meta = std::move(meta);
    request.source.text = source;
    request.workload = "vector_add";
    return request;
  }

  std::string Submit(const std::string& source) {
    auto reply = Submit(Request(source, NewMeta()));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->candidate : "";
  }

  // A run of its own with a budget, started; its name.
  std::string StartRun(const std::string& name, int64_t evaluations, loop::RunSpec spec = {}) {
    core::CreateExperimentRequest create;
    create.meta = NewMeta();
    create.name = name;
    create.workload = "vector_add";
    create.evaluations = evaluations;
    create.seed = 7;
    create.spec = spec;
    auto created = core->CreateExperiment(create);
    EXPECT_TRUE(created.ok()) << created.status();
    core::ExperimentRequest start;
    start.meta = NewMeta();
    start.experiment = name;
    EXPECT_TRUE(core->StartExperiment(start).ok());
    return core::RunName(created->runs.front().row.id);
  }

  void RegisterWorker(const std::string& name = "w", uint64_t incarnation = 1,
                      std::vector<std::string> capabilities = {"run:machine"}) {
    core::RegisterRequest request;
    request.meta = NewMeta();
    request.name = name;
    request.uuid = "cpu:" + name;
    request.incarnation = incarnation;
    request.capabilities = std::move(capabilities);
    auto reply = core->Register(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
  }

  core::RegisterRequest Gpu(std::vector<std::string> capabilities = {"run:sm_90a"}) {
    return GpuThatMeasures(NewMeta(), std::move(capabilities));
  }
  void RegisterGpu(std::vector<std::string> capabilities = {"run:sm_90a"}) {
    auto reply = core->Register(Gpu(std::move(capabilities)));
    ASSERT_TRUE(reply.ok()) << reply.status();
  }

  // A lease that can be had now.
  std::optional<core::Grant> Acquire(const std::string& name = "w", uint64_t incarnation = 1) {
    std::optional<absl::StatusOr<core::AcquireReply>> reply;
    core->Acquire(name, incarnation, 0, [&](auto r) { reply = std::move(r); });
    if (!reply) core->Step();
    EXPECT_TRUE(reply.has_value() && reply->ok());
    return reply && reply->ok() ? (*reply)->grant : std::nullopt;
  }

  core::CompleteRequest Result(const core::Grant& grant, store::Verdict verdict,
                               const std::string& name = "w") {
    core::CompleteRequest request;
    request.meta = NewMeta();
    request.worker = name;
    request.incarnation = 1;
    request.lease = grant.lease;
    request.job = grant.job;
    request.fencing_token = grant.fencing_token;
    request.verdict = verdict;
    request.receipt_json = absl::StrCat("{\"lease\":\"", grant.lease, "\",\"verdict\":\"",
                                        std::string(store::ToString(verdict)), "\"}");
    request.clocks.push_back({store::Stage::kOracle, store::StageEnd::kOk, 10, 10, 0});
    return request;
  }

  // Everything that is queued is run and found to be `verdict`; how many jobs that were.
  int WorkOff(store::Verdict verdict = store::Verdict::kCorrect) {
    int done = 0;
    for (;;) {
      Settle();
      const auto grant = Acquire();
      if (!grant) return done;
      auto reply = core->Complete(Result(*grant, verdict));
      EXPECT_TRUE(reply.ok()) << reply.status();
      ++done;
    }
  }

  const state::State& state() const { return core->state(); }
  const state::Candidate& candidate(const std::string& name) const {
    return *state().FindCandidate(name);
  }
  const state::Run& run(const std::string& name) const {
    return state().runs.at(*store::ParseRowName('r', name));
  }
  // Events of one kind so far.
  template <typename Body>
  std::vector<Body> Events() {
    std::vector<Body> out;
    auto view = store->Snapshot();
    int64_t after = 0;
    for (;;) {
      auto events = (*view)->reads().EventsAfter(after, 0, 500);
      EXPECT_TRUE(events.ok());
      if (!events.ok() || events->empty()) return out;
      for (const store::Event& event : *events) {
        if (const Body* body = std::get_if<Body>(&event.body)) out.push_back(*body);
        after = event.seq;
      }
    }
  }
  // The log folded afresh.
  state::State Refold() {
    state::State fresh;
    auto view = store->Snapshot();
    for (;;) {
      auto events = (*view)->reads().EventsAfter(fresh.last_seq, 0, 500);
      EXPECT_TRUE(events.ok());
      if (!events.ok() || events->empty()) return fresh;
      for (const store::Event& event : *events) fresh.Apply(event);
    }
  }

  FakeClock clock;
  FakeGates gates;
  std::map<std::string, std::string> more_programs;  // beside the contract, from the next start on
  core::Limits limits;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<core::Core> core;

 private:
  void Start() {
    store::Options options;
    options.dir = dir_;
    options.clock = &clock;
    options.threads = false;
    options.disk_reserve_bytes = 0;
    auto opened = store::Store::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store = *std::move(opened);
    OpenCore();
  }

  void OpenCore() {
    core::CoreOptions core_options;
    core_options.limits = limits;
    core_options.contracts = {VectorAdd()};
    core_options.contracts[0].programs.insert(more_programs.begin(), more_programs.end());
    core_options.language = "the language";
    auto made = core::Core::Open(*store, clock, gates, core_options);
    ASSERT_TRUE(made.ok()) << made.status();
    core = *std::move(made);
  }

  std::string dir_;
  int requests_ = 0;
};

}  // namespace server::testing
