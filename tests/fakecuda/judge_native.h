// The worker's own device code, which every fake device has.
#pragma once

#include <string_view>

namespace fakecuda {

using NativeEntry = void (*)(const unsigned* grid, unsigned block, void** parameters);

// nullptr: it is none of the judge's.
NativeEntry JudgeKernel(std::string_view name);

}  // namespace fakecuda
