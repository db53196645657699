#include "runner/child/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace runner::child {
namespace {

constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

absl::Status Errno(const char* what) {
  return absl::ResourceExhaustedError(absl::StrCat("memory file: ", what, ": ", strerror(errno)));
}

absl::StatusOr<Mapping> Map(int fd, int64_t bytes, int protection) {
  if (bytes == 0) return Mapping();
  void* at = mmap(nullptr, static_cast<size_t>(bytes), protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return Errno("mmap");
  return Mapping(static_cast<std::byte*>(at), static_cast<size_t>(bytes));
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
Mapping::~Mapping() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

absl::StatusOr<MemoryFile> MemoryFile::Create(const char* name, int64_t bytes) {
  MemoryFile file;
  file.fd_ = UniqueFd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.fd_.valid()) return Errno("memfd_create");
  if (ftruncate(file.fd_.get(), bytes) != 0) return Errno("ftruncate");
  auto mapping = Map(file.fd_.get(), bytes, PROT_READ | PROT_WRITE);
  if (!mapping.ok()) return mapping.status();
  file.mapping_ = *std::move(mapping);
  return file;
}

absl::StatusOr<UniqueFd> MemoryFile::Seal() && {
  mapping_ = Mapping();  // a writable mapping would forbid the write seal
  if (fcntl(fd_.get(), F_ADD_SEALS, kSeals) != 0) return Errno("seal");
  return std::move(fd_);
}

absl::StatusOr<Mapping> MapSealed(int fd, int64_t bytes) {
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    return absl::InvalidArgumentError("memory file: it is not sealed");
  }
  struct stat about {};
  if (fstat(fd, &about) != 0 || about.st_size != bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory file: ", about.st_size, " bytes, expected ", bytes));
  }
  return Map(fd, bytes, PROT_READ);
}

}  // namespace runner::child
