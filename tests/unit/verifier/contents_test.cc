// Contracts on the contents of index tensors: what they make provable, what they do not, and that
// the machine's inputs obey them.
#include "compiler/facts/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

std::string Program(const std::string& items, const std::string& grid, const std::string& body) {
  return "program p target sm_80\n" + items + "\nkernel k {\n  grid (" + grid +
         ")\n  role main: warps 1 {\n" + body + "\n  }\n}\n";
}

std::string Gather(const std::string& where) {
  return Program(
      "dim N in 1..=4096, R in 1..=100000\nin x: f32[R, 32], ids: i32[N]\n"
      "out y: f32[N, 32]\n" +
          where,
      "N", "st y[cta, lane] <- ld x[ld ids[cta], lane]");
}

std::string Scatter(const std::string& where) {
  return Program("dim N in 1..=4096\nin x: f32[N, 32], perm: i32[N]\nout y: f32[N, 32]\n" + where,
                 "N", "let r = ld perm[cta]\nif r >= 0 { st y[r, lane] <- ld x[cta, lane] }");
}

std::string Ragged(const std::string& where) {
  return Program(
      "dim B in 1..=64, T in 0..=100000, L in 1..=4096\nin x: f32[T], off: i32[B+1]\n"
      "out y: f32[T]\n" +
          where,
      "B",
      "let a = ld off[cta]\nlet n = (ld off[cta+1]) - a\n"
      "for i in lane..n step 32 { st y[a + i] <- ld x[a + i] }");
}

std::string Paged(const std::string& where) {
  return Program(
      "dim B in 1..=64, P in 1..=1000, W in 1..=32\nin c: f32[P, 16, 32], t: i32[B, W], "
      "n: i32[B]\nout y: f32[B, 32]\n" +
          where,
      "B",
      "var s: f32 = 0.0\nlet len = ld n[cta]\nfor j in 0..ceildiv(len, 16) {\n"
      "  let page = ld t[cta, j]\n"
      "  for r in 0..min(16, len - j*16) { s += ld c[page, r, lane] }\n}\n"
      "st y[cta, lane] <- s");
}

constexpr const char* kOffsets =
    "where off in 0..=T, steps(off) in 0..=L, off[0] == 0, off[B] == T";

struct Judged {
  std::string source;
  bool bounds;  // proved
  bool apart;   // writes of different CTAs proved disjoint
};

// Elements before the first offset are nobody's, unless the contract says that there are none.
TEST(Contents, WhatIsBeforeTheFirstOffsetIsLeftOut) {
  const auto codes = [](const std::string& first) {
    return Check(
               "program p target sm_80\ndim B in 1..=64, T in 1..=4096\nin off: i32[B+1]\n"
               "out y: f32[T]\nwhere off in 0..=T, steps(off) in 0..=T, off[B] == T" +
               first +
               "\nkernel k {\n  grid (B)\n  role main: warps 1 {\n    let end = ld off[cta + 1]\n"
               "    for t in (ld off[cta]) + lane..end step 32 { st y[t] <- 1.0 }\n  }\n}\n")
        .codes();
  };
  EXPECT_THAT(codes(", off[0] == 0"), testing::IsEmpty());
  EXPECT_THAT(codes(""), testing::ElementsAre("CK2546"));
}

TEST(Contents, DecideWhatIsProved) {
  const Judged all[] = {
      {Gather("where ids in 0..R"), true, true},
      {Gather("where ids in 0..=R"), false, true},
      {Gather("where ids in -1..R"), false, true},
      {Gather("where ids[i] in 0..R"), true, true},
      {Gather("where ids[i] < R, ids[i] >= 0"), true, true},
      {Gather("where ids[i] in 0..R if i < 7"), false, true},
      {Gather("where ids[3] in 0..R"), false, true},
      {Scatter("where perm in 0..N, distinct(perm)"), true, true},
      {Scatter("where perm in -1..N, distinct(perm)"), true, true},
      {Scatter("where perm in 0..N"), true, false},
      {Scatter("where perm[i] == i"), true, true},
      {Ragged(kOffsets), true, true},
      {Ragged("where off in 0..=T, steps(off) in -1..=L"), true, false},
      {Ragged("where off in 0..=T"), true, false},
      {Ragged("where steps(off) in 0..=L"), false, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b]"), true, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P"), true, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b] - 1"), false, true},
      {Paged("where n in 0..=W*17, t[b, j] in 0..P if j*16 < n[b]"), false, true},
  };
  for (const Judged& judged : all) {
    SCOPED_TRACE(judged.source);
    const Checked c = Check(judged.source);
    ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", judged.source);
    const How bounds = c.HowOf("bounds");
    EXPECT_EQ(bounds == How::kProved, judged.bounds)
        << compiler::diag::RenderText(c.report, "p", judged.source);
    EXPECT_EQ(c.HowOf("global races") == How::kProved, judged.apart);
    if (judged.bounds && judged.apart) {
      EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "p", judged.source);
    }
    EXPECT_THAT(c.verdict.assumptions, testing::Contains(testing::StartsWith("contents: ")));
  }
}

// Tiles of ragged rows, numbered through: the products of tile counts and their sum over the rows
// stay in 32 bits because steps bound the rows, not because of the type of the offsets.
std::string Tiles(const std::string& where, const std::string& most_rows,
                  const std::string& index) {
  return Program("dim E in 1..=512, T in 1..=" + most_rows +
                     ", F in 2..=512\nin off: i32[E+1]\nout y: f32[F]\n" + where,
                 "1",
                 "var base = 0\nfor e in 0..E {\n"
                 "  let rows = (ld off[e + 1]) - (ld off[e])\n  let mt = ceildiv(rows, 128)\n"
                 "  let full = mt/2*F\n  let all = full + mt%2*(F/2)\n"
                 "  for t in lane..all step 32 {\n    let pair = t < full\n"
                 "    let m = select(pair, t/F*2, mt - 1)\n"
                 "    let n = select(pair, t%F, (t - full)*2 + 1)\n    let i = base + t\n" +
                     index + "  }\n  base += all\n}");
}

TEST(Contents, StepsBoundProductsOfTileCounts) {
  const std::string steps = "where off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T";
  struct Case {
    std::string where, most_rows, index;
    bool fits, bounds;
  };
  const std::string place = "    if i < F { st y[i] <- 1.0 }\n";
  const Case cases[] = {
      {steps, "1048576", place, true, true},
      {steps, "2097152", place, false, true},  // 512 * 8192 * 512 = 2^31
      {"where off in 0..=T, off[0] == 0, off[E] == T", "1048576", place, false, false},
      // The column tile, whichever side of `select` it comes from.
      {steps, "1048576", "    if i > 0 { st y[n] <- 1.0 }\n", true, true},
      {steps, "1048576", "    if i > 0 { st y[n + 1] <- 1.0 }\n", true, false},
  };
  for (const Case& c : cases) {
    const std::string source = Tiles(c.where, c.most_rows, c.index);
    SCOPED_TRACE(source);
    const Checked checked = Check(source);
    ASSERT_NE(checked.program, nullptr) << compiler::diag::RenderText(checked.report, "p", source);
    EXPECT_EQ(checked.HowOf("overflow") == How::kProved, c.fits)
        << compiler::diag::RenderText(checked.report, "p", source);
    EXPECT_EQ(checked.HowOf("bounds") == How::kProved, c.bounds)
        << compiler::diag::RenderText(checked.report, "p", source);
  }
}

// A contract speaks of the elements that exist: elsewhere nothing follows, also no contradiction.
TEST(Contents, SayNothingOfElementsOutside) {
  const Checked c = Check(
      Program("dim N in 1..=4\nin t: i32[N]\nout y: i32[64]\nwhere t in 0..4, steps(t) in 1..=1",
              "1", "let a = ld t[lane] else 0\nlet b = ld t[lane + 9] else 0\nst y[b - a] <- 1"));
  EXPECT_NE(c.HowOf("bounds"), How::kProved);
}

// What a kernel writes is not what the contract spoke of.
TEST(Contents, EndWhereTheTensorIsWritten) {
  const Checked c = Check(
      Program("dim N in 1..=64\nin x: f32[N]\ninout t: i32[64]\nout y: f32[64]\nwhere t in 0..N",
              "1", "st t[lane] <- 1000000\nst y[lane] <- ld x[ld t[lane]]"));
  EXPECT_NE(c.HowOf("bounds"), How::kProved);
}

// The machine sees garbage where a conditional contract promises nothing.
TEST(Contents, TheMachineRunsWhatTheContractsAllow) {
  const std::string source = Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b]");
  const Checked right = Check(source);
  EXPECT_GE(right.verdict.instances.size(), 4u);
  const Checked wrong = Check(Replaced(source, "ceildiv(len, 16)", "min(W, ceildiv(len, 16) + 1)"));
  EXPECT_FALSE(wrong.verdict.accepted);
}

// The contents of one program at one shape.
struct Made {
  compiler::facts::LaunchPlan plan;
  compiler::ir::LaunchValues values;
  std::vector<std::vector<std::byte>> storage;
  compiler::facts::TensorBytes tensors;

  int32_t Get(size_t tensor, size_t element) const {
    int32_t value = 0;
    std::memcpy(&value, &storage[tensor][element * 4], 4);
    return value;
  }
  void Set(size_t tensor, size_t element, int32_t value) {
    std::memcpy(&storage[tensor][element * 4], &value, 4);
  }
};

Made Make(const Checked& c, const std::map<std::string, int64_t>& named) {
  Made made;
  made.values = *compiler::facts::BindLaunch(*c.program, named);
  made.plan = *compiler::facts::PlanLaunch(*c.program, c.facts, made.values, "");
  for (const compiler::ir::Tensor& tensor : c.program->tensors) {
    for (const compiler::facts::TensorPlan& plan : made.plan.tensors) {
      if (plan.name == tensor.name) {
        made.storage.emplace_back(static_cast<size_t>(plan.bytes));
      }
    }
  }
  for (std::vector<std::byte>& bytes : made.storage) made.tensors.emplace_back(bytes);
  return made;
}

TEST(Contents, AreMadeToObeyAndChecked) {
  const Checked c = Check(Program(
      "dim B in 1..=64, W in 1..=32, P in 1..=1000\n"
      "in n: i32[B], t: i32[B, W], off: i32[B+1], perm: i32[B], few: i32[B]\nout y: f32[4]\n"
      "where n in 0..=W, t[b, j] in 0..P if j < n[b], off[0] == 0, off[B] == 3*B\n"
      "where steps(off) in 0..=7, perm in 0..B, distinct(perm), few in -1..2, distinct(few)",
      "1", "once { st y[0] <- 1.0 }"));
  ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", c.source);
  for (const auto& contract : c.program->contracts) {
    EXPECT_NE(contract.kind, compiler::ir::ContentContract::Kind::kOpaque) << contract.text;
  }
  int different = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto b = static_cast<int64_t>(1 + seed % 9), w = static_cast<int64_t>(1 + seed % 5);
    Made made = Make(c, {{"B", b}, {"W", w}, {"P", 3}});
    ASSERT_TRUE(
        compiler::facts::FillContents(*c.program, made.plan, made.values, made.tensors, seed).ok());
    EXPECT_EQ(made.Get(2, 0), 0);
    EXPECT_EQ(made.Get(2, static_cast<size_t>(b)), 3 * b);
    for (int64_t i = 0; i < b; ++i) {
      const int32_t step =
          made.Get(2, static_cast<size_t>(i + 1)) - made.Get(2, static_cast<size_t>(i));
      EXPECT_TRUE(step >= 0 && step <= 7) << step;
      different += step != 3;
    }
    // Any one element out of its contract is named.
    const struct {
      size_t tensor;
      int32_t value;
    } kBreaks[] = {{0, 33}, {2, 1}, {3, static_cast<int32_t>(b)}};
    for (const auto& wrong : kBreaks) {
      const int32_t before = made.Get(wrong.tensor, 0);
      made.Set(wrong.tensor, 0, wrong.value);
      const absl::Status status =
          compiler::facts::CheckContents(*c.program, made.plan, made.values, made.tensors);
      EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr("element 0"));
      made.Set(wrong.tensor, 0, before);
    }
    if (b > 1) {
      made.Set(3, 1, made.Get(3, 0));
      EXPECT_FALSE(
          compiler::facts::CheckContents(*c.program, made.plan, made.values, made.tensors).ok());
    }
  }
  EXPECT_GT(different, 20);
}

// Contents spread over their range seldom meet; the checks also make them meet.
TEST(Contents, EqualElementsAreRun) {
  const auto scatter = [](const std::string& more) {
    return Program(
        "dim N in 1..=4, P in 64..=1000\nin to: i32[N]\ninout y: f32[P]\nwhere to in 0..P" + more,
        "N", "once { st y[ld to[cta]] <- cvt.f32(cta) }");
  };
  EXPECT_TRUE(Check(scatter(", distinct(to)")).verdict.accepted);
  const Checked wrong = Check(scatter(""));
  EXPECT_FALSE(wrong.verdict.accepted);
  EXPECT_THAT(wrong.codes(), testing::Contains("CK2023"));
}

// Tickets keep the CTAs of the canonical schedule apart; another schedule lets them meet.
TEST(Schedules, WhatCtasLearnTooEarlyIsFound) {
  const auto chain = [](const std::string& wait) {
    return "program p target sm_80\ndim N in 1..=64\nout y: i32[N]\nworkspace ticket: i32[1] zero\n"
           "workspace flag: i32[N] zero\nworkspace box: i32[N]\nkernel k {\n  grid (N)\n"
           "  role main: warps 1 {\n    once {\n"
           "      let t = atomic.add.relaxed.gpu(ticket[0], 1)\n"
           "      if t >= 0 && t < N {\n        st box[t] <- t\n        var got = 0\n"
           "        if t > 0 {\n          " +
           wait +
           "\n          if (ld.acquire.gpu flag[t - 1]) >= 0 { got = ld box[t - 1] }\n        }\n"
           "        st.release.gpu flag[t] <- 1\n        st y[t] <- got\n      }\n    }\n  }\n}\n";
  };
  const Checked right = Check(chain("while (ld.acquire.gpu flag[t - 1]) == 0 { }"));
  EXPECT_TRUE(right.verdict.accepted)
      << compiler::diag::RenderText(right.verdict.report, "p", right.source);
  const Checked wrong = Check(chain(""));
  EXPECT_FALSE(wrong.verdict.accepted);
  EXPECT_THAT(wrong.codes(), testing::Contains("CK2162"));
}

TEST(Contents, ThatCannotExistAreRefused) {
  for (const char* where : {"where t in 0..N, distinct(t), N == 5", "where t in 3..3",
                            "where steps(t) in 2..=3, t in 0..=1", "where t[0] == 1, t[i] == 2"}) {
    SCOPED_TRACE(where);
    const Checked c =
        Check(Program(std::string("dim N in 1..=64\nin t: i32[8]\nout y: f32[4]\n") + where, "1",
                      "once { st y[0] <- 1.0 }"));
    ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", c.source);
    Made made = Make(c, {{"N", 5}});
    EXPECT_TRUE(absl::IsFailedPrecondition(
        compiler::facts::FillContents(*c.program, made.plan, made.values, made.tensors, 1)));
  }
}

struct ArrayCase {
  const char *where, *index;
  bool proved;
};

TEST(ArgArrays, GuardsBoundEveryElement) {
  const ArrayCase all[] = {{"where plan in 0..N", "plan[cta]", true},
                           {"where plan in 0..=N", "plan[cta]", false},
                           {"where plan in 0..8", "plan[cta]", false},
                           {"where plan in 0..8, N >= 8", "plan[cta]", true},
                           {"where plan[0] >= 0, plan[0] < N", "plan[cta]", false},
                           {"where plan in 0..N", "plan[cta+1]", false},
                           {"where plan in 0..N", "plan[lane % 8]", true}};
  for (const ArrayCase& at : all) {
    SCOPED_TRACE(std::string(at.where) + " " + at.index);
    const std::string source = Program(
        std::string("dim N in 1..=4096\narg plan: i32[8]\nin x: f32[N]\nout y: f32[8, 32]\n") +
            at.where,
        "8", std::string("st y[cta, lane] <- ld x[") + at.index + "]");
    const Checked c = Check(source);
    ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", source);
    EXPECT_EQ(c.HowOf("bounds") == How::kProved, at.proved)
        << compiler::diag::RenderText(c.report, "p", source);
    if (at.proved) {
      EXPECT_TRUE(c.verdict.accepted);
    }
  }
}

}  // namespace
}  // namespace verifier
