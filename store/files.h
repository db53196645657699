// Files beside the database: content-addressed objects, the lock, the disk reserve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace store {

// SHA-256 in lower-case hex.
std::string Sha256Hex(std::string_view bytes);
std::string HmacHex(std::string_view key, std::string_view text);
std::string RandomHex(size_t bytes);

// `<dir>/objects/ab/cdef..`, `dir` being the store's.
std::string ObjectPath(const std::string& dir, const std::string& hash);

// Makes the bytes durable under their hash: temporary file, fsync, rename, fsync of the folder.
// Present already: nothing is written. DISK_FULL when there is no room. An fsync that fails ends
// the process: after it the page cache may be clean and wrong, so no retry can be trusted.
absl::Status PlaceObject(const std::string& dir, const std::string& hash, std::string_view bytes);

// CORRUPT if the file is missing or has other bytes than its name says.
absl::StatusOr<std::string> ReadObject(const std::string& dir, const std::string& hash);

absl::Status MakeDir(const std::string& path);

// Holds `<dir>/lock` until destroyed. A second holder gets LOCKED with the first one's pid.
class FolderLock {
 public:
  static absl::StatusOr<FolderLock> Take(const std::string& dir);
  FolderLock() = default;
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

 private:
  int fd_ = -1;
};

// Disk space kept aside, given up when the disk is full so that what runs can end in order.
class DiskReserve {
 public:
  DiskReserve(std::string path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}
  // True: the file is there with its full size. False: there is no room for it.
  bool Acquire();
  void Release();

 private:
  const std::string path_;
  const int64_t bytes_;  // 0: no reserve, Acquire succeeds
};

// Ends the process with `what` and errno: for an fsync that failed.
[[noreturn]] void DieOfSync(const std::string& what);

}  // namespace store
