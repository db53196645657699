#include "tests/fakecuda/fault_plan.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
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

// What the listener at `counter` of the folder answers to a line, if there is one. A socket can be
// reached from inside a closed file tree, where no file can be made.
std::optional<std::string> AskCounter(const std::string& line) {
  const char* folder = std::getenv("CAKE_FAKE_STATE");
  if (folder == nullptr) return std::nullopt;
  const std::string path = std::string(folder) + "/counter";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (access(path.c_str(), F_OK) != 0 || path.size() >= sizeof(address.sun_path))
    return std::nullopt;
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  std::string answer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      send(fd, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size())) {
    char bytes[32];
    for (ssize_t n; (n = recv(fd, bytes, sizeof(bytes), 0)) > 0;)
      answer.append(bytes, static_cast<size_t>(n));
  }
  close(fd);
  return answer;
}

// Asks the counter, or counts processes by files that only one of them can create.
int64_t NextAttempt(const std::string& program) {
  const char* folder = std::getenv("CAKE_FAKE_STATE");
  if (folder == nullptr) return 1;
  if (const auto answer = AskCounter("attempt " + program + "\n")) {
    const int64_t number = std::atoll(answer->c_str());
    if (number < 1) Refuse("the counter answers `" + *answer + "`");
    return number;
  }
  for (int64_t n = 1; n <= kMaxAttempts; ++n) {
    const std::string path =
        std::string(folder) + "/attempt-" + program.substr(0, 16) + "-" + std::to_string(n);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return n;
    }
    if (errno == ENOENT) return 1;  // the test took the folder away
    if (errno != EEXIST) Refuse(path + " cannot be made: attempts are not counted");
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
  // Where nobody asks for the number, it need not be found out: not every sandbox lets us.
  if (std::none_of(rules_.begin(), rules_.end(), [](const Rule& r) { return r.attempt != 0; }))
    return;
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
    AskCounter("fired " + std::string(program) + "\n");
    firing.push_back(rule);
  }
  return firing;
}

}  // namespace fakecuda
