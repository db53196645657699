// The interpreter tells right hand-overs from wrong ones: each kind once with what keeps it right,
// where all runs give one result, and once without, where some run hangs, faults or differs.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/mutation/ptx/machine.h"

namespace ptx {
namespace {

constexpr int kRuns = 24;

// A kernel of one CTA of 64 threads, from `x` to `y`, 64 floats each.
std::string Module(const std::string& body) {
  return ".visible .entry k(\n.param .u64 k_param_0,\n.param .u64 k_param_1\n)\n{\n"
         "ld.param.u64 %x, [k_param_0];\nld.param.u64 %y, [k_param_1];\nmov.u32 %t, %tid.x;\n"
         "mul.wide.u32 %o, %t, 4;\nadd.s64 %xt, %x, %o;\nadd.s64 %yt, %y, %o;\n"
         "mov.u64 %s, cake_smem;\nadd.s64 %st, %s, %o;\ncvt.u32.u64 %s32, %s;\n"
         "add.u32 %b, %s32, 512;\nsetp.ne.s32 %not0, %t, 0;\nxor.b32 %far, %t, 63;\n"
         "mul.wide.u32 %fo, %far, 4;\nadd.s64 %sf, %s, %fo;\n" +
         body + "ret;\n}\n";
}

// What comes of it: "done", or of the first run that is not like the first.
std::string Judge(const std::string& body) {
  std::istringstream lines(
      "arg tensor x\narg tensor y\ntensor x in FLOAT 256 0 4\ntensor y out FLOAT 256 0 4\n"
      "kernel k 1 1 1 64 1024 1 0\n");
  const Plan plan = ReadPlan(lines);
  const auto module = ReadModule(Module(body));
  Result first;
  for (int run = 0; run < kRuns; ++run) {
    Adversary a;
    a.seed = static_cast<uint64_t>(run);
    a.engines = static_cast<Engines>(run % 3);
    a.depth = run == 0 ? 0 : 1 + run / 3 % 3;
    a.lanes_apart = run % 2 == 1;
    a.steps_expected = 500;
    const Result r = Run(module, plan, a);
    if (r.fate != Fate::kDone) return std::string(ToString(r.fate));
    if (run == 0) first = r;
    if (r.outputs != first.outputs) return "varies";
  }
  return "done";
}

TEST(Ptx, ThreadsExchangeBehindABarrier) {
  const std::string store = "ld.global.f32 %f, [%xt];\nst.shared.f32 [%st], %f;\n";
  const std::string load = "ld.shared.f32 %g, [%sf];\nst.global.f32 [%yt], %g;\n";
  EXPECT_EQ(Judge(store + "bar.sync 0;\n" + load), "done");
  EXPECT_EQ(Judge(store + load), "varies");
  EXPECT_EQ(Judge(store + "bar.sync 1, 96;\n" + load), "hang");
  EXPECT_EQ(Judge(store + "bar.sync 1, 32;\n" + load), "varies");
}

TEST(Ptx, CopiesOfAThreadBehindTheirWait) {
  const std::string copy =
      "cvt.u32.u64 %st32, %st;\ncp.async.ca.shared.global [%st32], [%xt], 4;\n"
      "cp.async.commit_group;\n";
  const std::string load = "ld.shared.f32 %g, [%st];\nst.global.f32 [%yt], %g;\n";
  EXPECT_EQ(Judge(copy + "cp.async.wait_group 0;\n" + load), "done");
  EXPECT_EQ(Judge(copy + "cp.async.wait_group 1;\n" + load), "varies");
  EXPECT_EQ(Judge(copy + load), "varies");
}

std::string Bulk(const std::string& count, const std::string& bytes, const std::string& parity) {
  return "@%not0 bra $after;\nmov.u32 %c, " + count +
         ";\nmbarrier.init.shared.b64 [%b], %c;\nfence.mbarrier_init.release.cluster;\n"
         "mov.u32 %n, " +
         bytes +
         ";\ncp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s32], [%x], 256, "
         "[%b];\nmbarrier.arrive.expect_tx.shared.b64 _, [%b], %n;\n$after:\nbar.sync 0;\n"
         "mov.u32 %q, " +
         parity +
         ";\n$wait:\nmbarrier.try_wait.parity.shared.b64 %p, [%b], %q;\n@!%p bra $wait;\n"
         "ld.shared.f32 %g, [%sf];\nst.global.f32 [%yt], %g;\n";
}

TEST(Ptx, BulkLoadsBehindTheirMbarrier) {
  EXPECT_EQ(Judge(Bulk("1", "256", "0")), "done");
  EXPECT_NE(Judge(Bulk("1", "256", "1")), "done");  // of the phase before: returns at once
  EXPECT_EQ(Judge(Bulk("2", "256", "0")), "hang");
  EXPECT_EQ(Judge(Bulk("1", "272", "0")), "hang");
  EXPECT_NE(Judge(Bulk("1", "240", "0")), "done");
}

TEST(Ptx, EnginesSeeWhatIsFencedByItsWriter) {
  const std::string store = "ld.global.f32 %f, [%xt];\nst.shared.f32 [%st], %f;\n";
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const std::string out =
      "@%not0 bra $end;\ncp.async.bulk.global.shared::cta.bulk_group [%y], [%s32], 256;\n"
      "cp.async.bulk.commit_group;\n";
  const std::string wait = "cp.async.bulk.wait_group.read 0;\n$end:\n";
  EXPECT_EQ(Judge(store + fence + "bar.sync 0;\n" + out + wait), "done");
  EXPECT_EQ(Judge(store + "bar.sync 0;\n" + out + wait), "varies");
  EXPECT_EQ(Judge(store + "bar.sync 0;\n@!%not0 fence.proxy.async.shared::cta;\n" + out + wait),
            "varies");
  // Without the wait the memory is the next CTA's before it is read.
  EXPECT_EQ(Judge(store + fence + "bar.sync 0;\n" + out + "$end:\n"), "varies");
}

TEST(Ptx, AddressesAreThoseOfTensors) {
  EXPECT_EQ(Judge("ld.global.f32 %f, [%xt];\nst.global.f32 [%yt], %f;\n"), "done");
  EXPECT_EQ(Judge("ld.global.f32 %f, [%xt+4];\nst.global.f32 [%yt], %f;\n"), "fault");
  EXPECT_EQ(Judge("ld.global.f32 %f, [%xt+2];\nst.global.f32 [%yt], %f;\n"), "fault");
  EXPECT_EQ(Judge("ld.shared.f32 %f, [%st+1024];\nst.global.f32 [%yt], %f;\n"), "fault");
  EXPECT_EQ(Judge("st.global.f32 [%y], 0f3F800000;\n"), "varies");  // the rest is unwritten
}

TEST(Ptx, LanesThatEndedAreNotWaitedFor) {
  const std::string sum =
      "ld.global.f32 %f, [%xt];\nmov.b32 %r, %f;\nmov.u32 %m, -1;\n"
      "shfl.sync.bfly.b32 %r2|%p2, %r, 1, 31, %m;\nst.global.b32 [%yt], %r2;\n";
  EXPECT_EQ(Judge(sum), "done");
  EXPECT_NE(Judge("@!%not0 bra $out;\n" + sum + "$out:\n"), "done");
}

TEST(Ptx, WhatItDoesNotKnowIsNotJudged) {
  EXPECT_THROW(Judge("tcgen05.alloc.sync [%s32], 32;\n"), Unknown);
}

}  // namespace
}  // namespace ptx
