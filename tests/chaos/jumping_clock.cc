// The wall clock of a process, moved by what a file says: preloaded, so that the real clock of the
// machine is left alone. CAKE_CLOCK_OFFSET names a file of eight bytes, nanoseconds to add.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

const volatile int64_t* MapOffset() {
  static const int64_t kNone = 0;
  const char* path = std::getenv("CAKE_CLOCK_OFFSET");
  const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return &kNone;
  void* map = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return map == MAP_FAILED ? &kNone : static_cast<const int64_t*>(map);
}

int RealClock(clockid_t clock, timespec* out) {
  using Function = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  return real(clock, out);
}

int64_t Offset() {
  static const volatile int64_t* offset = MapOffset();
  return *offset;
}

timespec Moved(const timespec& at, int64_t by_ns) {
  const int64_t ns = at.tv_sec * kNsPerS + at.tv_nsec + by_ns;
  return {.tv_sec = ns / kNsPerS, .tv_nsec = ns % kNsPerS};
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const int code = RealClock(clock, out);
  if (code == 0 && clock == CLOCK_REALTIME) *out = Moved(*out, Offset());
  return code;
}

// The kernel's clock did not jump: what is waited for by the wall clock, as Abseil does and with it
// gRPC's timers, would be an hour off, or always over. A wait that has begun keeps its length.
extern "C" long syscall(long number, ...) noexcept {
  using Function = long (*)(long, ...);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "syscall"));
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  timespec until{};
  if (number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) != 0 && a[3] != 0) {
    until = Moved(*reinterpret_cast<const timespec*>(a[3]), -Offset());
    a[3] = reinterpret_cast<long>(&until);
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

extern "C" int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return code;
}
