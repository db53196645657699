// The fake libnvrtc.so.13: packs the source's identity and kernels into an ELF file and prints what
// ptxas would. It parses no CUDA: what is wrong with a source is up to the plan.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "runner/compile/nvrtc_api.h"
#include "tests/fakecuda/export.h"
#include "tests/fakecuda/fault_plan.h"
#include "tests/fakecuda/module_image.h"

using namespace runner::compile;

struct runner::compile::_nvrtcProgram {
  std::string source, name, log, cubin, ptx;
};

namespace {

using fakecuda::Fault;
using fakecuda::FaultPlan;
using fakecuda::ModuleImage;
using fakecuda::Rule;

constexpr int kMajor = 13, kMinor = 0;
constexpr int kArchs[] = {80, 86, 89, 90, 100, 103, 120};
constexpr size_t kBombBytes = size_t{64} << 20;

std::string ArchOf(int count, const char* const* options) {
  constexpr std::string_view kArch = "--gpu-architecture=";
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.substr(0, kArch.size()) == kArch) return std::string(option.substr(kArch.size()));
  }
  return "";
}

bool IsKnown(const std::string& arch) {
  return std::any_of(std::begin(kArchs), std::end(kArchs), [&](int number) {
    const std::string plain = "sm_" + std::to_string(number);
    return arch == plain || arch == plain + "a";
  });
}

// Memory without end, touched, until a limit stops it.
[[noreturn]] void Explode() {
  std::vector<std::string> held;
  for (;;) held.emplace_back(kBombBytes, 'x');
}

nvrtcResult Suffer(const Rule& rule, _nvrtcProgram& program) {
  switch (rule.fault) {
    case Fault::kBomb: Explode();
    case Fault::kHang:
      for (std::atomic<uint64_t> spin = 0;; spin.fetch_add(1)) {
      }
    case Fault::kKill: kill(getpid(), SIGKILL); break;
    default: break;
  }
  program.log = program.name + "(1): error: injected\n1 error detected in the compilation of \"" +
                program.name + "\".\n";
  return kNvrtcErrorCompilation;
}

void PrintPtxas(const ModuleImage& image, std::string& log) {
  log += "ptxas info    : 0 bytes gmem\n";
  for (const std::string& kernel : image.kernels) {
    log += "ptxas info    : Compiling entry function '" + kernel + "' for '" + image.arch + "'\n";
    log += "ptxas info    : Function properties for " + kernel + "\n";
    log += "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
    log += "ptxas info    : Used 32 registers, used 1 barriers\n";
  }
}

nvrtcResult Give(const std::string& text, bool closing_nul, size_t* bytes) {
  *bytes = text.size() + (closing_nul ? 1 : 0);
  return kNvrtcSuccess;
}

nvrtcResult Give(const std::string& text, bool closing_nul, char* out) {
  std::memcpy(out, text.c_str(), text.size() + (closing_nul ? 1 : 0));
  return kNvrtcSuccess;
}

}  // namespace

#define CAKE_FAKE_DECLARE(member, name, parameters) CAKE_EXPORT nvrtcResult name parameters;
CAKE_NVRTC_ENTRIES(CAKE_FAKE_DECLARE)
#undef CAKE_FAKE_DECLARE

nvrtcResult nvrtcVersion(int* major, int* minor) {
  FaultPlan::Get().BeginAttempt(FaultPlan::kCompiler);  // while files can be opened
  *major = kMajor;
  *minor = kMinor;
  return kNvrtcSuccess;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchs));
  return kNvrtcSuccess;
}

nvrtcResult nvrtcGetSupportedArchs(int* archs) {
  std::copy(std::begin(kArchs), std::end(kArchs), archs);
  return kNvrtcSuccess;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int,
                               const char* const*, const char* const*) {
  *program = new _nvrtcProgram{.source = source, .name = name == nullptr ? "default" : name};
  return kNvrtcSuccess;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return kNvrtcSuccess;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                const char* const* options) {
  const std::string arch = ArchOf(option_count, options);
  if (!IsKnown(arch)) {
    program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return kNvrtcErrorInvalidOption;
  }
  const ModuleImage image = fakecuda::ImageOfSource(program->source, arch);
  // A source without an identity is no program of ours: the warm-up of a compile child, say.
  for (const Rule& rule : FaultPlan::Get().Reach("compile", image.program_id)) {
    return Suffer(rule, *program);
  }
  PrintPtxas(image, program->log);
  program->cubin = fakecuda::WriteImage(image);
  program->ptx = "// no PTX: compiled by a fake\n";
  return kNvrtcSuccess;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t* bytes) { return Give(p->ptx, true, bytes); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char* ptx) { return Give(p->ptx, true, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t* bytes) {
  return Give(p->cubin, false, bytes);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char* cubin) { return Give(p->cubin, false, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t* bytes) {
  return Give(p->log, true, bytes);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char* log) { return Give(p->log, true, log); }
