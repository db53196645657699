// What a job takes of its run's budgets: reserved at its grant, settled by its result, given back
// when it is lost. At every event spent + reserved stays within the limit.
#pragma once

#include <vector>

#include "server/state/state.h"

namespace server::core {

inline constexpr std::string_view kEvaluations = "evaluations";

// One evaluation, and of each budget of time what jobs of this run took so far in the mean, as far
// as there is so much left: what an evaluation takes beyond that is in its own row.
std::vector<store::EventBody> ReserveFor(const state::Run& run, const state::Job& job);
// Everything that is reserved for it.
std::vector<store::EventBody> RefundsOf(const state::Job& job);
// The time that was spent, and the end of its reservation; nothing where there is neither.
std::vector<store::EventBody> SettleTime(const state::Run& run, const state::Job& job,
                                         const std::string& kind, int64_t spent);

}  // namespace server::core
