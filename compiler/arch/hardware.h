// What has never been seen on a device is never shown without saying so.
#pragma once

#include <string_view>

namespace compiler::arch {

// "never run on hardware" of architectures whose code this project has only compiled and run on the
// reference machine, else "". `arch` may be a target.
std::string_view HardwareNote(std::string_view arch);

}  // namespace compiler::arch
