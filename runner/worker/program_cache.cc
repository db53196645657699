#include "runner/worker/program_cache.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/write_file.h"
#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

constexpr int64_t kEntryBytesMax = 4 * 1024 * 1024;

std::string PathOf(const std::string& dir, std::string_view id) {
  return absl::StrCat(dir, "/", std::string(id), ".json");
}

}  // namespace

absl::Status PutProgram(const std::string& dir, std::string_view id, const CachedProgram& program) {
  if (!contract::IsSha256Hex(id))
    return absl::InvalidArgumentError("program id is not 64 hex digits");
  const std::string path = PathOf(dir, id);
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  const nlohmann::json out = {{"schema", 1},
                              {"source", program.source},
                              {"program", program.program},
                              {"binding", program.binding},
                              {"file", program.file},
                              {"arch", program.arch}};
  return child::WriteFileAtomically(path, out.dump());
}

absl::StatusOr<CachedProgram> GetProgram(const std::string& dir, std::string_view id) {
  const auto text = child::ReadWholeFile(PathOf(dir, id), kEntryBytesMax);
  if (!text.ok()) return text.status();
  try {
    const auto in = nlohmann::json::parse(*text);
    return CachedProgram{in.at("source"), in.at("program"), in.at("file"), in.at("arch"),
                         in.at("binding").get<std::map<std::string, int64_t>>()};
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("program cache: ", error.what()));
  }
}

}  // namespace runner::worker
