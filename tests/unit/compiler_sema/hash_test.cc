#include <gtest/gtest.h>

#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

std::string Canonical(const std::string& source, const Binding& binding = {}) {
  const Checked checked = Check(source, binding);
  EXPECT_NE(checked.program, nullptr) << checked.Text();
  return checked.program == nullptr ? "" : CanonicalHash(*checked.program);
}

std::string Structural(const std::string& source) {
  const Checked checked = Check(source);
  EXPECT_NE(checked.program, nullptr) << checked.Text();
  return checked.program == nullptr ? "" : StructuralHash(*checked.program);
}

const std::string kBase = InRole("let a = lane*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0");

TEST(CanonicalHash, IsSixtyFourHexDigits) {
  const std::string hash = Canonical(kBase);
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(hash, Canonical(kBase));
  EXPECT_NE(hash, Structural(kBase));
}

TEST(CanonicalHash, RenamedAndCommentedTwinsAreEqual) {
  std::string twin = InRole(
      "let  first = lane*4 + n // the first element\nst y[cta, 0] <-\n cvt.f32(first) * 2.0");
  EXPECT_EQ(Canonical(kBase), Canonical(twin));
  for (size_t at; (at = twin.find("main")) != std::string::npos;) twin.replace(at, 4, "only");
  EXPECT_EQ(Canonical(kBase), Canonical(twin));
}

// A workload binds tensors and args by name: the twin computes x - h where the other computes h -
// x.
TEST(CanonicalHash, NamesThatAWorkloadBindsCount) {
  const auto program = [](const std::string& first, const std::string& second) {
    return "program p target sm_80\ndim N in 1..=64\nin " + first + ": f32[N], " + second +
           ": f32[N]\nout y: f32[N]\nkernel k { grid (N); role main: warps 1 { elect { st y[cta] "
           "<- "
           "(ld " +
           first + "[cta]) - (ld " + second + "[cta]) } } }\n";
  };
  EXPECT_NE(Canonical(program("a", "b")), Canonical(program("b", "a")));
  std::string renamed = program("a", "b");
  for (size_t at; (at = renamed.find("N")) != std::string::npos;) renamed.replace(at, 1, "len");
  EXPECT_EQ(Canonical(program("a", "b")), Canonical(renamed));
}

TEST(CanonicalHash, NamedConstantsAndInlinedFunctionsAreWhatTheyStandFor) {
  const std::string named =
      InRole("let c = 4\nlet a = lane*c + n\nst y[cta, 0] <- cvt.f32(a) * 2.0");
  EXPECT_EQ(Canonical(kBase), Canonical(named));
  const std::string inlined = InRole(
      "fn index(v: i32) -> i32 { return v*4 + n }\nlet a = index(lane)\n"
      "st y[cta, 0] <- cvt.f32(a) * 2.0");
  EXPECT_EQ(Canonical(kBase), Canonical(inlined));
}

TEST(CanonicalHash, WhatRunsDifferentlyDiffers) {
  const std::string base = Canonical(kBase);
  const char* others[] = {
      "let a = n + lane*4\nst y[cta, 0] <- cvt.f32(a) * 2.0",    // operand order
      "let a = lane*4 + n\nst y[cta, 0] <- 2.0 * cvt.f32(a)",    //
      "let a = lane*8 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0",    // a constant
      "let a = lane*4 + n\nst y[cta, 1] <- cvt.f32(a) * 2.0",    // an index
      "let a = thread*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0",  // a value
      "let a = lane*4 + n\nst.streaming y[cta, 0] <- cvt.f32(a) * 2.0",
      "let a = lane*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0\nsync warp",
  };
  for (const char* other : others) EXPECT_NE(Canonical(InRole(other)), base) << other;
  EXPECT_NE(Canonical(InRole("let a = lane*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0", 8)), base);
}

TEST(CanonicalHash, DeadCodeDoesNotCount) {
  EXPECT_EQ(Canonical(InRole("let a = lane*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0\n"
                             "if 1 > 2 { sync warp }")),
            Canonical(InRole("let a = lane*4 + n\nst y[cta, 0] <- cvt.f32(a) * 2.0\n"
                             "if 1 > 2 { sync cta }")));
}

TEST(CanonicalHash, MembersOfAFamilyDiffer) {
  const std::string source = ReadFile("tests/corpus/rmsnorm/rmsnorm.cake");
  EXPECT_NE(Canonical(source, {{"WARPS", 4}}), Canonical(source, {{"WARPS", 8}}));
  EXPECT_EQ(Canonical(source, {{"WARPS", 8}}), Canonical(source));
}

TEST(StructuralHash, ConstantsAreHolesAndOrderIsKept) {
  EXPECT_EQ(Structural(kBase), Structural(InRole("let a = lane*16 + n\nst y[cta, 0] <- "
                                                 "cvt.f32(a) * 3.5",
                                                 8)));
  EXPECT_NE(Structural(kBase), Structural(InRole("let a = n + lane*4\nst y[cta, 0] <- "
                                                 "cvt.f32(a) * 2.0")));
}

}  // namespace
}  // namespace compiler::sema
