#include "server/state/error.h"

#include <set>

#include "gtest/gtest.h"
#include "store/error.h"

namespace server::state {
namespace {

// Every reason has one word, one code that is an error, and a sentence; the list is closed.
TEST(Error, EveryReasonHasOneRule) {
  const std::set<std::string_view> expected = {"QUEUE_FULL",
                                               "BUDGET_SPENT",
                                               "RATE",
                                               "DISK_FULL",
                                               "READ_ONLY",
                                               "DRAINING",
                                               "STALE_TOKEN",
                                               "IDEMPOTENCY_REUSE",
                                               "PAGE_TOKEN_STALE",
                                               "WATCH_LAGGED",
                                               "UNKNOWN_WORKLOAD",
                                               "HIDDEN_BY_EXPERIMENT",
                                               "ROLE",
                                               "DEVICE_NONE",
                                               "TOOLCHAIN_MISSING",
                                               "SOURCE_TOO_LARGE"};
  std::set<std::string_view> words;
  for (int i = 1; i < kReasons; ++i) {
    const auto reason = static_cast<Reason>(i);
    const ReasonRule& rule = RuleOf(reason);
    words.insert(rule.word);
    EXPECT_NE(rule.code, absl::StatusCode::kOk) << rule.word;
    EXPECT_FALSE(rule.what_next.empty()) << rule.word;
    const absl::Status status = Error(reason, "why");
    EXPECT_EQ(ReasonOf(status), reason) << rule.word;
    EXPECT_EQ(status.code(), rule.code) << rule.word;
    EXPECT_EQ(status.message(), "why");
  }
  EXPECT_EQ(words, expected);
}

// A retry rule goes with the codes that mean "later", and only with them.
TEST(Error, OnlyTransientReasonsMayBeRetried) {
  for (int i = 1; i < kReasons; ++i) {
    const ReasonRule& rule = RuleOf(static_cast<Reason>(i));
    const bool transient = rule.code == absl::StatusCode::kUnavailable ||
                           rule.code == absl::StatusCode::kResourceExhausted;
    EXPECT_EQ(rule.retry_ms > 0, transient) << rule.word;
  }
}

TEST(Error, NamesTheThingAndTheField) {
  const absl::Status missing = NotFound("candidate", "c-1-9");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ResourceOf(missing)->kind, "candidate");
  EXPECT_EQ(ResourceOf(missing)->name, "c-1-9");
  EXPECT_FALSE(FieldOf(missing).has_value());
  const absl::Status field = BadField("wait_ms", "must be in 0..40000");
  EXPECT_EQ(field.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(field)->kind, "wait_ms");
  EXPECT_EQ(ReasonOf(field), Reason::kNone);
}

TEST(Error, StoreReasonsKeepTheirMeaning) {
  EXPECT_EQ(ReasonOf(FromStore(store::Error(store::Reason::kDiskFull, "full"))), Reason::kDiskFull);
  EXPECT_EQ(ReasonOf(FromStore(store::Error(store::Reason::kReadOnly, "ro"))), Reason::kReadOnly);
  EXPECT_EQ(ReasonOf(FromStore(store::Error(store::Reason::kClosing, "x"))), Reason::kDraining);
  EXPECT_EQ(ReasonOf(FromStore(store::Error(store::Reason::kStaleToken, "x"))),
            Reason::kStaleToken);
  const absl::Status other = absl::InternalError("x");
  EXPECT_EQ(FromStore(other), other);
}

}  // namespace
}  // namespace server::state
