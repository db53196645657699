// Whether the verdict of the gates and the order that they find depend on the schedule they choose.
#pragma once

#include <cstdint>
#include <string>

namespace mutation {

// In words, what differs from the canonical schedule under one of `seeds` others; "" for nothing.
// Where a premise fails only the verdict is compared: orders may differ there.
std::string DiffersUnderSchedules(const std::string& path, uint64_t seeds);

}  // namespace mutation
