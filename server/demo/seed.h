// Fills a store with made-up but possible data: experiments, candidates with lineage, verdicts,
// evaluations on a device that is none, findings, devices, a queue. It is marked as imported
// evidence of the campaign "demo", so that every page says so, and nothing of it is ever work.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/contracts.h"
#include "store/store.h"

namespace server::demo {

inline constexpr int64_t kRowsMax = 100'000;

struct Options {
  int64_t rows = 200;  // of candidates, findings, devices, experiments and queued jobs each
  uint64_t seed = 1;
};

struct Seeded {
  int64_t events = 0, candidates = 0, runs = 0;
  std::string best;  // a candidate to look at; "" without rows
};

// The same options and contracts give the same log but for nothing. FAILED_PRECONDITION when the
// store has runs already.
absl::StatusOr<Seeded> Seed(store::Store& store, const std::vector<core::ContractFile>& contracts,
                            const Options& options);

}  // namespace server::demo
