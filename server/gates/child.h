// The process that judges: `caked --gate-child`. One request frame in, one answer frame out, until
// the other end closes. It may die of a candidate; nothing else does.
#pragma once

#include <cstdint>

namespace server::gates {

inline constexpr uint8_t kRequestFrame = 1, kReplyFrame = 2;

// Serves the channel at runner::child::kChannelFd. The exit code of the process.
int RunGateChild();

}  // namespace server::gates
