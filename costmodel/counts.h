// What one launch executes, per statement: warp instructions, bytes, wavefronts, operations. Found
// by running a few sampled CTAs, warps and iterations (first, last, some between, weighted by how
// many they stand for) with 32 lanes at once, so the cost does not grow with trip counts or the
// grid. Operation costs come from the instruction table; nothing here knows an instruction by name.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace costmodel {

// Sums over all CTAs of one kernel; weights make them real numbers.
struct StatementCost {
  double warp_executions = 0, lane_executions = 0;
  double global_bytes_read = 0, global_bytes_written = 0;  // requested by lanes that are in bounds
  double shared_bytes_read = 0, shared_bytes_written = 0;
  double sector_bytes = 0;       // 32-byte sectors of global memory that the warps touch
  double shared_wavefronts = 0;  // of 128 bytes, bank conflicts included
  double shared_wavefronts_ideal = 0;
  double issue_slots = 0;  // warp instructions, every pipe
  double fma_slots = 0, sfu_slots = 0;
  double flops = 0;
  double product_flops = 0;  // of tensor cores
  // The same in operations on 16-bit operands, for which the rates hold: of mma, and of wgmma.
  double tensor_work = 0, warpgroup_work = 0;
  double global_loads = 0, shared_loads = 0, shuffles = 0, barriers = 0;  // warp instructions
  double atomics = 0;  // lane operations on words of memory
};

struct KernelCounts {
  std::vector<StatementCost> statements;    // of this kernel's statements, from `first` on
  size_t first = 0;                         // StmtId of the first
  std::map<int, double> sector_bytes_read;  // by tensor index
  std::map<int, double> sector_bytes_written;
  int64_t grid[3] = {1, 1, 1};
  int64_t ctas = 0;
  int64_t warps = 0;              // of all roles of one CTA
  double loads_between_uses = 1;  // independent global loads a warp has in flight
  bool exact = true;              // every CTA, warp and iteration was run and known
  bool skipped = false;           // `when` is false or the grid is empty
};

// Errors are those of the launch expressions (overflow, division by zero).
absl::StatusOr<KernelCounts> CountKernel(const compiler::ir::Program& program,
                                         const compiler::facts::Facts& facts, size_t kernel,
                                         const compiler::ir::LaunchValues& values);

}  // namespace costmodel
