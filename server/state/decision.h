// What the loop decides. A decision is one event, written before its effect; a restart finds the
// ones without effect and carries them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/types.h"

namespace server::state {

// EXPAND: judge members [from, from + count) of a candidate's family.
// RANK: order members that passed the gates and leave the tail out.
// EVALUATE: queue a job for a variant.
// BASELINE: judge and estimate the contract's own program.
// SEED: submit the contract's own program as the first family.
// PROPOSE: make a candidate from a parent by a tactic.
// NO_PROPOSAL: the proposal of decision `from` gave nothing; `detail` says why.
// MIGRATE: the best elite of island `from` becomes a guest of `island`.
struct Choice {
  std::string kind;
  int64_t candidate = 0, from = 0, count = 0, variant = 0;
  store::Purpose purpose = store::Purpose::kSearch;
  double time_ns = 0;  // BASELINE: what the model said
  std::string detail;  // PROPOSE: why this parent
  std::string tactic;
  int64_t other = 0;  // the second parent's variant
  uint64_t pick = 0;  // what the tactic draws its choice from; below 2^53
  int64_t island = 0;
  bool structural = false;  // the structure must change
  bool operator==(const Choice&) const = default;
};

inline constexpr std::string_view kExpand = "EXPAND", kRank = "RANK", kEvaluate = "EVALUATE",
                                  kBaseline = "BASELINE", kSeed = "SEED", kPropose = "PROPOSE",
                                  kNoProposal = "NO_PROPOSAL", kMigrate = "MIGRATE";

std::string ToJson(const Choice& choice);
// Kind comes from the event; unknown fields are ignored.
Choice ChoiceFromJson(std::string_view kind, std::string_view json);

}  // namespace server::state
