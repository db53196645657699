// Registers that a launch gives each thread of a kernel whose roles have budgets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace compiler::facts {

constexpr int64_t kRegisterUnit = 8;  // PTX ISA, setmaxnreg: counts are multiples of it

// Of `registers` of an SM that `ctas` of `threads` each divide, as __launch_bounds__(threads, ctas)
// says; no more than a thread can name.
inline int64_t LaunchRegisters(int64_t registers, int64_t most_of_thread, int64_t threads,
                               int64_t ctas) {
  const int64_t each = registers / std::max<int64_t>(threads, 1) / std::max<int64_t>(ctas, 1);
  return std::min(each, most_of_thread) / kRegisterUnit * kRegisterUnit;
}

}  // namespace compiler::facts
