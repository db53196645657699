// The wire form: what is promised to clients that are older or newer than this daemon.
#include <fstream>
#include <set>
#include <sstream>

#include "cake/v1/workload.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "server/edge/config.h"
#include "server/edge/status.h"
#include "server/edge/translate.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

// Every field, value and method that was ever published, one a line. A line may be added, never
// changed or taken away: clients of every version talk to every daemon.
void Describe(const google::protobuf::Descriptor* message, std::set<std::string>& out) {
  for (int i = 0; i < message->field_count(); ++i) {
    const auto* field = message->field(i);
    std::string type = field->type_name();
    if (field->message_type() != nullptr) type = field->message_type()->full_name();
    if (field->enum_type() != nullptr) type = field->enum_type()->full_name();
    out.insert(message->full_name() + "." + field->name() + " = " +
               std::to_string(field->number()) + " " + (field->is_repeated() ? "repeated " : "") +
               type);
  }
  for (int i = 0; i < message->nested_type_count(); ++i) Describe(message->nested_type(i), out);
}

std::set<std::string> Published() {
  std::set<std::string> out;
  for (const auto* file :
       {wire::RequestMeta::descriptor()->file(), wire::SubmitRequest::descriptor()->file(),
        wire::Lease::descriptor()->file(), wire::ExperimentReply::descriptor()->file(),
        wire::Candidate::descriptor()->file(), wire::Event::descriptor()->file(),
        wire::Workload::descriptor()->file(), wire::Proposal::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) Describe(file->message_type(i), out);
    for (int i = 0; i < file->enum_type_count(); ++i) {
      const auto* one = file->enum_type(i);
      for (int v = 0; v < one->value_count(); ++v) {
        out.insert(one->full_name() + ": " + one->value(v)->name() + " = " +
                   std::to_string(one->value(v)->number()));
      }
      EXPECT_EQ(one->value(0)->number(), 0);
      EXPECT_TRUE(one->value(0)->name().ends_with("_UNSPECIFIED")) << one->full_name();
    }
    for (int i = 0; i < file->service_count(); ++i) {
      const auto* service = file->service(i);
      for (int m = 0; m < service->method_count(); ++m) {
        const auto* method = service->method(m);
        out.insert(method->full_name() + "(" + (method->client_streaming() ? "stream " : "") +
                   method->input_type()->full_name() + ") " +
                   (method->server_streaming() ? "stream " : "") +
                   method->output_type()->full_name());
      }
    }
  }
  return out;
}

TEST(Wire, NothingPublishedIsTakenAway) {
  const char* path = "tests/unit/server_edge/published.txt";
  std::ifstream file(path);
  std::set<std::string> golden;
  for (std::string line; std::getline(file, line);) golden.insert(line);
  const std::set<std::string> now = Published();
  EXPECT_GT(golden.size(), 400u) << path << " is not readable";
  for (const std::string& line : golden) {
    EXPECT_TRUE(now.contains(line)) << "taken away or changed: " << line;
  }
  for (const std::string& line : now) {
    EXPECT_TRUE(golden.contains(line)) << "new, add it to " << path << ": " << line;
  }
}

TEST(Wire, EveryKindOfEventHasItsMessage) {
  for (size_t i = 0; i < store::kEventKinds; ++i) {
    store::Event event;
    event.seq = 5;
    event.subject = "s";
    event.body = store::DefaultBody(i);
    wire::Event out;
    ToWire(event, &out);
    EXPECT_EQ(out.kind(), store::KindName(i));
    EXPECT_NE(out.body_case(), wire::Event::BODY_NOT_SET) << out.kind();
    const auto* body = out.GetReflection()->GetOneofFieldDescriptor(
        out, wire::Event::descriptor()->FindOneofByName("body"));
    ASSERT_NE(body, nullptr) << out.kind();
    EXPECT_EQ(body->message_type()->name(), out.kind());
  }
}

TEST(Wire, EventBodiesCarryTheirFields) {
  store::Event event;
  event.seq = 9;
  event.run = 3;
  event.subject = "c-3-1";
  store::EvaluationDone done;
  done.job = 4;
  done.verdict = store::Verdict::kWrongResult;
  done.blame = store::Blame::kCandidate;
  done.checks.push_back({"ragged:correct", "FAIL", "detail", {}});
  event.body = done;
  wire::Event out;
  ToWire(event, &out);
  EXPECT_EQ(out.run(), "r-3");
  EXPECT_EQ(out.evaluation_done().job(), 4);
  EXPECT_EQ(out.evaluation_done().verdict(), "WRONG_RESULT");
  ASSERT_EQ(out.evaluation_done().checks_size(), 1);
  EXPECT_EQ(out.evaluation_done().checks(0).outcome(), "FAIL");
}

TEST(Wire, VerdictsAndBlamesHaveTheSameWordsEverywhere) {
  for (int i = 1; i < wire::Verdict_ARRAYSIZE; ++i) {
    const auto verdict = static_cast<wire::Verdict>(i);
    const store::Verdict stored = FromWire(verdict);
    EXPECT_NE(stored, store::Verdict::kPending) << wire::Verdict_Name(verdict);
    EXPECT_EQ(ToWire(stored), verdict);
  }
  for (const store::Blame blame :
       {store::Blame::kNone, store::Blame::kCandidate, store::Blame::kSystem,
        store::Blame::kContract, store::Blame::kInfra}) {
    EXPECT_EQ(wire::Blame_Name(ToWire(blame)), "BLAME_" + std::string(store::ToString(blame)));
  }
  EXPECT_EQ(ToWire(store::ScoreSource::kEstimated), wire::OBJECTIVE_SOURCE_ESTIMATED);
}

// The enum on the wire and the rules are one list.
TEST(Wire, EveryReasonIsOnTheWire) {
  EXPECT_EQ(wire::Reason_ARRAYSIZE, state::kReasons);
  for (int i = 1; i < state::kReasons; ++i) {
    const auto& rule = state::RuleOf(static_cast<state::Reason>(i));
    EXPECT_EQ(wire::Reason_Name(static_cast<wire::Reason>(i)), "REASON_" + std::string(rule.word));
    const grpc::Status status = ToGrpc(state::Error(static_cast<state::Reason>(i), "why"));
    google::rpc::Status details;
    ASSERT_TRUE(details.ParseFromString(status.error_details()));
    google::rpc::ErrorInfo info;
    ASSERT_TRUE(details.details(0).UnpackTo(&info));
    EXPECT_EQ(info.reason(), rule.word);
    EXPECT_EQ(info.domain(), "cake");
    google::rpc::RetryInfo retry;
    const bool has_retry = details.details_size() > 1 && details.details(1).UnpackTo(&retry);
    EXPECT_EQ(has_retry, rule.retry_ms > 0) << rule.word;
    if (!has_retry) continue;
    EXPECT_EQ(retry.retry_delay().seconds() * 1000 + retry.retry_delay().nanos() / 1'000'000,
              rule.retry_ms);
  }
}

TEST(Wire, FieldsAndResourcesAreNamed) {
  const grpc::Status status = ToGrpc(state::BadField("wait_ms", "must be in 0..40000"));
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::BadRequest bad;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad));
  EXPECT_EQ(bad.field_violations(0).field(), "wait_ms");
  const grpc::Status missing = ToGrpc(state::NotFound("run", "r-9"));
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(Wire, UnknownEnumValuesSurviveARoundTrip) {
  wire::Report report;
  report.set_verdict(static_cast<wire::Verdict>(999));
  wire::Report read;
  ASSERT_TRUE(read.ParseFromString(report.SerializeAsString()));
  EXPECT_EQ(static_cast<int>(read.verdict()), 999);
}

TEST(Translate, ReportOfAMember) {
  wire::Report report;
  ReportFromJson(R"({"verdict":"REJECTED_SAFETY","diagnostics":[{"code":"CK2001","severity":"error",
    "category":"safety","message":"m","why":"w","primary":{"begin":3,"end":9,"line":2,"column":1},
    "args":[5,1.5,"x"],"labels":[{"text":"here","span":{"begin":1,"end":2,"line":1,"column":2}}],
    "fixes":[{"title":"t","applicability":"machine","edits":[{"text":"e","span":{"begin":1}}]}],
    "instance":{"role":"load","warp":3},"fingerprint":"ab"}],
    "properties":[{"property":"bounds","how":"proved","coverage":"all"}],
    "estimate":{"time_ns":7.5,"bottleneck":"hbm","utilisation":{"hbm":0.9},
                "coverage":"RANK_ONLY"}})",
                 &report);
  ASSERT_EQ(report.diagnostics_size(), 1);
  const wire::Diagnostic& d = report.diagnostics(0);
  EXPECT_EQ(d.code(), "CK2001");
  EXPECT_EQ(d.severity(), wire::SEVERITY_ERROR);
  EXPECT_EQ(d.category(), wire::CATEGORY_SAFETY);
  EXPECT_EQ(d.primary().line(), 2u);
  ASSERT_EQ(d.args_size(), 3);
  EXPECT_EQ(d.args(0).integer(), 5);
  EXPECT_EQ(d.args(2).name(), "x");
  EXPECT_EQ(d.fixes(0).applicability(), wire::APPLICABILITY_MACHINE);
  EXPECT_EQ(d.instance().role(), "load");
  EXPECT_EQ(d.instance().warp(), 3);
  EXPECT_EQ(d.instance().lane(), -1);
  EXPECT_EQ(report.properties(0).how(), wire::HOW_PROVED);
  EXPECT_EQ(report.estimate().coverage(), wire::COVERAGE_RANK_ONLY);
  EXPECT_DOUBLE_EQ(report.estimate().bottleneck().share(), 0.9);
  wire::Report none;
  ReportFromJson("no json", &none);
  EXPECT_EQ(none.ByteSizeLong(), 0u);
}

// A worker's diagnostics are stored as JSON and come back the same.
TEST(Translate, WorkerDiagnosticsRoundTrip) {
  wire::CompleteRequest request;
  wire::Diagnostic* d = request.add_diagnostics();
  d->set_code("CK8001");
  d->set_severity(wire::SEVERITY_ERROR);
  d->set_category(wire::CATEGORY_RUN);
  d->set_message("output differs");
  d->mutable_primary()->set_begin(4);
  d->mutable_primary()->set_line(2);
  d->mutable_instance()->set_role("main");
  d->mutable_instance()->set_cta(7);
  wire::Report read;
  DiagnosticsFromJson(DiagnosticsToJson(request.diagnostics()), &read);
  ASSERT_EQ(read.diagnostics_size(), 1);
  EXPECT_EQ(read.diagnostics(0).code(), "CK8001");
  EXPECT_EQ(read.diagnostics(0).severity(), wire::SEVERITY_ERROR);
  EXPECT_EQ(read.diagnostics(0).primary().line(), 2u);
  EXPECT_EQ(read.diagnostics(0).instance().cta(), 7);
}

TEST(Translate, GrantCarriesTheJobSpec) {
  core::AcquireReply reply;
  reply.grant = core::Grant{.lease = "l-1", .job = "j-1", .attempt = 2};
  reply.grant->spec_json =
      R"({"candidate":"c-1-1","binding":{"P":"4"},"cases":["a","b"],"seed":"123",
          "purpose":"PURPOSE_CONFIRM","child":{"fresh":true,"sandbox_min":"L1"},
          "needs":["run:machine"]})";
  wire::AcquireReply out;
  ToWire(reply, &out);
  EXPECT_EQ(out.lease().spec().binding().at("P"), "4");
  EXPECT_EQ(out.lease().spec().cases(1), "b");
  EXPECT_EQ(out.lease().spec().seed(), 123u);
  EXPECT_EQ(out.lease().purpose(), wire::PURPOSE_CONFIRM);
  EXPECT_TRUE(out.lease().child().fresh());
}

TEST(Config, OnlyLoopbackIsAllowedWithoutTls) {
  for (const char* host : {"127.0.0.1", "127.8.9.1", "localhost", "::1"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "10.0.0.1", "example.org", "::", ""}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace server::edge
