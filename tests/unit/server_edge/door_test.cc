// Who comes in: tokens, roles, the walls around experiments.
#include "server/edge/door.h"

#include "cake/v1/agent.pb.h"
#include "cake/v1/history.pb.h"
#include "cake/v1/operator.pb.h"
#include "cake/v1/worker.pb.h"
#include "gtest/gtest.h"
#include "server/state/error.h"
#include "store/files.h"

namespace server::edge {
namespace {

namespace wire = cake::v1;
using state::Reason;

state::State WithPrincipals() {
  state::State state;
  const auto add = [&](int64_t id, const char* name, const char* role, int64_t experiment = 0) {
    state.principals[id] = {id, experiment, name, role, store::Sha256Hex(name)};
  };
  add(2, "bot", "agent");
  add(3, "gpu", "worker");
  add(4, "boss", "operator");
  add(5, "reader", "researcher");
  add(6, "walled", "agent", 1);
  state.principals[1] = {1, 0, "local", "all", ""};
  state.experiments[1] = {1, "mine", "CLEAN"};
  state.experiments[2] = {2, "other", "OPEN"};
  for (const int64_t run : {1, 2}) {
    state.runs[run].id = run;
    state.runs[run].experiment = run;
  }
  return state;
}

Reason Enter(const Door& door, const std::string& token, Roles allowed,
             const std::string& peer = "ipv4:10.0.0.7:5000") {
  return state::ReasonOf(
      door.Enter(peer, token.empty() ? "" : "Bearer " + token, allowed).status());
}

TEST(Door, WithoutATokenOnlyThisMachineComesIn) {
  Door loopback(1, /*tokens=*/false), strict(1, /*tokens=*/true);
  for (const char* peer : {"unix:", "unix:/x/caked.sock", "ipv4:127.0.0.1:5", "ipv6:[::1]:5"}) {
    EXPECT_EQ(Enter(loopback, "", kOperator, peer), Reason::kNone) << peer;
  }
  for (const char* peer : {"ipv4:10.0.0.7:5", "ipv6:[2001:db8::1]:5", "ipv4:12.7.0.1:5", ""}) {
    EXPECT_EQ(Enter(loopback, "", kAgent, peer), Reason::kRole) << peer;
  }
  EXPECT_EQ(Enter(strict, "", kOperator, "unix:"), Reason::kNone);
  EXPECT_EQ(Enter(strict, "", kAgent, "ipv4:127.0.0.1:5"), Reason::kRole);
}

TEST(Door, EachRoleOpensItsOwnDoors) {
  Door door(1, true);
  door.Know(WithPrincipals());
  const struct {
    const char* name;
    Roles opens;
  } rows[] = {
      {"bot", kAgent}, {"gpu", kWorker}, {"boss", kOperator | kAgent}, {"reader", kResearcher}};
  for (const auto& row : rows) {
    for (const Roles role : {kAgent, kWorker, kOperator, kResearcher}) {
      EXPECT_EQ(Enter(door, row.name, role) == Reason::kNone, (row.opens & role) != 0)
          << row.name << " " << int{role};
    }
  }
  EXPECT_EQ(door.Enter("", "Bearer bot", kAgent)->principal, 2);
}

TEST(Door, UnknownAndRevokedTokensOpenNothingFromAnywhere) {
  Door door(1, false);
  state::State state = WithPrincipals();
  door.Know(state);
  for (const char* word : {"Bearer ", "Bearer x", "bot", "Basic !!", "Bearer bot "}) {
    EXPECT_FALSE(door.Enter("unix:", word, kEverybody).ok()) << word;
  }
  EXPECT_EQ(Enter(door, "bot", kAgent), Reason::kNone);
  state.principals[2].revoked = true;
  door.Know(state);
  EXPECT_EQ(Enter(door, "bot", kAgent), Reason::kRole);
  // The row without a token is no token: not even the hash of nothing.
  EXPECT_FALSE(door.Enter("ipv4:10.0.0.7:5", "Bearer ", kEverybody).ok());
}

TEST(Door, ABrowserSendsItAsAPassword) {
  Door door(1, true);
  door.Know(WithPrincipals());
  EXPECT_TRUE(door.Enter("", "Basic YW55Ym9keTpyZWFkZXI=", kResearcher).ok());  // anybody:reader
  EXPECT_FALSE(door.Enter("", "Basic cmVhZGVyOng=", kResearcher).ok());         // reader:x
}

const Caller kWalled{6, kAgent, 1};

template <typename Request>
Reason Within(Request& request, const Caller& caller = kWalled) {
  return state::ReasonOf(KeepWithin(WithPrincipals(), caller, &request));
}

TEST(Walls, WhatNamesNothingIsGivenTheExperiment) {
  wire::SubmitRequest submit;
  EXPECT_EQ(Within(submit), Reason::kNone);
  EXPECT_EQ(submit.meta().experiment(), "mine");
  wire::ListRunsRequest runs;
  EXPECT_EQ(Within(runs), Reason::kNone);
  EXPECT_EQ(runs.experiment(), "mine");
  wire::ListCandidatesRequest list;
  list.mutable_meta()->set_run("r-1");
  EXPECT_EQ(Within(list), Reason::kNone);
  EXPECT_EQ(list.meta().run(), "r-1");
}

TEST(Walls, EveryPathToAnotherExperimentIsClosed) {
  const auto hidden = [](auto request, auto change) {
    change(request);
    EXPECT_EQ(Within(request), Reason::kHiddenByExperiment)
        << request.GetTypeName() << " " << request.ShortDebugString();
    EXPECT_EQ(Within(request, Caller{4, kOperator, 0}), Reason::kNone) << request.GetTypeName();
  };
  for (const char* name : {"c-2-1", "r-2", "c-9-1", "nonsense", "c-1", "*"}) {
    hidden(wire::GetCandidateRequest(), [&](auto& r) { r.set_candidate(name); });
    hidden(wire::DiagnoseRequest(), [&](auto& r) { r.set_candidate(name); });
    hidden(wire::ExplainRequest(), [&](auto& r) { r.set_candidate(name); });
    hidden(wire::WatchRequest(), [&](auto& r) { r.set_candidate(name); });
    hidden(wire::SubmitRequest(), [&](auto& r) { r.add_parent("c-1-1"), r.add_parent(name); });
    hidden(wire::CompareRequest(), [&](auto& r) { r.set_from("c-1-1"), r.set_to(name); });
    hidden(wire::ListCandidatesRequest(), [&](auto& r) { r.add_candidates(name); });
  }
  hidden(wire::BriefRequest(), [](auto& r) { r.mutable_meta()->set_run("r-2"); });
  hidden(wire::BriefRequest(), [](auto& r) { r.mutable_meta()->set_experiment("other"); });
  hidden(wire::ListRunsRequest(), [](auto& r) { r.set_experiment("other"); });
  hidden(wire::GetCurveRequest(), [](auto& r) { r.set_run("r-2"); });
  hidden(wire::ReportUsageRequest(), [](auto& r) { r.mutable_meta()->set_run("r-2"); });
}

// Deny by default: a call that is new is closed until somebody opens it.
TEST(Walls, CallsThatAreNoAuthorsAreClosed) {
  const auto closed = [](auto request) {
    EXPECT_EQ(Within(request), Reason::kHiddenByExperiment) << request.GetTypeName();
  };
  closed(wire::ListEventsRequest());
  closed(wire::GetOverviewRequest());
  closed(wire::ListExperimentsRequest());
  closed(wire::ListFindingsRequest());
  closed(wire::GetFindingRequest());
  closed(wire::GetLineageRequest());
  closed(wire::ListQueueRequest());
  closed(wire::ListDevicesRequest());
  closed(wire::QueryRequest());
  closed(wire::GetObjectRequest());
  closed(wire::CreateExperimentRequest());
  closed(wire::CreateTokenRequest());
  closed(wire::RegisterRequest());
}

}  // namespace
}  // namespace server::edge
