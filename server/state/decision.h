// What the loop decides. A decision is one event, written before its effect; a restart finds the
// ones without effect and carries them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/types.h"

namespace server::state {

// EXPAND: judge members [from, from + count) of a candidate's family.
// RANK: order a closed family and leave the tail out.
// EVALUATE: queue a job for a variant.
// BASELINE: judge and estimate the contract's own program.
// SEED: submit the contract's own program as the first family.
struct Choice {
  std::string kind;
  int64_t candidate = 0, from = 0, count = 0, variant = 0;
  store::Purpose purpose = store::Purpose::kSearch;
  double time_ns = 0;  // BASELINE: what the model said
  std::string detail;
};

inline constexpr std::string_view kExpand = "EXPAND", kRank = "RANK", kEvaluate = "EVALUATE",
                                  kBaseline = "BASELINE", kSeed = "SEED";

std::string ToJson(const Choice& choice);
// Kind comes from the event; unknown fields are ignored.
Choice ChoiceFromJson(std::string_view kind, std::string_view json);

}  // namespace server::state
