// cake-ops: every available instruction on the reference machine and on the GPU, over the same
// operands. One JSON row an entry: what was tried, the largest distance, the bound, whether it
// held.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "compiler/ops/table.h"
#include "tests/device/ops/programs.h"
#include "tests/device/ops/run.h"

namespace device::ops {
namespace {

using nlohmann::ordered_json;

constexpr int kFine = 0, kDisagrees = 1, kUsage = 2, kWorld = 3;
constexpr size_t kDetailsMax = 8;  // of one row

struct Options {
  RigOptions rig;
  std::string out;
  std::vector<std::string> only;
  int shard = 0, shards = 1;
  size_t programs_max = kProgramsMax;
};

Bound BoundOf(const compiler::ir::OpDef& op, const UseProgram& program) {
  const bool packed = program.dtype.find('x') != program.dtype.npos;
  const bool approx = program.modifiers.find(".approx") != program.modifiers.npos ||
                      program.source.find(".approx") != program.source.npos;
  if (approx) return {std::max(op.ulp, op.approx_ulp), op.approx_absolute, op.approx_domain};
  if (packed && op.packed_ulp > 0) return {.ulp = op.packed_ulp};
  return {.ulp = op.ulp};
}

class Row {
 public:
  explicit Row(const compiler::ir::OpDef& op) : op_(op) {}

  void Add(const UseProgram& program, const Bound& bound, const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) {
      ++counts_[std::string(ToString(outcome.ended))];
      const bool good = outcome.ended == Ended::kCompared && outcome.distance.outside == 0;
      if (outcome.ended == Ended::kCompared) {
        ++cases_;
        elements_ += outcome.distance.elements;
        max_ulp_ = std::max(max_ulp_, outcome.distance.max_ulp);
        bound_ = std::max(bound_, bound.ulp);
        absolute_ = std::max(absolute_, bound.absolute);
        if (!program.dtype.empty()) dtypes_.insert(program.dtype);
        programs_.insert(program.source);
      }
      const bool ours = outcome.ended == Ended::kMachineFault ||
                        outcome.ended == Ended::kNoBuild || outcome.ended == Ended::kDeviceFault ||
                        (outcome.ended == Ended::kCompared && !good);
      if (!ours) continue;
      agree_ = false;
      if (details_.size() >= kDetailsMax) continue;
      details_.push_back({{"dtype", program.dtype},
                          {"modifiers", program.modifiers},
                          {"ended", ToString(outcome.ended)},
                          {"detail", outcome.detail},
                          {"outside", outcome.distance.outside},
                          {"source", program.source}});
    }
  }

  bool agree() const { return agree_ && (cases_ > 0 || counts_.contains("not_here")); }

  ordered_json Json() const {
    // JSON has no infinity: a NaN on one side only is told by the details.
    const double shown = std::isfinite(max_ulp_) ? max_ulp_ : -1;
    return {{"name", op_.name},    {"dtypes", dtypes_},           {"programs", programs_.size()},
            {"cases", cases_},     {"elements", elements_},       {"max_ulp", shown},
            {"bound_ulp", bound_}, {"bound_absolute", absolute_}, {"agree", agree()},
            {"ended", counts_},    {"details", details_}};
  }

 private:
  const compiler::ir::OpDef& op_;
  std::map<std::string, int> counts_;
  std::set<std::string> dtypes_, programs_;
  int64_t cases_ = 0, elements_ = 0;
  double max_ulp_ = 0, bound_ = 0, absolute_ = 0;
  bool agree_ = true;
  ordered_json details_ = ordered_json::array();
};

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "cake-ops: %s\n", std::string(status.message()).c_str());
  return kWorld;
}

bool Wanted(const Options& options, std::string_view name) {
  return options.only.empty() || std::ranges::any_of(options.only, [&](const std::string& text) {
           return name.find(text) != std::string_view::npos;
         });
}

int Run(const Options& options) {
  auto rig = Rig::Start(options.rig);
  if (!rig.ok()) return Fail(rig.status());
  ordered_json rows = ordered_json::array();
  bool agree = true;
  int index = 0;
  for (const auto& op : compiler::ops::Table().ops()) {
    if (!op.Available() || op.example.empty() || index++ % options.shards != options.shard ||
        !Wanted(options, op.name)) {
      continue;
    }
    Row row(op);
    auto programs = ProgramsOf(op);
    if (programs.size() > options.programs_max) programs.resize(options.programs_max);
    for (const UseProgram& program : programs) {
      const Bound bound = BoundOf(op, program);
      auto outcomes = (*rig)->Run(program, bound);
      if (!outcomes.ok()) return Fail(outcomes.status());
      row.Add(program, bound, *outcomes);
    }
    std::fprintf(stderr, "%s: %s\n", std::string(op.name).c_str(),
                 row.agree() ? "agrees" : "DIFFERS");
    agree = agree && row.agree();
    rows.push_back(row.Json());
  }
  const ordered_json out{{"schema", 1},
                         {"device", nlohmann::json::parse((*rig)->device_json(), nullptr, false)},
                         {"arch", (*rig)->arch()},
                         {"compiler", (*rig)->compiler()},
                         {"rows", rows}};
  const std::string text = out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    std::ofstream file(options.out, std::ios::binary);
    file << text;
    if (!file.flush()) return Fail(absl::UnavailableError("cannot write " + options.out));
  }
  return agree ? kFine : kDisagrees;
}

}  // namespace
}  // namespace device::ops

int main(int argc, char** argv) {
  device::ops::Options options;
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  const std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  options.rig.worker = path.substr(0, path.rfind('/')) + "/cake-worker";
  CLI::App app{
      "Every available instruction on the reference machine and on the GPU.\n"
      "Exit codes: 0 all agree, 1 some do not, 2 usage, 3 the world is at fault."};
  app.add_option("--worker", options.rig.worker, "cake-worker; default: beside this program");
  app.add_option("--libcuda", options.rig.libcuda, "CUDA driver library");
  app.add_option("--libnvrtc", options.rig.libnvrtc, "NVRTC library");
  app.add_option("--libcupti", options.rig.libcupti, "CUPTI library, or none");
  app.add_option("--work-dir", options.rig.work_dir, "folder for what a fake driver reads");
  app.add_option("--out", options.out, "file to write; default: standard output");
  app.add_option("--shard", options.shard, "entries number SHARD, SHARD + SHARDS, ..");
  app.add_option("--shards", options.shards, "parts that the table is split into");
  app.add_option("--only", options.only, "entries whose name holds one of these")->delimiter(',');
  app.add_option("--programs", options.programs_max, "at most so many of an entry");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : device::ops::kUsage;
  }
  if (options.shards < 1 || options.shard < 0 || options.shard >= options.shards) {
    std::fprintf(stderr, "cake-ops: --shard is in 0..SHARDS-1\n");
    return device::ops::kUsage;
  }
  return device::ops::Run(options);
}
