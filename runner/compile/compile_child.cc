// Inside the compile child: open everything, compile something trivial so that nothing is opened
// later, give up every right, then serve requests.
#include <sys/resource.h>

#include <algorithm>

#include "runner/child/channel.h"
#include "runner/child/pack.h"
#include "runner/compile/compiler.h"
#include "runner/compile/frames.h"

namespace runner::compile {
namespace {

constexpr int kExitNoLibrary = 3, kExitProtocol = 4;
constexpr char kWarmUp[] = "extern \"C\" __global__ void cake_warm_up(int* x) { *x = 1; }";

// The next request may use cpu_seconds more than was used so far.
void AllowCpu(int64_t cpu_seconds) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  const auto wanted =
      static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + cpu_seconds);
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_CPU, &limit);
}

int64_t CpuNs() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * int64_t{1'000'000'000} +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * int64_t{1000};
}

absl::Status Serve(const Nvrtc& nvrtc, child::Channel& channel, int64_t cpu_seconds) {
  for (;;) {
    auto frame = channel.Receive(-1);
    if (!frame.ok()) return frame.status();
    if (!frame->has_value()) return absl::OkStatus();  // the supervisor is done with us
    auto parts = child::Unpack((*frame)->payload);
    if ((*frame)->type != kRequestFrame || !parts || parts->size() < 3) {
      return absl::InvalidArgumentError("compile child: not a request");
    }
    const Request request{.cuda = (*parts)[0],
                          .file_name = (*parts)[1],
                          .arch = (*parts)[2],
                          .options = {parts->begin() + 3, parts->end()}};
    AllowCpu(cpu_seconds);
    const int64_t before = CpuNs();
    const Nvrtc::Output output = nvrtc.Compile(request);
    const std::string result = std::to_string(output.result),
                      cpu = std::to_string(CpuNs() - before);
    auto status = channel.Send(kResultFrame,
                               child::Pack({result, cpu, output.log, output.cubin, output.ptx}));
    if (!status.ok()) return status;
  }
}

}  // namespace

int CompileChildMain(child::Level level, const std::string& library, int64_t cpu_seconds) {
  child::Channel channel{child::UniqueFd(child::kChannelFd)};
  const auto fail = [&](const absl::Status& status) {
    const auto sent = channel.Send(
        kFailureFrame, std::string_view(status.message().data(), status.message().size()));
    return sent.ok() ? kExitNoLibrary : kExitProtocol;
  };
  const auto nvrtc = Nvrtc::Open(library);
  if (!nvrtc.ok()) return fail(nvrtc.status());
  const auto warm = nvrtc->Compile({.cuda = kWarmUp, .file_name = "warm_up.cu", .arch = "sm_80"});
  if (warm.result != kNvrtcSuccess) {
    return fail(absl::UnavailableError("NVRTC does not compile a trivial kernel: error " +
                                       std::to_string(warm.result) + " " + warm.log));
  }
  if (auto status = child::EnterSandbox(level, child::Filter::kComputeOnly); !status.ok())
    return fail(status);
  if (!channel.Send(kHelloFrame, nvrtc->version()).ok()) return kExitProtocol;
  return Serve(*nvrtc, channel, cpu_seconds).ok() ? 0 : kExitProtocol;
}

}  // namespace runner::compile
