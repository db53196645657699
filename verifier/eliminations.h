// Results of eliminations: statements that stand under the same conditions ask the same questions
// again and again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "verifier/linear.h"

namespace verifier {

class Eliminations {
 public:
  struct Outcome {
    bool infeasible = false;
  };

  // Null where the rows have not been asked for, or there was no room to keep the answer.
  const Outcome* Find(const std::vector<Linear>& rows) const {
    const auto found = known_.find(rows);
    return found == known_.end() ? nullptr : &found->second;
  }
  void Keep(const std::vector<Linear>& rows, Outcome outcome) {
    kept_ += rows.size();
    if (kept_ <= kMaxRowsKept) known_.emplace(rows, outcome);
  }

 private:
  static constexpr size_t kMaxRowsKept = 100'000;

  struct Hash {
    size_t operator()(const std::vector<Linear>& rows) const {
      uint64_t hash = rows.size();
      const auto mix = [&](int64_t value) {
        hash = (hash ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      };
      for (const Linear& row : rows) {
        mix(row.constant);
        for (const Term& term : row.terms) {
          mix(term.atom);
          mix(term.coefficient);
        }
      }
      return hash;
    }
  };

  std::unordered_map<std::vector<Linear>, Outcome, Hash> known_;
  size_t kept_ = 0;
};

}  // namespace verifier
