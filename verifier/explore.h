// Runs the reference machine over the selected shapes and merges what it finds.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "verifier/analysis.h"
#include "verifier/closure.h"
#include "verifier/instances.h"

namespace verifier {

struct Exploration {
  compiler::diag::Report
      report;  // one finding per code and place, of the cheapest shape that shows it
  compiler::diag::Report outputs;      // what some shape leaves unwritten of them
  std::vector<std::string> instances;  // the shapes that ran to their end or to a finding
  // Shapes that ran without their arithmetic (protocol.h), for iterations that were too much work.
  std::vector<std::string> without_data;
  int schedules = 1;  // of each shape
  int64_t cut = 0;    // shapes that were too much work, or not run after findings or a refusal
  int64_t covered = 0, wanted = 0;
  std::string refused;         // why a shape has no contents; "" where all had
  std::vector<bool> launched;  // by kernel: some instance ran it
  std::vector<bool> executed;  // by StmtId: in some instance
  std::vector<int64_t> trips;  // by StmtId, of loops: the most that one entry made
  // By StmtId, of counted loops: a thread came to it and made no iteration; no thread ever does.
  std::vector<bool> left_out, never_left_out;
  std::vector<int64_t> lanes;  // by StmtId: threads that executed it, over all instances
  std::vector<uint8_t> outcomes;  // by ExprId, of decisions: machine::Result::outcomes of all runs
  std::vector<Shape> larger;   // Selection::larger, where it was asked for
  int64_t runs = 0, ctas = 0, lane_statements = 0;  // of all shapes and schedules
  uint64_t order_hash = 0;                          // of all of these
  compiler::machine::PremiseChecks checks;          // of all of these
  std::vector<KernelClosure> closures;              // of kernels with loops that hand over
};

Exploration Explore(const ir::Program& program, const compiler::facts::Facts& facts,
                    const std::vector<KernelAnalysis>& kernels, const Selection& selection,
                    const Policy& policy);

}  // namespace verifier
