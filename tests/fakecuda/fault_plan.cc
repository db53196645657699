#include "tests/fakecuda/fault_plan.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace fakecuda {
namespace {

using nlohmann::json;

constexpr int64_t kMaxAttempts = 1000;

constexpr std::pair<std::string_view, Fault> kFaults[] = {
    {"hang", Fault::kHang},       {"sticky", Fault::kSticky}, {"error", Fault::kError},
    {"oom", Fault::kOutOfMemory}, {"flip", Fault::kFlip},     {"throttle", Fault::kThrottle},
    {"skew", Fault::kSkew},       {"kill", Fault::kKill},     {"bomb", Fault::kBomb}};

[[noreturn]] void Refuse(const std::string& why) {
  std::fprintf(stderr, "fake device: the plan cannot be read: %s\n", why.c_str());
  std::abort();
}

void OnlyKeys(const json& object, const std::set<std::string>& known) {
  if (!object.is_object()) Refuse("not an object");
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) Refuse("unknown key " + key);
  }
}

Rule ReadRule(const json& in) {
  OnlyKeys(in, {"program", "text", "stage", "nth", "attempt", "times", "fault", "code", "byte",
                "count", "factor"});
  Rule rule{.program = in.value("program", ""),
            .text = in.value("text", ""),
            .stage = in.value("stage", ""),
            .nth = in.value("nth", int64_t{0}),
            .attempt = in.value("attempt", int64_t{0}),
            .times = in.value("times", int64_t{0}),
            .code = in.value("code", 0),
            .byte = in.value("byte", int64_t{0}),
            .count = in.value("count", int64_t{1}),
            .factor = in.value("factor", 1.0)};
  const std::string name = in.value("fault", "");
  for (const auto& [text, fault] : kFaults) {
    if (text == name) {
      rule.fault = fault;
      return rule;
    }
  }
  Refuse("no fault is called `" + name + "`");
}

// Counts processes by files that only one of them can create.
int64_t NextAttempt(const std::string& program) {
  const char* folder = std::getenv("CAKE_FAKE_STATE");
  if (folder == nullptr) return 1;
  for (int64_t n = 1; n <= kMaxAttempts; ++n) {
    const std::string path =
        std::string(folder) + "/attempt-" + program.substr(0, 16) + "-" + std::to_string(n);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return n;
    }
    if (errno != EEXIST) return 1;  // the folder cannot be written from inside this sandbox
  }
  return kMaxAttempts;
}

}  // namespace

FaultPlan& FaultPlan::Get() {
  static FaultPlan* plan = [] {
    const char* path = std::getenv("CAKE_FAKE_PLAN");
    if (path == nullptr) return new FaultPlan("{}");
    std::ifstream in(path);
    if (!in) Refuse(std::string("no file ") + path);
    std::ostringstream text;
    text << in.rdbuf();
    return new FaultPlan(text.str());
  }();
  return *plan;
}

FaultPlan::FaultPlan(std::string_view text) {
  try {
    const json in = json::parse(text);
    OnlyKeys(in, {"device", "max_lane_statements", "rules"});
    max_lane_statements_ = in.value("max_lane_statements", max_lane_statements_);
    const json device = in.value("device", json::object());
    OnlyKeys(device, {"name", "arch", "sms", "memory_bytes", "uuid", "driver"});
    device_.name = device.value("name", device_.name);
    device_.arch = device.value("arch", device_.arch);
    device_.sms = device.value("sms", device_.sms);
    device_.memory_bytes = device.value("memory_bytes", device_.memory_bytes);
    device_.uuid = device.value("uuid", device_.uuid);
    device_.driver = device.value("driver", device_.driver);
    for (const json& rule : in.value("rules", json::array())) rules_.push_back(ReadRule(rule));
  } catch (const json::exception& error) {
    Refuse(error.what());
  }
}

void FaultPlan::BeginAttempt(const std::string& program) {
  for (const auto& [known, number] : attempts_) {
    if (known == program) return;  // the same process loads it again
  }
  attempts_.emplace_back(program, NextAttempt(program));
}

bool FaultPlan::Matches(const Rule& rule, std::string_view stage, std::string_view program) const {
  const bool at_stage =
      rule.stage.empty() ? stage == "launch" || stage == "timed" : rule.stage == stage;
  if (!at_stage || program.substr(0, rule.program.size()) != rule.program) return false;
  if (rule.attempt == 0) return true;
  const std::string_view who = stage == "compile" ? kCompiler : program;
  for (const auto& [known, number] : attempts_) {
    if (known == who) return number == rule.attempt;
  }
  return rule.attempt == 1;
}

std::vector<Rule> FaultPlan::Reach(std::string_view stage, std::string_view program,
                                   std::string_view source) {
  std::vector<Rule> firing;
  for (Rule& rule : rules_) {
    if (!Matches(rule, stage, program)) continue;
    if (source.find(rule.text) == std::string_view::npos) continue;
    ++rule.seen;
    if (rule.nth != 0 && rule.seen != rule.nth) continue;
    if (rule.times != 0 && rule.fired >= rule.times) continue;
    ++rule.fired;
    firing.push_back(rule);
  }
  return firing;
}

}  // namespace fakecuda
