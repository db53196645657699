// Reading what the command line names: a program file, a binding, the numbers of a case.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace clients::cli {

struct ProgramFile {
  std::string path;          // as given, without :PROGRAM
  std::string program;       // "" unless FILE:PROGRAM
  std::string source;        // at most Limits::source_bytes + 1 bytes: the parser names the limit
  int64_t source_bytes = 0;  // of the whole file; of a stream, as far as it was read
};

// Whether there is a file (or a pipe) of this name.
bool NamesAFile(const std::string& path);

// "k.cake", "kernels.cake:fa3_fwd" or "-" (standard input). InvalidArgument: a folder or a
// contract. Unavailable: missing or unreadable.
absl::StatusOr<ProgramFile> ReadProgram(const std::string& argument);

// {"BN=128", "STAGES=4"} to numbers. InvalidArgument names the word that is not NAME=INTEGER.
absl::StatusOr<std::map<std::string, int64_t>> ParseNumbers(const std::vector<std::string>& words);

// Whether every byte belongs to a well-formed UTF-8 sequence.
bool IsUtf8(std::string_view text);

absl::Status WriteWholeFile(const std::string& path, std::string_view text);

}  // namespace clients::cli
