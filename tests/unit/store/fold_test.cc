// One test for each event kind: what it does to the tables, and what it is refused for. The list at
// the end walks the closed enum, so that a kind without a test fails.
#include "tests/unit/store/fold.h"

namespace store {
namespace {

FOLD_TEST(PrincipalChanged) {
  const int64_t id =
      MustCommit(*store, {PrincipalChanged{.name = "ann", .role = "agent", .token_hash = "t"}})
          .ids[0];
  EXPECT_EQ(reads.GetPrincipal(id)->role, "agent");
  EXPECT_EQ(reads.GetPrincipal(id)->revoked_us, 0);
  EXPECT_EQ(MustCommit(*store, {PrincipalChanged{.name = "ann", .role = "agent", .revoked = true}})
                .ids[0],
            id);
  EXPECT_GT(reads.FindPrincipal("ann")->value().revoked_us, 0);
  MustCommit(*store,
             {PrincipalChanged{
                 .name = "ann", .role = "agent", .weight = 3, .checks_max = 5, .open_max = 7}});
  EXPECT_EQ(reads.GetPrincipal(id)->weight, 3);
  EXPECT_EQ(reads.GetPrincipal(id)->checks_max, 5);
  EXPECT_EQ(reads.GetPrincipal(id)->open_max, 7);
  EXPECT_EQ(reads.GetPrincipal(id)->revoked_us, 0);
  EXPECT_EQ(Refused(PrincipalChanged{.name = "x", .role = "king"}), Reason::kBadState);
  EXPECT_EQ(Refused(PrincipalChanged{.name = "ann", .role = "agent", .weight = -1}),
            Reason::kBadState);
}

FOLD_TEST(WorkloadRegistered) {
  const ObjectHash text = Stored("name: \"vecadd\"");
  const int64_t id =
      MustCommit(*store,
                 {WorkloadRegistered{.name = "rmsnorm", .hash = "contract-2", .text_hash = text}})
          .ids[0];
  EXPECT_EQ(reads.FindWorkload("rmsnorm")->value().id, id);  // the newest of the name
  EXPECT_EQ(reads.FindWorkload("contract-1")->value().id, world.workload);
  EXPECT_EQ(reads.GetWorkload(id)->text_hash, text);
  EXPECT_FALSE(reads.FindWorkload("conv")->has_value());
  EXPECT_EQ(Refused(WorkloadRegistered{.name = "again", .hash = "contract-2"}), Reason::kBadState);
  // A contract that came with evidence has no name here until it is registered here too.
  WorkloadRegistered theirs{.name = "conv", .hash = "contract-3", .imported = true};
  theirs.workload = MustCommit(*store, {theirs}).ids[0];
  EXPECT_FALSE(reads.FindWorkload("conv")->has_value());
  EXPECT_EQ(reads.FindWorkload("contract-3")->value().id, theirs.workload);
  theirs.imported = false;
  EXPECT_EQ(MustCommit(*store, {theirs}).ids[0], theirs.workload);
  EXPECT_EQ(reads.FindWorkload("conv")->value().id, theirs.workload);
  EXPECT_EQ(Refused(theirs), Reason::kBadState);
}

FOLD_TEST(ExperimentCreated) {
  EXPECT_EQ(reads.FindExperiment("default")->value().state, "CREATED");
  EXPECT_EQ(Refused(ExperimentCreated{.name = "default", .visibility = "OPEN"}), Reason::kBadState);
  EXPECT_EQ(Refused(ExperimentCreated{.name = "x", .visibility = "HALF"}), Reason::kBadState);
}

FOLD_TEST(ExperimentSealed) {
  MustCommit(*store, {ExperimentSealed{.experiment = world.experiment, .state = "PREREGISTERED"}});
  const int64_t at = reads.GetExperiment(world.experiment)->preregistered_us;
  EXPECT_GT(at, 0);
  MustCommit(*store, {ExperimentSealed{.experiment = world.experiment, .state = "SEALED"}});
  EXPECT_EQ(reads.GetExperiment(world.experiment)->preregistered_us, at);
  EXPECT_EQ(reads.GetExperiment(world.experiment)->state, "SEALED");
  EXPECT_EQ(Refused(ExperimentSealed{.experiment = world.experiment, .state = "SEALED"}),
            Reason::kBadState);
}

FOLD_TEST(RunStateChanged) {
  const RunRow run = *reads.GetRun(world.run);
  EXPECT_EQ(run.seed, 0xfedcba9876543210u);
  EXPECT_EQ(run.state, RunState::kRunning);
  EXPECT_EQ(run.objective, ScoreSource::kMeasured);
  EXPECT_EQ(reads.Budgets(world.run)->at(0).limit, 10);
  const auto move = [&](RunState to) {
    return Refused(RunStateChanged{.run = world.run, .state = to, .reason = "OPERATOR"});
  };
  EXPECT_EQ(move(RunState::kRunning), Reason::kBadState);
  EXPECT_EQ(move(RunState::kPaused), Reason::kNone);
  EXPECT_EQ(reads.GetRun(world.run)->reason, "OPERATOR");
  EXPECT_EQ(move(RunState::kConfirming), Reason::kNone);
  EXPECT_EQ(move(RunState::kRunning), Reason::kBadState);
  EXPECT_EQ(move(RunState::kStopped), Reason::kNone);
  for (const RunState to :
       {RunState::kRunning, RunState::kPaused, RunState::kConfirming, RunState::kStopped}) {
    EXPECT_EQ(move(to), Reason::kBadState);
  }
  EXPECT_EQ(Refused(RunStateChanged{.run = 99, .state = RunState::kPaused}), Reason::kUnknownId);
  EXPECT_EQ(Refused(RunStateChanged{.experiment = world.experiment, .arm = "cake-ir"}),
            Reason::kBadState);  // the same arm and repeat
}

FOLD_TEST(Decision) {
  MustCommit(*store, {Decision{.run = world.run, .decision_no = 1, .kind = "SELECT"},
                      Decision{.run = world.run, .decision_no = 2, .kind = "SELECT"}});
  EXPECT_EQ(reads.GetRun(world.run)->decision_no, 2);
  for (const int64_t no : {0, 2, 4}) {
    EXPECT_EQ(Refused(Decision{.run = world.run, .decision_no = no}), Reason::kBadState);
  }
}

FOLD_TEST(EliteChanged) {
  const int64_t a = world.Expand(world.Submit("a"), "a");
  const int64_t b = world.Expand(world.Submit("b"), "b");
  EliteChanged elite{.run = world.run,
                     .source = ScoreSource::kMeasured,
                     .island = 2,
                     .cell = "roles=1;ring=2",
                     .variant = a,
                     .score = 1.5};
  MustCommit(*store, {elite});
  elite.variant = b;
  MustCommit(*store, {elite});
  elite.source = ScoreSource::kEstimated;  // never shares a cell with a measurement
  MustCommit(*store, {elite});
  const auto elites = *reads.Elites(world.run);
  ASSERT_EQ(elites.size(), 2u);
  EXPECT_EQ(elites[1].source, ScoreSource::kMeasured);
  EXPECT_EQ(elites[1].variant, b);
}

FOLD_TEST(PlateauDetected) {
  const PlateauDetected plateau{.run = world.run, .detected_at = 64, .point = 40};
  MustCommit(*store, {plateau});
  EXPECT_EQ(reads.GetRun(world.run)->plateau_point, 40);
  EXPECT_EQ(Refused(plateau), Reason::kBadState);
}

FOLD_TEST(BudgetReserved) {
  const auto reserve = [&](int64_t n) {
    return Refused(BudgetReserved{.run = world.run, .kind = "evaluations", .amount = n});
  };
  EXPECT_EQ(reserve(7), Reason::kNone);
  EXPECT_EQ(reserve(4), Reason::kBudgetSpent);
  EXPECT_EQ(reserve(3), Reason::kNone);
  EXPECT_EQ(reserve(1), Reason::kBudgetSpent);
  EXPECT_EQ(reserve(-1), Reason::kBadState);
  EXPECT_EQ(Refused(BudgetReserved{.run = world.run, .kind = "tokens", .amount = 1}),
            Reason::kUnknownId);
  EXPECT_EQ(reads.Budgets(world.run)->at(0).reserved, 10);
}

FOLD_TEST(BudgetSettled) {
  MustCommit(*store, {BudgetReserved{.run = world.run, .kind = "evaluations", .amount = 5}});
  BudgetSettled settled{.run = world.run, .kind = "evaluations", .reserved = 6, .spent = 1};
  EXPECT_EQ(Refused(settled), Reason::kBadState);  // more than was reserved
  settled.reserved = 5;
  settled.spent = 11;
  EXPECT_EQ(Refused(settled), Reason::kBadState);  // more than the limit
  settled.spent = 4;
  MustCommit(*store, {settled});
  EXPECT_EQ(reads.Budgets(world.run)->at(0).spent, 4);
  EXPECT_EQ(reads.Budgets(world.run)->at(0).reserved, 0);
}

FOLD_TEST(BudgetRefunded) {
  MustCommit(*store, {BudgetReserved{.run = world.run, .kind = "evaluations", .amount = 5},
                      BudgetRefunded{.run = world.run, .kind = "evaluations", .amount = 2}});
  EXPECT_EQ(reads.Budgets(world.run)->at(0).reserved, 3);
  EXPECT_EQ(Refused(BudgetRefunded{.run = world.run, .kind = "evaluations", .amount = 4}),
            Reason::kBadState);
}

FOLD_TEST(UsageReported) {
  UsageReported usage{.run = world.run, .session = "s", .model = "m", .input = 100, .output = 10};
  MustCommit(*store, {usage});
  usage.input = 90;  // a retry that arrives late
  usage.output = 20;
  MustCommit(*store, {usage});
  EXPECT_EQ(reads.Usage(world.run)->at(0).input, 100);
  EXPECT_EQ(reads.Usage(world.run)->at(0).output, 20);
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kCorrect, 0.5)});
  EXPECT_EQ(reads.Curve(world.run, {})->at(0).charged_tokens, 120);
}

FOLD_TEST(FindingOpened) {
  const int64_t a = world.Submit("a"), b = world.Submit("b");
  const FindingOpened opened{
      .fingerprint = "f", .route = "verifier", .title = "t", .candidates = {a, b}};
  const int64_t id = MustCommit(*store, {opened}).ids[0];
  EXPECT_EQ(reads.FindFinding("f")->value().count, 2);
  EXPECT_EQ(*reads.FindingCases(id), (std::vector<int64_t>{a, b}));
  EXPECT_EQ(Refused(opened), Reason::kBadState);
}

FOLD_TEST(FindingUpdated) {
  const int64_t a = world.Submit("a"), b = world.Submit("b");
  const int64_t id =
      MustCommit(*store,
                 {FindingOpened{.fingerprint = "f", .route = "verifier", .candidates = {a}}})
          .ids[0];
  MustCommit(*store, {FindingUpdated{.finding = id, .candidates = {a, b}}});
  EXPECT_EQ(reads.FindFinding("f")->value().count, 2);
  EXPECT_EQ(reads.FindFinding("f")->value().state, "OPEN");
  MustCommit(*store, {FindingUpdated{.finding = id, .state = "CLOSED"}});
  EXPECT_EQ(reads.FindFinding("f")->value().state, "CLOSED");
  EXPECT_EQ(Refused(FindingUpdated{.finding = 99, .state = "CLOSED"}), Reason::kBadState);
}

FOLD_TEST(ProposalState) {
  ProposalState proposal{.kind = "tactic",
                         .rev = 1,
                         .name = "double the ring",
                         .state = "DRAFT",
                         .author = store->local_principal()};
  proposal.proposal = MustCommit(*store, {proposal}).ids[0];
  proposal.rev = 2;
  proposal.state = "CORPUS";
  proposal.gate_runs = {
      {.gate = "return", .corpus_hash = "c", .verifier_rev = "v", .outcome = "PASS"}};
  MustCommit(*store, {proposal});
  EXPECT_EQ(reads.ListProposals({})->at(0).state, "CORPUS");
  EXPECT_EQ(reads.ListProposals({})->at(0).rev, 2);
  proposal.rev = 1;
  EXPECT_EQ(Refused(proposal), Reason::kBadState);
}

FOLD_TEST(Decided) {
  const int64_t person =
      MustCommit(*store, {PrincipalChanged{.name = "p", .role = "operator"}}).ids[0];
  const int64_t proposal = MustCommit(*store, {ProposalState{.kind = "rule",
                                                             .rev = 3,
                                                             .name = "n",
                                                             .state = "REVIEW",
                                                             .author = store->local_principal()}})
                               .ids[0];
  Decided decided{
      .proposal = proposal, .rev = 2, .who = person, .verdict = "APPROVE", .reason = "r"};
  EXPECT_EQ(Refused(decided), Reason::kBadState);  // an approval binds the revision
  decided.rev = 3;
  decided.who = store->local_principal();
  EXPECT_EQ(Refused(decided), Reason::kBadState);  // the author
  decided.who = person;
  MustCommit(*store, {decided});
  decided.proposal = 99;
  EXPECT_EQ(Refused(decided), Reason::kUnknownId);
}

FOLD_TEST(CalibrationActivated) {
  const auto activate = [&](const char* version) {
    return MustCommit(*store, {CalibrationActivated{.device_arch = "sm_90a", .version = version}})
        .ids[0];
  };
  const int64_t one = activate("1");
  EXPECT_NE(activate("2"), one);
  EXPECT_EQ(activate("1"), one);
}

FOLD_TEST(DeviceState) {
  const DeviceState changed{.uuid = "GPU-1",
                            .name = "H",
                            .arch = "sm_90a",
                            .driver = "2",
                            .state = "SUSPECT",
                            .simulated = true,
                            .noise = {{"copy", 0.01}}};
  EXPECT_EQ(MustCommit(*store, {changed}).ids[0], world.device);
  EXPECT_EQ(reads.FindDevice("GPU-1")->value().state, "SUSPECT");
  EXPECT_TRUE(reads.GetDevice(world.device)->simulated);
  DeviceState other = changed;
  other.device = world.device;
  other.uuid = "GPU-2";
  EXPECT_EQ(Refused(other), Reason::kBadState);
}

FOLD_TEST(WorkerState) {
  const WorkerState changed{.name = "w",
                            .incarnation = 8,
                            .state = "DRAIN",
                            .device = world.device,
                            .capabilities = {"a", "b"}};
  EXPECT_EQ(MustCommit(*store, {changed}).ids[0], world.worker);
  EXPECT_EQ(reads.FindWorker("w")->value().incarnation, 8u);
  EXPECT_EQ(reads.GetWorker(world.worker)->capabilities, (std::vector<std::string>{"a", "b"}));
  WorkerState other = changed;
  other.worker = world.worker;
  other.name = "x";
  EXPECT_EQ(Refused(other), Reason::kBadState);
}

FOLD_TEST(AdminAction) {
  const int64_t who = store->local_principal();
  EXPECT_EQ(MustCommit(*store, {AdminAction{
                                   .who = who, .action = "DRAIN", .subject = "w-1", .reason = "r"}})
                .events[0]
                .subject,
            "w-1");
  MustCommit(*store, {AdminAction{.who = who,
                                  .action = "EXPORT_PORTFOLIO",
                                  .subject = "r-1",
                                  .object_hash = Stored("manifest")}});
  EXPECT_EQ(Refused(AdminAction{.who = 99, .action = "EXPORT_PORTFOLIO"}), Reason::kBadState);
}

FOLD_TEST(EvidenceImported) {
  const ObjectHash manifest = Stored("{}"), log = Stored("");
  const EvidenceImported evidence{.who = store->local_principal(),
                                  .manifest_hash = manifest,
                                  .log_hash = log,
                                  .campaign = "smoke",
                                  .device = "H200",
                                  .events = 3};
  const CommitResult made =
      MustCommit(*store, {evidence, ExperimentCreated{.name = "theirs", .visibility = "CLEAN"},
                          RunStateChanged{.experiment = world.experiment + 1,
                                          .arm = "cake-ir",
                                          .workload = world.workload,
                                          .contract_hash = "contract-1",
                                          .objective = ScoreSource::kEstimated,
                                          .import = 1,
                                          .source_run = 7}});
  EXPECT_EQ(made.ids[0], 1);
  EXPECT_EQ(made.events[0].subject, "i-1");
  EXPECT_EQ(Refused(evidence), Reason::kBadState);  // once for each manifest
  EXPECT_EQ(Refused(RunStateChanged{.experiment = world.experiment + 1,
                                    .arm = "other",
                                    .workload = world.workload,
                                    .contract_hash = "contract-1",
                                    .objective = ScoreSource::kEstimated,
                                    .import = 2}),
            Reason::kBadState);
}

TEST(FoldList, EveryKindHasATest) {
  for (size_t i = 0; i < kEventKinds; ++i) {
    EXPECT_EQ(TestedKinds().count(std::string(KindName(i))), 1u) << KindName(i);
  }
  EXPECT_EQ(TestedKinds().size(), kEventKinds);
}

}  // namespace
}  // namespace store
