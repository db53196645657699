// The first stage: which candidates to make next.
#pragma once

#include <optional>

#include "server/loop/plan.h"
#include "server/loop/select.h"

namespace server::loop {

// A batch of PROPOSE decisions for the next wave: repairs of rejected candidates first, then
// parents and tactics. nullopt: nothing can be proposed, now or any more.
std::optional<Step> Propose(const state::State& state, const state::Run& run, const RunSpec& spec);

// MIGRATE decisions that are due: every migrate_every charged evaluations the best elite of each
// island becomes a guest of the next one, in a ring. A guest takes its cell there if it is better
// than the elite that holds it.
std::optional<Step> Migrate(const state::State& state, const state::Run& run, const RunSpec& spec);

}  // namespace server::loop
