// Results of eliminations: statements that stand under the same conditions ask the same questions
// again and again, and a kernel that is read again asks all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verifier/linear.h"

namespace verifier {

// Values of atoms. Rows that some values satisfy do not contradict each other.
class Witness {
 public:
  bool empty() const { return values_.empty(); }
  void Set(AtomId atom, int64_t value) {
    const auto at = static_cast<size_t>(atom);
    if (at >= values_.size()) values_.resize(at + 1);
    values_[at] = {value, true};
  }
  // Atoms without a value get the smallest one that rows of nothing else allow, or 0.
  bool Satisfies(const std::vector<Linear>& rows) {
    if (values_.empty()) return false;
    for (const Linear& row : rows) {
      if (row.terms.size() == 1 && !At(row.terms[0].atom).set) Choose(row);
    }
    return std::all_of(rows.begin(), rows.end(), [&](const Linear& row) {
      __int128 sum = row.constant;
      for (const Term& term : row.terms) {
        sum += static_cast<__int128>(term.coefficient) * At(term.atom).value;
      }
      return sum >= 0;
    });
  }

 private:
  struct Value {
    int64_t value = 0;
    bool set = false;
  };
  Value At(AtomId atom) const {
    const auto at = static_cast<size_t>(atom);
    return at < values_.size() ? values_[at] : Value{};
  }
  // A lower bound of one atom.
  void Choose(const Linear& row) {
    const Term& term = row.terms[0];
    if (term.coefficient == 1 && row.constant != std::numeric_limits<int64_t>::min()) {
      Set(term.atom, -row.constant);
    }
  }

  std::vector<Value> values_;
};

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
  // Whether values that are known satisfy the rows. Questions that stand under the same conditions
  // mostly have an answer in common.
  bool Satisfied(const std::vector<Linear>& rows) {
    for (size_t i = 0; i < witnesses_.size(); ++i) {
      if (!witnesses_[i].Satisfies(rows)) continue;
      std::rotate(witnesses_.begin(), witnesses_.begin() + static_cast<std::ptrdiff_t>(i),
                  witnesses_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return true;
    }
    return false;
  }
  void Keep(Witness witness) {
    if (witnesses_.size() == kMaxWitnesses) witnesses_.pop_back();
    witnesses_.insert(witnesses_.begin(), std::move(witness));
  }
  int64_t made() const { return made_; }
  int64_t rows() const { return rows_; }

 private:
  static constexpr size_t kMaxNumbersKept = 2'000'000;  // of 8 bytes
  static constexpr size_t kMaxWitnesses = 24;           // those used last come first

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
  std::vector<Witness> witnesses_;
  size_t kept_ = 0;
  int64_t made_ = 0, rows_ = 0;
};

}  // namespace verifier
