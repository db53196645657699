// Facts that ptxas prints in the log of `--ptxas-options=-v`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runner::compile {

struct KernelBuild {
  std::string name;
  int64_t registers = -1;  // -1: the log does not say
  int64_t spill_store_bytes = 0, spill_load_bytes = 0, stack_bytes = 0;
  int64_t static_shared_bytes = 0, constant_bytes = 0, barriers = 0;
  bool operator==(const KernelBuild&) const = default;
};

// One entry an entry function, in the log's order.
std::vector<KernelBuild> ParsePtxasLog(std::string_view log);

// The lines that say what is wrong: those with `error`, or all where there is none. At most
// kErrorLinesMax.
inline constexpr int kErrorLinesMax = 20;
std::string ErrorLines(std::string_view log);

}  // namespace runner::compile
