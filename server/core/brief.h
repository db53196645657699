// What an agent needs to start: the contract, where the run stands, the best so far, the language.
#pragma once

#include "server/core/context.h"

namespace server::core {

inline constexpr int64_t kBriefTokensDefault = 8000;

// Sections are whole or left out, in a fixed order of what is dropped first. `language` is the
// reference text. The run is the named one, or the default one of the workload if there is one.
absl::StatusOr<BriefReply> MakeBrief(Context& context, const BriefRequest& request,
                                     std::string_view language);

}  // namespace server::core
