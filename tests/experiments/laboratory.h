// A daemon's core, real gates and a simulated device in one process and one thread: what a search
// does is real, only the times are made up. They are a function of the program and of nothing else,
// so that arms can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/core/core.h"
#include "server/gates/judge.h"
#include "store/store.h"
#include "tests/experiments/landscape.h"

namespace experiments {

// Gate answers, kept over all runs: the same question has the same answer.
class MemoGates : public server::core::GateRunner {
 public:
  void Start(uint64_t id, server::core::GateRequest request, bool interactive) override;
  // Answers the oldest question; false: none is open.
  bool AnswerOne(server::core::Core& core);
  void Forget() { asked_.clear(); }  // questions of a run that is over

  int64_t asked() const { return asked_count_; }
  int64_t judged() const { return judged_; }
  // CPU seconds in proposals, judgements and lowerings.
  double SecondsOf(size_t part) const { return static_cast<double>(cpu_ns_[part]) * 1e-9; }

 private:
  struct Asked {
    uint64_t id = 0;
    server::core::GateRequest request;
  };
  std::deque<Asked> asked_;
  server::gates::Judge judge_;
  std::map<std::string, server::core::GateReply> known_;
  int64_t asked_count_ = 0, judged_ = 0;
  std::array<int64_t, 3> cpu_ns_ = {};
};

class TickingClock : public store::Clock {
 public:
  int64_t UnixMicros() override { return 1'700'000'000'000'000 + now_ns / 1000; }
  int64_t MonotonicNanos() override { return now_ns; }
  int64_t now_ns = 1'000'000'000;
};

// A start program of a run: a text and, where it is a member of a family, what it is narrowed to.
struct Seed {
  std::string source;
  std::map<std::string, int64_t> binding;
  bool broken = false;
};

struct Family {
  std::string name;
  server::core::ContractFile contract;
  std::string source;  // the contract's own program
  struct Member {
    std::map<std::string, int64_t> binding;
    std::string canon_hash;
    server::state::Features features;
    double predicted_ns = 0, device_ns = 0;
  };
  std::vector<Member> members;  // that the gates accept, fastest on the device first
  double effect = 0;            // see EffectOf
};

struct Result {
  std::vector<double> curve;  // the best ratio to the best known member, after each evaluation
  std::string stop;
  int64_t candidates = 0, duplicates = 0, rejected = 0, misses = 0;
  std::map<std::string, server::state::TacticReturn> tactics;
  std::map<std::string, int64_t> rules;  // how often each rule of the search decided something
};

class Laboratory {
 public:
  explicit Laboratory(Landscape landscape) : landscape_(landscape) {}

  // Reads the contract and judges every member of a program, at most `members_max` of them. `spec`
  // is the contract's name, or CONTRACT:PROGRAM where the program is not the one of that name.
  Family Load(const std::string& spec, int64_t members_max);

  // Start programs as an experiment hands them in: `count` members of the worst quartile, so many
  // in a hundred of them with a slip that the gates refuse.
  std::vector<Seed> StartPool(const Family& family, int count, int broken_percent, uint64_t seed);

  Result Run(const Family& family, const std::string& arm, int64_t evaluations, uint64_t seed,
             const std::vector<Seed>& pool);

  const MemoGates& gates() const { return gates_; }

 private:
  Landscape landscape_;
  MemoGates gates_;
};

}  // namespace experiments
