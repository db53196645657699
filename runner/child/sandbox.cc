#include "runner/child/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace runner::child {
namespace {

absl::Status Errno(std::string_view what, int error) {
  return absl::FailedPreconditionError(
      absl::StrCat("sandbox: ", std::string(what), ": ", strerror(error)));
}

// What a computing child needs after its start. open is absent on purpose: NVRTC prints the lines
// of any file it can include, so it gets none.
constexpr int kComputeCalls[] = {SCMP_SYS(read),           SCMP_SYS(write),
                                 SCMP_SYS(readv),          SCMP_SYS(writev),
                                 SCMP_SYS(pread64),        SCMP_SYS(close),
                                 SCMP_SYS(recvmsg),        SCMP_SYS(sendmsg),
                                 SCMP_SYS(poll),           SCMP_SYS(ppoll),
                                 SCMP_SYS(fstat),          SCMP_SYS(newfstatat),
                                 SCMP_SYS(lseek),          SCMP_SYS(ftruncate),
                                 SCMP_SYS(fcntl),          SCMP_SYS(memfd_create),
                                 SCMP_SYS(mmap),           SCMP_SYS(munmap),
                                 SCMP_SYS(mprotect),       SCMP_SYS(mremap),
                                 SCMP_SYS(madvise),        SCMP_SYS(brk),
                                 SCMP_SYS(futex),          SCMP_SYS(set_robust_list),
                                 SCMP_SYS(rseq),           SCMP_SYS(rt_sigaction),
                                 SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
                                 SCMP_SYS(sigaltstack),    SCMP_SYS(getpid),
                                 SCMP_SYS(gettid),         SCMP_SYS(getuid),
                                 SCMP_SYS(geteuid),        SCMP_SYS(getgid),
                                 SCMP_SYS(getegid),        SCMP_SYS(getrusage),
                                 SCMP_SYS(getrandom),      SCMP_SYS(clock_gettime),
                                 SCMP_SYS(clock_getres),   SCMP_SYS(clock_nanosleep),
                                 SCMP_SYS(nanosleep),      SCMP_SYS(gettimeofday),
                                 SCMP_SYS(sched_yield),    SCMP_SYS(sched_getaffinity),
                                 SCMP_SYS(sysinfo),        SCMP_SYS(uname),
                                 SCMP_SYS(exit),           SCMP_SYS(exit_group)};

// What no child of ours ever needs, the CUDA driver included.
constexpr int kDriverDenied[] = {SCMP_SYS(ptrace),
                                 SCMP_SYS(process_vm_readv),
                                 SCMP_SYS(process_vm_writev),
                                 SCMP_SYS(execve),
                                 SCMP_SYS(execveat),
                                 SCMP_SYS(fork),
                                 SCMP_SYS(vfork),
                                 SCMP_SYS(kexec_load),
                                 SCMP_SYS(bpf),
                                 SCMP_SYS(keyctl),
                                 SCMP_SYS(add_key),
                                 SCMP_SYS(request_key),
                                 SCMP_SYS(mount),
                                 SCMP_SYS(umount2),
                                 SCMP_SYS(pivot_root),
                                 SCMP_SYS(unshare),
                                 SCMP_SYS(setns),
                                 SCMP_SYS(init_module),
                                 SCMP_SYS(finit_module),
                                 SCMP_SYS(delete_module),
                                 SCMP_SYS(reboot),
                                 SCMP_SYS(swapon),
                                 SCMP_SYS(perf_event_open),
                                 SCMP_SYS(userfaultfd)};

// Threads may be made, processes not; clone3's flags are out of the filter's reach, and ENOSYS
// makes the C library use clone.
int AddThreadsOnly(scmp_filter_ctx context, bool allow_list) {
  int rc = seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (allow_list) {
    return rc | seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  }
  return rc | seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

absl::Status LoadFilter(Filter filter) {
  const bool allow_list = filter == Filter::kComputeOnly;
  scmp_filter_ctx context = seccomp_init(allow_list ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW);
  if (context == nullptr) return absl::ResourceExhaustedError("sandbox: no filter");
  int rc = 0;
  if (allow_list) {
    for (int call : kComputeCalls) rc |= seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 0);
    // Only our own death-signal and thread names; the filter itself is set by libseccomp after
    // these rules.
    rc |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                           SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
    // Signals (abort) and limits of this process alone: others may run as the same user.
    rc |= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                           SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
    rc |=
        seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0));
  } else {
    for (int call : kDriverDenied) rc |= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), call, 0);
    for (int family : {2 /*AF_INET*/, 10 /*AF_INET6*/, 17 /*AF_PACKET*/}) {
      rc |= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
                             SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family)));
    }
  }
  rc |= AddThreadsOnly(context, allow_list);
  if (rc == 0) rc = seccomp_load(context);
  seccomp_release(context);
  return rc == 0 ? absl::OkStatus() : Errno("filter", -rc);
}

absl::Status DropUid() {
  if (geteuid() != 0) return absl::OkStatus();
  if (setgroups(0, nullptr) != 0 || setresgid(kChildUid, kChildUid, kChildUid) != 0 ||
      setresuid(kChildUid, kChildUid, kChildUid) != 0) {
    return Errno("drop uid", errno);
  }
  // The kernel forgets the death signal when credentials change, and marks the process undumpable.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return absl::OkStatus();
}

}  // namespace

std::string_view ToString(Level level) {
  constexpr std::array<std::string_view, 4> kWords = {"L0", "L1", "L2", "L3"};
  return kWords[static_cast<size_t>(level)];
}

std::optional<Level> ParseLevel(std::string_view word) {
  for (Level level : {Level::kL0, Level::kL1, Level::kL2, Level::kL3}) {
    if (ToString(level) == word) return level;
  }
  return std::nullopt;
}

absl::Status EnterSandbox(Level level, Filter filter) {
  if (level == Level::kL0) return absl::OkStatus();
  // A temporary folder of its own: made, entered and removed at once, so that nothing can be left
  // in it.
  char folder[] = "/tmp/cake-child-XXXXXX";
  if (mkdtemp(folder) != nullptr) {
    if (chdir(folder) != 0 || rmdir(folder) != 0) return Errno("temporary folder", errno);
  } else if (chdir("/") != 0) {
    return Errno("chdir", errno);
  }
  if (auto status = DropUid(); !status.ok()) return status;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Errno("no_new_privs", errno);
  return LoadFilter(filter);
}

std::vector<std::string> CleanEnvironment() {
  // LeakSanitizer inspects threads with ptrace, which the filter forbids.
  return {"PATH=/usr/bin:/bin", "LC_ALL=C", "ASAN_OPTIONS=detect_leaks=0"};
}

}  // namespace runner::child
