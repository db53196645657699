// One kernel on one device: occupancy, waves and the time that each resource is busy.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/arch/device.h"
#include "compiler/facts/derived.h"
#include "costmodel/counts.h"

namespace costmodel {

struct KernelModel {
  KernelCounts counts;
  StatementCost total;              // sum over the statements
  double dram_bytes = 0;            // each tensor's sectors, at most once each byte it has
  double registers_per_thread = 0;  // an estimate: the compiler decides
  double ctas_per_sm = 0;           // resident at once
  double waves = 0;                 // CTAs over what is resident on the whole device
  double occupancy = 0;             // resident warps over those an SM can hold
  double exposed_share = 0.15;      // of what the longest resource leaves free; uncalibrated
  std::string occupancy_limit;      // "threads" | "shared memory" | "registers" | "CTAs"
};

// A change of the schedule whose effect follows from the counts alone.
struct Change {
  double more_ctas_per_sm = 0;
  double access_width = 1;
  bool no_conflicts = false, coalesced = false, whole_waves = false, one_launch = false;
};

struct Times {
  double total_ns = 0, low_ns = 0, high_ns = 0;
  std::map<std::string, double> busy_ns;   // each resource by itself
  std::map<std::string, double> share_ns;  // parts that sum to total_ns
};

absl::StatusOr<KernelModel> ModelOf(const compiler::ir::Program& program,
                                    const compiler::facts::Facts& facts, size_t kernel,
                                    KernelCounts counts, const compiler::ir::LaunchValues& values,
                                    const compiler::arch::Device& device);

// No overlap is assumed beyond the longest resource: of the others exposed_share is added, the
// interval runs from full overlap to none.
Times TimeOf(const KernelModel& kernel, const compiler::arch::Device& device, const Change& change);

// Use of each resource in its own unit, for attribution: keys as in Times.
std::map<std::string, double> UseOf(const StatementCost& cost);

// Time of `flops` at the peak f32 rate, fma counted as two.
double PeakFlopsNs(const compiler::arch::Device& device, double flops);

// Clocks of one SM's tensor cores for the products; 0 where the rates are unknown.
double TensorClocks(const compiler::arch::Device& device, const StatementCost& cost);
// Time of the products at these rates on the whole device.
double PeakProductNs(const compiler::arch::Device& device, const StatementCost& cost);

}  // namespace costmodel
