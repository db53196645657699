// The memory image of one run: each buffer of a LaunchPlan between its two canaries. Children fill
// it, launch on it and hand it over; the judge reads it back by the same layout.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/contract/workload.h"
#include "runner/oracle/judge.h"

namespace runner::launch {

struct Slot {
  std::string name;
  compiler::ir::DType dtype = compiler::ir::DType::kF32;
  int64_t bytes = 0;   // of the data
  int64_t offset = 0;  // of the canary before it; the data follows kGuardBytes later
  bool workspace = false, zero = false;
  int64_t alignment = 16;  // that the data must have
};

struct Layout {
  std::vector<Slot> slots;  // in the order of LaunchPlan::tensors
  int64_t bytes = 0;        // of one run
};

inline constexpr int64_t kSlotAlignment = 256;

Layout LayOut(const compiler::facts::LaunchPlan& plan);

struct RunSpec {
  uint64_t poison = 0;
  int input_set = 0;
  uint64_t schedule_seed = 0;  // of the reference machine
  bool shifted = false;        // each buffer begins its alignment further on: where it still may
  bool same_memory = false;    // at the addresses of the run before, with other contents
  uint32_t jitter_seed = 0;    // of the delays of an instrumented build; 0: none
};

// The contents of the k-th image that timing rotates over; never those of an oracle run.
inline RunSpec TimedRun(int k) { return {static_cast<uint64_t>(k) + 1, 2 + k, 0}; }

// Fills a whole run: canaries, inputs, poison for outputs and workspaces (zero workspaces too:
// zeroing them is part of the launch). Of the inputs that `left` names nothing is touched.
absl::Status FillRun(const contract::Workload& workload, const contract::Case& at,
                     const Layout& layout, const RunSpec& run, uint64_t seed,
                     std::span<std::byte> image, int threads,
                     const std::set<std::string>& left = {});

// The layout of one run: `layout`, or the same with every buffer shifted.
Layout LayoutOf(const Layout& layout, const RunSpec& run);

std::span<std::byte> DataOf(const Slot& slot, std::span<std::byte> image);

// A judge's view of an image.
oracle::Run ViewOf(const Layout& layout, const RunSpec& run, std::span<const std::byte> image);

}  // namespace runner::launch
