// Changed programs of the corpus: a few programs with all their changes; the long form is
// `mutants run` (README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/mutation/programs/campaign.h"

namespace mutation {
namespace {

using testing::Gt;
using testing::IsEmpty;

TEST(ChangedPrograms, BrokenOnesAreRefusedForWhatTheyAreAndEqualOnesAccepted) {
  std::vector<std::string> accepted, refused, otherwise;
  int broken = 0, right = 0, equal = 0;
  for (const Program& program : ReadPrograms(
           {"tests/corpus/transpose/copy_tma.cake", "tests/corpus/transpose/transpose_tma.cake",
            "tests/corpus/row_max/row_max.cake", "tests/corpus/gemm/gemm_f16_async.cake",
            "tests/mutation/hosts/ring_counts.cake", "tests/mutation/hosts/event_bytes.cake"})) {
    for (const Change& change : program.changes) {
      const Judged judged = Judge(*program.base, change, {});
      const std::string name = program.file + ": " + change.name;
      if (judged.outcome == Outcome::kMalformed || change.known == Known::kOpen) continue;
      if (change.known == Known::kEqual) {
        ++equal;
        if (judged.outcome != Outcome::kAccepted) refused.push_back(name);
        continue;
      }
      ++broken;
      const bool of_kind =
          judged.outcome == Outcome::kRight || judged.outcome == Outcome::kUnproven;
      right += of_kind ? 1 : 0;
      if (judged.outcome == Outcome::kOtherwise) otherwise.push_back(name);
      if (judged.outcome == Outcome::kAccepted) accepted.push_back(name);
    }
  }
  EXPECT_THAT(accepted, IsEmpty());
  EXPECT_THAT(refused, IsEmpty());
  EXPECT_THAT(broken, Gt(80));
  EXPECT_THAT(equal, Gt(20));
  EXPECT_THAT(right * 100, Gt(broken * 97)) << testing::PrintToString(otherwise);
}

TEST(ChangedPrograms, EachIsAnotherText) {
  for (const Program& program : ReadPrograms(
           {"tests/corpus/attention/attention_wgmma.cake", "tests/corpus/split_k/split_k.cake"})) {
    for (const Change& change : program.changes) {
      EXPECT_NE(Apply(*program.base, change), program.base->source()) << change.name;
      EXPECT_THAT(Lines(*program.base, change), testing::Not(IsEmpty())) << change.name;
    }
  }
}

}  // namespace
}  // namespace mutation
