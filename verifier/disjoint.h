// Whether two CTAs of a launch touch different elements: two copies of a kernel side by side.
#pragma once

#include "verifier/rules.h"

namespace verifier {

// Whether accesses `a` and `b` of one kernel never touch one element from different CTAs, for every
// shape that the guard admits.
bool Disjoint(const RuleInput& input, KernelAnalysis& analysis, const Access& a, const Access& b);

}  // namespace verifier
