// What a program assumes of the contents of its inputs, held against the inputs of a run.
#pragma once

#include <cstddef>
#include <span>

#include "runner/launch/elaborate.h"
#include "runner/launch/frames.h"
#include "runner/launch/image.h"

namespace runner::launch {

inline constexpr std::string_view kBrokenAssumption = "CK2090";

// True if the filled `image` obeys every `where` on contents that the program states. Else the
// reply becomes a fault with the diagnostic: contents are the workload's to choose, so a program
// that assumes more than it promises does not fit it. Contracts that are only listed are not
// checked.
bool ObeysAssumptions(const Elaborated& program, const CasePlan& plan, const ProgramText& text,
                      std::span<std::byte> image, CaseReply& reply);

}  // namespace runner::launch
