// Bounds of a term by the distance of two neighbouring elements of a tensor that never falls, as
// offsets of groups are: value <= rise * (later - earlier) + constant. What a loop over the groups
// adds up is then bounded by the last offset, however the groups share it.
#pragma once

#include <optional>

#include "verifier/prover.h"

namespace verifier {

// Numerators over one denominator that is positive.
struct SpanBound {
  int64_t rise = 0, constant = 0, denominator = 1;
};

class SpanBounds {
 public:
  // `distance`, `count`: what the distances add up to at most, and how many there are: they say
  // which of two bounds is the better one.
  SpanBounds(const Atoms& atoms, const Facts& facts, AtomId later, AtomId earlier, int64_t distance,
             int64_t count)
      : atoms_(atoms),
        facts_(facts),
        later_(later),
        earlier_(earlier),
        distance_(distance),
        count_(count) {}

  // Where the distance is not negative and the facts hold.
  std::optional<SpanBound> Upper(const Linear& value) const { return Upper(value, 0); }

 private:
  using Found = std::optional<SpanBound>;

  Found Upper(const Linear& value, int depth) const;
  Found BySum(const Linear& value, int depth) const;
  Found OfAtom(AtomId id, int depth) const;
  Found OfProduct(const Atom& product, int depth) const;
  Found Better(const Found& a, const Found& b) const;

  const Atoms& atoms_;
  const Facts& facts_;
  const AtomId later_, earlier_;
  const int64_t distance_, count_;
};

}  // namespace verifier
