// The programs that demo data is about, judged by the real gates: programs of the contracts, the
// same with another default, and the same with a fault.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/core/contracts.h"
#include "server/core/gate.h"

namespace server::demo {

struct Program {
  std::string source;
  std::string made_by;    // tactic: "seed", "other default", "fault"
  std::string intent;     // what its author would say
  core::GateReply reply;  // of its first members
  bool passed() const { return reply.family_ok && reply.members.front().verdict == "PASSED"; }
};

struct Family {
  std::string workload;           // name
  std::vector<Program> programs;  // the contract's own program first
};

inline constexpr int64_t kMembersJudged = 3;

// At most `families_max` families of the contracts, in an order that does not depend on the folder.
std::vector<Family> JudgePrograms(const std::vector<core::ContractFile>& files,
                                  size_t families_max);

}  // namespace server::demo
