// Which combinations of values of the symbols a guard admits, weighed for being chosen as shapes:
// most are not, and those that are get their plan and their text then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/instances.h"

namespace verifier {

inline constexpr size_t kMaxCombinations = 2048;

struct Weight {
  bool runs = false, works = false;  // as of a Shape
  double cost = 0;
};

class Admitted {
 public:
  Admitted(const ir::Program& program, const compiler::facts::Facts& facts,
           const std::vector<size_t>& symbols)
      : program_(&program), facts_(&facts), symbols_(&symbols) {}

  size_t size() const { return weights_.size(); }
  const Weight& operator[](size_t i) const { return weights_[i]; }
  const std::vector<int64_t>& ValuesOf(size_t i) const { return choices_[i]; }
  const std::vector<std::vector<int64_t>>& choices() const { return choices_; }
  // Whether it shows its value of a symbol.
  bool Shows(size_t i, size_t s) const { return shows_[i * symbols_->size() + s] != 0; }
  bool Skips(size_t i, size_t kernel) const {
    return skips_[i * program_->kernels.size() + kernel] != 0;
  }
  bool AnyRuns() const;
  std::optional<size_t> CheapestThatWorks() const;

  // Where the guard admits them.
  void Add(const std::vector<int64_t>& values);
  // A launch without work shows of the values only those with which there never is any: of others
  // it would only seem to. Where no shape has work, those with CTAs have to do.
  void Settle();
  // One of them, as it is run.
  Shape ShapeAt(size_t i) const;

 private:
  const ir::Program* program_;
  const compiler::facts::Facts* facts_;
  const std::vector<size_t>* symbols_;
  compiler::facts::LaunchPlan plan_;  // of the last one
  std::vector<Weight> weights_;
  std::vector<std::vector<int64_t>> choices_;
  std::vector<char> shows_, skips_;  // of each its symbols, its kernels
};

// The shape of these values, without its text and with row-major strides, or with rows further
// apart; nothing when the guard does not admit it.
std::optional<Shape> ShapeOf(const ir::Program& program, const compiler::facts::Facts& facts,
                             const std::vector<size_t>& symbols, const std::vector<int64_t>& values,
                             bool pad_strides);

// Of the combinations of `domains`: of all, or of at most `limit`. The symbols must outlive it.
Admitted Admit(const ir::Program& program, const compiler::facts::Facts& facts,
               const std::vector<size_t>& symbols, const std::vector<std::vector<int64_t>>& domains,
               size_t limit = kMaxCombinations);

}  // namespace verifier
