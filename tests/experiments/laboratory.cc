#include "tests/experiments/laboratory.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/core/judging.h"
#include "server/state/philox.h"

namespace experiments {
namespace {

namespace core = server::core;
namespace state = server::state;
using nlohmann::json;

constexpr int64_t kStepsMax = 2'000'000;
constexpr const char* kWorker = "simulated";

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "ablation: %s\n", why.c_str());
  std::exit(3);
}

void Need(const absl::Status& status) {
  if (!status.ok()) Die(std::string(status.message()));
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file.good()) Die("cannot read " + path.string());
  return text.str();
}

std::filesystem::path ContractOf(const std::string& name) {
  for (const auto& folder : std::filesystem::directory_iterator("tests/corpus")) {
    const std::filesystem::path file = folder.path() / (name + ".workload.textproto");
    if (std::filesystem::exists(file)) return file;
  }
  Die("no contract " + name);
}

double Predicted(const core::GateMember& member) {
  double log_ns = 0, weight = 0;
  for (const core::GateEstimate& e : member.estimates) {
    log_ns += e.weight * std::log(e.time_ns);
    weight += e.weight;
  }
  return weight > 0 ? std::exp(log_ns / weight) : 0;
}

std::vector<core::Narrowed> NarrowTo(const std::map<std::string, int64_t>& binding) {
  std::vector<core::Narrowed> out;
  for (const auto& [name, value] : binding) out.push_back({name, {absl::StrCat(value)}});
  return out;
}

// Slips that authors make, of several kinds; each is refused by a gate, most have a fix that a
// machine may apply.
std::string Broken(std::string source, uint64_t kind) {
  const auto replace = [&](const char* what, const char* with) {
    const size_t at = source.find(what);
    if (at == std::string::npos) return false;
    source.replace(at, std::string(what).size(), with);
    return true;
  };
  const std::vector<std::pair<const char*, const char*>> slips = {
      {"//", "#"}, {"= 0.0", "= 0"}, {" && ", " and "}, {"let ", "lte "}};
  for (size_t i = 0; i < slips.size(); ++i) {
    const auto& [what, with] = slips[(kind + i) % slips.size()];
    if (replace(what, with)) return source;
  }
  return source + "}\n";
}

// A question without what its answer does not depend on, so that runs of other seeds have it too: a
// text is lowered for its binding whatever it was narrowed to, and nothing is drawn of a family of
// which the default member alone is asked for.
core::GateRequest Plain(core::GateRequest request) {
  if (request.emit) request.narrow.clear();
  if (request.emit || request.members_max == 1) request.sample_seed = 0;
  std::sort(request.narrow.begin(), request.narrow.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return request;
}

double DeviceNs(const state::Variant& variant, const Family& family, Landscape landscape) {
  return DeviceNs(variant.PredictedNs(), variant.canon_hash, variant.features, family.effect,
                  landscape);
}

// The rule that made a decision, in the words of a table; "" where none chose.
std::string RuleOf(const state::Choice& choice) {
  if (choice.kind == state::kPropose) return "parent by " + choice.detail;
  if (choice.kind == state::kMigrate) return choice.variant != 0 ? "migration" : "";
  if (choice.kind != state::kEvaluate) return "";
  return absl::StrCat("evaluation: ", std::string(store::ToString(choice.purpose)));
}

// One run: a store in memory, a core, a device that answers at once.
class Bench {
 public:
  Bench(const Family& family, MemoGates& gates, Landscape landscape)
      : family_(family), gates_(gates), landscape_(landscape) {
    store::Options options;
    options.clock = &clock_;
    options.threads = false;
    options.disk_reserve_bytes = 0;
    auto opened = store::Store::Open(options);
    Need(opened.status());
    store_ = *std::move(opened);
    core::CoreOptions core_options;
    core_options.contracts = {family.contract};
    auto made = core::Core::Open(*store_, clock_, gates_, core_options);
    Need(made.status());
    core_ = *std::move(made);
    core::RegisterRequest worker;
    worker.meta = Meta();
    worker.name = kWorker;
    worker.uuid = "GPU-simulated";
    worker.arch = "sm_90a";
    worker.simulated = false;  // within this store its times are the measurements
    worker.incarnation = 1;
    worker.capabilities = {"run:sm_90a", "audit"};
    Need(core_->Register(worker).status());
  }

  ~Bench() { gates_.Forget(); }

  void Begin(const std::string& arm, int64_t evaluations, uint64_t seed,
             const std::vector<Seed>& pool) {
    core::CreateExperimentRequest create;
    create.meta = Meta();
    create.name = "e";
    create.workload = family_.name;
    create.visibility = "isolated";
    create.evaluations = evaluations;
    create.seed = seed;
    create.arms = {arm};
    Need(core_->CreateExperiment(create).status());
    for (const Seed& one : pool) {
      core::SubmitRequest submit;
      submit.meta = Meta();
      submit.meta.experiment = "e";
      submit.source.text = one.source;
      submit.workload = family_.name;
      submit.params = NarrowTo(one.binding);
      core_->Submit(submit, [](auto reply) { Need(reply.status()); });
    }
    core::ExperimentRequest start;
    start.meta = Meta();
    start.experiment = "e";
    Need(core_->StartExperiment(start).status());
  }

  void Play() {
    for (int64_t i = 0; i < kStepsMax; ++i) {
      const bool any = core_->Step();
      if (Run().state == store::RunState::kStopped) return;
      if (gates_.AnswerOne(*core_)) continue;
      if (!EvaluateOne() && !any) Die("a run does not go on: " + family_.name);
    }
    Die("a run does not end: " + family_.name);
  }

  // How often each rule decided something, by the log of the run.
  std::map<std::string, int64_t> Rules() {
    auto view = store_->Snapshot();
    Need(view.status());
    std::map<std::string, int64_t> rules;
    for (int64_t after = 0;;) {
      const auto events = (*view)->reads().EventsAfter(after, 0, store::kMaxPageRows);
      Need(events.status());
      if (events->empty()) return rules;
      after = events->back().seq;
      for (const store::Event& event : *events) CountRules(event.body, rules);
    }
  }

  const state::Run& Run() const { return core_->state().runs.begin()->second; }
  const state::State& State() const { return core_->state(); }

 private:
  core::Meta Meta() {
    core::Meta meta;
    meta.request_id = absl::StrCat("request-", 100000 + ++requests_);
    meta.request_hash = meta.request_id;
    return meta;
  }

  static void CountRules(const store::EventBody& body, std::map<std::string, int64_t>& rules) {
    if (const auto* decision = std::get_if<store::Decision>(&body)) {
      const state::Choice choice = state::ChoiceFromJson(decision->kind, decision->chosen_json);
      if (const std::string rule = RuleOf(choice); !rule.empty()) ++rules[rule];
      if (choice.structural) ++rules["forced structure"];
    } else if (const auto* ranked = std::get_if<store::Ranked>(&body)) {
      for (const store::RankedVariant& row : ranked->variants) ++rules["ranked " + row.why];
    }
  }

  bool EvaluateOne() {
    std::optional<core::Grant> grant;
    core_->Acquire(kWorker, 1, 0, [&](auto reply) {
      Need(reply.status());
      grant = reply->grant;
    });
    core_->Step();
    if (!grant) return false;
    const state::Job& job = State().jobs.at(*store::ParseRowName('j', grant->job));
    const state::Variant& variant = State().variants.at(job.variant);
    const double best = family_.members.front().device_ns;
    core::CompleteRequest result;
    result.meta = Meta();
    result.worker = kWorker;
    result.incarnation = 1;
    result.lease = grant->lease;
    result.job = grant->job;
    result.fencing_token = grant->fencing_token;
    result.verdict = store::Verdict::kCorrect;
    result.machine = "right";
    result.receipt_json = absl::StrCat("{\"lease\":\"", grant->lease, "\"}");
    result.time_ns = DeviceNs(variant, family_, landscape_);
    result.ratio_med = result.time_ns > 0 ? best / result.time_ns : 0;
    result.ratio_low = 0.995 * result.ratio_med;
    result.ratio_high = 1.005 * result.ratio_med;
    result.clocks = {{store::Stage::kOracle, store::StageEnd::kOk, 1'000'000, 1'000'000, 0},
                     {store::Stage::kTiming, store::StageEnd::kOk, 20'000'000, 1'000'000, 0}};
    clock_.now_ns += 50'000'000;
    Need(core_->Complete(result).status());
    return true;
  }

  const Family& family_;
  MemoGates& gates_;
  Landscape landscape_;
  TickingClock clock_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<core::Core> core_;
  int requests_ = 0;
};

}  // namespace

void MemoGates::Start(uint64_t id, core::GateRequest request, bool) {
  asked_.push_back({id, std::move(request)});
}

bool MemoGates::AnswerOne(core::Core& core) {
  if (asked_.empty()) return false;
  Asked asked = std::move(asked_.front());
  asked_.pop_front();
  ++asked_count_;
  // Proposals are drawn anew each time, and cheap.
  if (!asked.request.propose.empty() || asked.request.reduce) {
    core::GateReply reply = judge_.Answer(asked.request);
    cpu_ns_[0] += reply.cpu_ns;
    core.GateDone(asked.id, std::move(reply));
    return true;
  }
  const std::string key = store::Sha256Hex(core::ToJson(Plain(asked.request)));
  auto known = known_.find(key);
  if (known == known_.end()) {
    ++judged_;
    core::GateReply reply = judge_.Answer(asked.request);
    cpu_ns_[asked.request.emit ? 2 : 1] += reply.cpu_ns;
    // Nobody reads reports here; thousands of them would fill the memory.
    for (core::GateMember& member : reply.members) member.report_json = "{}";
    reply.cuda.clear();
    known = known_.emplace(key, std::move(reply)).first;
  }
  core.GateDone(asked.id, known->second);
  return true;
}

Family Laboratory::Load(const std::string& spec, int64_t members_max) {
  const std::string name = spec.substr(0, spec.find(':'));
  const std::string program = spec == name ? name : spec.substr(name.size() + 1);
  Family family{.name = name};
  const std::filesystem::path file = ContractOf(name);
  family.contract = {file.string(), ReadFile(file), {}};
  family.source = ReadFile(file.parent_path() / (program + ".cake"));
  for (const auto& beside : std::filesystem::directory_iterator(file.parent_path())) {
    if (beside.path().extension() != ".cake") continue;
    family.contract.programs[beside.path().filename().string()] = ReadFile(beside.path());
  }
  auto contract = runner::contract::ParseTextproto(family.contract.text);
  Need(contract.status());
  core::GateRequest request;
  request.source = family.source;
  request.contract_json = runner::contract::ToCanonicalJson(*contract);
  request.members_max = members_max;
  request.count = members_max;
  server::gates::Judge judge;
  const core::GateReply reply = judge.Answer(request);
  std::map<std::string, Family::Member> by_form;
  for (const core::GateMember& member : reply.members) {
    const double predicted = Predicted(member);
    if (member.verdict != "PASSED" || predicted <= 0) continue;
    Family::Member row{.canon_hash = member.canon_hash,
                       .features = state::FeaturesFromJson(member.features),
                       .predicted_ns = predicted};
    const json binding = json::parse(member.binding_json);
    for (const auto& [param, value] : binding.items()) {
      row.binding[param] = value.get<int64_t>();
    }
    by_form.emplace(member.canon_hash, row);
  }
  for (auto& [form, member] : by_form) family.members.push_back(std::move(member));
  if (family.members.size() < 8) Die(name + " has too few members that pass");
  std::vector<state::Features> features;
  for (const Family::Member& member : family.members) features.push_back(member.features);
  family.effect = EffectOf(features, landscape_);
  for (Family::Member& member : family.members) {
    member.device_ns = DeviceNs(member.predicted_ns, member.canon_hash, member.features,
                                family.effect, landscape_);
  }
  std::sort(family.members.begin(), family.members.end(),
            [](const auto& a, const auto& b) { return a.device_ns < b.device_ns; });
  return family;
}

std::vector<Seed> Laboratory::StartPool(const Family& family, int count, int broken_percent,
                                        uint64_t seed) {
  std::vector<Seed> pool;
  state::Rng rng(seed, 0, 0, state::DrawFor::kSample);
  const size_t first = family.members.size() - family.members.size() / 4;
  for (int i = 0; i < count; ++i) {
    const size_t drawn = first + rng.Below(family.members.size() - first);
    Seed one{family.source, family.members[drawn].binding,
             (i + 1) * broken_percent / 100 > i * broken_percent / 100};
    if (one.broken) one.source = Broken(one.source, rng.Below(1000));
    pool.push_back(std::move(one));
  }
  return pool;
}

Result Laboratory::Run(const Family& family, const std::string& arm, int64_t evaluations,
                       uint64_t seed, const std::vector<Seed>& pool) {
  Bench bench(family, gates_, landscape_);
  bench.Begin(arm, evaluations, seed, pool);
  bench.Play();
  const state::Run& run = bench.Run();
  Result result;
  result.stop = run.reason;
  result.misses = run.replay_misses;
  result.tactics = run.tactics;
  result.rules = bench.Rules();
  const state::Progress progress = state::ProgressOf(bench.State(), run);
  result.candidates = static_cast<int64_t>(run.candidates.size());
  result.duplicates = progress.duplicates;
  result.rejected = progress.rejected;
  // The best merit so far, whatever was confirmed: the curve of the search itself.
  std::map<int64_t, double> by_seq;
  for (const auto& [id, job] : bench.State().jobs) {
    const state::Variant& variant = bench.State().variants.at(job.variant);
    if (job.state != store::JobState::kDone || variant.audit) continue;
    by_seq[job.done_seq] =
        family.members.front().device_ns / DeviceNs(variant, family, landscape_);
  }
  double best = 0;
  for (const auto& [seq, ratio] : by_seq) {
    best = std::max(best, ratio);
    result.curve.push_back(best);
  }
  return result;
}

}  // namespace experiments
