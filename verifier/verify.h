// The gates before compilation, in order; each finding is localized. Knows no process, no store, no
// wire.
#pragma once

#include <string>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"
#include "compiler/machine/premises.h"
#include "verifier/premises.h"

namespace verifier {

enum class How : uint8_t { kProved, kExplored, kBounded, kRefuted, kUnknown, kNotApplicable };
std::string_view ToString(How how);  // "proved" ..

struct PropertyStatus {
  std::string property;  // "bounds", "races", "deadlock", "definedness", "overflow", "convergence",
                         // "resources"
  How how = How::kUnknown;
  std::string coverage;  // in words: what was run or proved, over what
};

struct Policy {
  int64_t max_lane_statements = 6'000'000;  // of all instances; and of the smallest one
  int64_t max_lane_statements_per_instance = 2'000'000;
  int max_instances = 32;
  // Where vendors are silent, the careful reading: reads by threads are fenced before engines
  // write.
  bool strict_proxies = false;
  uint64_t schedule_seed = 0;                    // of runs that would have the canonical schedule
  bool hash_order = false;                       // Verdict::order_hash
  bool close_trips = true;                       // look for states of loops that come again
  compiler::machine::PremiseMask unchecked = 0;  // only tests of the checks leave any out
};

// What it took: the same on every machine.
struct Work {
  int64_t runs = 0, ctas = 0, lane_statements = 0;  // of the reference machine
  int64_t eliminations = 0, rows = 0;               // of proofs: asked for anew, and what they made
};

struct Verdict {
  compiler::diag::Report report;
  std::vector<PropertyStatus> properties;
  std::vector<std::string> instances;    // the shapes that ran, e.g. "N=1, SMS=4"
  std::vector<std::string> assumptions;  // content contracts, aliasing
  std::vector<Premise> premises;         // P0 to P7
  bool accepted = false;                 // no error
  uint64_t order_hash = 0;               // of all runs, in order
  Work work;
};

Verdict Verify(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
               const compiler::arch::Device& device, const Policy& policy);

}  // namespace verifier
