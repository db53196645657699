// The device functions (*.cuh), embedded; and the parts of them that a kernel uses.
#pragma once

#include <string>
#include <string_view>

namespace compiler::device {

// The text of the parts that `code` names as `cake::..`, with what they need, needed ones first.
std::string PartsFor(std::string_view code);

}  // namespace compiler::device
