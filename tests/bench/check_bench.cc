// How long `cake check` takes in process, for the default member of each corpus program: half of
// the checks take at most p50_ms. Run from the root of the repository.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "server/pipeline/pipeline.h"
#include "tests/bench/corpus.h"

namespace {

using server::pipeline::Candidate;
using server::pipeline::Verdict;

double Quantile(std::vector<double>& sorted, double at) {
  return sorted[static_cast<size_t>(at * static_cast<double>(sorted.size() - 1))];
}

void Check(benchmark::State& state, const std::string& path) {
  const std::string source = bench::ReadFile(path);
  server::pipeline::Options options;
  options.file_name = path;
  options.emit_cuda = false;
  std::vector<double> milliseconds;
  for (auto _ : state) {
    const double start = bench::CpuSeconds();
    const Candidate candidate(source, options);
    const auto binding = candidate.Bind({});
    const auto member = candidate.CheckMember(*binding);
    milliseconds.push_back((bench::CpuSeconds() - start) * 1e3);
    if (member.verdict != Verdict::kPassed) state.SkipWithError("it does not pass");
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  state.counters["p50_ms"] = Quantile(milliseconds, 0.5);
  state.counters["p95_ms"] = Quantile(milliseconds, 0.95);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& path : bench::CorpusPrograms()) {
    const std::string name = std::filesystem::path(path).stem().string();
    benchmark::RegisterBenchmark(("Check/" + name).c_str(), Check, path)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
