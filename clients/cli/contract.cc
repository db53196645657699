#include "clients/cli/contract.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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

absl::StatusOr<std::string> FindPath(const std::string& workload, const std::string& program_path) {
  if (workload.empty()) {
    const std::vector<std::string> found = BesideProgram(program_path);
    if (found.size() == 1) return found[0];
    return absl::InvalidArgumentError(absl::StrCat(found.size(), " contracts (*",
                                                   std::string(kSuffix), ") beside ", program_path,
                                                   "; name one with --workload"));
  }
  const std::vector<std::string> places = {
      workload, absl::StrCat(workload, std::string(kSuffix)),
      absl::StrCat("tests/corpus/", workload, "/", workload, std::string(kSuffix))};
  std::error_code error;
  for (const std::string& place : places) {
    if (std::filesystem::is_regular_file(place, error)) return place;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no contract `", workload, "`: looked for ", absl::StrJoin(places, ", ")));
}

}  // namespace

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

}  // namespace clients::cli
