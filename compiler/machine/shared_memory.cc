#include "compiler/machine/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace compiler::machine {

void SharedRegion::Check(RaceRules& rules, const Accessor& by, const LaneBytes& at, int64_t before,
                         bool write, ConflictList& conflicts) {
  if (deferred.on() && deferred.Defer(by, at, before, write)) {
    if (deferred.full()) MarkNoted(rules, *by.records);
    return;
  }
  if (deferred.on() && at.lanes != 0) {
    int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
    for (uint32_t rest = at.lanes; rest != 0; rest &= rest - 1) {
      const int64_t first = at.first[static_cast<size_t>(std::countr_zero(rest))];
      begin = std::min(begin, first);
      end = std::max(end, first + at.bytes);
    }
    LookAtCells(rules, by, begin + before, end - begin, write);
  }
  Mark(rules, by, at, before, write, conflicts);
}

void SharedRegion::LookAtCells(RaceRules& rules, const Accessor& by, int64_t byte, int64_t bytes,
                               bool write) {
  if (!deferred.on()) return;
  MarkNoted(rules, *by.records);
  if (deferred.on()) deferred.NoteMarked(by, byte, byte + bytes, write);
}

void SharedRegion::MarkNoted(RaceRules& rules, AccessRecords& records) {
  if (!deferred.on() || deferred.AllMarked()) return;
  ConflictList conflicts;
  LaneBytes at;
  deferred.MarkAll(records, [&](const Accessor& by, const NotedLanes& lanes, bool write) {
    for (size_t i = 0; lanes.tile != nullptr && i < lanes.tile->groups.size(); ++i) {
      const MatrixCopy::Group& group = lanes.tile->groups[i];
      at.lanes = group.lanes;
      at.bytes = ir::kMatrixRowBytes;
      std::copy(group.byte.begin(), group.byte.end(), at.first.begin());
      Mark(rules, by, at, lanes.begin, write, conflicts);
    }
    if (lanes.tile != nullptr) return;
    at.lanes = lanes.lanes;
    at.bytes = lanes.bytes;
    std::copy(lanes.first.begin(), lanes.first.end(), at.first.begin());
    Mark(rules, by, at, 0, write, conflicts);
  });
  if (conflicts.empty()) return;
  std::fprintf(stderr, "machine: an access that was noted as one without conflicts has some\n");
  std::abort();
}

void SharedRegion::Mark(RaceRules& rules, const Accessor& by, const LaneBytes& at, int64_t before,
                        bool write, ConflictList& conflicts) {
  const auto whole = [&](int64_t first, int64_t bytes) {
    return cells.Whole(first + before, bytes);
  };
  const auto parted = [&](int lane, int64_t first) {
    const auto copy = [&](const Cell& cell) { return rules.CopyOf(cell); };
    cells.ForWhole(first + before, at.bytes, copy, [&](int64_t byte, Cell& cell) {
      conflicts.set_byte(byte - before);
      write ? rules.Write(cell, by, lane, conflicts) : rules.Read(cell, by, lane, conflicts);
    });
    return true;
  };
  rules.ForLanes(by, at, write, conflicts, whole, parted);
}

}  // namespace compiler::machine
