// The first estimate: bytes and operations per statement from the instruction table, occupancy,
// waves, bottleneck class, an interval. It ranks; it never measures. RANK_ONLY until a calibration
// exists.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/arch/device.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/launch.h"
#include "compiler/ir/program.h"
#include "costmodel/calibration.h"

namespace costmodel {

struct SpanTime {
  compiler::diag::Span span;
  double ns = 0;
  std::string resource;
};
struct WhatIf {
  std::string change;
  double time_ns = 0;
};

struct Estimate {
  double time_ns = 0, low_ns = 0, high_ns = 0, level = 0.80;
  std::string bottleneck,
      runner_up;  // tensor hbm l2 smem issue sfu latency/sync occupancy/wave launch
  std::map<std::string, double> utilisation;  // resource -> share of time_ns
  std::vector<SpanTime> attribution;          // per statement, largest first
  double roofline_ns = 0;                     // unavoidable bytes and flops only
  double global_bytes = 0, flops = 0, waves = 0, occupancy = 0, ctas = 0;
  std::vector<WhatIf> what_if;
  std::string calibration = "none";
  bool rank_only = true;
};

// `values` are the launch values of the case the estimate is for. Cost does not grow with trip
// counts. A calibration of another architecture than the device's changes nothing.
absl::StatusOr<Estimate> EstimateLaunch(const compiler::ir::Program& program,
                                        const compiler::facts::Facts& facts,
                                        const compiler::ir::LaunchValues& values,
                                        const compiler::arch::Device& device,
                                        const Calibration* calibration = nullptr);

std::string ToText(const Estimate& estimate, std::string_view source);
std::string ToJson(const Estimate& estimate, std::string_view source);

}  // namespace costmodel
