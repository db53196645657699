// The wall clock of a process, moved by what a file says: preloaded, so that the real clock of the
// machine is left alone. CAKE_CLOCK_OFFSET names a file of eight bytes, nanoseconds to add.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

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

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static const volatile int64_t* offset = MapOffset();
  const int code = RealClock(clock, out);
  if (code != 0 || clock != CLOCK_REALTIME) return code;
  const int64_t ns = out->tv_sec * kNsPerS + out->tv_nsec + *offset;
  out->tv_sec = ns / kNsPerS;
  out->tv_nsec = ns % kNsPerS;
  return 0;
}

extern "C" int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return code;
}
