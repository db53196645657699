// What the gates say of direct CUDA: its declared launch must be one, and fit the contract. Nothing
// is known of its code before it runs.
#pragma once

#include <string>

#include "server/core/gate.h"

namespace server::gates {

// Runs in a gate child: the text is a candidate's. One member, without params and without an
// estimate; its canonical hash is the hash of the text.
core::GateReply AnswerDirect(const core::GateRequest& request);

}  // namespace server::gates
