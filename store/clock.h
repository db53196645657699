// Time behind an interface, so that a simulation owns it.
#pragma once

#include <cstdint>

namespace store {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t UnixMicros() = 0;      // display and records only: it may jump
  virtual int64_t MonotonicNanos() = 0;  // every limit and every expiry
};

// The machine's clocks.
Clock& SystemClock();

}  // namespace store
