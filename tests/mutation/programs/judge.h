// What the gates say of a changed program, against what is known of the change.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mutation/programs/change.h"

namespace mutation {

enum class Outcome : uint8_t {
  kRight,      // refused with a code of its hazard at a statement that has part in it
  kUnproven,   // so, but only because no proof was found
  kOtherwise,  // refused, but not so
  kAccepted,
  kMalformed,  // no program of the language any more: names, types, syntax
};
std::string_view ToString(Outcome outcome);  // "right" ..

struct Judged {
  Outcome outcome = Outcome::kMalformed;
  std::vector<std::string> codes;  // of errors, with their lines: "CK2100:12"
};

using Member = std::map<std::string, int64_t>;

// The codes of a hazard (Change::hazards) that the gates may refuse it with.
bool IsOfHazard(char hazard, std::string_view code);

// The gates alone, on one member: "accepted", or the codes.
Judged JudgeText(const std::string& source, std::string_view program, const Member& member,
                 std::string_view hazards, const std::set<int>& lines);
// All that the gates say of it, for people.
std::string Report(const std::string& source, std::string_view program, const Member& member);
Judged Judge(const Base& base, const Change& change, const Member& member);
// Members of the family, the default first, drawn by the seed.
std::vector<Member> Members(const Base& base, int64_t count, uint64_t seed);

// What an interpreter of PTX is given (tests/mutation/ptx/plan.h): the CUDA of a text that the
// gates are not asked about, and the launch of one case. Empty where the text is no program or has
// no such launch.
struct Emitted {
  std::string cuda, plan;
};
Emitted Emit(const std::string& source, std::string_view program, const Member& member,
             const std::map<std::string, int64_t>& shape);
// The shapes that the gates run of a right member, the largest first.
std::vector<std::map<std::string, int64_t>> Shapes(const Base& base, const Member& member);

}  // namespace mutation
