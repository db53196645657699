// Products against their definition, at every edge of the tiles.
#include "runner/reference/products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace runner::reference {
namespace {

struct Case {
  int64_t rows, columns, depth;
};

std::vector<double> Numbers(int64_t count, double seed) {
  std::vector<double> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = std::sin(seed + static_cast<double>(i)) * std::exp2(static_cast<double>(i % 7));
  }
  return out;
}

// In the order of the depth, each term rounded: equal bit by bit, whatever the tiles are.
TEST(Products, AreSumsInTheOrderOfTheDepth) {
  for (const Case at : {Case{1, 1, 1}, Case{4, 4, 512}, Case{5, 3, 513}, Case{7, 9, 1030},
                        Case{2, 6, 0}, Case{0, 4, 8}, Case{3, 1, 511}}) {
    const auto a = Numbers(at.rows * at.depth, 1), own = Numbers(at.rows * at.depth, 2);
    const auto b = Numbers(at.columns * at.depth, 3);
    for (const bool transposed : {false, true}) {
      for (const bool sized : {false, true}) {
        std::vector<double> sums(static_cast<size_t>(at.rows * at.columns), 7), sizes(sums);
        Multiply({.a = a.data(),
                  .a_size = sized ? own.data() : nullptr,
                  .b = b.data(),
                  .rows = at.rows,
                  .columns = at.columns,
                  .depth = at.depth,
                  .b_step = transposed ? at.columns : 1,
                  .b_column = transposed ? 1 : at.depth},
                 sums.data(), sizes.data());
        for (int64_t i = 0; i < at.rows; ++i) {
          for (int64_t j = 0; j < at.columns; ++j) {
            double sum = 0, size = 0;
            for (int64_t d = 0; d < at.depth; ++d) {
              const auto left = static_cast<size_t>(i * at.depth + d);
              const double right =
                  b[static_cast<size_t>(transposed ? d * at.columns + j : j * at.depth + d)];
              const volatile double term = right * a[left];
              const volatile double sized_term = right * (sized ? own[left] : a[left]);
              sum += term;
              size += std::abs(sized_term);
            }
            const auto to = static_cast<size_t>(i * at.columns + j);
            EXPECT_EQ(sums[to], sum) << i << " " << j;
            EXPECT_EQ(sizes[to], size) << i << " " << j;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace runner::reference
