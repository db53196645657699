// The only way to a child: length-prefixed frames over a UNIX stream socket, file descriptors
// beside them. The other end is not trusted: lengths are bounded, a frame that does not fit is an
// error for good.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/child/fd.h"

namespace runner::child {

inline constexpr uint32_t kFrameBytesMax = 32 * 1024 * 1024;
inline constexpr size_t kFrameFdsMax = 16;
inline constexpr int64_t kSendMs = 60'000;  // a child that reads nothing for so long is stuck
inline constexpr int kChannelFd = 3;        // where a child finds its end

struct Frame {
  uint8_t type = 0;
  std::string payload;
  std::vector<UniqueFd> fds;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}

  // Both ends; the first is for the caller, whose sends wait at most send_ms for a full pipe.
  static absl::StatusOr<std::pair<Channel, UniqueFd>> MakePair(int64_t send_ms = kSendMs);

  // Unavailable: the other end is gone, or does not read: then a part is sent, and the channel is
  // of no more use. The descriptors stay the caller's.
  absl::Status Send(uint8_t type, std::string_view payload, std::span<const int> fds = {});
  // nullopt: the other end closed in good order. DeadlineExceeded after timeout_ms (-1: none)
  // without a whole frame; what came of it is kept for the next call. DataLoss: a broken frame.
  absl::StatusOr<std::optional<Frame>> Receive(int64_t timeout_ms);

  int fd() const { return fd_.get(); }
  void Close() { fd_.reset(); }

 private:
  absl::StatusOr<std::optional<Frame>> TakeFrame();
  absl::StatusOr<ssize_t> ReadSome();

  UniqueFd fd_;
  std::string buffer_;
  std::vector<UniqueFd> fds_;
};

}  // namespace runner::child
