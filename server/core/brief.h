// What an agent needs to start: the contract, where the run stands, the best so far, the language.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/core/context.h"

namespace server::core {

inline constexpr int64_t kBriefTokensDefault = 8000;
// Of a run with so many candidates a brief is made afresh once in this time; its sequence number
// says of when it is.
inline constexpr size_t kLargeRun = 500;
inline constexpr int64_t kKeptForNs = 1'000'000'000;

class Briefing {
 public:
  // `language` is the reference text.
  Briefing(Context& context, const std::string& language) : c_(context), language_(language) {}

  // Sections are whole or left out, in a fixed order of what is dropped first. The run is the named
  // one, or the newest one of the workload if there is one.
  absl::StatusOr<BriefReply> Brief(const BriefRequest& request);

 private:
  // With each section how early it is dropped: lower is sooner, 9 is never.
  using Sections = std::vector<std::pair<BriefSection, int>>;
  struct Kept {
    int64_t seq = 0, made_ns = 0;
    Sections sections;
  };
  absl::StatusOr<Kept> Make(const Contract& contract, const state::Run* run);

  Context& c_;
  const std::string& language_;
  std::map<int64_t, Kept> kept_;  // by run
};

}  // namespace server::core
