// demo seed: a store full of made-up data, for looking at the dashboard before there is any other.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/place.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"

namespace clients::cli {
namespace {

// What a command prints, and its exit code; its errors go where ours do.
struct Ended {
  int code = kWorldAtFault;
  std::string out;
};

Ended RunProgram(const std::string& command) {
  Ended ended;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> buffer;
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ended.out.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

}  // namespace

int DemoSeed(const DemoSeedOptions& options) {
  const std::string caked = FolderOfThisProgram() + "/caked";
  const std::string place =
      absl::StrCat(ShellWord(caked), " --data-dir ", ShellWord(options.data_dir), " --workloads ",
                   ShellWord(options.workloads));
  // The data is small and can be made again: no reserve for a full disk.
  const Ended ended = RunProgram(absl::StrCat(place, " --disk-reserve-bytes 0 --demo-rows ",
                                              options.rows, " --demo-seed ", options.seed));
  if (ended.code != kFine) return kWorldAtFault;
  if (options.json) {
    std::fputs(ended.out.c_str(), stdout);
    return kFine;
  }
  const auto made = nlohmann::json::parse(ended.out, nullptr, false);
  if (!made.is_object()) return Fail(absl::InternalError("caked: answered no JSON"));
  Table table({"experiments", "candidates", "events", "seed"});
  table.Add({absl::StrCat(made.value("runs", int64_t{0})),
             absl::StrCat(made.value("candidates", int64_t{0})),
             absl::StrCat(made.value("events", int64_t{0})), absl::StrCat(options.seed)});
  std::printf("demo data in %s: made up, marked as such on every page\n%s",
              Printable(options.data_dir).c_str(), table.Text().c_str());
  PrintNext(place);
  return kFine;
}

}  // namespace clients::cli
