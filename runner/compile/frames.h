// Frames between the supervisor and the compile child.
#pragma once

#include <cstdint>

namespace runner::compile {

inline constexpr uint8_t kHelloFrame = 1;    // child: the library's version
inline constexpr uint8_t kFailureFrame = 2;  // child: why it cannot serve, in words; then it ends
inline constexpr uint8_t kRequestFrame = 3;  // supervisor: Pack(source, file name, arch, options..)
inline constexpr uint8_t kResultFrame = 4;   // child: Pack(result, CPU ns, log, cubin, PTX)

}  // namespace runner::compile
