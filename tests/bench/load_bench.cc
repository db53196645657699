// Agents that are connected all the time and call at times of their own, whether they were answered
// or not: an open loop, so that a slow answer delays no later call and is not forgiven. Started by
// load.py, which has the daemon; prints one JSON object.
//   load_bench PLAN   a JSON file: see Plan
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <queue>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cake/v1/agent.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

struct Program {
  std::string text, workload;
};

// Callers with a token, agents of one, and the programs that they send.
struct Group {
  std::string token;
  int agents = 0;
  std::vector<Program> programs;
};

struct Plan {
  std::string address;
  double period_s = 20;  // between two calls of an agent, in the mean
  double seconds = 60;
  uint64_t seed = 1;
  bool fresh = false;  // every program is sent once: none was ever seen before
  std::vector<Group> groups;
};

Plan ReadPlan(const char* path) {
  const json in = json::parse(std::ifstream(path));
  Plan plan{in.at("address"), in.at("period_s"), in.at("seconds"),
            in.at("seed"),    in.at("fresh"),    {}};
  for (const json& group : in.at("groups")) {
    Group& row = plan.groups.emplace_back(Group{group.at("token"), group.at("agents"), {}});
    for (const json& program : group.at("programs")) {
      std::ifstream file(program.at("path").get<std::string>());
      std::stringstream text;
      text << file.rdbuf();
      row.programs.push_back({text.str(), program.at("workload")});
    }
  }
  return plan;
}

enum Kind { kCheck, kBrief, kSubmit };
constexpr const char* kKinds[] = {"check", "brief", "submit"};

// What became of the calls of one kind.
struct Tally {
  std::vector<double> milliseconds;    // of those that were answered, from when they were due
  std::map<std::string, int> refused;  // by reason, with RetryInfo
  std::map<std::string, int> failed;   // by code: nothing that is documented
};

class Load {
 public:
  explicit Load(const Plan& plan) : plan_(plan), random_(plan.seed) {}

  bool Connect() {
    int number = 0;
    for (const Group& group : plan_.groups) {
      for (int i = 0; i < group.agents; ++i) {
        grpc::ChannelArguments arguments;
        arguments.SetInt("cake.agent", ++number);  // a connection of its own
        auto channel =
            grpc::CreateCustomChannel(plan_.address, grpc::InsecureChannelCredentials(), arguments);
        agents_.push_back({&group, "agent-" + std::to_string(number), channel,
                           cake::v1::Agent::NewStub(channel)});
      }
    }
    const auto until = std::chrono::system_clock::now() + std::chrono::seconds(60);
    for (Agent& agent : agents_) {
      if (!agent.channel->WaitForConnected(until)) return false;
    }
    return true;
  }

  void Run() {
    using Due = std::pair<Clock::time_point, size_t>;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
    const Clock::time_point begin = Clock::now();
    std::uniform_real_distribution<double> phase(0, plan_.period_s);
    const auto after = [](Clock::time_point at, double seconds) {
      return at +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    for (size_t i = 0; i < agents_.size(); ++i) due.emplace(after(begin, phase(random_)), i);
    const auto end = after(begin, plan_.seconds);
    std::exponential_distribution<double> pause(1 / plan_.period_s);
    while (due.top().first < end) {
      const auto [at, agent] = due.top();
      due.pop();
      std::this_thread::sleep_until(at);
      lags_ms_.push_back(MillisecondsSince(at));
      Send(agents_[agent], at);
      due.emplace(after(at, pause(random_)), agent);
    }
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, std::chrono::seconds(60), [this] { return open_ == 0; });
  }

  json Result() {
    json out = {{"agents", agents_.size()}, {"seconds", plan_.seconds}, {"sent", sent_}};
    std::vector<double> all;
    for (int kind = 0; kind < 3; ++kind) {
      Tally& tally = tallies_[kind];
      all.insert(all.end(), tally.milliseconds.begin(), tally.milliseconds.end());
      out[kKinds[kind]] = Row(tally.milliseconds);
      out[kKinds[kind]]["refused"] = tally.refused;
      out[kKinds[kind]]["failed"] = tally.failed;
    }
    out["all"] = Row(all);
    out["sender_lag"] = Row(lags_ms_);
    out["unanswered"] = open_;
    return out;
  }

 private:
  struct Agent {
    const Group* group;
    std::string session;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<cake::v1::Agent::Stub> stub;
  };

  template <typename Request, typename Reply>
  struct Call {
    grpc::ClientContext context;
    Request request;
    Reply reply;
    Clock::time_point at;
  };

  static double MillisecondsSince(Clock::time_point at) {
    return std::chrono::duration<double, std::milli>(Clock::now() - at).count();
  }

  static json Row(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double q) {
      return ms.empty() ? 0 : ms[static_cast<size_t>(q * static_cast<double>(ms.size() - 1))];
    };
    return {{"count", ms.size()}, {"p50_ms", at(0.5)}, {"p99_ms", at(0.99)}, {"max_ms", at(1)}};
  }

  void Send(Agent& agent, Clock::time_point at) {
    const double draw = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto& programs = agent.group->programs;
    const Program& program =
        programs[std::uniform_int_distribution<size_t>(0, programs.size() - 1)(random_)];
    const uint64_t number = ++sent_;
    if (draw < 0.7) {
      auto call = Begin<cake::v1::CheckRequest, cake::v1::CheckReply>(agent, at);
      call->request.set_workload(program.workload);
      Fill(call->request.mutable_source(), program, number);
      End(call, kCheck, [&](auto* c, auto done) {
        agent.stub->async()->Check(&c->context, &c->request, &c->reply, done);
      });
    } else if (draw < 0.9) {
      auto call = Begin<cake::v1::BriefRequest, cake::v1::BriefReply>(agent, at);
      call->request.set_workload(program.workload);
      End(call, kBrief, [&](auto* c, auto done) {
        agent.stub->async()->Brief(&c->context, &c->request, &c->reply, done);
      });
    } else {
      auto call = Begin<cake::v1::SubmitRequest, cake::v1::SubmitReply>(agent, at);
      call->request.set_workload(program.workload);
      call->request.set_wait_for(cake::v1::WAIT_FOR_ACK);
      Fill(call->request.mutable_source(), program, number);
      End(call, kSubmit, [&](auto* c, auto done) {
        agent.stub->async()->Submit(&c->context, &c->request, &c->reply, done);
      });
    }
  }

  void Fill(cake::v1::Source* source, const Program& program, uint64_t number) const {
    std::string text = program.text;
    if (plan_.fresh) {
      text += "\n// " + std::to_string(plan_.seed) + "." + std::to_string(number) + "\n";
    }
    source->set_cake_ir(std::move(text));
  }

  template <typename Request, typename Reply>
  std::shared_ptr<Call<Request, Reply>> Begin(const Agent& agent, Clock::time_point at) {
    auto call = std::make_shared<Call<Request, Reply>>();
    call->at = at;
    call->context.AddMetadata("authorization", "Bearer " + agent.group->token);
    call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(15));
    call->request.mutable_meta()->set_agent_session(agent.session);
    call->request.mutable_meta()->set_request_id("load-" + std::to_string(plan_.seed) + "-" +
                                                 std::to_string(sent_));
    return call;
  }

  template <typename CallPtr, typename Start>
  void End(CallPtr call, Kind kind, Start start) {
    {
      std::lock_guard lock(mutex_);
      ++open_;
    }
    start(call.get(), [this, call, kind](const grpc::Status& status) {
      const double ms = MillisecondsSince(call->at);
      std::lock_guard lock(mutex_);
      Count(tallies_[kind], status, ms);
      if (--open_ == 0) idle_.notify_all();
    });
  }

  static void Count(Tally& tally, const grpc::Status& status, double ms) {
    if (status.ok()) return tally.milliseconds.push_back(ms);
    google::rpc::Status rich;
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    rich.ParseFromString(status.error_details());
    bool has_retry = false;
    for (const auto& detail : rich.details()) {
      detail.UnpackTo(&info);
      has_retry = detail.UnpackTo(&retry) || has_retry;
    }
    if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && has_retry)
      ++tally.refused[info.reason()];
    else
      ++tally.failed[std::to_string(status.error_code()) + " " + status.error_message()];
  }

  const Plan& plan_;
  std::mt19937_64 random_;
  std::vector<Agent> agents_;
  std::vector<double> lags_ms_;
  uint64_t sent_ = 0;
  std::mutex mutex_;
  std::condition_variable idle_;
  int open_ = 0;  // guarded by mutex_, as are the tallies
  Tally tallies_[3];
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Plan plan = ReadPlan(argv[1]);
  Load load(plan);
  if (!load.Connect()) {
    std::fprintf(stderr, "not every agent could connect\n");
    return 1;
  }
  load.Run();
  std::printf("%s\n", load.Result().dump().c_str());
  return 0;
}
