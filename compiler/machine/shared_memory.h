// What is known of shared memory: buffers that share bytes, the alternatives of an `either`, are
// one region. Internal to compiler/machine.
#pragma once

#include <cstdint>

#include "compiler/machine/defined_bytes.h"
#include "compiler/machine/shadow.h"
#include "compiler/machine/unit_map.h"

namespace compiler::machine {

struct SharedRegion {
  int64_t begin = 0, bytes = 0;
  UnitMap<Cell> cells;
  DefinedBytes defined;
  UnitMap<int32_t> origins;  // of bytes that are not: where they come from
  UnitMap<int32_t> owners;   // with `either`: the buffer last written there
};

}  // namespace compiler::machine
