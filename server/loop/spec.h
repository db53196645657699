// What a run was asked to do, as stored in its spec object when it was created. It never changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace server::loop {

inline constexpr int64_t kFamilyMembersMax = 4096;
inline constexpr int64_t kIslandsMax = 16;

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

  // A run that evolves proposes candidates from those it knows; one that does not enumerates the
  // families that it is given.
  bool evolve = false;
  bool random = false;  // proposals are members of the seeds' families, drawn uniformly
  bool rank = true;     // by the estimate; else in an order that is drawn
  bool archive = true;  // parents by islands and cells; else always the best so far
  bool fixes = true;    // rejected candidates are repaired by machine-applicable fixes
  int64_t islands = 4;
  int64_t migrate_every = 24;  // charged evaluations
  double audit_share = 0;      // of rejected members that run on workers labelled `audit`
  double recheck_share = 0;    // of slots that evaluate a right one again
  int64_t barren_max = 64;     // proposals in a row without a new program: then it is exhausted
};

std::string ToJson(const RunSpec& spec);
// INVALID_ARGUMENT names the field that is out of its range.
absl::StatusOr<RunSpec> RunSpecFromJson(std::string_view json);
absl::Status Check(const RunSpec& spec);

// The arms that an experiment can compare: "sweep" enumerates; "full" evolves with every rule;
// "random" draws from the families; "no-ranking", "no-archive" and "no-fixes" are "full" without
// that. INVALID_ARGUMENT names the arms.
absl::StatusOr<RunSpec> SpecOfArm(RunSpec base, std::string_view arm);

}  // namespace server::loop
