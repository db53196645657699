// The premises under which one run of the machine decides for every interleaving of its instance,
// and how each is met by a program: the report prints them.
//
// If the canonical run ends and all of them hold, then every schedule and every order in which
// asynchronous operations start and finish performs the same events with the same happens-before
// order and the same values: no deadlock, no race, no step error, as that run has none. The next
// event of a warp follows from its registers (P0), it is enabled whatever others do (P1), it meets
// the generation that it names (P2, P3, P4), and what it reads is ordered with every write (P5,
// P7); fairness (P6) lets what is enabled happen.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/premises.h"

namespace verifier {

enum class Met : uint8_t {
  kHolds,    // by what the program is
  kChecked,  // in each run, at each event that could break it
  kAssumed,
  kFails,  // one run shows one of several ways
  kNotApplicable
};
std::string_view ToString(Met met);  // "holds" ..

struct Premise {
  std::string id, name;  // "P2", "recycling"
  Met met = Met::kHolds;
  std::string why;  // in words
};

// P0 to P7, in order. `order_decides`: values that depend on who comes first reach the program.
// `checks`: of all runs.
std::vector<Premise> PremisesOf(const compiler::ir::Program& program, bool order_decides,
                                const compiler::machine::PremiseChecks& checks);

// Whether one run of an instance stands for all its interleavings.
bool OneRunDecides(const std::vector<Premise>& premises);

}  // namespace verifier
