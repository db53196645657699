// The evaluation child of the reference machine: `cake-worker --eval-child LEVEL cpu`.
#pragma once

#include "runner/child/sandbox.h"

namespace runner::launch {

int CpuChildMain(child::Level level);

}  // namespace runner::launch
