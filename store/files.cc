#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "store/error.h"
#include "store/failpoint.h"
#include "store/try.h"

namespace store {
namespace {

std::string ToHex(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

absl::Status ErrnoError(const std::string& what) {
  const std::string text = absl::StrCat(what, ": ", strerror(errno));
  if (errno == ENOSPC || errno == EDQUOT) return Error(Reason::kDiskFull, text);
  return absl::InternalError(text);
}

// A descriptor that closes itself.
struct Fd {
  int value;
  explicit Fd(int fd) : value(fd) {}
  Fd(const Fd&) = delete;
  ~Fd() {
    if (value >= 0) close(value);
  }
};

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(absl::StrCat("write ", path));
    bytes.remove_prefix(written);
  }
  return absl::OkStatus();
}

absl::Status SyncDir(const std::string& path) {
  Fd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.value < 0) return ErrnoError(absl::StrCat("open ", path));
  if (fsync(dir.value) != 0) DieOfSync(path);
  return absl::OkStatus();
}

absl::Status WriteTemp(const std::string& path, std::string_view bytes) {
  Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.value < 0) return ErrnoError(absl::StrCat("create ", path));
  CAKE_STORE_TRY(WriteAll(file.value, bytes, path));
  CAKE_FAILPOINT("store.object.temp_written");
  if (fsync(file.value) != 0) {
    if (errno == ENOSPC || errno == EDQUOT) return ErrnoError(absl::StrCat("fsync ", path));
    DieOfSync(path);
  }
  CAKE_FAILPOINT("store.object.synced");
  return absl::OkStatus();
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    std::abort();  // libcrypto without SHA-256: nothing here can work
  }
  return ToHex(digest, size);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) != 1) std::abort();
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::Add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_, bytes.data(), bytes.size()) != 1) std::abort();
}

std::string Sha256::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(context_, digest, &size) != 1) std::abort();
  return ToHex(digest, size);
}

std::string HmacHex(std::string_view key, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data, text.size(), digest,
           &size) == nullptr) {
    std::abort();
  }
  return ToHex(digest, size);
}

std::string RandomHex(size_t bytes) {
  std::string raw(bytes, '\0');
  auto* data = reinterpret_cast<unsigned char*>(raw.data());
  if (RAND_bytes(data, static_cast<int>(bytes)) != 1) std::abort();
  return ToHex(data, bytes);
}

void DieOfSync(const std::string& what) {
  std::fprintf(stderr, "store: fsync of %s failed: %s; ending, because data may be lost\n",
               what.c_str(), strerror(errno));
  std::abort();
}

absl::Status MakeDir(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return absl::OkStatus();
  if (errno != ENOENT || path.find('/') == std::string::npos) {
    return ErrnoError(absl::StrCat("mkdir ", path));
  }
  CAKE_STORE_TRY(MakeDir(path.substr(0, path.rfind('/'))));
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return absl::OkStatus();
  return ErrnoError(absl::StrCat("mkdir ", path));
}

std::string ObjectPath(const std::string& dir, const std::string& hash) {
  return absl::StrCat(dir, "/objects/", hash.substr(0, 2), "/", hash.substr(2));
}

absl::Status PlaceObject(const std::string& dir, const std::string& hash, std::string_view bytes) {
  const std::string final_path = ObjectPath(dir, hash);
  const std::string folder = absl::StrCat(dir, "/objects/", hash.substr(0, 2));
  // Another writer may have renamed it and not yet synced the folder.
  if (access(final_path.c_str(), F_OK) == 0) return SyncDir(folder);
  CAKE_STORE_TRY(MakeDir(folder));
  CAKE_STORE_TRY(SyncDir(absl::StrCat(dir, "/objects")));
  static std::atomic<uint64_t> counter = 0;
  const std::string temp =
      absl::StrCat(dir, "/objects/", hash, ".", getpid(), ".", counter.fetch_add(1), ".tmp");
  if (absl::Status status = WriteTemp(temp, bytes); !status.ok()) {
    unlink(temp.c_str());
    return status;
  }
  if (rename(temp.c_str(), final_path.c_str()) != 0) {
    return ErrnoError(absl::StrCat("rename ", temp));
  }
  CAKE_FAILPOINT("store.object.renamed");
  CAKE_STORE_TRY(SyncDir(folder));
  CAKE_FAILPOINT("store.object.placed");
  return absl::OkStatus();
}

std::string TrashPath(const std::string& dir, const std::string& hash) {
  return absl::StrCat(dir, "/trash/", hash);
}

bool MoveToTrash(const std::string& dir, const std::string& hash) {
  if (!MakeDir(absl::StrCat(dir, "/trash")).ok()) return false;
  return rename(ObjectPath(dir, hash).c_str(), TrashPath(dir, hash).c_str()) == 0;
}

bool EnsurePlaced(const std::string& dir, const std::string& hash) {
  const std::string path = ObjectPath(dir, hash);
  if (access(path.c_str(), F_OK) == 0) return true;
  if (rename(TrashPath(dir, hash).c_str(), path.c_str()) != 0) return false;
  return SyncDir(path.substr(0, path.rfind('/'))).ok();
}

absl::StatusOr<std::string> ReadObject(const std::string& dir, const std::string& hash) {
  const std::string path = ObjectPath(dir, hash);
  std::ifstream in(path, std::ios::binary);
  if (!in) in.open(TrashPath(dir, hash), std::ios::binary);
  if (!in) return Error(Reason::kCorrupt, absl::StrCat("object file ", path, " is missing"));
  std::ostringstream text;
  text << in.rdbuf();
  std::string bytes = std::move(text).str();
  if (Sha256Hex(bytes) != hash) {
    return Error(Reason::kCorrupt, absl::StrCat("object file ", path, " has other bytes"));
  }
  return bytes;
}

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& dir) {
  const std::string path = absl::StrCat(dir, "/lock");
  FolderLock lock;
  lock.fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock.fd_ < 0) return ErrnoError(absl::StrCat("open ", path));
  if (flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    char pid[32] = {};
    const ssize_t size = pread(lock.fd_, pid, sizeof(pid) - 1, 0);
    const std::string holder = size > 0 ? std::string(pid, size) : "of unknown number";
    return Error(Reason::kLocked,
                 absl::StrCat("the folder ", dir, " is in use by process ", holder));
  }
  const std::string pid = absl::StrCat(getpid());
  if (ftruncate(lock.fd_, 0) != 0) return ErrnoError(absl::StrCat("truncate ", path));
  CAKE_STORE_TRY(WriteAll(lock.fd_, pid, path));
  return lock;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);  // which also unlocks
}

bool DiskReserve::Acquire() {
  if (bytes_ == 0) return true;
  Fd file(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.value < 0) return false;
  struct stat info {};
  if (fstat(file.value, &info) == 0 && info.st_size == bytes_) return true;
  if (posix_fallocate(file.value, 0, bytes_) == 0) return true;
  unlink(path_.c_str());
  return false;
}

void DiskReserve::Release() {
  if (bytes_ != 0) unlink(path_.c_str());
}

}  // namespace store
