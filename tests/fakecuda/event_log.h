// The log of an instrumented build, which a machine that runs no code cannot get from it: written
// from the reference machine's own log, in the form that the device would leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "compiler/emit/event_log.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"

namespace fakecuda {

// False: the parameter points at memory that no allocation holds. `find` as FindMemory.
bool WriteEventLog(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
                   const compiler::machine::Result& result, int64_t ctas,
                   const compiler::emit::EventLogParameter& to,
                   const std::function<std::span<std::byte>(uint64_t, int64_t)>& find);

// The words of a build for autopsies, as a device leaves them whose kernel hangs or has ended.
bool WriteProgress(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
                   const compiler::machine::Result& result, int64_t ctas,
                   const compiler::emit::EventLogParameter& to,
                   const std::function<std::span<std::byte>(uint64_t, int64_t)>& find);

}  // namespace fakecuda
