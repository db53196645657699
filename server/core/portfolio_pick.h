// Which programs a portfolio holds: a decision over what was evaluated, without files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/core/contracts.h"
#include "server/state/state.h"
#include "store/reads.h"

namespace server::core {

// A judged member on one kind of device.
struct Finalist {
  int64_t variant = 0, job = 0;
  store::Verdict verdict = store::Verdict::kPending;
  double merit = 0;  // over all cases: the ratio's lower end, or 1 / predicted ns
  std::map<std::string, double> by_case;  // the same of a case; where it is missing, `merit` stands
  store::ObjectHash receipt, samples;
  double ratio_low = 0, ratio_med = 0, ratio_high = 0, time_ns = 0;
};

struct DevicePick {
  std::string device, arch;  // device "": predicted, nothing was measured
  bool simulated = false;
  store::ScoreSource source = store::ScoreSource::kNone;
  double noise = 0;
  std::vector<Finalist> finalists;       // the best first: it is what every shape gets
  std::map<std::string, size_t> routes;  // case -> finalist, where another one pays
};

// Empty where nothing right was found.
absl::StatusOr<std::vector<DevicePick>> PickPortfolio(const state::State& state,
                                                      store::Reads& reads, const Contract& contract,
                                                      const std::vector<int64_t>& runs);

// The cases that routes are for: scored ones of the device tier, else all scored ones.
std::vector<const runner::contract::Case*> RoutedCases(const runner::contract::Workload& workload);

}  // namespace server::core
