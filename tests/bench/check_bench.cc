// How long `cake check` takes in process, for the default member of each corpus program: half of
// the checks take at most p50_ms; and where the time goes, by part of the gate, at the median of
// the same number of checks. Run from the root of the repository.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "server/pipeline/pipeline.h"
#include "tests/bench/corpus.h"
#include "tests/bench/parts.h"

namespace {

using server::pipeline::Candidate;
using server::pipeline::Verdict;

double Quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(at * static_cast<double>(values.size() - 1))];
}

// A counter for each part, its median.
void CountParts(benchmark::State& state, const std::vector<bench::Parts>& samples) {
  const auto median = [&](const char* name, auto part) {
    std::vector<double> values;
    for (const bench::Parts& parts : samples) values.push_back(part(parts));
    state.counters[name] = Quantile(values, 0.5);
  };
  median("parse_ms", [](const bench::Parts& p) { return p.parse; });
  median("types_ms", [](const bench::Parts& p) { return p.types; });
  median("facts_ms", [](const bench::Parts& p) { return p.facts; });
  median("analysis_ms", [](const bench::Parts& p) { return p.analysis; });
  median("shapes_ms", [](const bench::Parts& p) { return p.shapes; });
  median("rules_ms", [](const bench::Parts& p) { return p.rules; });
  median("machine_ms", [](const bench::Parts& p) { return p.machine; });
  median("gate_ms", [](const bench::Parts& p) { return p.gate(); });
  median("proofs_ms", [](const bench::Parts& p) { return p.proofs(); });
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
  std::vector<bench::Parts> parts(milliseconds.size());
  for (bench::Parts& sample : parts) sample = bench::TimeParts(source, options);
  CountParts(state, parts);
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
