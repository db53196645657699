// A protocol as a Cake program: one role of one warp for each agent.
#pragma once

#include <string>
#include <vector>

#include "tests/mutation/protocol.h"

namespace mutation {

std::string CakeText(const Protocol& protocol);
// By agent and step: its line, from 1 on.
std::vector<std::vector<int>> CakeLines(const Protocol& protocol);

}  // namespace mutation
