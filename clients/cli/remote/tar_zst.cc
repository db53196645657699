#include "clients/cli/remote/tar_zst.h"

#include <zstd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"

namespace clients::cli::remote {
namespace {

constexpr size_t kBlockBytes = 512;
// A frame may ask for no larger window, so that a small file cannot ask for much memory.
constexpr int kWindowLogMax = 27;

absl::Status Bad(std::string_view why) {
  return absl::InvalidArgumentError(absl::string_view(why.data(), why.size()));
}

// Unpacked bytes in order, counted against the limit.
class Unpacker {
 public:
  Unpacker(std::FILE* file, uint64_t limit)
      : file_(file, &std::fclose), stream_(ZSTD_createDStream(), &ZSTD_freeDStream), limit_(limit) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
    in_.resize(ZSTD_DStreamInSize());
    out_.resize(ZSTD_DStreamOutSize());
  }

  // Exactly `size` bytes into `to`; false with `at_end`: the file ended before the first of them.
  absl::Status Read(char* to, size_t size, bool& at_end) {
    at_end = false;
    size_t have = 0;
    while (have < size) {
      if (next_ == filled_) {
        if (auto status = Fill(); !status.ok()) return status;
        if (filled_ == 0) {
          at_end = have == 0;
          return at_end ? absl::OkStatus() : Bad("is cut short");
        }
      }
      const size_t take = std::min(size - have, filled_ - next_);
      std::memcpy(to + have, out_.data() + next_, take);
      next_ += take;
      have += take;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Fill() {
    next_ = filled_ = 0;
    while (filled_ == 0) {
      if (input_.pos == input_.size) {
        const size_t got = std::fread(in_.data(), 1, in_.size(), file_.get());
        if (got == 0) {
          if (std::ferror(file_.get()) != 0) return absl::UnavailableError("cannot be read");
          return frame_open_ ? Bad("is cut short") : absl::OkStatus();
        }
        input_ = {in_.data(), got, 0};
      }
      ZSTD_outBuffer output{out_.data(), out_.size(), 0};
      const size_t left = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0) {
        return Bad(absl::StrCat("is not zstd: ", ZSTD_getErrorName(left)));
      }
      frame_open_ = left != 0;
      filled_ = output.pos;
    }
    total_ += filled_;
    if (total_ <= limit_) return absl::OkStatus();
    return Bad(absl::StrCat("unpacks to more than ", limit_, " bytes"));
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  const uint64_t limit_;
  std::vector<char> in_, out_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  size_t next_ = 0, filled_ = 0;
  uint64_t total_ = 0;
  bool frame_open_ = true;  // an empty file is no frame
};

struct Header {
  std::string name;
  uint64_t size = 0;
  char type = 0;
};

bool Octal(const char* text, size_t length, uint64_t& out) {
  size_t i = 0;
  while (i < length && text[i] == ' ') ++i;
  out = 0;
  const size_t first = i;
  for (; i < length && text[i] >= '0' && text[i] <= '7'; ++i) {
    if (out >> 60 != 0) return false;
    out = out * 8 + static_cast<uint64_t>(text[i] - '0');
  }
  return i > first && (i == length || text[i] == '\0' || text[i] == ' ');
}

// POSIX ustar, also as GNU tar writes it (IEEE 1003.1, pax, "ustar Interchange Format").
absl::Status ParseHeader(const char (&block)[kBlockBytes], Header& out) {
  uint64_t sum = 0, stored = 0;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block[i]);
  }
  if (!Octal(block + 148, 8, stored) || stored != sum) return Bad("has a damaged tar header");
  if (!Octal(block + 124, 12, out.size)) return Bad("has a tar member of unreadable size");
  out.name.assign(block, strnlen(block, 100));
  const size_t prefix = strnlen(block + 345, 155);
  if (std::memcmp(block + 257, "ustar\0", 6) == 0 && prefix > 0) {
    out.name = absl::StrCat(absl::string_view(block + 345, prefix), "/", out.name);
  }
  out.type = block[156];
  return absl::OkStatus();
}

bool IsZero(const char (&block)[kBlockBytes]) {
  for (const char c : block) {
    if (c != 0) return false;
  }
  return true;
}

}  // namespace

absl::Status WalkTarZst(
    const std::string& path, const TarLimits& limits,
    const std::function<absl::Status(const std::string& name, const std::string& bytes)>& member) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(std::strerror(errno));
  Unpacker unpacker(file, limits.total_bytes);
  std::string bytes;
  for (uint64_t members = 0;;) {
    char block[kBlockBytes];
    bool at_end = false;
    if (auto status = unpacker.Read(block, kBlockBytes, at_end); !status.ok()) return status;
    if (at_end) return Bad("is cut short: the end of the tar file is missing");
    if (IsZero(block)) break;
    Header header;
    if (auto status = ParseHeader(block, header); !status.ok()) return status;
    if (header.type == '5') continue;
    if (header.type != '0' && header.type != '\0') {
      return Bad(absl::StrCat("holds `", header.name, "`, which is no plain file"));
    }
    if (++members > limits.members) {
      return Bad(absl::StrCat("holds more than ", limits.members, " files"));
    }
    if (header.size > limits.member_bytes) {
      return Bad(absl::StrCat("holds `", header.name, "` of ", header.size, " bytes, at most ",
                              limits.member_bytes));
    }
    bytes.resize(header.size);
    const size_t padding = (kBlockBytes - header.size % kBlockBytes) % kBlockBytes;
    auto status = unpacker.Read(bytes.data(), bytes.size(), at_end);
    if (status.ok() && !at_end) status = unpacker.Read(block, padding, at_end);
    if (!status.ok()) return status;
    if (at_end) return Bad("is cut short");
    if (status = member(header.name, bytes); !status.ok()) return status;
  }
  // Only padding follows the end; reading it finds out whether the file is whole.
  for (;;) {
    char block[kBlockBytes];
    bool at_end = false;
    if (auto status = unpacker.Read(block, kBlockBytes, at_end); !status.ok()) return status;
    if (at_end) return absl::OkStatus();
    if (!IsZero(block)) return Bad("has bytes after the end of the tar file");
  }
}

}  // namespace clients::cli::remote
