#include "clients/cli/next.h"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/contract.h"
#include "clients/cli/place.h"
#include "clients/cli/terminal.h"

namespace clients::cli {

using compiler::ir::SymbolKind;

std::string Command(std::string_view verb, const MemberOptions& options) {
  std::string out = absl::StrCat("cake ", std::string(verb), " ", ShellWord(options.file));
  for (const std::string& word : options.params)
    absl::StrAppend(&out, " --param ", ShellWord(word));
  if (!options.arch.empty()) absl::StrAppend(&out, " --arch ", ShellWord(options.arch));
  return out;
}

std::optional<std::string> ShapeWords(const Loaded& loaded) {
  if (loaded.member.program == nullptr || loaded.member.device == nullptr) return std::nullopt;
  // From large, which is what one wants to know the time of, to whatever the guard still takes.
  for (const int64_t wanted : {4096, 1024, 256, 64, 32, 16, 8, 1}) {
    std::map<std::string, int64_t> values;
    std::string words;
    for (const auto& symbol : loaded.member.program->symbols) {
      if (symbol.kind == SymbolKind::kSms) values[symbol.name] = loaded.member.device->sm_count;
      if (symbol.kind == SymbolKind::kArg) values[symbol.name] = 0;
      if (symbol.kind != SymbolKind::kDim) continue;
      values[symbol.name] = symbol.has_range ? std::clamp(wanted, symbol.low, symbol.high) : wanted;
      absl::StrAppend(&words, " --dim ", symbol.name, "=", values[symbol.name]);
    }
    const auto launch = compiler::facts::BindLaunch(*loaded.member.program, values);
    if (launch.ok() && compiler::facts::CheckGuard(*loaded.member.program, *launch).ok())
      return words;
  }
  return std::nullopt;
}

std::string NextRun(const Loaded& loaded, const MemberOptions& options) {
  if (LoadContract("", loaded.file.path).ok()) return Command("run", options);
  const std::optional<std::string> shape = ShapeWords(loaded);
  return shape ? absl::StrCat(Command("estimate", options), *shape)
               : absl::StrCat("cake check --all ", ShellWord(options.file));
}

bool DaemonIsKnown() {
  std::ifstream file(DataFolder() + "/address.json");
  const auto address = nlohmann::json::parse(file, nullptr, false);
  if (!address.is_object()) return false;
  const int64_t pid = address.value("pid", int64_t{0});
  return pid > 0 && kill(static_cast<pid_t>(pid), 0) == 0;
}

}  // namespace clients::cli
