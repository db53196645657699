// What further runs and all elements together tell: old outputs, other addresses, delays, rows that
// lie apart, narrow accumulators.
#include <cmath>
#include <set>
#include <tuple>

#include "runner/oracle/precision.h"
#include "tests/unit/runner_oracle/arena.h"

namespace runner::oracle {
namespace {

using compiler::ir::DType;
using contract::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Runs : public Judging {};

// Whoever keeps outputs by a sample of the inputs meets inputs that differ in four elements.
TEST_F(Runs, OldOutputsForInputsWithAFewOtherElementsAreStale) {
  Arena arena = Honest();
  arena.AddRun(1004, kPerturbedSets);
  EXPECT_EQ(arena.Judge().verdict, Verdict::kCorrect);
  const auto old = arena.Data(0, "y");
  std::copy(old.begin(), old.end(), arena.Data(3, "y").begin());
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kStaleOutput);
  EXPECT_THAT(Failed(result), ElementsAre("perturbed_inputs", "correct"));
}

TEST_F(Runs, APerturbedSetDiffersInAFewElements) {
  const auto& at = *contract::FindCase(workload_, "ragged");
  const auto tensors = contract::TensorsOf(workload_, at).value();
  const auto first = DrawInputs(workload_, at, tensors, 42, 0, 1).value();
  std::set<std::vector<size_t>> places;
  for (uint64_t seed = 42; seed < 46; ++seed) {
    const auto plain = DrawInputs(workload_, at, tensors, seed, 0, 1).value();
    const auto other = DrawInputs(workload_, at, tensors, seed, kPerturbedSets, 1).value();
    for (const auto& [name, memory] : plain.memory) {
      std::vector<size_t> changed;
      for (size_t i = 0; i + 1 < memory.size(); i += 2) {
        if (!std::equal(&memory[i], &memory[i] + 2, &other.memory.at(name)[i]))
          changed.push_back(i);
      }
      EXPECT_GE(changed.size(), 1u) << name;
      EXPECT_LE(changed.size(), static_cast<size_t>(kPerturbedElementsMax)) << name;
      places.insert(changed);
    }
  }
  EXPECT_EQ(places.size(), 8u);
}

// Shifted and delayed runs repeat the inputs: what differs there alone is named so.
TEST_F(Runs, RunsInOtherWaysHaveChecksOfTheirOwn) {
  const std::tuple<oracle::Run, std::string, Verdict> ways[] = {
      {{.poison = 1004, .shifted = true}, "misaligned_bases", Verdict::kWrongResult},
      {{.poison = 1004, .jittered = true}, "jittered", Verdict::kRaceObserved}};
  for (const auto& [how, check, verdict] : ways) {
    Arena arena = Honest();
    arena.AddRun(how);
    EXPECT_EQ(arena.Judge().verdict, Verdict::kCorrect);
    arena.Data(3, "y")[1] ^= std::byte{0x40};
    const CaseResult result = arena.Judge();
    EXPECT_EQ(result.verdict, verdict);
    EXPECT_THAT(Failed(result), ElementsAre(check, "correct"));
    // One unit in the last place is right, and still not the same bytes.
    Arena close = Honest();
    close.AddRun(how);
    close.Data(3, "y")[0] ^= std::byte{1};
    EXPECT_EQ(close.Judge().verdict, verdict);
  }
}

TEST_F(Runs, WithoutDeterminismEveryRunMustBeRight) {
  contract::Workload workload = workload_;
  workload.determinism = contract::Determinism::kNone;
  Arena arena(workload, "ragged", 42);
  for (uint64_t poison : {1, 2, 3}) arena.AddRun(poison, 0);
  arena.Data(1, "y")[0] ^= std::byte{1};
  EXPECT_EQ(arena.Judge().verdict, Verdict::kCorrect);
  arena.Data(2, "y")[1] ^= std::byte{0x40};
  EXPECT_EQ(arena.Judge().verdict, Verdict::kWrongResult);
}

// Rows of y lie apart: a store that runs over the end of a row stays inside the buffer.
TEST_F(Runs, AWriteBetweenRowsIsOutOfBounds) {
  contract::Workload workload = workload_;
  for (contract::Tensor& tensor : workload.tensors) {
    if (tensor.name != "w") tensor.strides = {"N + 3", "1"};
  }
  Arena arena(workload, "ragged", 42);
  arena.AddRun(1, 0);
  arena.AddRun(2, 0);
  EXPECT_EQ(arena.Judge().verdict, Verdict::kCorrect) << arena.Judge().checks.back().detail;
  const int64_t columns = contract::FindCase(workload, "ragged")->dims.at("N");
  arena.Data(1, "y")[static_cast<size_t>(2 * columns)] ^= std::byte{1};
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kOutOfBoundsWrite);
  EXPECT_THAT(result.checks[0].detail,
              HasSubstr("run 1 wrote between the elements of y, " + std::to_string(columns) + " "));
}

// Products as a kernel with half accumulators leaves them, in bf16: `correct` alone lets most of
// such elements pass.
TEST(Precision, HalfAccumulatorsStandOutBehindTheRoundingOfTheOutput) {
  const contract::Workload workload = Load("gemm_bf16", "gemm");
  for (const contract::Case& at : workload.cases) {
    if (at.tier != contract::Tier::kMachine || at.variant == "ties") continue;
    const auto tensors = contract::TensorsOf(workload, at).value();
    if (tensors[2].elements < kPrecisionElementsMin || tensors[0].shape[1] < 32) continue;
    const auto drawn = DrawInputs(workload, at, tensors, 5, 0, 1).value();
    for (const DType accumulator : {DType::kF32, DType::kF16}) {
      // Values of the cancelling case overflow f16: its mantissa alone is what is narrow.
      const auto half = [&](double value) {
        if (accumulator == DType::kF32) return static_cast<double>(static_cast<float>(value));
        int exponent = 0;
        const double mantissa = std::frexp(value, &exponent);
        return std::ldexp(std::nearbyint(mantissa * 2048) / 2048, exponent);
      };
      std::vector<std::byte> y(static_cast<size_t>(tensors[2].bytes));
      const int64_t depth = tensors[0].shape[1], columns = tensors[2].shape[1];
      const auto load = [&](const char* name, int64_t i) {
        return reference::LoadElement(DType::kBF16, drawn.memory.at(name).data() + 2 * i);
      };
      for (int64_t i = 0; i < tensors[2].elements; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum = half(sum + load("x", i / columns * depth + k) * load("w", i % columns * depth + k));
        }
        reference::StoreElement(DType::kBF16, sum, y.data() + 2 * i);
      }
      const OutputView view{&tensors[2], &workload.compare[0], depth, y};
      const auto found =
          MeasurePrecision(*reference::FindBuiltin("gemm").value(), drawn.inputs, view);
      EXPECT_TRUE(found.measurable) << found.why_not;
      EXPECT_EQ(found.measured > found.limit, accumulator == DType::kF16)
          << at.name << ": " << found.measured << " of " << found.limit;
    }
  }
}

}  // namespace
}  // namespace runner::oracle
