// What NVRTC costs: CPU of a cold compilation in the sandboxed child, and of the same from the
// cache, of each corpus program's default member. Run from the root of the repository;
// cake-worker lies beside this program.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "runner/child/sandbox.h"
#include "runner/compile/compiler.h"
#include "server/pipeline/pipeline.h"
#include "tests/bench/corpus.h"

namespace {

using runner::compile::Compiler;
using runner::compile::CompilerOptions;
using runner::compile::Outcome;

runner::compile::Request RequestOf(const std::string& path) {
  server::pipeline::Options options;
  options.file_name = path;
  const server::pipeline::Candidate candidate(bench::ReadFile(path), options);
  const auto binding = candidate.Bind({});
  const auto member = candidate.CheckMember(*binding);
  if (!member.cuda) bench::Die(path + " is not emitted");
  return {.cuda = member.cuda->cuda,
          .file_name = path,
          .arch = member.device->arch,
          .options = member.cuda->options};
}

void Compile(benchmark::State& state, const std::string& path, const CompilerOptions& options) {
  const auto request = RequestOf(path);
  const auto compiler = Compiler::Start(options);
  if (!compiler.ok()) return state.SkipWithError("no compiler here");
  const bool cached = !options.cache.empty();
  if (cached && !(*compiler)->Compile(request).ok()) state.SkipWithError("it does not build");
  for (auto _ : state) {
    const double start = bench::CpuSeconds();
    const auto build = (*compiler)->Compile(request);
    const double here = bench::CpuSeconds() - start;
    if (!build.ok() || build->outcome != Outcome::kBuilt || build->cached != cached) {
      return state.SkipWithError("it does not build");
    }
    // The child's time where it compiled, else this thread's: the rest is other work on the
    // machine.
    state.SetIterationTime(cached ? here : static_cast<double>(build->cpu_ns) * 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CompilerOptions options;
  options.worker = (std::filesystem::canonical(argv[0]).parent_path() / "cake-worker").string();
  options.sandbox = runner::child::Establish(options.worker, runner::child::Level::kL3);
  std::string folder = (std::filesystem::temp_directory_path() / "cake-bench-XXXXXX").string();
  CompilerOptions cached = options;
  cached.cache = mkdtemp(folder.data());
  for (const std::string& path : bench::CorpusPrograms()) {
    const std::string name = std::filesystem::path(path).stem().string();
    benchmark::RegisterBenchmark(("NvrtcColdCpu/" + name).c_str(), Compile, path, options)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
    benchmark::RegisterBenchmark(("NvrtcCached/" + name).c_str(), Compile, path, cached)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(cached.cache);
  return 0;
}
