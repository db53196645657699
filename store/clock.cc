#include "store/clock.h"

#include <time.h>

namespace store {
namespace {

class MachineClock : public Clock {
 public:
  int64_t UnixMicros() override { return Nanos(CLOCK_REALTIME) / 1000; }
  int64_t MonotonicNanos() override { return Nanos(CLOCK_MONOTONIC); }

 private:
  static int64_t Nanos(clockid_t id) {
    timespec now{};
    clock_gettime(id, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
};

}  // namespace

Clock& SystemClock() {
  static MachineClock clock;
  return clock;
}

}  // namespace store
