// What a run was asked to do, as stored in its spec object when it was created. It never changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace server::loop {

inline constexpr int64_t kFamilyMembersMax = 4096;

struct RunSpec {
  bool open = false;           // agents hand candidates in: it never ends as EXHAUSTED
  bool plateau = false;        // stop when a plateau is detected
  double target_ratio = 0;     // stop when best / baseline time is at most this; 0: never
  bool ordered = false;        // a round of slots starts when the round before has ended
  int64_t round_slots = 4;     // jobs in flight at once
  double explore_share = 0.2;  // of the kept members, drawn outside the top
  double keep_share = 0.5;     // of a wave of members that passed the gates ..
  int64_t keep_min = 16;       // .. but at least so many
  int64_t wave_members = 512;  // members that are ranked together
  int64_t expand_members = 8;  // members a gate child judges in one go
};

std::string ToJson(const RunSpec& spec);
// INVALID_ARGUMENT names the field that is out of its range.
absl::StatusOr<RunSpec> RunSpecFromJson(std::string_view json);
absl::Status Check(const RunSpec& spec);

}  // namespace server::loop
