// What direct CUDA may not do, read from the PTX that its compilation leaves: NVRTC has resolved
// templates, macros and includes by then, so nothing can be spelled differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner::compile {

inline constexpr size_t kPtxFindingsMax = 16;

// One line a finding, in the order of the text: functions from outside the module (a library, the
// device's allocator, printf, launches from the device), memory of the module that outlives a
// launch, cache policies that outlive it, and reads of clocks.
std::vector<std::string> ScanPtx(std::string_view ptx);

}  // namespace runner::compile
