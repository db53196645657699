// Files beside the database: content-addressed objects, the lock, the disk reserve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct evp_md_ctx_st;  // of libcrypto

namespace store {

// SHA-256 in lower-case hex.
std::string Sha256Hex(std::string_view bytes);
// The same of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  void Add(std::string_view bytes);
  std::string Hex();  // once, at the end

 private:
  evp_md_ctx_st* context_;
};

std::string HmacHex(std::string_view key, std::string_view text);
std::string RandomHex(size_t bytes);

// `<dir>/objects/ab/cdef..`, `dir` being the store's.
std::string ObjectPath(const std::string& dir, const std::string& hash);

// Makes the bytes durable under their hash: temporary file, fsync, rename, fsync of the folder.
// Present already: nothing is written. DISK_FULL when there is no room. An fsync that fails ends
// the process: after it the page cache may be clean and wrong, so no retry can be trusted.
absl::Status PlaceObject(const std::string& dir, const std::string& hash, std::string_view bytes);

// `<dir>/trash/cdef..`: where a file that nothing names waits for its end.
std::string TrashPath(const std::string& dir, const std::string& hash);
// Moves the object's file into the trash, so that a reader which has its row still finds it there;
// false: there is none.
bool MoveToTrash(const std::string& dir, const std::string& hash);
// The file is in its place: it was, or it came back from the trash.
bool EnsurePlaced(const std::string& dir, const std::string& hash);

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
