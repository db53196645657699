// Where the time of one check goes, by part of the gate. Run from the root of the repository.
#pragma once

#include <string>

#include "server/pipeline/pipeline.h"

namespace bench {

// CPU milliseconds of each part of a check.
struct Parts {
  double parse = 0;     // text to syntax
  double types = 0;     // scopes, types, levels, elaboration, hashes
  double facts = 0;     // everything derived
  double analysis = 0;  // kernels read symbolically, with the proofs that the reading needs
  double shapes = 0;    // which shapes the machine runs
  double rules = 0;     // the proofs of the rules
  double machine = 0;   // the shapes run

  double proofs() const { return analysis + rules; }
  double gate() const { return parse + types + facts + shapes + machine; }
  double total() const { return gate() + proofs(); }
};

// The default member of the program, part by part.
Parts TimeParts(const std::string& source, const server::pipeline::Options& options);

}  // namespace bench
