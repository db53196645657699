// Device descriptions: limits and capabilities of one architecture, read from TOML files that are
// embedded at build time. Legality reads these; no limit is a constant in code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace compiler::arch {

// Field names follow the CUDA driver's attributes and the CUDA programming guide's table of limits.
struct Device {
  std::string arch;            // "sm_90a"
  int compute_capability = 0;  // 90
  std::string part;            // the product whose rates are given: "H200 SXM"
  int64_t max_threads_per_block = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0,
          max_warps_per_sm = 0;
  int64_t shared_bytes_per_block_optin = 0, shared_bytes_per_sm = 0,
          reserved_shared_bytes_per_block = 0;
  int64_t registers_per_sm = 0, registers_per_thread = 0, register_allocation_unit = 0;
  int64_t named_barriers = 0, max_cluster_size = 0;
  int64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  int64_t vector_bytes_global = 0, vector_bytes_shared = 0;
  int64_t tensor_memory_columns = 0;  // of an SM, 32 bits each; 0: there is none
  std::vector<std::string> features;
  // Instructions of the routine that the assembler calls for a product of 16 x 8 x 32 bytes of K;
  // 0: the tensor cores have it.
  int64_t mma_i4_routine = 0, mma_b1_and_routine = 0, mma_b1_xor_routine = 0;
  // Rates for the first cost estimate; each with its source in the file. 0: unknown.
  int64_t sm_count = 0, l2_mib = 0;
  double clock_ghz = 0, hbm_gb_per_s = 0, l2_gb_per_s = 0, shared_bytes_per_clock_per_sm = 0;
  double fma_lanes_per_clock_per_sm = 0, sfu_lanes_per_clock_per_sm = 0,
         issue_slots_per_clock_per_sm = 0;
  double mma_flops_per_clock_per_sm = 0;    // mma.sync on 16-bit operands, two a multiplication
  double wgmma_flops_per_clock_per_sm = 0;  // the same of wgmma
  double launch_overhead_ns = 0, dram_latency_ns = 0;
  std::string source;
};

// NotFound lists the known ones.
absl::StatusOr<const Device*> Find(std::string_view arch);
std::vector<std::string_view> Known();

// The description whose limits hold for a program of `target`: its own, or for a plain target
// (sm_90) the one of the same compute capability. NotFound lists the known ones.
absl::StatusOr<const Device*> DeviceOfTarget(std::string_view target);

// Whether a program with `target` may run on `arch`: plain targets are minima, `a` targets match
// exactly.
bool Admits(std::string_view target, std::string_view arch);

}  // namespace compiler::arch
