#include "server/gates/child.h"

#include <cstdio>

#include "runner/child/channel.h"
#include "server/gates/judge.h"

namespace server::gates {

int RunGateChild() {
  runner::child::Channel channel{runner::child::UniqueFd(runner::child::kChannelFd)};
  Judge judge;
  for (;;) {
    auto frame = channel.Receive(-1);
    if (!frame.ok()) {
      std::fprintf(stderr, "gate child: %s\n", std::string(frame.status().message()).c_str());
      return 1;
    }
    if (!frame->has_value()) return 0;
    auto request = core::GateRequestFromJson((*frame)->payload);
    if (!request.ok()) {
      std::fprintf(stderr, "gate child: %s\n", std::string(request.status().message()).c_str());
      return 1;
    }
    const std::string reply = core::ToJson(judge.Answer(*request));
    if (!channel.Send(kReplyFrame, reply).ok()) return 0;
  }
}

}  // namespace server::gates
