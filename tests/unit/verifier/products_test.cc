// Products, quotients and remainders by terms that are no constants: each lemma, what is just
// beyond it, and random spaces small enough to look at whole.
#include <gtest/gtest.h>

#include "tests/unit/verifier/checked.h"
#include "verifier/prover.h"

namespace verifier {
namespace {

struct Scene {
  Atoms atoms;
  Facts facts;

  Linear Atom(Interval range) {
    return Linear::Atom(atoms.Add({.name = "a", .range = range, .uniform = true}));
  }
  Linear Product(const Linear& a, const Linear& b) { return *atoms.Product(a, b); }
  void LessEqual(const Linear& a, const Linear& b) { facts.push_back(*Minus(b, a)); }
  void Less(const Linear& a, const Linear& b) { facts.push_back(Shift(*Minus(b, a), -1)); }
  bool AtMost(const Linear& a, const Linear& b) const { return Prover(atoms).AtMost(a, b, facts); }
};

TEST(Products, AreOneUnknownInWhateverOrderAndParts) {
  Scene s;
  const Linear a = s.Atom({1, 1000}), b = s.Atom({1, 1000}), c = s.Atom({1, 1000});
  EXPECT_EQ(s.Product(s.Product(a, b), c), s.Product(c, s.Product(b, a)));
  EXPECT_EQ(s.Product(s.Product(c, a), b), s.Product(a, s.Product(b, c)));
  EXPECT_FALSE(s.Product(s.Product(a, b), b) == s.Product(s.Product(a, b), a));
}

TEST(Products, ArePartsOfLargerOnes) {
  Scene s;
  const Linear a = s.Atom({0, 1 << 20}), b = s.Atom({1, 1 << 20}), c = s.Atom({0, 1 << 20});
  const Linear all = s.Product(s.Product(a, b), c);
  s.LessEqual(all, Linear::Constant(1000));
  EXPECT_TRUE(s.AtMost(s.Product(a, c), Linear::Constant(1000)));   // b is 1 at least
  EXPECT_FALSE(s.AtMost(s.Product(a, b), Linear::Constant(1000)));  // c may be 0
}

// q*c <= t*n and n <= c say q <= t: a shared factor is cancelled, whatever else has to be named.
TEST(Products, CancelASharedFactor) {
  Scene s;
  const Linear c = s.Atom({1, 1024}), n = s.Atom({0, 1024});
  const Linear t = s.Product(s.Atom({1, 512}), s.Atom({1, 512}));
  const Linear q = s.atoms.SymbolicQuotient(s.Product(t, n), c);
  EXPECT_FALSE(s.AtMost(q, t));
  s.LessEqual(n, c);
  EXPECT_TRUE(s.AtMost(q, t));
  EXPECT_FALSE(s.AtMost(Shift(q, 1), t));
}

TEST(Products, DoNotCancelAFactorThatMayBeZero) {
  Scene s;
  const Linear c = s.Atom({0, 1024}), a = s.Atom({0, 1024}), b = s.Atom({0, 1024});
  s.LessEqual(s.Product(a, c), s.Product(b, c));
  EXPECT_FALSE(s.AtMost(a, b));
  s.LessEqual(Linear::Constant(1), c);
  EXPECT_TRUE(s.AtMost(a, b));
}

// t / a / b is t / (a*b), and both readings bound it.
TEST(Quotients, OfQuotientsAreQuotientsByTheProduct) {
  Scene s;
  const Linear a = s.Atom({1, 300}), b = s.Atom({1, 1000}), m = s.Atom({1, 8000});
  const Linear t = s.Atom({0, int64_t{1} << 31});
  const Linear first = s.atoms.SymbolicQuotient(t, a);
  const Linear both = s.atoms.SymbolicQuotient(first, b);
  EXPECT_EQ(both, s.atoms.SymbolicQuotient(t, s.Product(b, a)));
  s.Less(t, s.Product(s.Product(m, a), b));
  EXPECT_TRUE(s.AtMost(Shift(both, 1), m));
  EXPECT_FALSE(s.AtMost(Shift(both, 2), m));
  EXPECT_TRUE(s.AtMost(s.Product(both, b), first));
}

TEST(Remainders, AreBelowWhatDivides) {
  Scene s;
  const Linear t = s.Atom({0, 1 << 30}), d = s.Atom({1, 100});
  const Linear q = s.atoms.SymbolicQuotient(t, d);
  const Linear rest = s.atoms.Remainder(*Minus(t, s.Product(q, d)), d);
  EXPECT_EQ(s.atoms.RangeOf(rest), (Interval{0, 99}));
  EXPECT_TRUE(s.AtMost(Shift(rest, 1), d));
  EXPECT_FALSE(s.AtMost(Shift(rest, 2), d));
  EXPECT_TRUE(s.AtMost(*Plus(s.Product(q, d), rest), t));
}

// Soundness on small finite spaces: whatever is proved holds in every assignment.
class Space {
 public:
  explicit Space(uint64_t seed) : state_(seed * 2654435761u + 1) {
    x_ = scene_.Atom({0, 4});
    y_ = scene_.Atom({1, 3});
    z_ = scene_.Atom({Next(-2, 1), 3});
    const Linear xy = scene_.Product(x_, y_);
    const Linear all = scene_.Product(xy, z_);
    const Linear q = scene_.atoms.SymbolicQuotient(*Combine(xy, 1, x_, Next(0, 2)), y_);
    const Linear qq = scene_.atoms.SymbolicQuotient(q, scene_.Product(y_, y_));
    const Linear rest = *Minus(x_, scene_.Product(scene_.atoms.SymbolicQuotient(x_, y_), y_));
    terms_ = {x_, y_, z_, xy, all, q, qq, scene_.atoms.Remainder(rest, y_)};
    scene_.facts = {Row(), Row(), Row()};
    goal_ = Row();
  }

  bool Proved() const { return Prover(scene_.atoms).NonNegative(goal_, scene_.facts); }

  // An assignment that the facts admit and the goal excludes.
  bool Refuted() const {
    const Interval z = scene_.atoms[z_.terms[0].atom].range;
    for (int64_t x = 0; x <= 4; ++x) {
      for (int64_t y = 1; y <= 3; ++y) {
        for (int64_t v = z.low; v <= z.high; ++v) {
          if (Refutes(x, y, v)) return true;
        }
      }
    }
    return false;
  }

 private:
  int64_t Next(int64_t low, int64_t high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(high - low + 1));
  }
  Linear Row() {
    Linear sum = Linear::Constant(Next(-4, 4));
    for (const Linear& term : terms_) {
      if (Next(0, 2) == 0) sum = *Combine(sum, 1, term, Next(-2, 2));
    }
    return sum;
  }

  bool Refutes(int64_t x, int64_t y, int64_t z) const {
    std::vector<int64_t> value(scene_.atoms.size());
    const auto eval = [&](const Linear& row) {
      int64_t sum = row.constant;
      for (const Term& t : row.terms) sum += t.coefficient * value[static_cast<size_t>(t.atom)];
      return sum;
    };
    for (size_t i = 0; i < value.size(); ++i) {
      const struct Atom& atom = scene_.atoms[static_cast<AtomId>(i)];
      if (i < 3) {
        value[i] = i == 0 ? x : i == 1 ? y : z;
      } else if (atom.kind == AtomKind::kProduct) {
        value[i] = 1;
        for (const AtomId factor : atom.factors) value[i] *= value[static_cast<size_t>(factor)];
      } else if (atom.kind == AtomKind::kQuotient) {
        value[i] = eval(atom.left) / eval(atom.right);
      } else {
        value[i] = x % y;
      }
    }
    for (const Linear& fact : scene_.facts) {
      if (eval(fact) < 0) return false;
    }
    return eval(goal_) < 0;
  }

  uint64_t state_;
  Scene scene_;
  Linear x_, y_, z_, goal_;
  std::vector<Linear> terms_;
};

TEST(Products, NothingIsProvedThatSomeAssignmentRefutes) {
  int proved = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Space space(seed);
    if (!space.Proved()) continue;
    ++proved;
    ASSERT_FALSE(space.Refuted()) << "seed " << seed;
  }
  EXPECT_GT(proved, 100);
}

constexpr const char* kGrouped = R"(program p target sm_80
dim B in 1..=1024, HQ in 1..=256, HK in 1..=64, S in 1..=1048576
in x: f32[HK]
out y: f32[B, HQ, S]
where HQ % HK == 0, ceildiv(S, 128)*HQ*B in 1..=2147483647
kernel k {
  grid (SMS)
  let MT = ceildiv(S, 128)
  role main: warps 4 {
    for t in cta..MT*HQ*B step ctas {
      let b = t / HQ % B
      let h = t % HQ
      let row = (MT - 1 - t / (HQ*B))*128 + thread
      let v = ld x[h / (HQ / HK)]
      if row < S { st y[b, h, row] <- v }
    }
  }
}
)";

// A guard bounds a product that its dims alone do not.
TEST(Products, OfAGuardBoundTheTilesOfALaunch) {
  const Checked c = Check(kGrouped);
  EXPECT_TRUE(c.report.diagnostics().empty()) << c.report.diagnostics()[0].message;
  EXPECT_EQ(c.HowOf("overflow"), How::kProved);
  EXPECT_EQ(c.HowOf("bounds"), How::kProved);
  EXPECT_EQ(c.HowOf("global races"), How::kProved);
}

TEST(Products, BrokenTwinsAreRefused) {
  const auto first = [](std::string_view from, std::string_view to) {
    const Checked c = Check(Replaced(kGrouped, from, to));
    return c.report.diagnostics().empty() ? std::string("accepted")
                                          : std::string(c.report.diagnostics()[0].code);
  };
  // Without the bound the number of tiles leaves 32 bits.
  EXPECT_EQ(first(", ceildiv(S, 128)*HQ*B in 1..=2147483647", ""), "CK2503");
  // HQ < HK: h / 0.
  EXPECT_NE(first("HQ % HK == 0, ", ""), "accepted");
  // The last block of rows begins before the first row.
  EXPECT_EQ(first("MT - 1 - t / (HQ*B)", "MT - 2 - t / (HQ*B)"), "CK2001");
  // Two tiles of one head and batch become one.
  EXPECT_NE(first("t / (HQ*B)", "t / (HQ*B*2)"), "accepted");
  EXPECT_NE(first("let b = t / HQ % B", "let b = t / (HQ*2) % B"), "accepted");
  EXPECT_NE(first("let h = t % HQ", "let h = t % HQ / 2"), "accepted");
}

}  // namespace
}  // namespace verifier
