// Cases of sizes that nobody is told: drawn from the seed of a job inside the contract's own sizes,
// so that a program that knows the contract's cases and no others is found out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/contract/workload.h"

namespace runner::oracle {

// What names of hidden cases begin with; a number, the dim and its value follow.
inline constexpr std::string_view kHiddenPrefix = "hidden_";
inline constexpr std::string_view kCheckHidden = "hidden_sizes";

// At most `count` machine-tier cases: each is one of the contract's with one dim at another value
// between the smallest and the largest that machine-tier cases have. A value that the contract's
// own rules refuse is not taken. Deterministic for a seed; none where no dim varies.
std::vector<contract::Case> HiddenCases(const contract::Workload& workload, uint64_t seed,
                                        int count);

}  // namespace runner::oracle
