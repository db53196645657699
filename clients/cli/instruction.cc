#include "clients/cli/instruction.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/input.h"
#include "clients/cli/terminal.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace clients::cli {
namespace {

using compiler::ir::OpDef;

// The entries of the name, two for `-`; of a name with modifiers (`cvt.bf16`) the entry it extends.
std::vector<const OpDef*> Find(const std::string& word) {
  std::vector<const OpDef*> found;
  for (const OpDef& op : compiler::ops::Table().ops()) {
    if (op.name == word || compiler::ops::ManualFileName(op) == word) found.push_back(&op);
  }
  if (!found.empty()) return found;
  const std::vector<std::string> parts = absl::StrSplit(word, '.');
  const std::vector<std::string_view> path(parts.begin(), parts.end());
  size_t taken = 0;
  const OpDef* op = compiler::ops::Table().FindLongest(path, &taken);
  if (op == nullptr) return found;
  for (size_t i = taken; i < path.size(); ++i) {
    const bool known = std::any_of(
        op->modifiers.begin(), op->modifiers.end(), [&](const compiler::ir::ModifierGroup& group) {
          return std::find(group.words.begin(), group.words.end(), path[i]) != group.words.end();
        });
    if (!known) return found;
  }
  return {op};
}

std::string NearestName(const std::string& word) {
  std::vector<std::string_view> names;
  for (const OpDef& op : compiler::ops::Table().ops()) names.push_back(op.name);
  return compiler::text::Nearest(word, names);
}

nlohmann::ordered_json ToJson(const OpDef& op) {
  nlohmann::ordered_json modifiers = nlohmann::ordered_json::array();
  for (const auto& group : op.modifiers)
    modifiers.push_back({{"words", group.words}, {"required", group.required}});
  return {{"name", op.name},
          {"summary", op.summary},
          {"in_this_build", op.Available()},
          {"scope", compiler::ir::ToString(op.scope)},
          {"collective", op.effects.collective},
          {"modifiers", modifiers},
          {"from", op.min_arch},
          {"source", op.source},
          {"example", op.example},
          {"page", compiler::ops::ManualPage(op)}};
}

// What is next to it in the table, which is what one compares it with; operators by their words.
std::string Neighbour(const OpDef& op) {
  const auto ops = compiler::ops::Table().ops();
  const auto next = static_cast<size_t>(&op - ops.data()) + 1;
  return compiler::ops::ManualFileName(ops[next < ops.size() ? next : 0]);
}

}  // namespace

bool MeansInstruction(const std::string& word) {
  if (word == "-" || NamesAFile(word)) return false;
  const bool path = word.find('/') != std::string::npos || word.find(':') != std::string::npos ||
                    word.find(".cake") != std::string::npos;
  return !path || !Find(word).empty();
}

int ExplainInstruction(const std::string& word, bool json) {
  const std::vector<const OpDef*> found = Find(word);
  if (found.empty()) {
    const std::string nearest = NearestName(word);
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(word, ": neither a file nor an instruction",
                     nearest.empty() ? "; compiler/instructions/README.md lists the instructions"
                                     : "; the nearest is `" + nearest + "`")));
  }
  if (json) {
    nlohmann::ordered_json out{{"instructions", nlohmann::ordered_json::array()}};
    for (const OpDef* op : found) out["instructions"].push_back(ToJson(*op));
    std::printf("%s\n", out.dump(2).c_str());
    return kFine;
  }
  for (const OpDef* op : found) std::printf("%s\n", compiler::ops::ManualPage(*op).c_str());
  PrintNext(absl::StrCat("cake explain ", ShellWord(Neighbour(*found.back()))));
  return kFine;
}

}  // namespace clients::cli
