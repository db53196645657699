// Arms of the search beside each other: so many repeats, families and evaluations; raw curves as
// one JSON object. Deterministic.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"
#include "tests/experiments/laboratory.h"
#include "tests/experiments/survey.h"

namespace experiments {
namespace {

struct Options {
  std::vector<std::string> families = {"rmsnorm", "softmax", "router_gemm"};
  std::vector<std::string> arms = {"full", "random", "no-ranking", "no-archive", "no-fixes"};
  int64_t repeats = 100, evaluations = 64, members = 4096, pool = 10, broken = 30, first_repeat = 1;
  Landscape landscape;
  bool starts = false;  // print members of the worst quartile and run nothing
  int survey = 0;       // so many draws of each tactic from each program of the corpus instead
  std::string only;     // .. whose name holds this
  std::string out;
};

std::vector<std::string> Words(const char* text) { return absl::StrSplit(text, ','); }

bool Read(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--families")
      options.families = Words(value);
    else if (name == "--arms")
      options.arms = Words(value);
    else if (name == "--repeats")
      options.repeats = std::atoll(value);
    else if (name == "--first-repeat")
      options.first_repeat = std::atoll(value);
    else if (name == "--evaluations")
      options.evaluations = std::atoll(value);
    else if (name == "--members")
      options.members = std::atoll(value);
    else if (name == "--pool")
      options.pool = std::atoll(value);
    else if (name == "--broken")
      options.broken = std::atoll(value);
    else if (name == "--spread")
      options.landscape.spread = std::atof(value);
    else if (name == "--inherited")
      options.landscape.inherited = std::atof(value);
    else if (name == "--starts")
      options.starts = std::atoll(value) != 0;
    else if (name == "--survey")
      options.survey = std::atoi(value);
    else if (name == "--only")
      options.only = value;
    else if (name == "--out")
      options.out = value;
    else
      return false;
  }
  const bool share = options.landscape.inherited >= 0 && options.landscape.inherited <= 1;
  return argc % 2 == 1 && share && options.repeats > 0 && options.evaluations > 0;
}

// Six digits say all that is compared.
std::vector<double> Rounded(std::vector<double> curve) {
  for (double& value : curve) value = std::round(value * 1e6) / 1e6;
  return curve;
}

nlohmann::json RowOf(const Result& result, uint64_t seed) {
  nlohmann::json tactics = nlohmann::json::object();
  for (const auto& [name, t] : result.tactics) {
    tactics[name] = {t.tries, t.barren, t.passed, t.evaluated, t.improved};
  }
  return {{"seed", seed},
          {"curve", Rounded(result.curve)},
          {"stop", result.stop},
          {"candidates", result.candidates},
          {"duplicates", result.duplicates},
          {"rejected", result.rejected},
          {"misses", result.misses},
          {"tactics", tactics},
          {"rules", result.rules}};
}

bool Write(const Options& options, const nlohmann::json& out) {
  const std::string text = out.dump() + "\n";
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return true;
  }
  const std::string beside = options.out + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  return file.good() && std::rename(beside.c_str(), options.out.c_str()) == 0;
}

// Every arm with one seed, then with the next: what was written when it is ended early has as many
// repeats of each.
bool RunFamily(const Options& options, Laboratory& laboratory, const Family& family,
               nlohmann::json& out) {
  nlohmann::json& arms = out["families"][family.name]["arms"];
  for (int64_t repeat = 0; repeat < options.repeats; ++repeat) {
    const auto seed = static_cast<uint64_t>(options.first_repeat + repeat);
    const auto pool = laboratory.StartPool(family, static_cast<int>(options.pool),
                                           static_cast<int>(options.broken), seed);
    for (const std::string& arm : options.arms) {
      const Result result = laboratory.Run(family, arm, options.evaluations, seed, pool);
      arms[arm].push_back(RowOf(result, seed));
    }
    const MemoGates& gates = laboratory.gates();
    std::fprintf(stderr,
                 "%s: %lld repeats, %lld questions to the gates, %lld judged, CPU seconds: %.1f "
                 "proposals, %.1f judgements, %.1f lowerings, %.1f in all\n",
                 family.name.c_str(), static_cast<long long>(repeat + 1),
                 static_cast<long long>(gates.asked()), static_cast<long long>(gates.judged()),
                 gates.SecondsOf(0), gates.SecondsOf(1), gates.SecondsOf(2),
                 static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    out["repeats"] = repeat + 1;
    if (!options.out.empty() && !Write(options, out)) return false;
  }
  return true;
}

// `pool` members of each family's worst quartile by the estimate alone, as start programs for a
// device.
int PrintStarts(const Options& options) {
  nlohmann::json out = nlohmann::json::object();
  for (const std::string& name : options.families) {
    Laboratory laboratory({.spread = 0});
    const Family family = laboratory.Load(name, options.members);
    nlohmann::json starts = nlohmann::json::array();
    for (const Seed& one : laboratory.StartPool(family, static_cast<int>(options.pool), 0, 1)) {
      starts.push_back(one.binding);
    }
    out[name] = {{"members", family.members.size()}, {"starts", starts}};
  }
  std::printf("%s\n", out.dump(1).c_str());
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  if (!Read(argc, argv, options)) {
    std::fprintf(stderr,
                 "ablation [--families a,b] [--arms a,b] [--repeats N] [--first-repeat N]\n"
                 "         [--evaluations N] [--members N] [--pool N] [--broken PERCENT]\n"
                 "         [--spread X] [--inherited SHARE] [--out FILE] [--starts 1]\n"
                 "ablation --survey DRAWS [--only TEXT]\n");
    return 2;
  }
  if (options.starts) return PrintStarts(options);
  if (options.survey > 0) {
    std::printf("%s\n", SurveyTactics(options.survey, options.only).dump(1).c_str());
    return 0;
  }
  nlohmann::json out = {{"device", "SYNTHETIC: predicted time, off by a factor of the program"},
                        {"spread", options.landscape.spread},
                        {"inherited", options.landscape.inherited},
                        {"evaluations", options.evaluations},
                        {"repeats", 0},
                        {"pool", options.pool},
                        {"broken_percent", options.broken}};
  for (const std::string& name : options.families) {
    // Answers about one family help no other.
    Laboratory laboratory(options.landscape);
    const Family family = laboratory.Load(name, options.members);
    out["families"][name] = {
        {"members", family.members.size()},
        {"best_ns", family.members.front().device_ns},
        {"worst_quartile_from",
         family.members.front().device_ns /
             family.members[family.members.size() - family.members.size() / 4].device_ns}};
    if (!RunFamily(options, laboratory, family, out)) return 3;
  }
  return options.out.empty() && !Write(options, out) ? 3 : 0;
}

}  // namespace
}  // namespace experiments

int main(int argc, char** argv) { return experiments::Main(argc, argv); }
