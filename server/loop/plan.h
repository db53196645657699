// What a run does next, as a pure function of the fold of its events: the same log gives the same
// decisions, whether it was read at a restart or lived through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/loop/spec.h"
#include "server/state/decision.h"
#include "server/state/philox.h"
#include "server/state/state.h"
#include "store/events.h"

namespace server::loop {

// One step: decisions, and the events that take effect with them.
struct Step {
  std::vector<state::Choice> choices;
  std::string reasons_json = "{}";
  uint64_t rng_counter = 0;
  std::vector<store::RankedVariant> ranked;  // with RANK, and what a stop leaves out
  std::optional<store::RunState> new_state;  // CONFIRMING or STOPPED
  std::string state_reason;
  std::optional<store::PlateauDetected> plateau;
  std::vector<store::EliteChanged> elites;  // with MIGRATE
};

// nullopt: nothing to do until something else happens. Only for runs in RUNNING or CONFIRMING.
std::optional<Step> NextStep(const state::State& state, const state::Run& run, const RunSpec& spec);

// Best prediction first, an unknown one last, ties by canonical hash.
bool PredictedBefore(const state::Variant* a, const state::Variant* b);

// What ranking knows beyond the wave itself.
struct Known {
  double best_ns = 0;                        // the smallest prediction found right; 0: none
  std::vector<const state::Variant*> tried;  // whose distance makes a program new
};

// Orders members that passed the gates, best prediction first, ties by canonical hash; without
// spec.rank in an order that is drawn. The first keep_share of a wave (at least keep_min) go on;
// explore_share of those places (a fraction of a place is one by that chance) are taken from the
// rest: every second one drawn by the model's doubt times its promise, the others the farthest from
// all that was tried or taken. Ranks continue after `last_rank`.
std::vector<store::RankedVariant> RankWave(const std::vector<const state::Variant*>& wave,
                                           const Known& known, const RunSpec& spec,
                                           int64_t last_rank, state::Rng& rng);

// Whether `variant` with `verdict` beats the run's best; the event that says so.
std::optional<store::EliteChanged> EliteAfter(const state::State& state, const state::Run& run,
                                              const state::Variant& variant, store::Verdict verdict,
                                              double ratio_low);

// The same of the archive's cell on `island`: any right program can be the elite of its cell.
std::optional<store::EliteChanged> CellEliteAfter(const state::State& state, const state::Run& run,
                                                  const state::Variant& variant, int64_t island,
                                                  store::Verdict verdict, double ratio_low);

struct Plateau {
  int64_t detected_at = 0, point = 0;
};
// The first x at which the best confirmed lower end grew by less than max(1%, 2 x noise) over the
// last W = 20% of the budget (at least 32 evaluations) while at least 3 cells were tried, x >= 2 W;
// and the x of the last gain before. curve[i], cells[i]: after charged evaluation i + 1.
std::optional<Plateau> FindPlateau(const std::vector<double>& curve,
                                   const std::vector<std::string>& cells, int64_t budget,
                                   double noise_floor);

// The same on the axis of charged tokens, sampled every 40th of `budget`; the plateau's numbers are
// tokens. tokens[i]: charged when evaluation i + 1 ended, never falling.
std::optional<Plateau> FindTokenPlateau(const std::vector<double>& curve,
                                        const std::vector<std::string>& cells,
                                        const std::vector<int64_t>& tokens, int64_t budget,
                                        double noise_floor);

// Whether a plateau would be seen now, had more cells been tried: the search must look elsewhere.
bool StuckInFewCells(const std::vector<double>& curve, const std::vector<std::string>& cells,
                     int64_t budget, double noise_floor);

// The largest noise floor of the devices that are there.
double NoiseFloor(const state::State& state);

}  // namespace server::loop
