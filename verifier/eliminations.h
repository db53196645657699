// Results of eliminations: statements that stand under the same conditions ask the same questions
// again and again, and a kernel that is read again asks all of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verifier/linear.h"

namespace verifier {

class Eliminations {
 public:
  struct Outcome {
    bool infeasible = false;
  };

  // Null where the rows have not been asked for, or there was no room to keep the answer.
  const Outcome* Find(const std::vector<Linear>& rows) {
    Flatten(rows);
    const auto found = known_.find(asked_);
    return found == known_.end() ? nullptr : &found->second;
  }
  // The answer to the rows that were last looked for, for which `made` rows were made.
  void Keep(Outcome outcome, int64_t made) {
    ++made_;
    rows_ += made;
    kept_ += asked_.size();
    if (kept_ <= kMaxNumbersKept) known_.emplace(asked_, outcome);
  }
  int64_t made() const { return made_; }
  int64_t rows() const { return rows_; }

 private:
  static constexpr size_t kMaxNumbersKept = 2'000'000;  // of 8 bytes

  // Rows one after the other: the number of terms, the constant, the terms.
  void Flatten(const std::vector<Linear>& rows) {
    asked_.clear();
    for (const Linear& row : rows) {
      asked_.push_back(static_cast<int64_t>(row.terms.size()));
      asked_.push_back(row.constant);
      for (const Term& term : row.terms) {
        asked_.push_back(term.atom);
        asked_.push_back(term.coefficient);
      }
    }
  }
  struct Hash {
    size_t operator()(const std::vector<int64_t>& numbers) const {
      uint64_t hash = numbers.size();
      for (const int64_t value : numbers) {
        hash = (hash ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  std::unordered_map<std::vector<int64_t>, Outcome, Hash> known_;
  std::vector<int64_t> asked_;
  size_t kept_ = 0;
  int64_t made_ = 0, rows_ = 0;
};

}  // namespace verifier
