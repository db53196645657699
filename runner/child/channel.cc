#include "runner/child/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace runner::child {
namespace {

constexpr size_t kHeaderBytes = 6;  // u32 length of the payload, u8 type, u8 number of descriptors
constexpr size_t kReadBytes = 64 * 1024;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

absl::Status Errno(std::string_view what) {
  return absl::UnavailableError(
      absl::StrCat("channel: ", std::string(what), ": ", strerror(errno)));
}

}  // namespace

absl::StatusOr<std::pair<Channel, UniqueFd>> Channel::MakePair(int64_t send_ms) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Errno("socketpair");
  const timeval wait{.tv_sec = send_ms / 1000, .tv_usec = send_ms % 1000 * 1000};
  setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  return std::pair<Channel, UniqueFd>(Channel(UniqueFd(ends[0])), UniqueFd(ends[1]));
}

absl::Status Channel::Send(uint8_t type, std::string_view payload, std::span<const int> fds) {
  if (payload.size() > kFrameBytesMax || fds.size() > kFrameFdsMax) {
    return absl::InvalidArgumentError("channel: frame is too large");
  }
  std::string bytes(kHeaderBytes, '\0');
  const auto length = static_cast<uint32_t>(payload.size());
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes[4] = static_cast<char>(type);
  bytes[5] = static_cast<char>(fds.size());
  bytes.append(payload);
  for (size_t sent = 0; sent < bytes.size();) {
    iovec part{bytes.data() + sent, bytes.size() - sent};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kFrameFdsMax)] = {};
    if (sent == 0 && !fds.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr* head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(head), fds.data(), fds.size_bytes());
    }
    const ssize_t n = sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Errno("send");
    sent += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<ssize_t> Channel::ReadSome() {
  char bytes[kReadBytes];
  iovec part{bytes, sizeof(bytes)};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kFrameFdsMax)];
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t n = recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC);
  if (n < 0 && errno == EINTR) return ReadSome();
  if (n < 0 && errno != ECONNRESET) return Errno("receive");
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); n >= 0 && head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      fds_.emplace_back(fd);
    }
  }
  if (fds_.size() > kFrameFdsMax) return absl::DataLossError("channel: too many descriptors");
  if (n > 0) buffer_.append(bytes, static_cast<size_t>(n));
  return n < 0 ? 0 : n;
}

absl::StatusOr<std::optional<Frame>> Channel::TakeFrame() {
  if (buffer_.size() < kHeaderBytes) return std::optional<Frame>();
  uint32_t length = 0;
  std::memcpy(&length, buffer_.data(), sizeof(length));
  const auto fds = static_cast<uint8_t>(buffer_[5]);
  if (length > kFrameBytesMax || fds > kFrameFdsMax) {
    return absl::DataLossError(absl::StrCat("channel: a frame of ", length, " bytes and ", fds,
                                            " descriptors, limits are ", kFrameBytesMax, " and ",
                                            kFrameFdsMax));
  }
  if (buffer_.size() < kHeaderBytes + length) return std::optional<Frame>();
  if (fds_.size() < fds) return absl::DataLossError("channel: descriptors are missing");
  Frame frame{.type = static_cast<uint8_t>(buffer_[4]),
              .payload = buffer_.substr(kHeaderBytes, length)};
  buffer_.erase(0, kHeaderBytes + length);
  for (uint8_t i = 0; i < fds; ++i) frame.fds.push_back(std::move(fds_[i]));
  fds_.erase(fds_.begin(), fds_.begin() + fds);
  return std::optional<Frame>(std::move(frame));
}

absl::StatusOr<std::optional<Frame>> Channel::Receive(int64_t timeout_ms) {
  const int64_t deadline = NowMs() + timeout_ms;
  for (;;) {
    auto frame = TakeFrame();
    if (!frame.ok() || frame->has_value()) return frame;
    int wait = -1;
    if (timeout_ms >= 0) {
      const int64_t left = deadline - NowMs();
      if (left < 0) return absl::DeadlineExceededError("channel: no frame in time");
      wait = static_cast<int>(std::min<int64_t>(left, 3'600'000));
    }
    pollfd poller{fd_.get(), POLLIN, 0};
    const int ready = poll(&poller, 1, wait);
    if (ready < 0 && errno != EINTR) return Errno("poll");
    if (ready <= 0) {
      if (timeout_ms >= 0 && NowMs() >= deadline)
        return absl::DeadlineExceededError("channel: no frame in time");
      continue;
    }
    const auto n = ReadSome();
    if (!n.ok()) return n.status();
    if (*n == 0) {
      if (!buffer_.empty()) return absl::DataLossError("channel: closed inside a frame");
      return std::optional<Frame>();
    }
  }
}

}  // namespace runner::child
