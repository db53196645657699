#include "clients/cli/input.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/ir/types.h"

namespace clients::cli {
namespace {

// Splits FILE:PROGRAM, unless a file of the whole name exists.
void SplitProgram(const std::string& argument, ProgramFile& out) {
  out.path = argument;
  const size_t colon = argument.rfind(':');
  if (colon == std::string::npos || colon == 0 || NamesAFile(argument)) return;
  out.path = argument.substr(0, colon);
  out.program = argument.substr(colon + 1);
}

// The size of a file of which `read` bytes are read; a stream that may not end is read on so far.
int64_t WholeBytes(std::FILE* file, size_t read) {
  constexpr size_t kMaxCountedBytes = size_t{64} << 20;
  struct stat info;
  if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode)) {
    return static_cast<int64_t>(info.st_size);
  }
  char chunk[65536];
  for (size_t more = 1; more > 0 && read < kMaxCountedBytes; read += more) {
    more = std::fread(chunk, 1, sizeof(chunk), file);
  }
  return static_cast<int64_t>(read);
}

}  // namespace

bool NamesAFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

absl::StatusOr<ProgramFile> ReadProgram(const std::string& argument) {
  ProgramFile out;
  SplitProgram(argument, out);
  struct stat info;
  if (out.path != "-" && stat(out.path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(out.path, ": is a folder; name a .cake file in it"));
  }
  constexpr std::string_view kContract = ".textproto";
  if (out.path.size() > kContract.size() && std::string_view(out.path).ends_with(kContract)) {
    return absl::InvalidArgumentError(absl::StrCat(
        out.path, ": is a contract, not a program; `cake workload lint ", out.path,
        "` reads it, and `cake run FILE.cake --workload ", out.path, "` judges a program by it"));
  }
  std::FILE* file = out.path == "-" ? stdin : std::fopen(out.path.c_str(), "rb");
  if (file == nullptr) {
    return absl::UnavailableError(
        absl::StrCat(out.path, ": ", std::strerror(errno), "; name an existing .cake file"));
  }
  const auto limit = static_cast<size_t>(compiler::ir::Limits{}.source_bytes) + 1;
  out.source.resize(limit);
  out.source.resize(std::fread(out.source.data(), 1, limit, file));
  out.source_bytes = out.source.size() < limit ? static_cast<int64_t>(out.source.size())
                                               : WholeBytes(file, out.source.size());
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) return absl::UnavailableError(absl::StrCat(out.path, ": cannot be read"));
  return out;
}

absl::StatusOr<std::map<std::string, int64_t>> ParseNumbers(const std::vector<std::string>& words) {
  std::map<std::string, int64_t> out;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    int64_t value = 0;
    if (equals == std::string::npos || equals == 0 ||
        !absl::SimpleAtoi(word.substr(equals + 1), &value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", word, "` is not NAME=INTEGER; write for example BN=128"));
    }
    out[word.substr(0, equals)] = value;
  }
  return out;
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead > 0xf4 || i + length > text.size()) return false;
    uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      value = (value << 6) | (next & 0x3f);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return false;
    i += length;
  }
  return true;
}

absl::Status WriteWholeFile(const std::string& path, std::string_view text) {
  struct stat old;
  const bool exists = stat(path.c_str(), &old) == 0;
  // A device or a pipe is written to; only a file is replaced whole, by one rename.
  const bool replace = !exists || S_ISREG(old.st_mode);
  const std::string written_to = replace ? path + ".tmp" : path;
  std::FILE* file = std::fopen(written_to.c_str(), "wb");
  if (file == nullptr)
    return absl::UnavailableError(absl::StrCat(written_to, ": ", std::strerror(errno)));
  if (exists && replace) (void)fchmod(fileno(file), old.st_mode);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || (replace && std::rename(written_to.c_str(), path.c_str()) != 0)) {
    return absl::UnavailableError(
        absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace clients::cli
