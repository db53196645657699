#include "runner/child/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "runner/child/fd.h"

namespace runner::child {
namespace {

absl::Status Errno(const std::string& what, const std::string& path) {
  const auto text = absl::StrCat(what, " ", path, ": ", strerror(errno));
  if (errno == ENOENT) return absl::NotFoundError(text);
  return absl::UnavailableError(text);
}

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Errno("write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return fsync(fd) == 0 ? absl::OkStatus() : Errno("sync", path);
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  static std::atomic<int> counter = 0;
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string aside = absl::StrCat(path, ".", getpid(), ".", counter++, ".tmp");
  absl::Status status;
  {
    const UniqueFd fd(open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd.valid()) return Errno("create", aside);
    status = WriteAll(fd.get(), bytes, aside);
  }
  if (status.ok() && rename(aside.c_str(), path.c_str()) != 0) status = Errno("rename", path);
  if (!status.ok()) {
    unlink(aside.c_str());
    return status;
  }
  const UniqueFd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid() || fsync(directory.get()) != 0) return Errno("sync", folder);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t bytes_max) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!fd.valid() || fstat(fd.get(), &about) != 0) return Errno("open", path);
  if (about.st_size > bytes_max) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, " has ", about.st_size, " bytes, limit ", bytes_max));
  }
  std::string bytes;
  char piece[1 << 16];
  for (;;) {
    const ssize_t n = read(fd.get(), piece, sizeof(piece));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Errno("read", path);
    if (n == 0) return bytes;
    bytes.append(piece, static_cast<size_t>(n));
    if (static_cast<int64_t>(bytes.size()) > bytes_max) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, " has more than ", bytes_max, " bytes"));
    }
  }
}

}  // namespace runner::child
