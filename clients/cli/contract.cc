#include "clients/cli/contract.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clients/cli/terminal.h"

namespace clients::cli {
namespace {

constexpr std::string_view kSuffix = ".workload.textproto";

std::vector<std::string> BesideProgram(const std::string& program_path) {
  std::vector<std::string> found;
  std::error_code error;
  const auto folder = std::filesystem::path(program_path).parent_path();
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string path = entry.path().string();
    if (path.size() > kSuffix.size() &&
        path.compare(path.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0) {
      found.push_back(path);
    }
  }
  return found;
}

std::string NameOf(const std::string& contract_path) {
  const std::string file = std::filesystem::path(contract_path).filename().string();
  return file.substr(0, file.size() - kSuffix.size());
}

// Of several contracts in one folder the one whose name the program's begins with, the longest:
// gemm_bf16.workload.textproto for gemm_bf16_async.cake.
absl::StatusOr<std::string> OneBeside(const std::string& program_path) {
  const std::vector<std::string> found = BesideProgram(program_path);
  const std::string stem = std::filesystem::path(program_path).stem().string();
  const std::string* best = nullptr;
  std::vector<std::string> names;
  for (const std::string& path : found) {
    const std::string name = NameOf(path);
    names.push_back(name);
    const bool fits = stem == name || absl::StartsWith(stem, name + "_");
    if (fits && (best == nullptr || name.size() > NameOf(*best).size())) best = &path;
  }
  if (best == nullptr && found.size() == 1) best = &found[0];
  if (best != nullptr) return *best;
  std::sort(names.begin(), names.end());
  return absl::InvalidArgumentError(
      absl::StrCat(found.empty() ? "no contract" : "none of the contracts", " (*",
                   std::string(kSuffix), ") beside ", program_path,
                   found.empty() ? "" : absl::StrCat(" has its name: ", absl::StrJoin(names, ", ")),
                   "; name one with --workload, a path or one of tests/corpus"));
}

absl::StatusOr<std::string> FindPath(const std::string& workload, const std::string& program_path) {
  if (workload.empty()) return OneBeside(program_path);
  const std::vector<std::string> places = {
      workload, absl::StrCat(workload, std::string(kSuffix)),
      (std::filesystem::path(program_path).parent_path() /
       absl::StrCat(workload, std::string(kSuffix)))
          .string(),
      absl::StrCat("tests/corpus/", workload, "/", workload, std::string(kSuffix))};
  std::error_code error;
  for (const std::string& place : places) {
    if (std::filesystem::is_regular_file(place, error)) return place;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no contract `", workload, "`: looked for ", absl::StrJoin(places, ", ")));
}

}  // namespace

absl::StatusOr<std::string> FindContract(const std::string& workload,
                                         const std::string& program_path) {
  return FindPath(workload, program_path);
}

absl::StatusOr<runner::contract::Workload> LoadContract(const std::string& workload,
                                                        const std::string& program_path) {
  absl::StatusOr<std::string> path = FindPath(workload, program_path);
  if (!path.ok()) return path.status();
  std::ifstream file(*path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  auto contract = runner::contract::ParseTextproto(text.str());
  if (!contract.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(*path, ":", std::string(contract.status().message())));
  }
  return contract;
}

std::string MissingBaseline(const runner::contract::Workload& contract, const std::string& path) {
  const std::string& baseline = contract.baseline;
  if (baseline.empty() || baseline == runner::contract::kCublasLtBaseline ||
      baseline == runner::contract::kCommandBaseline) {
    return "";
  }
  const auto file = (std::filesystem::path(path).parent_path() / baseline).string();
  std::error_code error;
  // FILE:PROGRAM, as everywhere.
  if (std::filesystem::is_regular_file(file, error) ||
      std::filesystem::is_regular_file(file.substr(0, file.rfind(':')), error)) {
    return "";
  }
  return absl::StrCat("baseline: no file ", file);
}

absl::StatusOr<runner::contract::Workload> LoadWholeContract(const std::string& workload,
                                                             const std::string& program_path) {
  auto contract = LoadContract(workload, program_path);
  if (!contract.ok()) return contract.status();
  const std::vector<std::string> faults = runner::contract::Lint(*contract);
  if (faults.empty()) return contract;
  const std::string path = FindPath(workload, program_path).value_or(workload);
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": contract ", contract->name, ": ", faults[0],
      faults.size() > 1 ? absl::StrCat(" (and ", faults.size() - 1, " more)") : std::string(),
      "; all of it: cake workload lint ", ShellWord(path)));
}

namespace {

absl::StatusOr<std::vector<double>> ValuesIn(const std::string& word, size_t begin,
                                             compiler::ir::DType dtype) {
  const compiler::ir::DTypeInfo& info = compiler::ir::Info(dtype);
  std::vector<double> values;
  for (const absl::string_view text : absl::StrSplit(word.substr(begin), ',')) {
    double value = 0;
    if (!absl::SimpleAtod(text, &value) || (info.is_integer && std::trunc(value) != value)) {
      return absl::InvalidArgumentError(absl::StrCat("--arg ", word, ": `", text, "` is no ",
                                                     std::string(compiler::ir::ToString(dtype))));
    }
    values.push_back(value);
  }
  return values;
}

absl::Status OverrideArg(const std::string& word, runner::contract::Workload& contract) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const auto arg = std::find_if(contract.args.begin(), contract.args.end(),
                                [&](const auto& declared) { return declared.name == name; });
  if (equals == std::string::npos || arg == contract.args.end()) {
    std::vector<std::string> known;
    for (const auto& declared : contract.args) known.push_back(declared.name);
    return absl::InvalidArgumentError(
        absl::StrCat("--arg ", word, ": not NAME=VALUE of an arg of contract ", contract.name,
                     "; its args: ", known.empty() ? "none" : absl::StrJoin(known, ", ")));
  }
  auto values = ValuesIn(word, equals + 1, arg->dtype);
  if (!values.ok()) return values.status();
  const size_t count = arg->values.size();
  if (values->size() != 1 && count != 0 && values->size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("--arg ", word, ": ", values->size(), " values; ", name, " has ", count));
  }
  for (auto& at : contract.cases) {
    for (const std::string& element : NamesOf(*arg)) at.args.erase(element);
    at.args.erase(name);
  }
  if (values->size() == 1 && count == 0) {
    arg->value = values->front();
  } else {
    arg->value = 0;
    arg->values = values->size() == 1 ? std::vector<double>(count, values->front()) : *values;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status OverrideArgs(const std::vector<std::string>& words,
                          runner::contract::Workload& contract) {
  for (const std::string& word : words) {
    if (absl::Status status = OverrideArg(word, contract); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace clients::cli
