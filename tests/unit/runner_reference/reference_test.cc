// Each reference on a case that can be worked out by hand, written without it.
#include "runner/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "runner/reference/numbers.h"

namespace runner::reference {
namespace {

using compiler::ir::DType;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The inputs of one case by hand.
class Given {
 public:
  Given& In(const std::string& name, DType dtype, std::vector<int64_t> shape,
            std::vector<double> values) {
    Tensor& tensor = *tensors_.emplace_back(std::make_unique<Tensor>());
    tensor.contract.name = name, tensor.contract.dtype = dtype;
    const auto bytes = static_cast<size_t>(ElementBytes(dtype));
    tensor.memory.resize(values.size() * bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      StoreElement(dtype, values[i], tensor.memory.data() + i * bytes);
    }
    inputs_.tensors[name] = {{.tensor = &tensor.contract,
                              .shape = std::move(shape),
                              .elements = static_cast<int64_t>(values.size())},
                             tensor.memory};
    return *this;
  }
  Given& Arg(const std::string& name, double value) {
    inputs_.args[name] = value;
    return *this;
  }
  Given& Out(const std::string& name, std::vector<int64_t> shape) {
    inputs_.outputs[name].shape = std::move(shape);
    return *this;
  }
  const Inputs& inputs() const { return inputs_; }

  // The whole output of `count` elements, evaluated in one piece and again in pieces of the
  // granule.
  std::vector<double> Evaluate(std::string_view builtin, std::string_view output, int64_t count) {
    const Builtin& reference = *FindBuiltin(builtin).value();
    std::vector<double> want(static_cast<size_t>(count)), again(want.size());
    scale.assign(want.size(), 0);
    reference.evaluate(inputs_, output, {0, count, want.data(), scale.data()});
    const int64_t granule = reference.granule(inputs_, output);
    for (int64_t i = 0; i < count; i += granule) {
      const int64_t end = std::min(count, i + granule);
      std::vector<double> part(static_cast<size_t>(end - i));
      reference.evaluate(inputs_, output, {i, end, again.data() + i, part.data()});
    }
    EXPECT_EQ(want, again) << "pieces differ from the whole";
    return want;
  }
  std::vector<double> scale;

 private:
  struct Tensor {
    contract::Tensor contract;
    std::vector<std::byte> memory;
  };
  std::vector<std::unique_ptr<Tensor>> tensors_;
  Inputs inputs_;
};

std::vector<double> Loss(Given& given, std::string_view builtin, std::string_view output,
                         std::vector<int64_t> got) {
  std::vector<double> want(got.size()), scale(got.size()), loss(got.size());
  FindBuiltin(builtin).value()->regret(
      given.inputs(), output, {0, static_cast<int64_t>(got.size()), want.data(), scale.data()},
      got.data(), loss.data());
  return loss;
}

TEST(Rows, LayerNormOfTwoElements) {
  Given given;
  given.In("x", DType::kF32, {2, 2}, {1, 3, 7, 7})
      .In("w", DType::kF32, {2}, {2, 10})
      .In("b", DType::kF32, {2}, {1, 0})
      .Arg("eps", 3);
  // Mean 2, variance 1, divisor 2; then a row of equals: the bias alone.
  EXPECT_THAT(given.Evaluate("layernorm", "y", 4), ElementsAre(0, 5, 1, 0));
  EXPECT_THAT(given.scale, Pointwise(DoubleNear(1e-12), {4.0, 25.0, 14 / std::sqrt(3.0) * 2 + 1,
                                                         14 / std::sqrt(3.0) * 10}));
}

TEST(Rows, SoftmaxOfLogarithms) {
  Given given;
  given.In("x", DType::kF32, {2, 3}, {-1000, -1000, -1000, 88, 88, 0});
  const auto y = given.Evaluate("softmax", "y", 6);
  EXPECT_THAT(
      y, Pointwise(DoubleNear(1e-15), {1 / 3., 1 / 3., 1 / 3., 0.5, 0.5, std::exp(-88.0) / 2}));
  EXPECT_DOUBLE_EQ(given.scale[5], y[5] * 88);
}

TEST(Rows, MaximumOfARow) {
  Given given;
  given.In("x", DType::kF32, {2, 3}, {1, 4, 4, -2, -3, -4});
  EXPECT_THAT(given.Evaluate("row_max", "y", 6), ElementsAre(-3, 0, 0, 0, -1, -2));
  EXPECT_THAT(given.Evaluate("row_max", "top", 2), ElementsAre(1, 0));
}

TEST(Elements, TransposeAndCopy) {
  Given given;
  given.In("x", DType::kF32, {2, 3}, {0, 1, 2, 10, 11, 12});
  EXPECT_THAT(given.Evaluate("transpose", "y", 6), ElementsAre(0, 10, 1, 11, 2, 12));
  EXPECT_THAT(given.Evaluate("copy", "y", 6), ElementsAre(0, 1, 2, 10, 11, 12));
}

TEST(Matrix, GemmOfIntegersAndItsScale) {
  Given given;
  given.In("x", DType::kI8, {2, 3}, {1, -2, 3, 0, 5, -6})
      .In("w", DType::kI8, {2, 3}, {1, 1, 1, -128, 0, 127});
  EXPECT_THAT(given.Evaluate("gemm", "y", 4), ElementsAre(2, -128 + 381, -1, -762));
  EXPECT_THAT(given.scale, ElementsAre(6, 128 + 381, 11, 762));
}

TEST(Matrix, GatedProductsTakeTheWeightsOfTheExpertOfARow) {
  Given given;
  given.In("x", DType::kF32, {3, 1}, {1, 2, 3})
      .In("w", DType::kF32, {3, 2, 1, 1}, {0, 5, 7, 7, 100, -2})
      .In("off", DType::kI32, {4}, {0, 2, 2, 3});
  EXPECT_THAT(given.Evaluate("grouped_swiglu", "y", 3),
              ElementsAre(0, 0, DoubleNear(300.0 * -6, 1e-9)));
}

TEST(Select, TopKPrefersLowColumnsAndAnyEqualOnePasses) {
  Given given;
  given.In("x", DType::kF32, {1, 5}, {2, 7, -1, 7, 3}).Out("v", {1, 3});
  EXPECT_THAT(given.Evaluate("row_topk", "v", 3), ElementsAre(7, 7, 3));
  EXPECT_THAT(given.Evaluate("row_topk", "i", 3), ElementsAre(1, 3, 4));
  EXPECT_THAT(Loss(given, "row_topk", "i", {3, 1, 4}), ElementsAre(0, 0, 0));
  EXPECT_THAT(Loss(given, "row_topk", "i", {1, 1, 4}), ElementsAre(0, kInfinity, 0));
  EXPECT_THAT(Loss(given, "row_topk", "i", {1, 3, 0}), ElementsAre(0, 0, 1));
  EXPECT_THAT(Loss(given, "row_topk", "i", {4, 1, 3}), ElementsAre(4, 0, 4));
  EXPECT_THAT(Loss(given, "row_topk", "i", {5, -1, 4}), ElementsAre(kInfinity, kInfinity, 0));
}

TEST(Select, NearestCentroid) {
  Given given;
  given.In("x", DType::kF32, {2, 2}, {0, 0, 3, 4})
      .In("c", DType::kF32, {3, 2}, {1, 0, 3, 3, 0, -1});
  EXPECT_THAT(given.Evaluate("kmeans_assign", "ids", 2), ElementsAre(0, 1));
  // Half the difference of squared distances: 1 and 1; then 1 against 20.
  EXPECT_THAT(Loss(given, "kmeans_assign", "ids", {2, 0}), ElementsAre(0, 9.5));
  EXPECT_THAT(Loss(given, "kmeans_assign", "ids", {3, 1}), ElementsAre(kInfinity, 0));
}

TEST(Select, NearestCentroidOfTheSameBatch) {
  Given given;
  given.In("x", DType::kF32, {2, 2, 1}, {0, 5, 0, 5})
      .In("c", DType::kF32, {2, 2, 1}, {1, 4, 9, -1});
  EXPECT_THAT(given.Evaluate("kmeans_assign", "ids", 4), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(Loss(given, "kmeans_assign", "ids", {0, 1, 0, 2}), ElementsAre(0, 0, 40, kInfinity));
}

TEST(Select, LloydMovesCentroidsToTheMeansOfTheirPoints) {
  Given given;
  given.In("x", DType::kF32, {1, 3, 1}, {0, 2, 10})
      .In("c", DType::kF32, {1, 3, 1}, {2, 9, 40})
      .Out("ids", {1, 3})
      .Out("nc", {1, 3, 1})
      .Out("moved", {1, 3});
  EXPECT_THAT(given.Evaluate("kmeans_lloyd", "ids", 3), ElementsAre(0, 0, 1));
  EXPECT_THAT(given.Evaluate("kmeans_lloyd", "nc", 3), ElementsAre(1, 10, 40));
  EXPECT_THAT(given.Evaluate("kmeans_lloyd", "moved", 3), ElementsAre(1, 1, 0));
  EXPECT_THAT(Loss(given, "kmeans_lloyd", "ids", {1, 0, 3}), ElementsAre(22.5 + 16, 0, kInfinity));
}

TEST(Select, NearestNeighboursInOrderAndEachOnce) {
  Given given;
  given.In("x", DType::kF32, {2, 1}, {0, 5})
      .In("c", DType::kF32, {4, 1}, {1, 4, -1, 8})
      .Out("ids", {2, 2});
  EXPECT_THAT(given.Evaluate("knn", "ids", 4), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Loss(given, "knn", "ids", {2, 0, 1, 1}), ElementsAre(0, 0, 0, kInfinity));
  // Half the difference of squared distances: of 9 against 1.
  EXPECT_THAT(Loss(given, "knn", "ids", {0, 4, 3, 1}), ElementsAre(0, kInfinity, 4, 4));
}

TEST(Attention, TokensOfAPagedCacheAreFoundByTheTable) {
  Given given;
  given.In("q", DType::kF32, {2, 1, 1, 1}, {0, 0})
      .In("kc", DType::kF32, {3, 2, 1, 1}, {0, 0, 0, 0, 0, 0})
      .In("vc", DType::kF32, {3, 2, 1, 1}, {1, 2, 4, 8, 16, 32})
      .In("lens", DType::kI32, {2}, {3, 0})
      .In("table", DType::kI32, {2, 2}, {2, 0, 1, 1})
      .Arg("scale", 1);
  EXPECT_THAT(given.Evaluate("paged_attention", "o", 2),
              ElementsAre(DoubleNear((16 + 32 + 1) / 3.0, 1e-12), 0));
}

TEST(Scatter, CountsSumsAndMeans) {
  Given given;
  given.In("x", DType::kU32, {4}, {1, 3, 3, 4294967295});
  EXPECT_THAT(given.Evaluate("prefix_sum", "y", 4), ElementsAre(1, 4, 7, 6));
  EXPECT_THAT(given.Evaluate("histogram", "h", 5), ElementsAre(0, 1, 0, 2, 0));
  Given classes;
  classes.In("x", DType::kF32, {3, 1}, {2, 10, 4})
      .In("ids", DType::kI32, {3}, {0, 2, 0})
      .In("c", DType::kF32, {3, 1}, {7, 8, 9});
  EXPECT_THAT(classes.Evaluate("kmeans_update", "nc", 3), ElementsAre(3, 8, 10));
  EXPECT_THAT(classes.Evaluate("kmeans_update", "count", 3), ElementsAre(2, 0, 1));
}

TEST(Attention, OneKeyIsItsValueAndEqualKeysAreTheirMean) {
  Given given;
  given.In("q", DType::kF32, {1, 2, 2, 1}, {1, 1, 1, 1})
      .In("k", DType::kF32, {1, 1, 2, 1}, {5, 5})
      .In("v", DType::kF32, {1, 1, 2, 1}, {2, 4})
      .Arg("scale", 0.5);
  EXPECT_THAT(given.Evaluate("attention", "o", 4), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(given.Evaluate("attention_causal", "o", 4), ElementsAre(2, 3, 2, 3));
  // One weight may be a unit off, alone and with the result; f32 loses of it, twice, by a score
  // of 2.5.
  EXPECT_DOUBLE_EQ(given.scale[0], 2 + 2 + 2 * (2 * 16 * 3.5 + 1) * 0x1p-17);
  // Of two equal weights each is off by itself.
  EXPECT_NEAR(given.scale[1], 3 + std::sqrt(2) * std::hypot(1, 2), 0.01);
}

// One sequence at position 1 of pages of 2 slots: page table[0][0] = 1, slot 1.
TEST(State, RotaryGoesToTheSlotOfThePage) {
  Given given;
  given.In("q", DType::kF32, {1, 1, 2}, {1, 2})
      .In("k", DType::kF32, {1, 1, 2}, {3, 4})
      .In("v", DType::kF32, {1, 1, 2}, {5, 6})
      .In("turn", DType::kF32, {2, 2}, {1, 0, 0, 1})
      .In("lens", DType::kI32, {1}, {1})
      .In("table", DType::kI32, {1, 1}, {1})
      .In("kc", DType::kF32, {2, 2, 1, 2}, {10, 11, 12, 13, 14, 15, 16, 17})
      .In("vc", DType::kF32, {2, 2, 1, 2}, {20, 21, 22, 23, 24, 25, 26, 27});
  // A quarter turn: (a, b) becomes (-b, a).
  EXPECT_THAT(given.Evaluate("rope_append", "qr", 2), ElementsAre(-2, 1));
  EXPECT_THAT(given.Evaluate("rope_append", "kc", 8), ElementsAre(10, 11, 12, 13, 14, 15, -4, 3));
  EXPECT_THAT(given.Evaluate("rope_append", "vc", 8), ElementsAre(20, 21, 22, 23, 24, 25, 5, 6));
}

TEST(State, SelectiveUpdateOfOneSlot) {
  Given given;
  given.In("state", DType::kF32, {2, 1, 1, 2}, {1, 2, 30, 40})
      .In("x", DType::kF32, {2, 1, 1}, {3, 100})
      .In("dt", DType::kF32, {2, 1}, {2, 1})
      .In("a", DType::kF32, {1}, {0})
      .In("bm", DType::kF32, {2, 1, 2}, {1, 10, 0, 0})
      .In("cm", DType::kF32, {2, 1, 2}, {1, 0.5, 1, 1})
      .In("dsk", DType::kF32, {1}, {4})
      .In("slots", DType::kI32, {2}, {1, -1});
  EXPECT_THAT(given.Evaluate("ssu_decode", "state", 4), ElementsAre(1, 2, 36, 100));
  EXPECT_THAT(given.Evaluate("ssu_decode", "y", 2), ElementsAre(36 + 50 + 12, 0));
}

// A second write under one key replaces the first; gates of a chunk are sums, and halve what is
// there.
TEST(State, DeltaRuleReplacesWhatAKeyAnswered) {
  Given given;
  given.In("q", DType::kF32, {2, 3, 2}, {2, 0, 1, 1, 1, 0, 2, 0, 1, 1, 1, 0})
      .In("k", DType::kF32, {2, 3, 2}, {1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0})
      .In("v", DType::kF32, {2, 3, 2}, {3, 5, 1, 1, 7, 7, 1, 0, 0, 0, 0, 0})
      .In("gc", DType::kF32, {2, 3, 2}, {0, 0, -1, -2, -1, -2, 0, 0, -1, -2, -1, -2})
      .Out("o", {2, 3, 2});
  EXPECT_THAT(given.Evaluate("kda_chunk", "o", 12),
              ElementsAre(6, 10, 2.5, 3.5, 7, 7, 2, 0, 0.5, 0, 0, 0));
}

TEST(Builtins, AreFoundByNameAndListedOnce) {
  for (size_t i = 1; i < Builtins().size(); ++i) {
    EXPECT_LT(Builtins()[i - 1].name, Builtins()[i].name);
  }
  EXPECT_EQ(FindBuiltin("none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace runner::reference
