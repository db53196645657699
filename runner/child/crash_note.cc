#include "runner/child/crash_note.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace runner::child {
namespace {

constexpr int kError = 2, kFramesMax = 24;
constexpr size_t kDoingMax = 120, kStackBytes = 64 << 10;

// Written by one thread, read in the handler: a torn text is still a text.
std::array<char, kDoingMax + 1> doing = {};

// The rest of this file's writing is only what a signal handler may do.
void Write(std::string_view text) {
  if (write(kError, text.data(), text.size()) < 0) return;
}

void WriteNumber(uint64_t value, uint64_t base) {
  char digits[20];
  size_t at = sizeof(digits);
  do {
    digits[--at] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  Write({digits + at, sizeof(digits) - at});
}

void OnSignal(int number, siginfo_t* info, void*) {
  Write("signal ");
  WriteNumber(static_cast<uint64_t>(number), 10);
  Write(" at address 0x");
  WriteNumber(reinterpret_cast<uint64_t>(info->si_addr), 16);
  Write(" while ");
  Write(doing[0] == '\0' ? "starting" : doing.data());
  Write("\n");
  void* frames[kFramesMax];
  backtrace_symbols_fd(frames, backtrace(frames, kFramesMax), kError);
  raise(number);  // pending until this returns, then by the default: the parent sees the signal
}

}  // namespace

void Doing(std::string_view what) {
  const size_t bytes = std::min(what.size(), kDoingMax);
  std::memcpy(doing.data(), what.data(), bytes);
  doing[bytes] = '\0';
}

void NoteCrashes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  void* first[1];
  backtrace(first, 1);  // loads what it needs while files can be opened
  // A stack that is full has no room for the handler's frames.
  static char room[kStackBytes];
  const stack_t stack = {.ss_sp = room, .ss_flags = 0, .ss_size = sizeof(room)};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(number, &action, nullptr);
#endif
}

}  // namespace runner::child
