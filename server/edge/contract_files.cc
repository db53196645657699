#include "server/edge/contract_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "runner/contract/workload.h"

namespace server::edge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".workload.textproto";
constexpr uintmax_t kProgramBytesMax = 256 * 1024;
constexpr size_t kFilesMax = 10'000;

absl::StatusOr<std::string> ReadFile(const fs::path& path, uintmax_t limit_bytes) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error || size > limit_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": not readable, or over ", limit_bytes, " bytes"));
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat(path.string(), ": not readable"));
  return text.str();
}

absl::StatusOr<core::ContractFile> ReadOne(const fs::path& path) {
  auto text = ReadFile(path, runner::contract::kContractBytesMax);
  if (!text.ok()) return text.status();
  core::ContractFile file{path.string(), *std::move(text), {}};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), error)) {
    if (entry.path().extension() != ".cake") continue;
    auto program = ReadFile(entry.path(), kProgramBytesMax);
    if (program.ok()) file.programs[entry.path().filename().string()] = *std::move(program);
  }
  return file;
}

}  // namespace

absl::StatusOr<std::vector<core::ContractFile>> ReadContractFiles(
    const std::vector<std::string>& folders) {
  std::vector<fs::path> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      return absl::NotFoundError(absl::StrCat(folder, ": no such folder"));
    }
    fs::recursive_directory_iterator it(folder, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) paths.push_back(it->path());
      if (paths.size() > kFilesMax) return absl::InvalidArgumentError("too many contracts");
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<core::ContractFile> files;
  for (const fs::path& path : paths) {
    auto file = ReadOne(path);
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
  }
  return files;
}

}  // namespace server::edge
