#include "verifier/prover.h"

#include <gtest/gtest.h>

namespace verifier {
namespace {

struct Scene {
  Atoms atoms;
  Facts facts;

  Linear Atom(Interval range) { return Linear::Atom(atoms.Add({.name = "a", .range = range})); }
  Linear Times(const Linear& a, int64_t k) { return *verifier::Times(a, k); }
  void LessEqual(const Linear& a, const Linear& b) { facts.push_back(*Minus(b, a)); }
  void Less(const Linear& a, const Linear& b) { facts.push_back(Shift(*Minus(b, a), -1)); }
  bool ProvesLessEqual(const Linear& a, const Linear& b) const {
    return Prover(atoms).AtMost(a, b, facts);
  }
};

TEST(Prover, ByRangesAlone) {
  Scene s;
  const Linear x = s.Atom({0, 31});
  EXPECT_TRUE(s.ProvesLessEqual(s.Times(x, 4), Linear::Constant(124)));
  EXPECT_FALSE(s.ProvesLessEqual(s.Times(x, 4), Linear::Constant(123)));
}

TEST(Prover, ChainsOfFacts) {
  Scene s;
  const Linear a = s.Atom({}), b = s.Atom({}), c = s.Atom({});
  s.Less(a, b);
  s.Less(b, c);
  EXPECT_TRUE(s.ProvesLessEqual(Shift(a, 2), c));
  EXPECT_FALSE(s.ProvesLessEqual(Shift(a, 3), c));
}

// i = 8t, N = 8q, i < N: over the integers i + 8 <= N, over the rationals only i + 1 <= N.
TEST(Prover, RoundsOverTheIntegers) {
  Scene s;
  const Linear t = s.Atom({0, 1000}), n = s.Atom({1, 100000});
  const Linear q = s.atoms.FloorQuotient(n, 8);
  s.LessEqual(n, s.Times(q, 8));
  s.Less(s.Times(t, 8), n);
  EXPECT_TRUE(s.ProvesLessEqual(Shift(s.Times(t, 8), 8), n));
  EXPECT_FALSE(s.ProvesLessEqual(Shift(s.Times(t, 8), 9), n));
}

TEST(Prover, CeilingDivisionCoversExactly) {
  Scene s;
  const Linear n = s.Atom({1, 1 << 20});
  const Linear tiles = s.atoms.FloorQuotient(Shift(n, 127), 128);
  const Linear tile = s.Atom({0, 1 << 20});
  s.Less(tile, tiles);
  EXPECT_TRUE(s.ProvesLessEqual(Shift(s.Times(tile, 128), 1), n));
  EXPECT_FALSE(s.ProvesLessEqual(Shift(s.Times(tile, 128), 2), n));
}

// (t mod M) < M and t div M < B for t < M*B, M and B symbolic.
TEST(Prover, UnflattensBySymbolicDims) {
  Scene s;
  const Linear m = s.Atom({1, 1 << 20}), b = s.Atom({1, 1024}), t = s.Atom({0, 1 << 30});
  const Linear total = *s.atoms.Product(m, b);
  s.Less(t, total);
  const Linear q = s.atoms.SymbolicQuotient(t, m);
  const Linear rest = *Minus(t, *s.atoms.Product(q, m));
  EXPECT_TRUE(s.ProvesLessEqual(Shift(rest, 1), m));
  EXPECT_TRUE(s.ProvesLessEqual(Linear::Constant(0), rest));
  EXPECT_TRUE(s.ProvesLessEqual(Shift(q, 1), b));
  EXPECT_FALSE(s.ProvesLessEqual(Shift(q, 2), b));
}

// row < M gives row*N + N <= M*N.
TEST(Prover, OrdersProductsThatShareAFactor) {
  Scene s;
  const Linear m = s.Atom({1, 1 << 20}), n = s.Atom({1, 1 << 20}), row = s.Atom({0, 1 << 20});
  s.Less(row, m);
  const Linear last = *Plus(*s.atoms.Product(row, n), n);
  EXPECT_TRUE(s.ProvesLessEqual(last, *s.atoms.Product(m, n)));
  EXPECT_FALSE(s.ProvesLessEqual(Shift(last, 1), *s.atoms.Product(m, n)));
}

TEST(Prover, SplitsOnMinAndMax) {
  Scene s;
  const Linear n = s.Atom({0, 1000}), k = s.Atom({0, 1000});
  const Linear low = s.atoms.MinOrMax(true, n, k), high = s.atoms.MinOrMax(false, n, k);
  EXPECT_TRUE(s.ProvesLessEqual(*Plus(low, high), *Plus(n, k)));
  EXPECT_TRUE(s.ProvesLessEqual(*Plus(n, k), *Plus(low, high)));
  EXPECT_FALSE(s.ProvesLessEqual(high, n));
}

TEST(Prover, ContradictionMakesEverythingTrueAndNothingElseDoes) {
  Scene s;
  const Linear x = s.Atom({0, 10});
  EXPECT_FALSE(Prover(s.atoms).Contradiction(s.facts));
  s.Less(Linear::Constant(10), x);
  EXPECT_TRUE(Prover(s.atoms).Contradiction(s.facts));
}

// Soundness on small finite spaces: whatever is proved holds in every assignment.
TEST(Prover, NeverProvesWhatSomeAssignmentRefutes) {
  uint64_t state = 12345;
  const auto next = [&](int64_t low, int64_t high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(high - low + 1));
  };
  int proved = 0;
  for (int round = 0; round < 1500; ++round) {
    Scene s;
    const Linear x = s.Atom({0, 6}), y = s.Atom({-3, 3});
    const int64_t c = next(2, 4);
    const Linear q =
        s.atoms.FloorQuotient(*Combine(x, next(1, 3), Linear::Constant(next(0, 3)), 1), c);
    const Linear p = *s.atoms.Product(x, y);
    const Linear m = s.atoms.MinOrMax(next(0, 1) == 0, x, *Combine(y, next(1, 2), {}, 0));
    const Linear all[] = {x, y, q, p, m};
    const auto row = [&] {
      Linear sum = Linear::Constant(next(-6, 6));
      for (const Linear& part : all) sum = *Combine(sum, 1, part, next(-2, 2));
      return sum;
    };
    s.facts = {row(), row()};
    const Linear goal = row();
    if (!Prover(s.atoms).NonNegative(goal, s.facts)) continue;
    ++proved;
    for (int64_t xv = 0; xv <= 6; ++xv) {
      for (int64_t yv = -3; yv <= 3; ++yv) {
        std::vector<int64_t> value(s.atoms.size());
        const auto eval = [&](const Linear& l) {
          int64_t sum = l.constant;
          for (const Term& t : l.terms) sum += t.coefficient * value[static_cast<size_t>(t.atom)];
          return sum;
        };
        for (size_t i = 0; i < s.atoms.size(); ++i) {
          const struct Atom& a = s.atoms[static_cast<AtomId>(i)];
          if (i == 0)
            value[i] = xv;
          else if (i == 1)
            value[i] = yv;
          else if (a.kind == AtomKind::kQuotient)
            value[i] = eval(a.left) / a.right.constant;
          else if (a.kind == AtomKind::kProduct)
            value[i] =
                value[static_cast<size_t>(a.factors[0])] * value[static_cast<size_t>(a.factors[1])];
          else if (a.kind == AtomKind::kMin)
            value[i] = std::min(eval(a.left), eval(a.right));
          else
            value[i] = std::max(eval(a.left), eval(a.right));
        }
        const bool admitted = eval(s.facts[0]) >= 0 && eval(s.facts[1]) >= 0;
        if (!admitted) continue;
        ASSERT_GE(eval(goal), 0) << "round " << round << " x " << xv << " y " << yv;
      }
    }
  }
  EXPECT_GT(proved, 100);
}

}  // namespace
}  // namespace verifier
