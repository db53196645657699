// Files that are whole or absent.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace runner::child {

// Writes aside, syncs the file, renames, syncs the folder; makes missing folders.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);
// NotFound: no such file. ResourceExhausted: more than `bytes_max`.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t bytes_max);

}  // namespace runner::child
