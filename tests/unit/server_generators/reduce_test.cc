#include "server/generators/reduce.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "gtest/gtest.h"
#include "server/pipeline/pipeline.h"

namespace server::generators {
namespace {

std::string Corpus(const std::string& name) {
  std::ifstream file("tests/corpus/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The search of server/core/reducing.cc with the answer at hand.
std::string Minimised(std::string source, const Binding& binding,
                      const std::function<bool(const std::string&)>& fails) {
  int64_t units = Reduce(source, binding, 0, 0).units, size = units / 2, from = 0;
  bool shrank = false;
  while (size > 0) {
    const Reduction cut = Reduce(source, binding, from, size);
    units = cut.units;
    const bool smaller = cut.found && fails(cut.source);
    if (smaller)
      source = cut.source;
    else
      from += size;
    shrank = shrank || smaller;
    if (from < units) continue;
    from = 0;
    if (size > 1)
      size = (size + 1) / 2;
    else if (shrank)
      shrank = false;
    else
      size = 0;
  }
  return source;
}

bool Passes(const std::string& source) {
  pipeline::Options options;
  options.emit_cuda = false;
  const pipeline::Candidate candidate(source, options);
  if (!candidate.ok()) return false;
  const auto binding = candidate.Bind({});
  return binding.ok() && candidate.CheckMember(*binding).verdict == pipeline::Verdict::kPassed;
}

TEST(Reduce, LeavesWhatTheFailureNeeds) {
  const std::string source = Corpus("router_gemm/router_gemm.cake");
  ASSERT_NE(source.find("ld.streaming"), std::string::npos);
  // A device that fails on streaming loads, in programs that the gates accept.
  int tries = 0;
  const std::string small =
      Minimised(source, {{"WARPS", 8}, {"R", 2}}, [&](const std::string& text) {
        ++tries;
        return text.find("ld.streaming") != std::string::npos && Passes(text);
      });
  EXPECT_NE(small.find("ld.streaming"), std::string::npos);
  EXPECT_TRUE(Passes(small));
  EXPECT_LE(std::count(small.begin(), small.end(), '\n'), 20) << small;
  EXPECT_LT(tries, 400);
  // Nothing more can go, one unit at a time.
  const int64_t units = Reduce(small, {}, 0, 0).units;
  for (int64_t i = 0; i < units; ++i) {
    const Reduction cut = Reduce(small, {}, i, 1);
    if (!cut.found) continue;
    EXPECT_FALSE(cut.source.find("ld.streaming") != std::string::npos && Passes(cut.source))
        << cut.text << "\n"
        << cut.source;
  }
}

TEST(Reduce, UnitsAreOrderedAndTextsWithErrorsHaveNone) {
  const std::string source = Corpus("rmsnorm/rmsnorm.cake");
  const Reduction comments = Reduce(source, {}, 0, 1);
  ASSERT_TRUE(comments.found);
  EXPECT_EQ(comments.text, "comments");
  EXPECT_EQ(comments.source.find("//"), std::string::npos);
  const Reduction param = Reduce(comments.source, {{"WARPS", 4}}, 0, 1);
  ASSERT_TRUE(param.found);
  EXPECT_NE(param.source.find("const WARPS = 4"), std::string::npos);
  EXPECT_EQ(Reduce("program p target", {}, 0, 1).units, 0);
  EXPECT_FALSE(Reduce(source, {}, 100000, 5).found);
}

}  // namespace
}  // namespace server::generators
