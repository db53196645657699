// Times that nobody measured, for searches to be compared on.
#pragma once

#include <string>
#include <vector>

#include "server/state/features.h"

namespace experiments {

// What the model does not know of a time: a factor whose logarithm has deviation `spread` over a
// family's members. A share `inherited` of its variance goes with how a program is built (roles,
// instruction form, schedule, params), so that relatives have it in common; the rest is of the
// canonical form alone.
struct Landscape {
  double spread = 0.25, inherited = 0;
};

// The weight of a coordinate's term, with which the inherited share over these members is as said.
double EffectOf(const std::vector<server::state::Features>& members, Landscape landscape);

// Nanoseconds of a program on the device; a function of the program and of nothing else.
double DeviceNs(double predicted_ns, const std::string& canon_hash,
                const server::state::Features& features, double effect, Landscape landscape);

}  // namespace experiments
