// Memory that earlier runs have left changes nothing about a run: neither what it finds, nor what
// it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/machine/machine.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

// Threads exchange values by pairs of bytes and by words, so that units are parted, and store what
// they get; `sync` stands between.
std::string Exchange(const std::string& sync) {
  return "program t target sm_90a\n"
         "dim N in 1..=1000\n"
         "in x: f32[N]\n"
         "out y: f32[N]\n"
         "kernel k {\n"
         "  grid (ceildiv(N, 64))\n"
         "  smem s: f32[256]\n"
         "  role main: warps 2 {\n"
         "    let i = cta*64 + thread\n"
         "    if i < N { st s[thread] <- ld x[i] }\n" +
         sync +
         "    if i < N && i % 64 >= 32 { st y[i] <- ld s[thread - 32] }\n"
         "    if i < N && i % 64 < 32 { st y[i] <- 1.0 }\n"
         "  }\n"
         "}\n";
}

class Reused : public testing::TestWithParam<std::string> {};

TEST_P(Reused, MemoryChangesNothing) {
  const std::string source = Exchange(GetParam());
  const ScratchPtr scratch = MakeScratch();
  Options kept;
  kept.scratch = scratch.get();
  for (const int64_t n : {1000, 64, 1, 65, 1000, 32}) {
    const Inputs inputs{{"x", Bytes(std::vector<float>(static_cast<size_t>(n), 2.0f))}};
    const Ran fresh = RunSource(source, {{"N", n}}, inputs);
    const Ran again = RunSource(source, {{"N", n}}, inputs, kept);
    EXPECT_EQ(again.text, fresh.text) << "N=" << n;
    EXPECT_EQ(again.result.outcome, fresh.result.outcome) << "N=" << n;
    EXPECT_EQ(again.memory, fresh.memory) << "N=" << n;
    EXPECT_EQ(fresh.result.report.has_errors(), n > 32 && GetParam().empty()) << fresh.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reused, testing::Values("    sync cta\n", ""));

}  // namespace
}  // namespace compiler::machine
