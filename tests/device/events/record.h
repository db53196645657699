// Event logs in one form, whoever wrote them: the reference machine, or the emitted code of an
// instrumented build. The two come here by different ways: the machine's from the generations that
// it counts, the device's from the addresses, parities and barrier numbers that instructions got.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/emit/event_log.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/event_lanes.h"
#include "compiler/machine/machine.h"

namespace device::events {

struct Record {
  std::string_view verb;  // as the language spells it
  std::string object;     // "box full[2]", "barrier 3", of a ticket "value 7"
  int parity = -1;        // -1: the instruction gets none
  int64_t use = -1;       // -1: of a barrier
  // The mask of the threads that did it together.
  uint32_t lanes = compiler::machine::kWholeWarp;
  int64_t line = 0;  // of the source; told, not compared

  // Whether one lane sees the same in both.
  bool Same(const Record& other) const {
    return verb == other.verb && object == other.object && parity == other.parity &&
           use == other.use;
  }
};
std::string Text(const Record& record);  // "wait box full[1] parity 0 use 5"

struct WarpLog {
  size_t kernel = 0;
  int64_t cta = 0;
  int role = 0;      // -1: a warp of no role, which only fills up the block
  int64_t warp = 0;  // in the role
  std::vector<Record> records;
  int64_t missing = 0;                     // records that were made and had no room
  compiler::machine::WarpTickets tickets;  // of the device: what a machine that follows it draws
};

// By kernel, CTA, and place in the CTA.
std::vector<WarpLog> FromMachine(const compiler::ir::Program& program,
                                 const compiler::facts::Facts& facts,
                                 const compiler::machine::Result& result);

// One kernel's memory as the device left it: `counts` has one number a warp of the grid, `records`
// has `limit` a warp.
std::vector<WarpLog> FromDevice(const compiler::ir::Program& program,
                                const compiler::facts::Facts& facts, size_t kernel, int64_t ctas,
                                std::span<const uint32_t> counts,
                                std::span<const compiler::emit::EventLogRecord> records,
                                int64_t limit);

}  // namespace device::events
