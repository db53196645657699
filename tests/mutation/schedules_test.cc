// The schedule that the gates choose decides nothing: some of the corpus under some others.
#include "tests/mutation/schedules.h"

#include <gtest/gtest.h>

namespace mutation {
namespace {

class Schedules : public testing::TestWithParam<const char*> {};

TEST_P(Schedules, GiveOneVerdictAndOneOrder) {
  constexpr uint64_t kSeeds = 3;
  EXPECT_EQ(DiffersUnderSchedules(std::string("tests/corpus/") + GetParam(), kSeeds), "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, Schedules,
                         testing::Values("transpose/copy_tma.cake", "gemm/gemm_bf16_async.cake",
                                         "rmsnorm/rmsnorm.cake", "softmax/softmax.cake"));

}  // namespace
}  // namespace mutation
