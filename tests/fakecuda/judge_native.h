// The worker's own device code, which every fake device has.
#pragma once

#include <string_view>

namespace fakecuda {

using NativeEntry = void (*)(const unsigned* grid, unsigned block, void** parameters);

// nullptr: it is none of ours.
NativeEntry OwnKernel(std::string_view name);

}  // namespace fakecuda
