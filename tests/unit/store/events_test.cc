#include "store/events.h"

#include <gtest/gtest.h>

#include <limits>

#include "store/canonical_json.h"
#include "store/error.h"
#include "store/event_fields.h"

namespace store {
namespace {

std::string DoubleText(double value) {
  std::string out;
  AppendJsonDouble(value, out);
  return out;
}

// How many members an aggregate has: the largest number of values that initialise it.
struct Anything {
  template <typename T>
  operator T() const;
};
template <typename T, typename... Values>
consteval size_t Arity() {
  if constexpr (requires { T{Values()..., Anything()}; }) {
    return Arity<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

struct CountFields {
  size_t count = 0;
  template <typename T>
  void operator()(std::string_view, T&) {
    ++count;
  }
};

// Gives every field a value of its own, and every list two entries.
struct FillFields {
  int64_t next = 1;
  template <typename T>
  void operator()(std::string_view name, T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(name) + " \"\\\n\xc3\xa9" + std::to_string(next++);
    } else if constexpr (std::is_same_v<T, ObjectHash>) {
      value.hex = std::string(64, "0123456789abcdef"[next++ % 16]);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(2);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<double>(next++) / 3;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      value = std::numeric_limits<uint64_t>::max() - next++;
    } else if constexpr (std::is_integral_v<T>) {
      value = (int64_t{1} << 53) + next++;
    } else if constexpr (requires { value.emplace_back(); }) {
      for (int i = 0; i < 2; ++i) (*this)(name, value.emplace_back());
    } else {
      ForEachField(value, *this);
    }
  }
};

TEST(CanonicalJson, NumbersAreWrittenAsEcmaScriptDoes) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {-0.0, "0"},
      {1.0, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {1e21, "1e+21"},
      {1e20, "100000000000000000000"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {123456789.125, "123456789.125"},
      {1.0 / 3, "0.3333333333333333"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {12e25, "1.2e+26"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(DoubleText(value), text);
}

TEST(CanonicalJson, IntegersPastTheDoubleRangeAreStrings) {
  std::string out;
  AppendJsonInt(int64_t{1} << 53, out);
  out += ' ';
  AppendJsonInt((int64_t{1} << 53) + 1, out);
  out += ' ';
  AppendJsonInt(std::numeric_limits<int64_t>::min(), out);
  out += ' ';
  AppendJsonUint(std::numeric_limits<uint64_t>::max(), out);
  EXPECT_EQ(out,
            "9007199254740992 \"9007199254740993\" \"-9223372036854775808\""
            " \"18446744073709551615\"");
}

TEST(CanonicalJson, StringsEscapeOnlyWhatTheyMust) {
  std::string out;
  AppendJsonString(std::string("a\"\\/\b\f\n\r\t\x01\x1f\x7f") + "\xc3\xa9", out);
  EXPECT_EQ(out, "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xc3\xa9\"");
}

TEST(CanonicalJson, Utf8) {
  for (const char* good :
       {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "a\xff"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

template <size_t I>
void ExpectAllFieldsListed() {
  using Body = std::variant_alternative_t<I, EventBody>;
  Body body;
  CountFields counter;
  ForEachField(body, counter);
  EXPECT_EQ(counter.count, Arity<Body>()) << Body::kKind;
  if constexpr (I + 1 < kEventKinds) ExpectAllFieldsListed<I + 1>();
}

template <typename T>
void ExpectNestedListed(const char* name) {
  T value;
  CountFields counter;
  ForEachField(value, counter);
  EXPECT_EQ(counter.count, Arity<T>()) << name;
}

TEST(Events, TheFieldListsAreWhole) {
  ExpectAllFieldsListed<0>();
  ExpectNestedListed<BudgetLimit>("BudgetLimit");
  ExpectNestedListed<ParentRef>("ParentRef");
  ExpectNestedListed<DiagnosticRef>("DiagnosticRef");
  ExpectNestedListed<GateOutcome>("GateOutcome");
  ExpectNestedListed<NewVariant>("NewVariant");
  ExpectNestedListed<RejectedGroup>("RejectedGroup");
  ExpectNestedListed<RankedVariant>("RankedVariant");
  ExpectNestedListed<CheckOutcome>("CheckOutcome");
  ExpectNestedListed<GateRun>("GateRun");
  ExpectNestedListed<NoiseFloor>("NoiseFloor");
}

TEST(Events, TheListOfKindsIsTheClosedOne) {
  std::string kinds;
  for (size_t i = 0; i < kEventKinds; ++i) kinds += std::string(KindName(i)) + " ";
  EXPECT_EQ(kinds,
            "PrincipalChanged WorkloadRegistered ExperimentCreated ExperimentSealed RunState "
            "Decision CandidateSubmitted Checked GatesDone VariantsExpanded Estimated Ranked "
            "JobQueued LeaseGranted LeaseLost StageEnded BuildDone EvaluationDone VerdictRevised "
            "LateEvidence EliteChanged PlateauDetected BudgetReserved BudgetSettled "
            "BudgetRefunded UsageReported FindingOpened FindingUpdated ProposalState Decided "
            "CalibrationActivated DeviceState WorkerState AdminAction EvidenceImported ");
}

TEST(Events, EveryKindRoundTripsFilledAndEmpty) {
  for (size_t i = 0; i < kEventKinds; ++i) {
    EventBody filled = DefaultBody(i);
    FillFields fill;
    std::visit([&](auto& body) { ForEachField(body, fill); }, filled);
    ASSERT_TRUE(CheckBody(filled, nullptr).ok()) << KindName(i);
    for (const EventBody& body : {filled, DefaultBody(i)}) {
      const std::string json = BodyToJson(body);
      auto back = BodyFromJson(KindOf(body), SchemaOf(body), json);
      ASSERT_TRUE(back.ok()) << back.status() << json;
      EXPECT_EQ(back->index(), i);
      EXPECT_EQ(BodyToJson(*back), json);
    }
    EXPECT_NE(BodyToJson(filled), BodyToJson(DefaultBody(i)));
  }
}

TEST(Events, KeysAreSortedAndTheTextIsExact) {
  EXPECT_EQ(BodyToJson(ExperimentCreated{.experiment = 3, .name = "e", .visibility = "OPEN"}),
            "{\"experiment\":3,\"name\":\"e\",\"spec_hash\":\"\",\"visibility\":\"OPEN\"}");
}

TEST(Events, AMissingFieldKeepsItsDefault) {
  auto body = BodyFromJson("LeaseLost", 1, "{\"job\":5}");
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(std::get<LeaseLost>(*body).job, 5);
  EXPECT_TRUE(std::get<LeaseLost>(*body).infra);
}

TEST(Events, WhatThisProgramDoesNotKnowIsAnError) {
  const std::tuple<const char*, int, const char*> cases[] = {
      {"Nonsense", 1, "{}"},
      {"LeaseLost", 2, "{}"},
      {"LeaseLost", 0, "{}"},
      {"LeaseLost", 1, "{\"jobs\":5}"},
      {"LeaseLost", 1, "{\"job\":\"x\"}"},
      {"LeaseLost", 1, "{\"job\":1.5}"},
      {"LeaseLost", 1, "{\"then\":\"GONE\"}"},
      {"LeaseLost", 1, "[]"},
      {"LeaseLost", 1, "{\"job\":5"},
      {"Ranked", 1, "{\"variants\":[{\"rang\":1}]}"},
  };
  for (const auto& [kind, schema, json] : cases) {
    EXPECT_EQ(ReasonOf(BodyFromJson(kind, schema, json).status()), Reason::kCorrupt) << json;
  }
}

TEST(Events, ChecksNameTheBadField) {
  const auto message = [](const EventBody& body) {
    return std::string(CheckBody(body, nullptr).message());
  };
  EXPECT_EQ(message(AdminAction{.reason = "\xff"}), "reason is not UTF-8");
  EXPECT_EQ(message(AdminAction{.object_hash = {"12"}}), "object_hash is not a SHA-256");
  EXPECT_EQ(message(EvaluationDone{.ratio_low = std::numeric_limits<double>::quiet_NaN()}),
            "ratio_low is not a finite number");
  EXPECT_EQ(message(EvaluationDone{.checks = {{.detail = "\xc0"}}}), "detail is not UTF-8");
}

TEST(Events, ObjectsThatABodyNamesAreFound) {
  const ObjectHash a{std::string(64, 'a')}, b{std::string(64, 'b')};
  std::vector<ObjectHash> objects;
  ASSERT_TRUE(
      CheckBody(EvaluationDone{.receipt_hash = a, .checks = {{.evidence_hash = b}}}, &objects)
          .ok());
  EXPECT_EQ(objects, (std::vector<ObjectHash>{a, b}));
}

}  // namespace
}  // namespace store
