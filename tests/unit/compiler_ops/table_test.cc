#include "compiler/ops/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compiler::ops {
namespace {

struct Lookup {
  std::string_view text;
  std::string_view entry;
  size_t taken;
};

std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

TEST(TableTest, LongestMatchLeavesTheModifiers) {
  constexpr Lookup kCases[] = {
      {"cp.async", "cp.async", 2},
      {"cp.async.commit", "cp.async.commit", 3},
      {"cp.async.wait", "cp.async.wait", 3},
      {"cp.async.arrive", "cp.async.arrive", 3},
      {"tma.store", "tma.store", 2},
      {"tma.reduce.add", "tma.reduce", 2},
      {"tma.wait.read", "tma.wait", 2},
      {"wgmma", "wgmma", 1},
      {"wgmma.commit", "wgmma.commit", 2},
      {"lanes.sum", "lanes.sum", 2},
      {"cvt.bf16.rz", "cvt", 1},
      {"exp2.approx", "exp2", 1},
      {"fence", "fence", 1},
      {"fence.sc", "fence.sc", 2},
      {"atomic.add.acq_rel.gpu", "atomic.add", 2},
      {"red.add.relaxed.gpu", "red.add", 2},
      {"ld.streaming", "ld", 1},
      {"ld.acquire.gpu", "ld.acquire", 2},
      {"st.evict_first", "st", 1},
      {"st.release.sys", "st.release", 2},
      {"st.async", "st.async", 2},
      {"wait.cluster.relaxed", "wait", 1},
      {"tmem.wait", "tmem.wait", 2},
      {"umma.2cta", "umma", 1},
      {"umma.commit", "umma.commit", 2},
      {"arrive.thread", "arrive.thread", 2},
  };
  for (const Lookup& c : kCases) {
    size_t taken = 0;
    const ir::OpDef* op = Table().FindLongest(Parts(c.text), &taken);
    ASSERT_NE(op, nullptr) << c.text;
    EXPECT_EQ(op->name, c.entry) << c.text;
    EXPECT_EQ(taken, c.taken) << c.text;
  }
  size_t taken = 0;
  EXPECT_EQ(Table().FindLongest(Parts("lanes"), &taken), nullptr);
  EXPECT_EQ(Table().FindLongest(Parts("tmem"), &taken), nullptr);
  EXPECT_EQ(Table().FindLongest(Parts("nothing.at.all"), &taken), nullptr);
}

TEST(TableTest, ModifiersOfEveryLookupAreWordsOfTheEntry) {
  for (const char* text :
       {"tma.reduce.add", "tma.wait.read", "cvt.bf16.rz", "exp2.approx", "atomic.add.acq_rel.gpu",
        "ld.streaming", "wait.cluster.relaxed", "umma.2cta", "st.evict_first", "ld.acquire.gpu"}) {
    const std::vector<std::string_view> parts = Parts(text);
    size_t at = 0;
    const ir::OpDef* op = Table().FindLongest(parts, &at);
    for (const ir::ModifierGroup& group : op->modifiers) {
      if (at == parts.size()) break;
      for (std::string_view word : group.words) {
        if (word == parts[at]) {
          ++at;
          break;
        }
      }
    }
    EXPECT_EQ(at, parts.size()) << text;
  }
}

TEST(TableTest, OperatorsAreFoundByArity) {
  EXPECT_EQ(Table().FindOperator("-", 1)->args.size(), 1u);
  EXPECT_EQ(Table().FindOperator("-", 2)->args.size(), 2u);
  EXPECT_EQ(Table().FindOperator("!", 2), nullptr);
  for (const char* token : {"||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>",
                            "+", "-", "*", "/", "%"}) {
    EXPECT_NE(Table().FindOperator(token, 2), nullptr) << token;
  }
}

TEST(TableTest, NamesAreUniqueAndRowsAreConsistent) {
  std::set<std::pair<std::string_view, size_t>> seen;
  for (const ir::OpDef& op : Table().ops()) {
    EXPECT_TRUE(seen.insert({op.name, op.form == ir::Form::kOperator ? op.args.size() : 0}).second)
        << op.name;
    EXPECT_FALSE(op.summary.empty()) << op.name;
    EXPECT_EQ(op.summary.back(), '.') << op.name;
    EXPECT_EQ(op.sync_operand == ir::SyncOperand::kWord, !op.words.empty()) << op.name;
    EXPECT_LE(op.optional_args, static_cast<int>(op.args.size())) << op.name;
    if (op.width_arg) {
      EXPECT_EQ(op.args.back(), ir::ArgKind::kConstInteger) << op.name;
    }
    if (op.form == ir::Form::kFunction || op.form == ir::Form::kOperator) {
      EXPECT_NE(op.result, ir::ResultRule::kNone) << op.name;
    }
  }
}

TEST(TableTest, AvailableEntriesAreComplete) {
  int available = 0;
  for (const ir::OpDef& op : Table().ops()) {
    if (!op.Available()) continue;
    ++available;
    EXPECT_FALSE(op.source.empty()) << op.name;
    EXPECT_NE(op.example.find(op.name), std::string_view::npos) << op.name;
    if (op.name != "bitcast") {
      EXPECT_GT(op.cost.issue_slots, 0) << op.name;
    }
    EXPECT_EQ(op.meaning == nullptr, op.lower == nullptr) << op.name;
  }
  EXPECT_EQ(available, 142);
}

// What a load gives is as uniform as its index only where nothing stores at the same time.
TEST(TableTest, LoadsThatOthersMayStoreToAreOfLaneLevel) {
  std::map<std::string, ir::LevelRule> levels;
  for (const ir::OpDef& op : Table().ops()) {
    if (op.form == ir::Form::kLoad) levels.emplace(op.name, op.level);
  }
  EXPECT_EQ(levels, (std::map<std::string, ir::LevelRule>{{"ld", ir::LevelRule::kOfLoad},
                                                          {"ld.acquire", ir::LevelRule::kLane},
                                                          {"ld.relaxed", ir::LevelRule::kLane}}));
}

}  // namespace
}  // namespace compiler::ops
