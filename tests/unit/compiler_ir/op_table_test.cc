#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "compiler/ir/op_def.h"

namespace compiler::ir {
namespace {

OpTable Small() {
  std::vector<OpDef> ops;
  ops.push_back({.name = "st", .form = Form::kCopy});
  ops.push_back({.name = "-", .form = Form::kOperator, .args = {ArgKind::kAny, ArgKind::kAny}});
  ops.push_back({.name = "ld.acquire", .form = Form::kLoad});
  ops.push_back({.name = "-", .form = Form::kOperator, .args = {ArgKind::kAny}});
  ops.push_back({.name = "ld", .form = Form::kLoad});
  ops.push_back({.name = "lanes.sum", .form = Form::kFunction});
  return OpTable(std::move(ops));
}

TEST(OpTable, LongestDottedNameWinsAndLeavesModifiers) {
  const OpTable table = Small();
  const std::vector<std::string_view> parts = {"ld", "acquire", "gpu"};
  size_t taken = 0;
  const OpDef* op = table.FindLongest(parts, &taken);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->name, "ld.acquire");
  EXPECT_EQ(taken, 2U);
  const std::vector<std::string_view> hint = {"ld", "streaming"};
  EXPECT_EQ(table.FindLongest(hint, &taken)->name, "ld");
  EXPECT_EQ(taken, 1U);
}

TEST(OpTable, PrefixOfANameIsNoInstruction) {
  const OpTable table = Small();
  const std::vector<std::string_view> lanes = {"lanes"};
  EXPECT_EQ(table.FindLongest(lanes, nullptr), nullptr);
  EXPECT_EQ(table.FindLongest({}, nullptr), nullptr);
  EXPECT_EQ(table.Find("s"), nullptr);
}

TEST(OpTable, OperatorsAreFoundByArity) {
  const OpTable table = Small();
  ASSERT_NE(table.FindOperator("-", 1), nullptr);
  ASSERT_NE(table.FindOperator("-", 2), nullptr);
  EXPECT_EQ(table.FindOperator("-", 1)->args.size(), 1U);
  EXPECT_EQ(table.FindOperator("-", 2)->args.size(), 2U);
  EXPECT_EQ(table.FindOperator("-", 3), nullptr);
  EXPECT_EQ(table.FindOperator("st", 0), nullptr);
}

}  // namespace
}  // namespace compiler::ir
