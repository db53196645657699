// What a device is told of one input set, so that it can say whether outputs pass: made from what
// was expected of an earlier program, kept from one job to the next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "runner/oracle/accepted.h"

namespace runner::worker {

struct KnownMarks {
  bool usable = true;                                // false: bounds do not say what passes
  std::map<std::string, uint64_t> inputs, accepted;  // fingerprints of what is read, and of bounds
  std::map<std::string, oracle::Accepted> bounds;    // by output
  std::map<std::string, int64_t> heads;  // bytes from each output's start that the judge looks at

  int64_t bytes() const;
};

// `drawn` holds what is expected of the outputs too; an output without it makes marks that are not
// usable. The status is the contract's.
absl::StatusOr<std::shared_ptr<const KnownMarks>> MarksOf(const contract::Workload& workload,
                                                          const contract::Case& at,
                                                          const oracle::DrawnInputs& drawn,
                                                          uint64_t key);

// Whether the first elements of each output pass by the comparison itself: a look at the judge on
// the device that costs next to nothing. `heads`: what came along, in the order of `order`.
bool HeadsPass(const contract::Workload& workload, const contract::Case& at,
               const oracle::DrawnInputs& drawn, const std::map<std::string, int64_t>& order,
               std::span<const std::byte> heads);

}  // namespace runner::worker
