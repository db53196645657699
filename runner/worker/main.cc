// cake-worker: the supervisor, and every child of it by a hidden first argument.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "runner/child/sandbox.h"
#include "runner/compile/compiler.h"
#include "runner/cuda/cuda_child.h"
#include "runner/launch/cpu_child.h"
#include "runner/worker/job_mode.h"
#include "runner/worker/job_process.h"
#include "runner/worker/passport.h"
#include "runner/worker/serve.h"

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
  if (mode == "--eval-child" && argc == 8) {
    if (std::string_view(argv[3]) != "cuda") return runner::launch::CpuChildMain(*level);
    return runner::cuda::CudaChildMain({*level, argv[4], argv[5], std::atoll(argv[6]), argv[7]});
  }
  return kUsage;
}

int Usage(const char* what) {
  fprintf(stderr, "cake-worker: %s\n", what);
  return kUsage;
}

// Children get a clean environment. With another driver library than the machine's own, the
// variables that configure it go along, and the folder it reads programs from is visible to them.
void PassFakes(runner::worker::EvaluatorOptions& options) {
  if (options.libcuda.empty() && options.libnvrtc.empty()) return;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("CAKE_FAKE_")) continue;
    options.environment.emplace_back(text);
    const std::string path(text.substr(text.find('=') + 1));
    if (path.starts_with("/") && access(path.c_str(), F_OK) == 0) options.visible.push_back(path);
  }
  if (!options.work_dir.empty()) options.visible.push_back(options.work_dir);
}

void AddModes(CLI::App& app, std::string& jobs, std::string& floor_of) {
  app.add_option("--jobs", jobs, "run many jobs, one job file a line, and print a result a line");
  app.add_option("--noise-floor-of", floor_of,
                 "print the noise floor that the ratios of a program to itself in this file say, a "
                 "JSON array of medians");
}

// Folders and libraries, those of contracts' baselines that are no programs included.
void AddPlaces(CLI::App& app, runner::worker::EvaluatorOptions& options) {
  app.add_option("--work-dir", options.work_dir, "folder for build and program caches");
  app.add_option("--libcuda", options.libcuda,
                 "CUDA driver library; its results are marked SIMULATED");
  app.add_option("--libnvrtc", options.libnvrtc, "NVRTC library");
  app.add_option("--libcupti", options.libcupti, "CUPTI library, or none");
  app.add_option("--libcublaslt", options.libcublaslt,
                 "cuBLASLt library for contracts that name it as their baseline, or none");
  app.add_option("--device-references-from", options.reference_work_min,
                 "multiplications of an output from which on a search expects what the device's "
                 "reference gives")
      ->check(CLI::PositiveNumber);
  app.add_option("--known-bytes", options.known_bytes,
                 "memory for inputs and expected outputs that searches share; default: a part of "
                 "this machine's")
      ->check(CLI::PositiveNumber);
  app.add_option("--library-path", options.library_path,
                 "folders, separated by colons, to look for CUPTI and cuBLASLt in first")
      ->envname("CAKE_LIBRARY_PATH");
  app.add_option("--baselines", options.baselines,
                 "folder of the drivers of command baselines; default: baselines beside the folder "
                 "of this program");
}

std::string SelfPath() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool judge = first == "--judge-child";
  if (!judge && first.ends_with("-child")) return ChildMain(argc, argv);
  CLI::App app{
      "Runs candidates: on the reference machine (--device cpu) or a GPU (--device cuda).\n"
      "Serves a daemon (--connect) or runs one job file (--job).\n\n"
      "Examples:\n"
      "  cake-worker --device cpu --connect unix:.cake/caked.sock\n"
      "  cake-worker --device cuda --job job.json --out result.json\n\n"
      "Exit codes: 0 fine, 1 the candidate is at fault, 2 usage, 3 the world is at fault."};
  std::string device = "cpu", job, jobs, out, objects, receipts, sandbox_min = "L1",
              direct_min = "L3", floor_of;
  runner::worker::ServeOptions serve{.evaluator = {.worker = SelfPath()}, .version = "1"};
  runner::worker::EvaluatorOptions& options = serve.evaluator;
  app.add_option("--device", device, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--connect", serve.target, "serve the daemon at unix:PATH or HOST:PORT");
  app.add_option("--name", serve.name, "worker name; default: host and device");
  app.add_flag("--audit", serve.audit,
               "also run some of the programs that the gates rejected, to measure the gates");
  app.add_option("--job", job, "run one job file (- for standard input) and print its result");
  AddModes(app, jobs, floor_of);
  app.add_option("--out", out, "write the result there instead");
  app.add_option("--objects", objects, "folder for the build's artifacts, named by their SHA-256");
  app.add_option("--receipts", receipts, "folder for the bundle of the verdict, by its receipt");
  AddPlaces(app, options);
  app.add_flag("--measure-noise,!--no-measure-noise", options.measure_noise,
               "time a program against itself before serving, so that no gain inside the device's "
               "noise counts; on by default on the machine's own driver");
  app.add_flag("--golden", options.golden,
               "begin with a program whose results are known; the job process of a server does");
  app.add_option("--sandbox-min", sandbox_min, "refuse to run below this level (L0..L3)");
  app.add_option("--replay", serve.replay,
                 "answer from this file of recorded evaluations; no device, nothing runs");
  app.add_option("--record", serve.record,
                 "also append what evaluations come to, to this replay file");
  app.add_option("--tools", options.tool_folders,
                 "folders with cuobjdump, ncu or compute-sanitizer, before the usual ones");
  app.add_flag("!--no-tools", options.tools,
               "ask no tool of the toolkit: what they say decides nothing and takes its time");
  app.add_option("--direct-sandbox-min", direct_min,
                 "refuse hand-written device code below this level; default: L3");
  try {
    app.parse(judge ? argc - 1 : argc, judge ? argv + 1 : argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  const auto level = runner::child::ParseLevel(sandbox_min);
  const auto direct = runner::child::ParseLevel(direct_min);
  if (!level || !direct) return Usage("a sandbox level is one of L0, L1, L2, L3");
  options.direct_sandbox_min = *direct;
  options.cuda = device == "cuda";
  if (!judge && options.cuda && options.libcuda.empty() && app.count("--measure-noise") == 0)
    options.measure_noise = true;
  options.sandbox_min = *level;
  if (options.baselines.empty()) {
    options.baselines =
        std::filesystem::path(options.worker).parent_path().parent_path() / "baselines";
  }
  PassFakes(options);
  if (judge) return runner::worker::JobProcessMain(options);
  const int modes = !job.empty() + !jobs.empty() + !serve.target.empty() + !floor_of.empty();
  if (modes != 1)
    return Usage("give one of --connect TARGET, --job FILE, --jobs FILE and --noise-floor-of FILE");
  if (!floor_of.empty()) return runner::worker::PrintNoiseFloor(floor_of);
  if (!jobs.empty()) return runner::worker::RunJobLines(options, jobs, out);
  if (!job.empty()) return runner::worker::RunJobFile(options, job, out, objects, receipts);
  return runner::worker::Serve(serve);
}
