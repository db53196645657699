// Every tactic on programs of the corpus: what it gives is another program that the gates accept or
// refuse with a reason, the same for the same number.
#include "server/generators/propose.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "gtest/gtest.h"
#include "server/generators/sites.h"
#include "server/pipeline/pipeline.h"

namespace server::generators {
namespace {

std::string Corpus(const std::string& name) {
  std::ifstream file("tests/corpus/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << name;
  return text.str();
}

pipeline::Member Judged(const std::string& source, const Binding& binding) {
  pipeline::Options options;
  options.emit_cuda = false;
  const pipeline::Candidate candidate(source, options);
  return candidate.CheckMember(binding);
}

Proposal Make(std::string_view tactic, const std::string& source, uint64_t pick,
              const Binding& binding = {}, bool structural = false) {
  ProposalInput input;
  input.tactic = tactic;
  input.source = source;
  input.binding = binding;
  input.pick = pick;
  input.structural = structural;
  return Propose(input);
}

constexpr const char* kTwoLoops = R"(program p target sm_80
dim N in 1..=4096
in x: f32[N], w: f32[N]
out y: f32[N], z: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let base = cta*128
    for e in 0..2 { let i = base + thread; if i < N { st y[i] <- ld x[i] } }
    for e in 0..2 { let j = base + thread; if j < N { st z[j] <- ld w[j] } }
  }
}
)";

TEST(Propose, StepsMoveOneParamToANeighbour) {
  const std::string source = Corpus("rmsnorm/rmsnorm.cake");
  const ProgramText program = Read(source);
  const Binding start = compiler::sema::DefaultBinding(program.params);
  std::set<std::string> moved;
  for (uint64_t pick = 0; pick < 64; ++pick) {
    const Proposal made = Make("step", source, pick, start);
    ASSERT_TRUE(made.found);
    EXPECT_EQ(made.source, source);
    int changes = 0;
    for (const auto& [name, value] : made.binding) {
      if (value == start.at(name)) continue;
      ++changes;
      moved.insert(name);
      // Domains here are powers of two: a neighbour is a factor of two away.
      EXPECT_TRUE(value == 2 * start.at(name) || 2 * value == start.at(name)) << name;
    }
    EXPECT_EQ(changes, 1);
  }
  EXPECT_EQ(moved.size(), program.params.size());
}

TEST(Propose, JumpsAndRandomDrawsStayInTheDomains) {
  const std::string source = Corpus("rmsnorm/rmsnorm.cake");
  const ProgramText program = Read(source);
  for (const char* tactic : {"jump", "random"}) {
    std::set<Binding> seen;
    for (uint64_t pick = 0; pick < 64; ++pick) {
      const Proposal made = Make(tactic, source, pick);
      ASSERT_TRUE(made.found);
      seen.insert(made.binding);
      for (const ParamDomain& param : program.params) {
        EXPECT_NE(std::find(param.values.begin(), param.values.end(), made.binding.at(param.name)),
                  param.values.end());
      }
    }
    EXPECT_GT(seen.size(), 8u) << tactic;
  }
}

TEST(Propose, CrossoverTakesEachParamFromOneOfTwo) {
  const std::string source = Corpus("rmsnorm/rmsnorm.cake");
  ProposalInput input;
  input.tactic = "crossover";
  input.source = input.other_source = source;
  input.binding = {{"WARPS", 1}, {"V", 1}, {"KEEP", 1}, {"ROWS", 1}, {"PARTS", 1}};
  input.other_binding = {{"WARPS", 16}, {"V", 8}, {"KEEP", 4}, {"ROWS", 4}, {"PARTS", 2}};
  std::set<Binding> seen;
  for (input.pick = 0; input.pick < 32; ++input.pick) {
    const Proposal made = Propose(input);
    if (!made.found) continue;
    seen.insert(made.binding);
    EXPECT_NE(made.binding, input.binding);
    EXPECT_NE(made.binding, input.other_binding);
    for (const auto& [name, value] : made.binding) {
      EXPECT_TRUE(value == input.binding.at(name) || value == input.other_binding.at(name));
    }
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(Propose, IsAFunctionOfItsInput) {
  const std::string source = Corpus("gemm/gemm_bf16_async.cake");
  std::set<std::string> texts;
  for (uint64_t pick = 0; pick < 6; ++pick) {
    const Proposal one = Make("form", source, pick), two = Make("form", source, pick);
    EXPECT_EQ(one.source, two.source);
    EXPECT_EQ(one.text, two.text);
    texts.insert(one.text);
  }
  EXPECT_GT(texts.size(), 1u);
}

TEST(Propose, ParamsAreToldApartByWhatTheySize) {
  const std::string gemm_text = Corpus("gemm/gemm_bf16_async.cake");
  const ProgramText gemm = Read(gemm_text);
  EXPECT_EQ(UseOf(gemm, "STAGES"), ParamUse::kStages);
  EXPECT_EQ(UseOf(gemm, "BM"), ParamUse::kTile);
  const std::string norm_text = Corpus("rmsnorm/rmsnorm.cake");
  const ProgramText norm = Read(norm_text);
  EXPECT_EQ(UseOf(norm, "WARPS"), ParamUse::kWarps);
  EXPECT_EQ(UseOf(norm, "V"), ParamUse::kVector);  // through the function's argument
  EXPECT_EQ(UseOf(norm, "PARTS"), ParamUse::kStages);
}

struct Case {
  const char *tactic, *program;
};

// Structural tactics on programs that have a place for them.
TEST(Propose, StructuralTacticsGiveProgramsThatTheGatesAccept) {
  const Case cases[] = {
      {"stages", "gemm/gemm_bf16_async.cake"}, {"tile", "gemm/gemm_bf16_async.cake"},
      {"warps", "softmax/softmax.cake"},       {"unroll", "router_gemm/router_gemm.cake"},
      {"form", "gemm/gemm_bf16_async.cake"},   {"raster", "gemm/gemm_bf16_async.cake"},
      {"persistent", "softmax/softmax.cake"},  {"persistent", "gemm/gemm_bf16_async.cake"},
      {"roles", "row_max/row_max.cake"},       {"roles", "softmax/softmax.cake"},
      {"roles", "gemm/gemm_bf16_wgmma.cake"},  {"fuse", "transpose/copy.cake"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.tactic) + " " + one.program);
    const std::string source = Corpus(one.program);
    const ProgramText program = Read(source);
    const Binding start = compiler::sema::DefaultBinding(program.params);
    const pipeline::Member before = Judged(source, start);
    int accepted = 0, found = 0;
    for (uint64_t pick = 0; pick < 12 && accepted == 0; ++pick) {
      const Proposal made = Make(one.tactic, source, pick, start);
      if (!made.found) continue;
      ++found;
      const pipeline::Member after = Judged(made.source, made.binding);
      EXPECT_NE(after.canonical_hash, before.canonical_hash) << made.text;
      if (after.verdict == pipeline::Verdict::kPassed) ++accepted;
    }
    EXPECT_GT(found, 0);
    EXPECT_GT(accepted, 0);
  }
}

// A domain that ends below what a load can move is widened by the next width.
TEST(Propose, VectorWidensTheDomainOfAccesses) {
  std::string source = Corpus("vector_add/vector_add.cake");
  const std::string domain = "V in {1, 2, 4, 8} = 4";
  ASSERT_NE(source.find(domain), std::string::npos);
  source.replace(source.find(domain), domain.size(), "V in {1, 2} = 2");
  const Proposal made = Make("vector", source, 0);
  ASSERT_TRUE(made.found) << made.text;
  EXPECT_EQ(made.text, "let V be 4");
  EXPECT_EQ(made.binding.at("V"), 4);
  EXPECT_NE(made.source.find("{1, 2, 4}"), std::string::npos) << made.source;
  EXPECT_EQ(Judged(made.source, made.binding).verdict, pipeline::Verdict::kPassed);
}

TEST(Propose, LoopsFuseWhereNeitherNeedsTheOther) {
  const Proposal made = Make("fuse", kTwoLoops, 0);
  ASSERT_TRUE(made.found) << made.text;
  EXPECT_EQ(made.source.find("for e", made.source.find("for e") + 1), std::string::npos);
  EXPECT_EQ(Judged(made.source, made.binding).verdict, pipeline::Verdict::kPassed);
  const Proposal apart = Make("unfuse", made.source, 0);
  // There is one cut that leaves each half what it needs.
  ASSERT_TRUE(apart.found) << apart.text;
  EXPECT_EQ(apart.text, "split the loop over e in two");
  EXPECT_EQ(Judged(apart.source, apart.binding).verdict, pipeline::Verdict::kPassed);
  std::string carried = kTwoLoops;
  carried.replace(carried.find("ld w[j]"), 7, "ld y[j]");
  EXPECT_FALSE(Make("fuse", carried, 0).found) << "the second loop reads what the first writes";
}

// What the first loop keeps for the second is an array of which each trip has its own elements;
// what both compute first is computed once. Taken apart again, each half computes it.
TEST(Propose, LoopsFuseOverWhatEachTripKeepsForItself) {
  const std::string source = Corpus("transpose/copy.cake");
  const auto loops = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("for p in"); at != std::string::npos; ++count) {
      at = text.find("for p in", at + 1);
    }
    return count;
  };
  const auto indices = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("let n ="); at != std::string::npos; ++count) {
      at = text.find("let n =", at + 1);
    }
    return count;
  };
  ASSERT_EQ(loops(source), 2u);
  const Proposal made = Make("fuse", source, 0);
  ASSERT_TRUE(made.found) << made.text;
  EXPECT_EQ(loops(made.source), 1u);
  EXPECT_EQ(indices(made.source), 1u);
  EXPECT_EQ(Judged(made.source, made.binding).verdict, pipeline::Verdict::kPassed);
  const Proposal apart = Make("unfuse", made.source, 0);
  ASSERT_TRUE(apart.found) << apart.text;
  EXPECT_EQ(loops(apart.source), 2u);
  EXPECT_EQ(indices(apart.source), 2u);
  EXPECT_EQ(Judged(apart.source, apart.binding).canonical_hash,
            Judged(source, made.binding).canonical_hash);
  std::string mixed = source;
  mixed.replace(mixed.rfind("v[p*8 + e]"), 10, "v[e]");
  EXPECT_FALSE(Make("fuse", mixed, 0).found) << "a trip reads what another one kept";
}

// A role that empties a ring is two that empty it; a barrier of the CTA one of both halves.
TEST(Propose, HalvesOfARoleKeepItsCountsAndBarriers) {
  const Proposal wgmma = Make("roles", Corpus("gemm/gemm_bf16_wgmma.cake"), 0);
  ASSERT_TRUE(wgmma.found) << wgmma.text;
  EXPECT_NE(wgmma.source.find("from load to math, math_b"), std::string::npos) << wgmma.source;
  EXPECT_EQ(Judged(wgmma.source, wgmma.binding).verdict, pipeline::Verdict::kPassed);
  const Proposal rows = Make("roles", Corpus("softmax/softmax.cake"), 0);
  ASSERT_TRUE(rows.found) << rows.text;
  EXPECT_EQ(rows.source.find("sync cta"), std::string::npos);
  EXPECT_NE(rows.source.find("barrier halves threads"), std::string::npos);
}

TEST(Propose, AForcedChangeChangesTheStructure) {
  const std::string source = Corpus("gemm/gemm_bf16_async.cake");
  const ProgramText program = Read(source);
  const Binding start = compiler::sema::DefaultBinding(program.params);
  const std::string before = Judged(source, start).structural_hash;
  for (const char* tactic : {"form", "raster", "persistent", "unroll"}) {
    for (uint64_t pick = 0; pick < 3; ++pick) {
      const Proposal made = Make(tactic, source, pick, start, true);
      if (!made.found) continue;
      EXPECT_NE(Judged(made.source, made.binding).structural_hash, before) << made.text;
    }
  }
}

TEST(Propose, FixesRepairWhatAMachineMayRepair) {
  std::string source = kTwoLoops;
  source.insert(0, "# a comment of another language\n");
  EXPECT_NE(Judged(source, {}).verdict, pipeline::Verdict::kPassed);
  const Proposal made = Make("fix", source, 0);
  ASSERT_TRUE(made.found) << made.text;
  EXPECT_EQ(Judged(made.source, made.binding).verdict, pipeline::Verdict::kPassed);
  EXPECT_FALSE(Make("fix", kTwoLoops, 0).found);
}

TEST(Propose, SaysWhyThereIsNothing) {
  EXPECT_FALSE(Make("step", "program p target", 0).found);
  EXPECT_EQ(Make("step", "nonsense", 0).text, "the parent's text has errors");
  EXPECT_EQ(Make("step", kTwoLoops, 0).text, "the program has no params");
  EXPECT_EQ(Make("stages", kTwoLoops, 0).text, "the program has no place for it");
  EXPECT_EQ(Make("dance", kTwoLoops, 0).text, "no tactic `dance`");
}

}  // namespace
}  // namespace server::generators
