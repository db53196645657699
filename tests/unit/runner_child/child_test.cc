#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/child/channel.h"
#include "runner/child/json_field.h"
#include "runner/child/memory_file.h"
#include "runner/child/process.h"
#include "runner/child/sandbox.h"

namespace runner::child {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kGuardMs = 30'000;  // no test waits for it when all is well

SpawnOptions Shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .environment = CleanEnvironment()};
}

TEST(Channel, FramesAndDescriptorsArrive) {
  auto ends = Channel::MakePair().value();
  Channel other{std::move(ends.second)};
  const auto file = MemoryFile::Create("x", 4);
  const UniqueFd null(open("/dev/null", O_RDONLY));
  const int fds[] = {null.get()};
  ASSERT_TRUE(ends.first.Send(7, "hello", fds).ok());
  ASSERT_TRUE(ends.first.Send(8, std::string(1 << 16, 'x')).ok());
  auto first = other.Receive(kGuardMs).value();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->type, 7);
  EXPECT_EQ(first->payload, "hello");
  ASSERT_EQ(first->fds.size(), 1u);
  EXPECT_GE(fcntl(first->fds[0].get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  auto second = other.Receive(kGuardMs).value();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->payload.size(), size_t{1 << 16});
  ends.first.Close();
  EXPECT_FALSE(other.Receive(kGuardMs).value().has_value());
}

TEST(Channel, GiantAndTornFramesAreDataLoss) {
  for (const bool giant : {true, false}) {
    auto ends = Channel::MakePair().value();
    Channel other{std::move(ends.second)};
    const uint32_t length = giant ? kFrameBytesMax + 1 : 100;
    char bytes[10] = {};
    std::memcpy(bytes, &length, 4);
    ASSERT_EQ(write(ends.first.fd(), bytes, sizeof(bytes)), 10);
    ends.first.Close();
    EXPECT_EQ(other.Receive(kGuardMs).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(Channel, DeadlineLeavesThePartForTheNextCall) {
  auto ends = Channel::MakePair().value();
  Channel other{std::move(ends.second)};
  char header[6] = {};
  header[0] = 2;
  ASSERT_EQ(write(ends.first.fd(), header, 6), 6);
  EXPECT_EQ(other.Receive(1).status().code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_EQ(write(ends.first.fd(), "ab", 2), 2);
  EXPECT_EQ(other.Receive(kGuardMs).value()->payload, "ab");
}

TEST(MemoryFile, OnlySealedFilesOfTheRightSizeAreMapped) {
  auto file = MemoryFile::Create("x", 4096).value();
  file.bytes()[7] = std::byte{9};
  const UniqueFd fd = std::move(file).Seal().value();
  EXPECT_EQ(MapSealed(fd.get(), 4096).value().bytes()[7], std::byte{9});
  EXPECT_FALSE(MapSealed(fd.get(), 8192).ok());
  EXPECT_LT(ftruncate(fd.get(), 1), 0);
  const UniqueFd open_file(memfd_create("y", 0));
  ASSERT_EQ(ftruncate(open_file.get(), 4096), 0);
  EXPECT_FALSE(MapSealed(open_file.get(), 4096).ok());
}

TEST(Process, ExitCodeSignalAndErrorTail) {
  auto process = Process::Spawn(Shell("echo broken >&2; exit 7")).value();
  const Exit exit = process.Finish(kGuardMs);
  EXPECT_EQ(exit.kind, Exit::Kind::kExited);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(exit.error_tail, "broken\n");
  auto killed = Process::Spawn(Shell("kill -SEGV $$")).value();
  const Exit by_signal = killed.Finish(kGuardMs);
  EXPECT_EQ(by_signal.kind, Exit::Kind::kSignalled);
  EXPECT_EQ(by_signal.code, SIGSEGV);
}

TEST(Process, InheritsNoDescriptorButTheChannel) {
  const UniqueFd leak(open("/dev/null", O_RDONLY));  // deliberately without CLOEXEC
  ASSERT_TRUE(leak.valid());
  // 4 is the folder that ls itself reads.
  auto process = Process::Spawn(Shell("exec ls /proc/self/fd >&2")).value();
  EXPECT_EQ(process.Finish(kGuardMs).error_tail, "0\n1\n2\n3\n4\n");
}

TEST(Process, EnvironmentIsExactlyWhatWasGiven) {
  setenv("CAKE_SECRET", "do not pass on", 1);
  auto process = Process::Spawn({.argv = {"/usr/bin/env"}, .environment = {"A=1"}}).value();
  EXPECT_EQ(process.Finish(kGuardMs).code, 0);
  auto shell = Process::Spawn(Shell("echo \"[$CAKE_SECRET]\" >&2")).value();
  EXPECT_EQ(shell.Finish(kGuardMs).error_tail, "[]\n");
}

TEST(Process, CpuLimitIsToldApartFromACrash) {
  SpawnOptions options = Shell("while :; do :; done");
  options.limits.cpu_seconds = 1;
  auto process = Process::Spawn(options).value();
  EXPECT_FALSE(process.channel().Receive(kGuardMs).value().has_value());  // ends by itself
  const Exit exit = process.Finish(kGuardMs);
  EXPECT_TRUE(exit.cpu_limit) << exit.ToString();
  EXPECT_GE(exit.cpu_ns, 900'000'000);
}

TEST(Process, KillReachesTheWholeGroup) {
  auto process = Process::Spawn(Shell("sleep 1000 & echo $! >&2; wait")).value();
  std::string text;
  const pid_t pid = process.pid();
  for (int i = 0; i < 3000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (process.CpuNs() >= 0 && kill(-pid, 0) == 0 && i > 20) break;
  }
  const Exit exit = process.Kill();
  EXPECT_EQ(exit.kind, Exit::Kind::kKilled);
  const int grandchild = std::stoi(exit.error_tail);
  for (int i = 0; i < 3000 && kill(grandchild, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    char path[64], state[256] = {};
    snprintf(path, sizeof(path), "/proc/%d/stat", grandchild);
    const UniqueFd fd(open(path, O_RDONLY));
    if (!fd.valid() || read(fd.get(), state, 255) <= 0) break;
    if (strstr(state, ") Z ") != nullptr) return;  // dead, waiting for init
  }
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(Process, ChildDiesWithItsParent) {
  // A middle process spawns a child, tells us its id, and is killed.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t middle = fork();
  if (middle == 0) {
    auto process = Process::Spawn(Shell("sleep 1000"));
    const pid_t pid = process.ok() ? process->pid() : -1;
    if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    pause();
    _exit(0);
  }
  pid_t child = -1;
  ASSERT_EQ(read(ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ASSERT_GT(child, 0);
  ASSERT_EQ(kill(child, 0), 0);
  kill(middle, SIGKILL);
  waitpid(middle, nullptr, 0);
  bool gone = false;
  for (int i = 0; i < 5000 && !gone; ++i) {
    char path[64], state[256] = {};
    snprintf(path, sizeof(path), "/proc/%d/stat", child);
    const UniqueFd fd(open(path, O_RDONLY));
    gone = !fd.valid() || read(fd.get(), state, 255) <= 0 || strstr(state, ") Z ") != nullptr;
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(gone);
  close(ends[0]);
  close(ends[1]);
}

// The level is proven by a child that tries; each level below the best must hold too.
TEST(Channel, AnEndThatNeverReadsDoesNotHoldTheSender) {
  auto ends = Channel::MakePair(/*send_ms=*/20).value();
  const std::string much(kFrameBytesMax, 'x');  // more than any socket buffers
  EXPECT_EQ(ends.first.Send(1, much).code(), absl::StatusCode::kUnavailable);
}

TEST(JsonField, AnythingOfAnotherTypeIsTheFallback) {
  using nlohmann::json;
  const json in = {
      {"text", "t"},         {"number", 7}, {"flag", true},      {"real", 1.5},
      {"big", ~uint64_t{0}}, {"low", -3},   {"array", {1, "a"}}, {"object", json::object()},
      {"null", nullptr}};
  for (const auto& [name, value] : in.items()) {
    const char* key = name.c_str();
    EXPECT_EQ(TextField(in, key, "f"), name == "text" ? "t" : "f") << name;
    EXPECT_EQ(IntegerField(in, key, 9), name == "number" ? 7 : name == "low" ? -3 : 9) << name;
    EXPECT_EQ(FlagField(in, key), name == "flag") << name;
    EXPECT_EQ(ElementsField(in, key).size(), name == "array" ? 2u : 0u) << name;
  }
  EXPECT_EQ(TextsField(in, "array"), std::vector<std::string>{"a"});
  for (const json& other : {json(), json(3), json::array(), json::parse("{", nullptr, false)}) {
    EXPECT_EQ(TextField(other, "text", "f"), "f");
    EXPECT_EQ(IntegerField(other, "number", 9), 9);
    EXPECT_TRUE(FlagField(other, "flag", true));
    EXPECT_TRUE(ElementsField(other, "array").empty());
  }
}

// Of a process that does not exist the kernel would say ESRCH: the filter answers before it.
TEST(Sandbox, AComputingChildReachesNoOtherProcess) {
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    if (!EnterSandbox(Level::kL1, Filter::kComputeOnly).ok()) _exit(10);
    constexpr pid_t kNobody = 0x7ffffffe;
    if (syscall(SYS_tgkill, kNobody, kNobody, SIGKILL) != -1 || errno != EPERM) _exit(11);
    rlimit limit{};
    if (syscall(SYS_prlimit64, kNobody, RLIMIT_CPU, nullptr, &limit) != -1 || errno != EPERM)
      _exit(12);
    if (getrlimit(RLIMIT_CPU, &limit) != 0) _exit(13);
    signal(SIGABRT, SIG_DFL);
    syscall(SYS_tgkill, getpid(), gettid(), SIGABRT);
    _exit(14);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST(Sandbox, EachLevelUpToTheBestIsProvenByItsProbe) {
  const Sandbox best = Establish(CAKE_WORKER, Level::kL3);
  ASSERT_GE(best.level, Level::kL1) << ::testing::PrintToString(best.evidence);
  for (int i = 1; i <= static_cast<int>(best.level); ++i) {
    const Sandbox one = Establish(CAKE_WORKER, static_cast<Level>(i));
    EXPECT_THAT(one.evidence.back(), HasSubstr("refused"))
        << ::testing::PrintToString(one.evidence);
  }
  EXPECT_EQ(Establish(CAKE_WORKER, Level::kL0).level, Level::kL0);
}

TEST(Sandbox, AWorkerThatDoesNotRunProvesNothing) {
  const Sandbox none = Establish("/bin/true", Level::kL3);
  EXPECT_EQ(none.level, Level::kL0);
  EXPECT_EQ(none.evidence.size(), 3u);
}

TEST(Sandbox, WordsRoundTrip) {
  for (Level level : {Level::kL0, Level::kL1, Level::kL2, Level::kL3}) {
    EXPECT_EQ(ParseLevel(ToString(level)), level);
  }
  EXPECT_EQ(ParseLevel("L4"), std::nullopt);
}

}  // namespace
}  // namespace runner::child
