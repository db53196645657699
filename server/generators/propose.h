// One proposal: a tactic applied to a parent, the choice among its sites drawn from one number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/generators/program_text.h"

namespace server::generators {

struct ProposalInput {
  std::string_view tactic;
  std::string_view source;
  Binding binding;  // of the parent; params that it does not name keep their defaults
  std::string_view other_source;
  Binding other_binding;
  uint64_t pick = 0;
  bool structural = false;  // a program of the parent's structure is no proposal
};

struct Proposal {
  bool found = false;
  std::string source;  // canonical text
  Binding binding;     // a value for each of its params, each in its domain
  std::string text;    // what was changed, or why nothing could be
};

// Deterministic. A proposal elaborates without errors and is another program than its parent
// (another canonical form); whether the gates accept it is their matter. Tactics: step, jump,
// crossover and random choose another member of the family; stages, tile, vector and warps widen a
// domain and take the new value; unroll, form, fuse, unfuse, raster, persistent and roles edit the
// text; fix applies the machine-applicable fixes of the parent's report.
Proposal Propose(const ProposalInput& input);

}  // namespace server::generators
