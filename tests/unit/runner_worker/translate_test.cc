// The wire form of a completion, of a child that says anything.
#include "runner/worker/translate.h"

#include <gtest/gtest.h>

namespace runner::worker {
namespace {

TEST(Completion, DiagnosticsOfAnyShapeAreReadAsFarAsTheyGo) {
  CompleteCall call;
  call.result.diagnostics_json = R"({"diagnostics": [
    {"code": "CK2001", "severity": "error", "message": "m", "primary": {"begin": 3, "end": -1},
     "labels": [{"text": "l", "span": {"begin": 4294967296}}, 7],
     "instance": {"role": "main", "cta": 2}},
    {"code": 7, "labels": "none", "instance": [], "primary": []},
    "nothing"]})";
  const auto wire = ToWire(call);
  ASSERT_EQ(wire.diagnostics_size(), 3);
  EXPECT_EQ(wire.diagnostics(0).code(), "CK2001");
  EXPECT_EQ(wire.diagnostics(0).primary().begin(), 3u);
  EXPECT_EQ(wire.diagnostics(0).primary().end(), 0u);
  ASSERT_EQ(wire.diagnostics(0).labels_size(), 2);
  EXPECT_EQ(wire.diagnostics(0).labels(0).span().begin(), 4294967295u);
  EXPECT_EQ(wire.diagnostics(0).instance().role(), "main");
  EXPECT_EQ(wire.diagnostics(0).instance().cta(), 2);
  EXPECT_EQ(wire.diagnostics(1).code(), "");
  EXPECT_EQ(wire.diagnostics(1).instance().cta(), -1);
  for (const char* text : {"", "3", "[]", R"({"diagnostics": {"code": "x"}})"}) {
    call.result.diagnostics_json = text;
    EXPECT_EQ(ToWire(call).diagnostics_size(), 0) << text;
  }
}

TEST(Completion, FactsOfABuildMayBeMissing) {
  CompleteCall call;
  call.result.build_json =
      R"({"compiler": 3, "kernels": [{"registers": 40}, {"registers": "x"}, 1]})";
  auto facts = ToWire(call).build_facts();
  EXPECT_EQ(facts.at("compiler"), "");
  EXPECT_EQ(facts.at("registers"), "40");
  EXPECT_EQ(facts.at("smem_bytes"), "0");
}

}  // namespace
}  // namespace runner::worker
