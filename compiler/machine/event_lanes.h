// The lanes of a warp that did what a record says.
#pragma once

#include <cstdint>

#include "compiler/machine/event_log.h"

namespace compiler::machine {

constexpr uint32_t kWholeWarp = 0xffffffff;

// As a mask, which arrivals of threads and loads keep in `value`.
inline uint32_t LanesOf(const EventRecord& record) {
  switch (record.action) {
    case EventAction::kArriveThread:
    case EventAction::kAsyncArrive:
    case EventAction::kLoad: return static_cast<uint32_t>(record.value);
    case EventAction::kTicket:
    case EventAction::kAnswer: return uint32_t{1} << record.lane;
    default: return kWholeWarp;
  }
}

}  // namespace compiler::machine
