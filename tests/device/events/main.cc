// cake-events: the events that programs log on the GPU against those of the reference machine,
// under delays. One JSON row a member of a program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/device/events/run.h"

namespace device::events {
namespace {

using nlohmann::ordered_json;

constexpr int kFine = 0, kDiffers = 1, kUsage = 2, kWorld = 3;

struct Options {
  RigOptions rig;
  std::string program, workload, out;
};

absl::StatusOr<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return absl::NotFoundError("cannot read " + path);
  return text.str();
}

ordered_json Json(const CaseRow& at) {
  ordered_json told = ordered_json::array();
  for (const Mismatch& mismatch : at.comparison.told) told.push_back(Text(mismatch));
  return {{"name", at.name},
          {"verdict", at.verdict},
          {"detail", at.detail.empty() ? at.fault : at.detail},
          {"launches", at.launches},
          {"warps", at.comparison.warps},
          {"records", at.comparison.records},
          {"mismatches", at.comparison.mismatches},
          {"missing", at.comparison.missing},
          {"told", told}};
}

ordered_json Json(const Row& row) {
  ordered_json cases = ordered_json::array();
  for (const CaseRow& at : row.cases) cases.push_back(Json(at));
  return {{"program", row.program}, {"binding", row.binding}, {"ended", ToString(row.ended)},
          {"detail", row.detail},   {"good", row.Good()},     {"tickets", row.tickets},
          {"cases", cases}};
}

void Print(const Row& row) {
  int64_t warps = 0, records = 0, mismatches = 0, launches = 0, wrong = 0;
  for (const CaseRow& at : row.cases) {
    warps += at.comparison.warps;
    records += at.comparison.records;
    mismatches += at.comparison.mismatches;
    launches += at.launches;
    wrong += at.verdict != "CORRECT" ? 1 : 0;
    for (const Mismatch& told : at.comparison.told) {
      std::fprintf(stderr, "  %s: %s\n", at.name.c_str(), Text(told).c_str());
    }
    for (const std::string& why : {at.detail, at.fault}) {
      if (!why.empty()) std::fprintf(stderr, "  %s: %s\n", at.name.c_str(), why.c_str());
    }
  }
  std::string member;
  for (const auto& [name, value] : row.binding) member += " " + name + "=" + std::to_string(value);
  std::fprintf(
      stderr,
      "%s%s: %s %s: %zu cases, %lld launches, %lld sequences of %lld records, %lld differ, "
      "%lld cases wrong\n",
      row.program.c_str(), member.c_str(), std::string(ToString(row.ended)).c_str(),
      row.detail.c_str(), row.cases.size(), static_cast<long long>(launches),
      static_cast<long long>(warps), static_cast<long long>(records),
      static_cast<long long>(mismatches), static_cast<long long>(wrong));
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "cake-events: %s\n", std::string(status.message()).c_str());
  return kWorld;
}

int Run(const Options& options) {
  const auto source = Read(options.program);
  if (!source.ok()) return Fail(source.status());
  const auto text = Read(options.workload);
  if (!text.ok()) return Fail(text.status());
  const auto workload = runner::contract::ParseTextproto(*text);
  if (!workload.ok()) return Fail(workload.status());
  auto rig = Rig::Start(options.rig);
  if (!rig.ok()) return Fail(rig.status());
  runner::launch::ProgramText program{
      .source = *source, .file = options.program.substr(options.program.rfind('/') + 1)};
  ordered_json rows = ordered_json::array();
  bool good = true;
  for (auto& member : MembersOf(program)) {
    program.binding = member;
    const auto row = (*rig)->Run(program, *workload);
    if (!row.ok()) return Fail(row.status());
    Print(*row);
    good = good && row->Good();
    rows.push_back(Json(*row));
    if ((*rig)->dead()) break;
  }
  const ordered_json out{{"schema", 1},
                         {"simulated", !options.rig.libcuda.empty()},  // a driver that was named
                         {"device", nlohmann::json::parse(ToJson((*rig)->facts()))},
                         {"arch", (*rig)->facts().arch},
                         {"compiler", (*rig)->compiler()},
                         {"seeds", options.rig.seeds},
                         {"rows", rows}};
  const std::string json = out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.out.empty()) {
    std::fputs(json.c_str(), stdout);
  } else {
    std::ofstream file(options.out, std::ios::binary);
    file << json;
    if (!file.flush()) return Fail(absl::UnavailableError("cannot write " + options.out));
  }
  std::fflush(nullptr);
  // The destruction of a context in which a launch hangs never ends.
  if ((*rig)->dead()) _exit(kDiffers);
  return good ? kFine : kDiffers;
}

}  // namespace
}  // namespace device::events

int main(int argc, char** argv) {
  device::events::Options options;
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  const std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  options.rig.worker = path.substr(0, path.rfind('/')) + "/cake-worker";
  CLI::App app{
      "Events of a program's warps on the GPU, under delays, against the reference machine's.\n"
      "Exit codes: 0 all equal and all outputs right, 1 some are not, 2 usage, 3 the world is at "
      "fault."};
  app.add_option("program", options.program, "FILE.cake, with one program")->required();
  app.add_option("--workload", options.workload, "its contract, a .textproto file")->required();
  app.add_option("--case", options.rig.cases, "a case; default: all of the machine tier");
  app.add_option("--seeds", options.rig.seeds, "seeds of delays; one launch has none")
      ->check(CLI::Range(0, 1000));
  app.add_option("--threads", options.rig.threads, "for machine and reference; 0: all CPUs");
  app.add_option("--worker", options.rig.worker, "cake-worker; default: beside this program");
  app.add_option("--libcuda", options.rig.libcuda, "CUDA driver library");
  app.add_option("--libnvrtc", options.rig.libnvrtc, "NVRTC library");
  app.add_option("--work-dir", options.rig.work_dir, "folder for what a fake driver reads");
  app.add_option("--out", options.out, "file to write; default: standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : device::events::kUsage;
  }
  return device::events::Run(options);
}
