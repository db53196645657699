// What is known of shared memory: buffers that share bytes, the alternatives of an `either`, are
// one region. Internal to compiler/machine.
#pragma once

#include <cstdint>

#include "compiler/machine/deferred.h"
#include "compiler/machine/defined_bytes.h"
#include "compiler/machine/shadow.h"
#include "compiler/machine/unit_map.h"

namespace compiler::machine {

struct SharedRegion {
  int64_t begin = 0, bytes = 0;
  UnitMap<Cell> cells;
  DeferredAccesses deferred;  // not yet in the cells
  DefinedBytes defined;
  UnitMap<int32_t> origins;  // of bytes that are not: where they come from
  UnitMap<int32_t> owners;   // with `either`: the buffer last written there

  // The access of a warp, whose bytes count from the region's byte `before` on.
  void Check(RaceRules& rules, const Accessor& by, const LaneBytes& at, int64_t before, bool write,
             ConflictList& conflicts);
  // One that looks at the cells of these bytes of the region itself.
  void LookAtCells(RaceRules& rules, const Accessor& by, int64_t byte, int64_t bytes, bool write);
  void MarkNoted(RaceRules& rules, AccessRecords& records);

 private:
  void Mark(RaceRules& rules, const Accessor& by, const LaneBytes& at, int64_t before, bool write,
            ConflictList& conflicts);
};

}  // namespace compiler::machine
