#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compiler/facts/derived.h"
#include "tests/unit/compiler_facts/tiny_program.h"

namespace compiler::facts {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Messages(const diag::Report& report) {
  std::vector<std::string> all;
  for (const diag::Diagnostic& d : report.diagnostics()) {
    all.push_back(std::string(d.code) + " " + d.message);
  }
  return all;
}

struct Derived {
  Facts facts;
  diag::Report report;
};

Derived DeriveFor(const ir::Program& program, std::string_view arch = "sm_90a") {
  Derived d;
  d.facts = Derive(program, **arch::Find(arch), d.report);
  return d;
}

TEST(Derive, RolesFollowEachOtherWithoutPadding) {
  TinyProgram t;
  t.p.kernels.push_back(
      {.name = "k", .roles = {{.name = "a", .warps = 1}, {.name = "b", .warps = 4}}});
  const Derived d = DeriveFor(t.p);
  EXPECT_THAT(Messages(d.report), ElementsAre());
  const KernelFacts& k = d.facts.kernels[0];
  EXPECT_EQ(k.roles[1].first_warp, 1);
  EXPECT_EQ(k.threads, 160);
  EXPECT_THAT(k.role_sync_id, ElementsAre(-1, -1));
  EXPECT_EQ(k.named_barriers, 1);
}

TEST(Derive, AWarpgroupRoleStartsAtAWarpgroupAndTakesABarrierForEach) {
  TinyProgram t;
  t.p.kernels.push_back(
      {.name = "k", .roles = {{.name = "a", .warps = 1}, {.name = "b", .warps = 8}}});
  t.p.kernels[0].roles[1].body = {t.Sync("wg"), t.Sync("role")};
  const Derived d = DeriveFor(t.p);
  EXPECT_THAT(Messages(d.report), ElementsAre());
  const KernelFacts& k = d.facts.kernels[0];
  EXPECT_EQ(k.roles[1].first_warp, 4);
  EXPECT_EQ(k.threads, 384);
  EXPECT_THAT(k.role_sync_id, ElementsAre(-1, 1));
  EXPECT_THAT(k.wg_sync_id[1], ElementsAre(2, 3));
  EXPECT_EQ(k.named_barriers, 4);
}

TEST(Derive, OneRoleThatIsTheWholeCtaSharesBarrierZero) {
  TinyProgram t;
  t.p.kernels.push_back({.name = "k", .roles = {{.name = "a", .warps = 4}}});
  t.p.kernels[0].roles[0].body = {t.Sync("role"), t.Sync("wg"), t.Sync("cta")};
  const KernelFacts k = DeriveFor(t.p).facts.kernels[0];
  EXPECT_THAT(k.role_sync_id, ElementsAre(0));
  EXPECT_THAT(k.wg_sync_id[0], ElementsAre(0));
  EXPECT_EQ(k.named_barriers, 1);
}

TEST(Derive, DeadStatementsTakeNoBarrier) {
  TinyProgram t;
  t.p.kernels.push_back(
      {.name = "k", .roles = {{.name = "a", .warps = 1}, {.name = "b", .warps = 1}}});
  const ir::StmtId sync = t.Sync("role");
  t.p.stmts[static_cast<size_t>(sync)].dead = true;
  t.p.kernels[0].roles[0].body = {sync};
  EXPECT_EQ(DeriveFor(t.p).facts.kernels[0].named_barriers, 1);
}

TEST(Derive, SharedBuffersAreAlignedAndPaddedRowsAreWider) {
  TinyProgram t;
  t.p.kernels.push_back({.name = "k",
                         .shared = {{.name = "sums", .dtype = ir::DType::kF32, .shape = {5}},
                                    {.name = "tile",
                                     .dtype = ir::DType::kBF16,
                                     .shape = {16, 64},
                                     .stages = 3,
                                     .staged = true,
                                     .form = ir::SharedForm::kPadded,
                                     .form_amount = 8},
                                    {.name = "sw",
                                     .dtype = ir::DType::kBF16,
                                     .shape = {8, 64},
                                     .form = ir::SharedForm::kSwizzle,
                                     .form_amount = 128}},
                         .roles = {{.name = "a", .warps = 1}}});
  const Derived d = DeriveFor(t.p);
  EXPECT_THAT(Messages(d.report), ElementsAre());
  const KernelFacts& k = d.facts.kernels[0];
  EXPECT_EQ(k.shared[0].offset_bytes, 0);
  EXPECT_EQ(k.shared[0].total_bytes, 20);
  EXPECT_EQ(k.shared[1].offset_bytes, 128);
  EXPECT_THAT(k.shared[1].strides, ElementsAre(72, 1));
  EXPECT_EQ(k.shared[1].stage_bytes, 16 * 72 * 2);
  EXPECT_EQ(k.shared[1].total_bytes, 3 * 16 * 72 * 2);
  EXPECT_EQ(k.shared[2].offset_bytes % 1024, 0);
  EXPECT_EQ(k.shared_bytes, k.shared[2].offset_bytes + 1024);
}

TEST(Derive, TooMuchSharedMemoryStatesBothNumbersAndTheStagesThatFit) {
  TinyProgram t;
  t.p.kernels.push_back({.name = "k",
                         .shared = {{.name = "tiles",
                                     .dtype = ir::DType::kBF16,
                                     .shape = {256, 64},
                                     .stages = 8,
                                     .staged = true}},
                         .roles = {{.name = "a", .warps = 1}}});
  const Derived d = DeriveFor(t.p);
  EXPECT_THAT(Messages(d.report),
              ElementsAre("CK3102 kernel `k` needs 262144 bytes of shared memory; sm_90a has "
                          "232448 a CTA"));
  ASSERT_EQ(d.report.diagnostics()[0].fixes.size(), 1u);
  EXPECT_EQ(d.report.diagnostics()[0].fixes[0].title, "`tiles` with 7 stages instead of 8 fits");
  EXPECT_EQ(Messages(DeriveFor(t.p, "sm_86").report)[0],
            "CK3102 kernel `k` needs 262144 bytes of shared memory; sm_86 has 101376 a CTA");
}

TEST(Derive, LimitsOfThreadsBarriersClustersAndRegisters) {
  TinyProgram t;
  t.p.kernels.push_back({.name = "wide", .roles = {{.name = "a", .warps = 33}}});
  t.p.kernels.push_back({.name = "many",
                         .cluster = 32,
                         .barriers = {{.name = "b", .count = 16, .threads = 48},
                                      {.name = "c", .count = 1, .threads = 128}},
                         .roles = {{.name = "a", .warps = 2}}});
  t.p.kernels.push_back({.name = "regs",
                         .roles = {{.name = "a", .warps = 4, .regs = 20},
                                   {.name = "b", .warps = 8, .regs = 240},
                                   {.name = "c", .warps = 2, .regs = 40},
                                   {.name = "d", .warps = 2, .regs = 48}}});
  EXPECT_THAT(
      Messages(DeriveFor(t.p).report),
      ElementsAre("CK3101 kernel `wide` needs 1056 threads a CTA; sm_90a allows 1024",
                  "CK3104 barrier `b` counts 48 threads, which is not a positive multiple of 32",
                  "CK3105 barrier `c` counts 128 threads; the CTA has 64",
                  "CK3103 kernel `many` needs 18 named barriers; sm_90a has 16 a CTA",
                  "CK3106 kernel `many` asks for clusters of 32; sm_90a allows 16",
                  "CK3108 role `a` asks for 20 registers; setmaxnreg takes multiples of 8 in "
                  "24..=256",
                  "CK3110 roles `c` and `d` share a warpgroup but ask for 40 and 48 registers",
                  "CK3109 the roles of kernel `regs` ask for 69120 registers in all; there are "
                  "65536, 128 of each of 512 threads"));
}

// A role that has no warps has no warpgroup either.
TEST(Derive, ABudgetOfARoleWithoutWarps) {
  TinyProgram t;
  t.p.target = "sm_90a";
  t.p.kernels.push_back({.name = "k", .roles = {{.name = "a", .warps = 0, .regs = 40}}});
  diag::Report report;
  Derive(t.p, **arch::DeviceOfTarget("sm_90a"), report);
  EXPECT_THAT(Messages(report), ElementsAre("CK3111 role `a` has no warps"));
}

// Each target of the list knows setmaxnreg or not, and a plain target never does.
TEST(Derive, RegistersOfARoleNeedATargetThatHasThem) {
  for (const auto& [target, has] : std::map<std::string, bool>{{"sm_80", false},
                                                               {"sm_89", false},
                                                               {"sm_90", false},
                                                               {"sm_90a", true},
                                                               {"sm_100a", true},
                                                               {"sm_120", false},
                                                               {"sm_120a", true}}) {
    TinyProgram t;
    t.p.target = target;
    t.p.kernels.push_back(
        {.name = "k", .roles = {{.name = "a", .warps = 4, .regs = 40}, {.name = "b", .warps = 4}}});
    diag::Report report;
    Derive(t.p, **arch::DeviceOfTarget(target), report);
    const std::string refusal =
        "CK3113 role `a` asks for registers of its own; target " + target + " has no setmaxnreg";
    if (has) {
      EXPECT_THAT(Messages(report), IsEmpty()) << target;
    } else {
      EXPECT_THAT(Messages(report), ElementsAre(refusal)) << target;
    }
  }
}

// Sizes come from the text: nothing may overflow or be allocated by them.
TEST(Derive, HugeSizesSaturate) {
  TinyProgram t;
  const int64_t huge = int64_t{1} << 62;
  t.p.kernels.push_back({.name = "k",
                         .shared = {{.name = "s", .shape = {huge, huge}, .stages = huge}},
                         .barriers = {{.name = "b", .count = huge, .threads = 32}},
                         .roles = {{.name = "a", .warps = huge, .regs = 32}}});
  t.p.kernels[0].roles[0].body = {t.Sync("wg")};
  EXPECT_THAT(Messages(DeriveFor(t.p).report).size(), 3u);
}

}  // namespace
}  // namespace compiler::facts
