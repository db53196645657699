// A protocol as a Cake program: one role of one warp for each agent.
#pragma once

#include <string>

#include "tests/mutation/protocol.h"

namespace mutation {

std::string CakeText(const Protocol& protocol);

}  // namespace mutation
