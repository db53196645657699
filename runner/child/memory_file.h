// Bulk memory between processes: a sealed memfd. The reader maps it read-only and cannot be
// surprised by a writer that shrinks or changes it, because it refuses files without the seals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "runner/child/fd.h"

namespace runner::child {

// A mapping that unmaps itself.
class Mapping {
 public:
  Mapping() = default;
  Mapping(std::byte* at, size_t bytes) : at_(at), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();
  std::span<std::byte> bytes() { return {at_, bytes_}; }
  std::span<const std::byte> bytes() const { return {at_, bytes_}; }

 private:
  std::byte* at_ = nullptr;
  size_t bytes_ = 0;
};

// A memfd of `bytes` zero bytes, mapped for writing. 0 bytes: an empty mapping.
class MemoryFile {
 public:
  static absl::StatusOr<MemoryFile> Create(const char* name, int64_t bytes);
  std::span<std::byte> bytes() { return mapping_.bytes(); }
  // Unmaps, seals against any change and hands the descriptor over.
  absl::StatusOr<UniqueFd> Seal() &&;

 private:
  UniqueFd fd_;
  Mapping mapping_;
};

// Maps a received file for reading. InvalidArgument: not sealed, or not `bytes` long.
absl::StatusOr<Mapping> MapSealed(int fd, int64_t bytes);

}  // namespace runner::child
