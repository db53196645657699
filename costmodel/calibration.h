// Rates of one architecture as they were measured, in place of those of its data sheet. A
// calibration is a TOML file:
//
//   arch = "sm_90a"
//   fitted_through_seq = 4711  # of the store's log: what was measured later is held out
//   [rates]                 # names of the device description
//   hbm_gb_per_s = 4050
//   launch_overhead_ns = 2300
//   [model]
//   exposed_share = 0.3     # of what the longest resource leaves free
//   low = 0.8               # ends of the interval, as factors of the predicted time
//   high = 1.4
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/arch/device.h"

namespace costmodel {

struct Calibration {
  std::string arch;
  std::map<std::string, double> rates;
  double exposed_share = 0;  // 0: the model's own
  double low = 0, high = 0;  // 0: the model's own interval
  int64_t fitted_through_seq = 0;

  std::string id;            // what estimates name: "sm_90a@3"; set by who puts it in force
  bool claims_time = false;  // its nanoseconds were held against measurements; set with it
};

// INVALID_ARGUMENT names the line or the key. A rate may be at most 16 times, and at least a
// sixteenth of, the one that the device description has.
absl::StatusOr<Calibration> ParseCalibration(std::string_view text);

compiler::arch::Device Calibrated(const compiler::arch::Device& device,
                                  const Calibration& calibration);

}  // namespace costmodel
