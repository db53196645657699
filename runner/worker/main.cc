// cake-worker: the supervisor, and every child of it by a hidden first argument.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/child/sandbox.h"
#include "runner/compile/compiler.h"
#include "runner/cuda/cuda_child.h"
#include "runner/launch/cpu_child.h"
#include "runner/worker/job_mode.h"

namespace {

constexpr int kUsage = 2;

// Children are started by us with exact arguments: anything else is a usage error.
int ChildMain(int argc, char** argv) {
  const std::string_view mode = argv[1];
  const auto level = runner::child::ParseLevel(argc > 2 ? argv[2] : "");
  if (!level) return kUsage;
  if (mode == "--probe-child") return runner::child::ProbeChildMain(*level);
  if (mode == "--compile-child" && argc == 5) {
    return runner::compile::CompileChildMain(*level, argv[3], std::atoll(argv[4]));
  }
  if (mode == "--eval-child" && argc == 7) {
    if (std::string_view(argv[3]) != "cuda") return runner::launch::CpuChildMain(*level);
    return runner::cuda::CudaChildMain({*level, argv[4], argv[5], std::atoll(argv[6])});
  }
  return kUsage;
}

std::string SelfPath() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]).ends_with("-child")) return ChildMain(argc, argv);
  CLI::App app{
      "Runs candidates: on the reference machine (--device cpu) or a GPU (--device cuda).\n"
      "Example: cake-worker --device cpu --job job.json"};
  std::string device = "cpu", job, out, objects, sandbox_min = "L1";
  runner::worker::EvaluatorOptions options{.worker = SelfPath()};
  app.add_option("--device", device, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--job", job, "run one job file (- for standard input) and print its result");
  app.add_option("--out", out, "write the result there instead");
  app.add_option("--objects", objects, "folder for the build's artifacts, named by their SHA-256");
  app.add_option("--work-dir", options.work_dir, "folder for build and program caches");
  app.add_option("--libcuda", options.libcuda,
                 "CUDA driver library; its results are marked SIMULATED");
  app.add_option("--libnvrtc", options.libnvrtc, "NVRTC library");
  app.add_option("--libcupti", options.libcupti, "CUPTI library, or none");
  app.add_option("--sandbox-min", sandbox_min, "refuse to run below this level (L0..L3)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  const auto level = runner::child::ParseLevel(sandbox_min);
  if (!level || job.empty()) {
    fprintf(stderr, "cake-worker: %s\n",
            level ? "nothing to do: give --job FILE" : "--sandbox-min is one of L0, L1, L2, L3");
    return kUsage;
  }
  options.cuda = device == "cuda";
  options.sandbox_min = *level;
  return runner::worker::RunJobFile(options, job, out, objects);
}
