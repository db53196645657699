#include "compiler/machine/zeros.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace compiler::machine {
namespace {

// Below, at and above the size from which pages come from the system; again where memory that was
// written has been given back.
TEST(Zeros, BeginAsZerosWhateverWasThereBefore) {
  for (const size_t size : {size_t{1}, Zeros::kLarge - 1, Zeros::kLarge, 3 * Zeros::kLarge + 5}) {
    for (int again = 0; again < 3; ++again) {
      Zeros zeros(size);
      ASSERT_EQ(zeros.size(), size);
      EXPECT_TRUE(std::all_of(zeros.begin(), zeros.begin() + size,
                              [](uint8_t byte) { return byte == 0; }))
          << size;
      std::fill(zeros.begin(), zeros.begin() + size, uint8_t{0xa5});
    }
  }
}

TEST(Zeros, MoveWithWhatWasWritten) {
  for (const size_t size : {size_t{8}, Zeros::kLarge}) {
    Zeros first(size);
    first[size - 1] = 7;
    Zeros second = std::move(first);
    EXPECT_EQ(second[size - 1], 7);
    first = Zeros(1);
    EXPECT_EQ(second.size(), size);
    second = std::move(first);
    EXPECT_EQ(second.size(), 1u);
  }
  EXPECT_TRUE(Zeros().empty());
  EXPECT_TRUE(Zeros(0).empty());
}

}  // namespace
}  // namespace compiler::machine
