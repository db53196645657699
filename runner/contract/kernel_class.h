// Kernels that are timed alike: what their times' noise depends on most is how long they run.
#pragma once

#include <array>
#include <string_view>

namespace runner::contract {

// Every class, the shortest first. The names are stored; they are never changed.
inline constexpr std::array<std::string_view, 3> kKernelClasses = {"under_10us", "under_100us",
                                                                   "over_100us"};

// Of a kernel, or of a launch plan, that takes `ns` on the device.
constexpr std::string_view KernelClassOf(double ns) {
  constexpr double kShortNs = 10'000, kLongNs = 100'000;
  return kKernelClasses[ns < kShortNs ? 0 : ns < kLongNs ? 1 : 2];
}

}  // namespace runner::contract
