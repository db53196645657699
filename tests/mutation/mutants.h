// Right protocols with one thing broken: whether the gates refuse each broken one with a code of
// its kind at a statement that has part in it. Exhaustive exploration says which are broken.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mutation {

struct Column {
  int64_t broken = 0;
  int64_t right = 0;       // of these: refused with a code of its kind at a statement of its own
  int64_t otherwise = 0;   // refused, but not so
  int64_t equivalent = 0;  // nothing goes wrong in any interleaving
  int64_t equivalent_refused = 0;
  int64_t unresolved = 0;  // too many states
};

struct MutantTally {
  std::map<std::string, Column> by_change, by_family;
  std::vector<uint64_t> accepted;   // broken, and the gates say nothing: seeds
  std::vector<uint64_t> otherwise;  // some of those
  int64_t bases = 0;                // different right protocols
  std::vector<uint64_t> bad_bases;  // that are not right, and not counted
};

MutantTally CheckMutants(uint64_t first, int64_t count);
std::string ToJson(const MutantTally& tally);

}  // namespace mutation
