// cake-mutants: programs of the corpus on the device, as they are or broken by one change, under
// delays. One JSON row each. Each process that opens the device is a child of this one, which goes
// on behind what hung, faulted or died.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/device/mutants/run.h"
#include "tests/mutation/programs/campaign.h"

namespace device::mutants {
namespace {

using mutation::Mutation;
using mutation::Program;
using nlohmann::ordered_json;

constexpr int kFine = 0, kUsage = 2, kWorld = 3;
// Of one program in all: compilation, the gates, launches.
constexpr unsigned kProgramSeconds = 120;
// A device that others' faults keep busy may refuse a context for a while.
constexpr int kTries = 4;
constexpr unsigned kTrySeconds = 2;
constexpr std::string_view kNoMember = "no_member";
constexpr std::string_view kContract = ".workload.textproto";
// Nothing runs of what they make, or it is what the right program would do.
const std::set<std::string> kNotForDevices = {"guard", "resource", "equal"};

struct Options {
  RigOptions rig;
  mutation::Draw draw;
  bool right = false;  // the programs as they are
  std::vector<std::string> files;
  std::string out;
};

// One row to make: a program, and which of its changes (none: as it is).
struct Task {
  const Program* program = nullptr;
  Mutation mutant;
  bool changed = false;
};

std::vector<Task> TasksOf(const std::vector<Program>& programs, const Options& options) {
  std::vector<Task> out;
  if (!options.right) {
    for (Mutation& mutant : mutation::DrawMutants(programs, options.draw)) {
      const Program& program = programs[mutant.program];
      const mutation::Change& change = program.changes[mutant.change];
      const bool wanted = !program.base->IsLater() && change.known == mutation::Known::kBroken &&
                          !kNotForDevices.contains(change.family);
      if (wanted) out.push_back({&program, std::move(mutant), true});
    }
    return out;
  }
  int64_t at = 0;
  for (const Program& program : programs) {
    if (program.base->IsLater()) continue;
    int64_t number = 0;
    for (mutation::Member& member :
         mutation::Members(*program.base, options.draw.members, options.draw.seed)) {
      Mutation as_it_is{.number = number++, .member = std::move(member)};
      const bool mine = at++ % options.draw.shards == options.draw.shard;
      if (mine) out.push_back({&program, std::move(as_it_is), false});
    }
  }
  return out;
}

// The contract beside the program whose name begins the program's; of several the longest.
absl::StatusOr<runner::contract::Workload> ContractOf(const std::string& program) {
  const std::filesystem::path path(program);
  const std::string stem = path.stem().string();
  std::string best;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kContract)) continue;
    const std::string of = name.substr(0, name.size() - kContract.size());
    const bool fits = stem == of || stem.starts_with(of + "_");
    if (fits && of.size() > best.size()) best = of;
  }
  std::ifstream file(path.parent_path() / (best + std::string(kContract)), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return absl::NotFoundError(program + " has no contract beside it");
  return runner::contract::ParseTextproto(text.str());
}

ordered_json HeadOf(const Task& task) {
  const std::string name(task.program->base->program().name.text);
  if (!task.changed) {
    return {{"base", task.program->file + ":" + name},
            {"member", task.mutant.number},
            {"values", task.mutant.member}};
  }
  const auto& change = task.program->changes[task.mutant.change];
  const auto judged = mutation::Judge(*task.program->base, change, task.mutant.member);
  return ordered_json::parse(mutation::ToJson(*task.program, task.mutant, judged));
}

// Families have members that the gates refuse as they are: what is right there nobody knows.
bool IsMember(const Task& task) {
  const mutation::Base& base = *task.program->base;
  const auto judged =
      mutation::JudgeText(base.source(), base.program().name.text, task.mutant.member, "", {});
  return judged.outcome == mutation::Outcome::kAccepted;
}

// What the gates say of it and what the device does with it.
absl::StatusOr<ordered_json> RowOf(const Task& task, Rig& rig) {
  const auto workload = ContractOf(task.program->file);
  if (!workload.ok()) return workload.status();
  ordered_json out = HeadOf(task);
  out["launches"] = 0;
  out["delayed"] = 0;
  out["device"] = kNoMember;
  if (!IsMember(task)) return out;
  const mutation::Base& base = *task.program->base;
  const runner::launch::ProgramText text{
      .source =
          task.changed ? Apply(base, task.program->changes[task.mutant.change]) : base.source(),
      .file = std::filesystem::path(task.program->file).filename().string(),
      .program = std::string(base.program().name.text),
      .binding = task.mutant.member};
  const auto row = rig.Run(text, *workload);
  if (!row.ok()) return row.status();
  out["device"] = ToString(row->seen);
  out["case"] = row->at;
  out["detail"] = row->detail;
  out["launches"] = row->launches;
  out["delayed"] = row->delayed;
  out["longest_ms"] = row->longest_ms;
  return out;
}

void Say(int to, const ordered_json& line) {
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(kWorld);
}

// The child: a line about the device, then rows until the context is dead. The destruction of a
// context in which a launch hangs never ends.
[[noreturn]] void Work(const std::vector<Task>& tasks, size_t first, const Options& options,
                       int to) {
  alarm(kProgramSeconds);
  auto rig = Rig::Start(options.rig);
  if (!rig.ok()) {
    Say(to, {{"world", std::string(rig.status().message())}});
    _exit(kWorld);
  }
  Say(to, {{"device_facts", nlohmann::json::parse(ToJson((*rig)->facts()))},
           {"compiler", (*rig)->compiler()}});
  for (size_t i = first; i < tasks.size() && !(*rig)->dead(); ++i) {
    alarm(kProgramSeconds);
    const auto row = RowOf(tasks[i], **rig);
    if (!row.ok()) {
      Say(to, {{"world", std::string(row.status().message())}});
      _exit(kWorld);
    }
    Say(to, *row);
  }
  _exit(kFine);
}

// What one child did, and whether the world was at fault.
struct Shift {
  std::vector<ordered_json> rows;
  ordered_json device;
  std::string world;
};

Shift RunChild(const std::vector<Task>& tasks, size_t first, const Options& options) {
  int ends[2];
  if (pipe(ends) != 0) return {.world = "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a campaign that is out of time ends this process alone
    close(ends[0]);
    Work(tasks, first, options, ends[1]);
  }
  close(ends[1]);
  std::FILE* from = fdopen(ends[0], "r");
  Shift out;
  std::string text;
  for (int c; (c = std::fgetc(from)) != EOF;) {
    if (c != '\n') {
      text.push_back(static_cast<char>(c));
      continue;
    }
    ordered_json line = ordered_json::parse(std::exchange(text, ""));
    if (line.contains("world")) {
      out.world = line["world"];
    } else if (line.contains("device_facts")) {
      out.device = std::move(line);
    } else {
      out.rows.push_back(std::move(line));
    }
  }
  std::fclose(from);
  int status = 0;
  waitpid(child, &status, 0);
  return out;
}

ordered_json DiedRow(const Task& task) {
  ordered_json out{
      {"base", task.program->file + ":" + std::string(task.program->base->program().name.text)},
      {"member", task.mutant.number},
      {"values", task.mutant.member}};
  if (task.changed) {
    const auto& change = task.program->changes[task.mutant.change];
    out["change"] = task.mutant.change;
    out["op"] = change.name;
    out["family"] = change.family;
  }
  out["device"] = "died";
  return out;
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "cake-mutants: %s\n", why.c_str());
  return kWorld;
}

int Run(const Options& options) {
  const auto programs = mutation::ReadPrograms(options.files);
  const std::vector<Task> tasks = TasksOf(programs, options);
  ordered_json device, rows = ordered_json::array();
  std::map<std::string, int> counts;
  int tries = 0;
  for (size_t at = 0; at < tasks.size();) {
    Shift shift = RunChild(tasks, at, options);
    if (!shift.world.empty()) {
      if (++tries == kTries) return Fail(shift.world);
      sleep(kTrySeconds);
    }
    if (!shift.device.is_null()) device = shift.device;
    // One that ended its process without a row, by itself or by its alarm.
    const bool dead = !shift.rows.empty() && (shift.rows.back()["device"] == "hang" ||
                                              shift.rows.back()["device"] == "fault");
    if (at + shift.rows.size() < tasks.size() && !dead && shift.world.empty())
      shift.rows.push_back(DiedRow(tasks[at + shift.rows.size()]));
    at += shift.rows.size();
    for (ordered_json& row : shift.rows) {
      ++counts[row["device"].get<std::string>()];
      rows.push_back(std::move(row));
    }
  }
  for (const auto& [word, count] : counts) std::fprintf(stderr, "%s %d, ", word.c_str(), count);
  std::fprintf(stderr, "of %zu\n", tasks.size());
  const ordered_json out{{"schema", 1}, {"device", device}, {"rows", rows}};
  const std::string json = out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.out.empty()) {
    std::fputs(json.c_str(), stdout);
    return kFine;
  }
  std::ofstream file(options.out, std::ios::binary);
  file << json;
  return file.flush() ? kFine : Fail("cannot write " + options.out);
}

}  // namespace
}  // namespace device::mutants

int main(int argc, char** argv) {
  device::mutants::Options options;
  options.draw.members = 2;
  options.draw.per_operator = 40;
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  const std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  options.rig.worker = path.substr(0, path.rfind('/')) + "/cake-worker";
  CLI::App app{
      "Programs with contracts beside them on the GPU under delays: broken by one change each, or "
      "as they are.\nExit codes: 0 all were run, whatever was seen, 2 usage, 3 the world is at "
      "fault."};
  app.add_option("files", options.files, "FILE.cake ..")->required();
  app.add_flag("--right", options.right, "as they are");
  app.add_option("--seed", options.draw.seed, "of the draw");
  app.add_option("--members", options.draw.members, "of a family, at most");
  app.add_option("--per-operator", options.draw.per_operator, "mutants, at most");
  app.add_option("--shard", options.draw.shard, "which part of the draw");
  app.add_option("--shards", options.draw.shards, "parts of the draw");
  app.add_option("--seeds", options.rig.seeds, "of delays; one launch a case has none")
      ->check(CLI::Range(0, 1000));
  app.add_option("--cases", options.rig.cases, "of a program, at most: the largest small ones");
  app.add_option("--launch-ms", options.rig.launch_ms, "a launch that takes longer hangs");
  app.add_option("--worker", options.rig.worker, "cake-worker; default: beside this program");
  app.add_option("--libcuda", options.rig.libcuda, "CUDA driver library");
  app.add_option("--libnvrtc", options.rig.libnvrtc, "NVRTC library");
  app.add_option("--work-dir", options.rig.work_dir, "folder for what a fake driver reads");
  app.add_option("--out", options.out, "file to write; default: standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : device::mutants::kUsage;
  }
  return device::mutants::Run(options);
}
