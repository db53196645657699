#include "tests/device/ops/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "compiler/ops/table.h"

namespace device::ops {
namespace {

using compiler::ir::DType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Distance Compared(const std::vector<float>& want, const std::vector<float>& got,
                  const std::vector<float>& operands, const Bound& bound) {
  Distance out;
  Compare(DType::kF32, std::as_bytes(std::span(want)), std::as_bytes(std::span(got)),
          std::as_bytes(std::span(operands)), bound, out);
  return out;
}

TEST(CompareTest, BitsUlpsAndAbsoluteDistances) {
  const float next = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(Compared({1, kNan}, {1, kNan}, {}, {}).outside, 0);
  EXPECT_EQ(Compared({-0.0f}, {0.0f}, {}, {}).outside, 1);
  EXPECT_EQ(Compared({-0.0f}, {0.0f}, {}, {.ulp = 1}).outside, 0);
  EXPECT_EQ(Compared({1, 1}, {1, next}, {}, {}).first_outside, 1);
  EXPECT_EQ(Compared({1}, {next}, {}, {}).max_ulp, 1);
  EXPECT_EQ(Compared({1}, {next}, {}, {.ulp = 1}).outside, 0);
  EXPECT_EQ(Compared({0}, {0.25f}, {}, {.ulp = 1}).outside, 1);
  EXPECT_EQ(Compared({0}, {0.25f}, {}, {.absolute = 0.25}).outside, 0);
  EXPECT_EQ(Compared({1}, {kNan}, {}, {.ulp = 1e9, .absolute = 1e9}).outside, 1);
  EXPECT_EQ(Compared({1}, {kInfinity}, {}, {.absolute = 1e9}).outside, 1);
}

TEST(CompareTest, OutsideItsDomainOnlyTheRangeOfTheResultIsPromised) {
  const Bound bound{.absolute = 0.01, .domain = {.low = -3, .high = 3, .least = -1, .most = 1}};
  EXPECT_EQ(Compared({0.5f}, {-1}, {3}, bound).outside, 1);
  EXPECT_EQ(Compared({0.5f}, {-1}, {3.5f}, bound).outside, 0);
  EXPECT_EQ(Compared({0.5f}, {-1}, {-1e30f}, bound).outside, 0);
  EXPECT_EQ(Compared({0.5f}, {1.5f}, {-1e30f}, bound).outside, 1);
  EXPECT_EQ(Compared({0.5f}, {kNan}, {-1e30f}, bound).outside, 1);
  // Operands that are no numbers have one right result.
  EXPECT_EQ(Compared({kNan}, {kNan}, {kInfinity}, bound).outside, 0);
  EXPECT_EQ(Compared({kNan}, {0.5f}, {kInfinity}, bound).outside, 1);
  // Unknown operands are inside.
  EXPECT_EQ(Compared({0.5f}, {-1}, {}, bound).outside, 1);
  EXPECT_EQ(Compared({0.5f, 0.5f}, {-1, 0.5f}, {9, 9}, bound).max_ulp, 0);
}

TEST(CompareTest, TheTableSaysWhereApproximationsHold) {
  for (const auto& op : compiler::ops::Table().ops()) {
    const bool turns = op.name == "sin" || op.name == "cos";
    EXPECT_EQ(op.approx_domain.Everywhere(), !turns) << op.name;
    if (!turns) continue;
    EXPECT_EQ(static_cast<float>(op.approx_domain.high), std::acos(-1.0f)) << op.name;
    EXPECT_EQ(op.approx_domain.low, -op.approx_domain.high) << op.name;
    EXPECT_EQ(op.approx_domain.most, 1) << op.name;
  }
}

}  // namespace
}  // namespace device::ops
