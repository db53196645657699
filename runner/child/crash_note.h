// What a child says of its own death by a signal: the last lines of its standard error, which its
// parent reads. Libraries of others run in it, and a signal alone names none of them.
#pragma once

#include <string_view>

namespace runner::child {

// From here on a death by a fault writes its signal, the address, what was being done and the
// stack. To be called before the sandbox is entered. Builds with a sanitizer have one of their own.
void NoteCrashes();

// What the calling thread does now; cut off where it is long.
void Doing(std::string_view what);

}  // namespace runner::child
