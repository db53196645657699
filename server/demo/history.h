// What a made-up run did, candidate by candidate: gates as they really judge, evaluations drawn
// from a curve that flattens as searches do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/demo/programs.h"
#include "server/state/philox.h"
#include "store/store.h"

namespace server::demo {

// One stream of numbers for the whole store, by its seed.
class Draws {
 public:
  explicit Draws(uint64_t seed) : rng_(seed, 0, 0, state::DrawFor::kSimulation) {}
  double Unit() { return rng_.Unit(); }
  uint64_t Below(uint64_t limit) { return rng_.Below(limit); }

 private:
  state::Rng rng_;
};

// The last id given of each kind.
struct Ids {
  int64_t principal = 0;
  int64_t candidate = 0, variant = 0, job = 0, lease = 0, token = 0, evaluation = 0;
};

class RunHistory {
 public:
  RunHistory(const Family& family, int64_t run, std::string contract_hash, bool estimated,
             Draws& draws, Ids& ids);

  // Sources and reports that the n-th candidate is the first to name.
  std::vector<store::Object> TakeObjects(int64_t n);
  // Its events, n = 1, 2, ..; the first one is the family's own program and gets an evaluation.
  std::vector<store::EventBody> Candidate(int64_t n);
  // Variants that were evaluated.
  const std::vector<int64_t>& waiting() const { return evaluated_; }

 private:
  const Program& ProgramOf(int64_t n) const;
  void Submit(int64_t n, std::vector<store::EventBody>& out);
  void Judge(const Program& program, std::vector<store::EventBody>& out);
  void Expand(const Program& program, bool duplicate, std::vector<store::EventBody>& out);
  void Evaluate(int64_t n, const core::GateMember& member, int64_t variant,
                std::vector<store::EventBody>& out);
  void Score(int64_t n, const core::GateMember& member, store::EvaluationDone& done);
  void Promote(const core::GateMember& member, int64_t variant, const store::EvaluationDone& done,
               std::vector<store::EventBody>& out);

  const Family& family_;
  const int64_t run_;
  const std::string contract_hash_;
  const bool estimated_;
  Draws& draws_;
  Ids& ids_;
  std::vector<int64_t> candidates_;  // by n
  std::vector<int64_t> good_;        // n of candidates that passed
  std::vector<int64_t> evaluated_;
  std::vector<size_t> program_of_;  // by n - 1
  double best_ = 0;
};

}  // namespace server::demo
