// Whether a closure speaks for all trip counts: random loops over slots, judged by the runs that it
// asks for and by runs of every trip count up to a horizon.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mutation {

// A program with one dim N, the trips of its loops; the same for the same seed.
std::string LoopText(uint64_t seed);

struct LoopTally {
  int64_t loops = 0, broken = 0;        // of these some trip count is wrong
  int64_t closed = 0;                   // a state came again, and all launches that it asks for ran
  std::map<std::string, int64_t> open;  // the others, by why
  std::vector<uint64_t> missed;         // closed and clean, and yet broken: seeds
  int64_t late = 0;                     // broken ones whose fewest trips are beyond depth + 2
};

// Loops with the seeds first .. first + count - 1.
LoopTally CheckClosures(uint64_t first, int64_t count);
std::string ToJson(const LoopTally& tally);

}  // namespace mutation
