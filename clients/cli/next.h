// The closing line of the local verbs: commands that run as they are printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clients/cli/member.h"

namespace clients::cli {

// "cake VERB FILE --param NAME=V --arch A": the same member again.
std::string Command(std::string_view verb, const MemberOptions& options);

// " --dim M=4096 --dim N=4096": a shape that the guard admits, "" for a program without dims; none
// if no simple one is found.
std::optional<std::string> ShapeWords(const Loaded& loaded);

// After a program passed: run it where a contract is known, else estimate it, else check its
// family.
std::string NextRun(const Loaded& loaded, const MemberOptions& options);

// Whether a daemon of the data folder is alive, so that `cake submit` has somebody to talk to.
bool DaemonIsKnown();

}  // namespace clients::cli
