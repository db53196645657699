// One test for each event kind: what it does to the tables, and what it is refused for. The list at
// the end walks the closed enum, so that a kind without a test fails.
#include <set>

#include "fixtures.h"
#include "store/error.h"

namespace store {
namespace {

class Fold : public testing::Test {
 protected:
  Fold() : store(OpenStepped("")), world(*store), view(*store->Snapshot()), reads(view->reads()) {}

  Reason Refused(EventBody event) { return ReasonOf(TryCommit(*store, {std::move(event)})); }
  ObjectHash Stored(const std::string& text) { return *store->Put(ObjectKind::kReport, text); }

  std::unique_ptr<Store> store;
  World world;
  std::unique_ptr<SnapshotView> view;
  Reads& reads;
};

// Names the kinds that a test of this file is about.
std::set<std::string>& TestedKinds() {
  static std::set<std::string> kinds;
  return kinds;
}
#define FOLD_TEST(Kind)                                                            \
  const bool Tested##Kind = TestedKinds().insert(std::string(Kind::kKind)).second; \
  TEST_F(Fold, Kind)

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
  EXPECT_EQ(Refused(PrincipalChanged{.name = "x", .role = "king"}), Reason::kBadState);
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

FOLD_TEST(CandidateSubmitted) {
  const int64_t first = world.Submit("kernel a");
  const int64_t second = world.Submit("kernel b", {{first, "parent"}});
  const CandidateRow row = *reads.GetCandidate(second);
  EXPECT_EQ(row.Name(), CandidateName(world.run, 2));
  EXPECT_EQ(row.verdict, Verdict::kPending);
  EXPECT_EQ(*reads.GetObject(row.source_hash), "kernel b");
  EXPECT_EQ(reads.CandidatesWithoutGates({})->size(), 2u);
  EXPECT_EQ(reads.Ancestors(second, 8)->at(0).parent, first);
  EXPECT_EQ(reads.Descendants(first, 8)->at(0).child, second);
  CandidateSubmitted bad{
      .run = world.run, .n = 4, .source_hash = row.source_hash, .arm_kind = "cake-ir"};
  EXPECT_EQ(Refused(bad), Reason::kBadState);  // 3 is next
  bad.n = 0;
  bad.source_hash = HashOf("never stored");
  EXPECT_EQ(Refused(bad), Reason::kUnknownId);
  MustCommit(*store, {RunStateChanged{.run = world.run, .state = RunState::kStopped}});
  bad.source_hash = row.source_hash;
  EXPECT_EQ(Refused(bad), Reason::kBadState);
}

FOLD_TEST(Checked) {
  const Checked check{.run = world.run,
                      .principal = store->local_principal(),
                      .session = "s",
                      .source_sha256 = HashOf("x").hex,
                      .verdict = Verdict::kRejectedType,
                      .codes = {"CK1001", "CK1002"},
                      .fingerprints = {"f1", "f2"}};
  const CommitResult made = MustCommit(*store, {check});
  EXPECT_EQ(made.events[0].subject, RowName('r', world.run));
  EXPECT_FALSE(*reads.HasObject(HashOf("x")));  // a check leaves a trace, not the source
  EXPECT_EQ(Refused(Checked{.principal = 99}), Reason::kBadState);
}

FOLD_TEST(GatesDone) {
  const int64_t id = world.Submit("bad kernel");
  const GatesDone done{.candidate = id,
                       .verdict = Verdict::kRejectedSafety,
                       .blame = Blame::kCandidate,
                       .canon_hash = "canon",
                       .report_hash = Stored("{report}"),
                       .diagnostics = {{.code = "CK2001",
                                        .category = "safety",
                                        .span_begin = 3,
                                        .span_end = 9,
                                        .fingerprint = "f",
                                        .message = "m"}},
                       .gates = {{.gate = "bounds", .verifier_rev = "v1", .outcome = "REJECT"}}};
  MustCommit(*store, {done});
  const CandidateRow row = *reads.GetCandidate(id);
  EXPECT_EQ(row.verdict, Verdict::kRejectedSafety);
  EXPECT_EQ(row.blame, Blame::kCandidate);
  EXPECT_TRUE(row.gates_done);
  EXPECT_EQ(reads.ListDiagnostics(id, {})->at(0).code, "CK2001");
  EXPECT_EQ(reads.GateResults(id)->at(0).outcome, "REJECT");
  EXPECT_TRUE(reads.CandidatesWithoutGates({})->empty());
  EXPECT_TRUE(reads.CandidatesToExpand({})->empty());
  EXPECT_EQ(Refused(done), Reason::kBadState);
  EXPECT_EQ(Refused(GatesDone{.candidate = 77}), Reason::kUnknownId);
}

FOLD_TEST(VariantsExpanded) {
  const int64_t id = world.Submit("family");
  EXPECT_EQ(Refused(VariantsExpanded{.candidate = id, .last = true}), Reason::kBadState);
  MustCommit(*store, {GatesDone{.candidate = id, .canon_hash = "family"}});
  EXPECT_EQ(reads.CandidatesToExpand({})->at(0).id, id);
  VariantsExpanded some{
      .candidate = id,
      .members_total = 5,
      .members_seen = 3,
      .variants = {{.binding_hash = "1", .params_json = "{}", .canon_hash = "family/1"}},
      .rejected = {{"CK3001", 2, "{\"BN\":1}"}}};
  MustCommit(*store, {some});
  some.members_seen = 2;
  some.variants.clear();
  EXPECT_EQ(Refused(some), Reason::kBadState);  // the cursor moved back
  some.members_seen = 5;
  some.last = true;
  MustCommit(*store, {some});
  EXPECT_EQ(reads.RejectedGroups(id)->at(0).count, 4);
  EXPECT_EQ(reads.RejectedGroups(id)->at(0).witness_params_json, "{\"BN\":1}");
  EXPECT_EQ(reads.GetCandidate(id)->members_seen, 5);
  EXPECT_TRUE(reads.CandidatesToExpand({})->empty());
  EXPECT_EQ(Refused(some), Reason::kBadState);
  EXPECT_EQ(reads.FindVariantByCanon("family/1", "contract-1", 0)->value().candidate, id);
  EXPECT_FALSE(reads.FindVariantByCanon("family/1", "contract-2", 0)->has_value());
  EXPECT_EQ(reads.FindByCanon("family", "contract-1", world.experiment)->value().id, id);
  EXPECT_FALSE(reads.FindByCanon("family", "contract-1", world.experiment + 1)->has_value());
}

TEST_F(Fold, AFamilyOfWhichNoMemberPassesIsRejected) {
  const int64_t id = world.Submit("family");
  MustCommit(*store,
             {GatesDone{.candidate = id}, VariantsExpanded{.candidate = id,
                                                           .members_total = 2,
                                                           .members_seen = 2,
                                                           .last = true,
                                                           .verdict = Verdict::kRejectedHardware,
                                                           .blame = Blame::kCandidate,
                                                           .rejected = {{"CK3001", 2, "{}"}}}});
  EXPECT_EQ(reads.GetCandidate(id)->verdict, Verdict::kRejectedHardware);
}

FOLD_TEST(Estimated) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const auto estimate = [&](const char* shape, double ns, double weight, const char* rev) {
    MustCommit(*store, {Estimated{.variant = variant,
                                  .shape = shape,
                                  .calibration = "none",
                                  .model_rev = rev,
                                  .time_ns = ns,
                                  .low_ns = ns / 2,
                                  .high_ns = ns * 2,
                                  .weight = weight,
                                  .bottleneck = "hbm",
                                  .coverage = "RANK_ONLY"}});
  };
  auto job = world.Grant(world.Queue(variant));
  MustCommit(*store, {world.Result(job, Verdict::kCorrect, 0)});
  estimate("a", 100, 1, "m1");
  EXPECT_EQ(reads.Best(world.run, ScoreSource::kEstimated)->predicted_ns, 100);
  estimate("b", 400, 1, "m1");
  EXPECT_NEAR(reads.Best(world.run, ScoreSource::kEstimated)->predicted_ns, 200, 1e-9);
  estimate("b", 100, 1, "m2");  // the newest of a shape counts
  EXPECT_NEAR(reads.Best(world.run, ScoreSource::kEstimated)->predicted_ns, 100, 1e-9);
  estimate("tiny", 1, 0, "m2");  // weight 0 does not
  EXPECT_NEAR(reads.Best(world.run, ScoreSource::kEstimated)->predicted_ns, 100, 1e-9);
  EXPECT_EQ(reads.Estimates(variant)->size(), 4u);
  EXPECT_FALSE(reads.Best(world.run, ScoreSource::kMeasured)->found);
}

FOLD_TEST(Ranked) {
  const int64_t a = world.Expand(world.Submit("a"), "a");
  const int64_t b = world.Expand(world.Submit("b"), "b");
  MustCommit(*store,
             {Ranked{.run = world.run, .variants = {{a, 1, true, "TOP"}, {b, 2, false, "OUT"}}}});
  EXPECT_EQ(reads.GetVariant(a)->verdict, Verdict::kPending);
  EXPECT_EQ(reads.GetVariant(a)->rank_why, "TOP");
  EXPECT_EQ(reads.GetVariant(b)->verdict, Verdict::kRankedOut);
  EXPECT_EQ(reads.GetCandidate(reads.GetVariant(b)->candidate)->blame, Blame::kNone);
  EXPECT_EQ(Refused(Ranked{.run = world.run, .variants = {{.variant = 77}}}), Reason::kBadState);
}

FOLD_TEST(JobQueued) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const int64_t low = world.Queue(variant, Purpose::kSearch, 1);
  const int64_t high = world.Queue(variant, Purpose::kConfirm, 9);
  const auto jobs = *reads.ListJobs(JobState::kQueued, 0, 10);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].id, high);
  EXPECT_EQ(jobs[1].id, low);
  EXPECT_EQ(jobs[1].needs, (std::vector<std::string>{"run:sm_90a", "compile:nvrtc"}));
  EXPECT_EQ(Refused(JobQueued{.variant = variant, .protocol = "cold-abba-v1"}),
            Reason::kBadState);  // the same purpose, protocol and round
}

FOLD_TEST(LeaseGranted) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const int64_t job = world.Queue(variant);
  const LeaseGranted lease = world.Grant(job);
  EXPECT_EQ(lease.attempt, 1);
  EXPECT_EQ(reads.GetJob(job)->state, JobState::kLeased);
  EXPECT_EQ(reads.GetJob(job)->fencing_token, lease.fencing_token);
  EXPECT_EQ(reads.OpenLeases({})->at(0).incarnation, 7u);
  LeaseGranted again{.job = job, .worker = world.worker, .incarnation = 7};
  EXPECT_EQ(Refused(again), Reason::kBadState);  // not queued
  again.job = world.Queue(variant, Purpose::kConfirm);
  again.incarnation = 8;
  EXPECT_EQ(Refused(again), Reason::kBadState);  // another incarnation
  again.incarnation = 7;
  again.fencing_token = lease.fencing_token;
  EXPECT_EQ(Refused(again), Reason::kBadState);  // not a new token
  EXPECT_GT(world.Grant(again.job).fencing_token, lease.fencing_token);
}

FOLD_TEST(LeaseLost) {
  const int64_t job = world.Queue(world.Expand(world.Submit("k"), "c"));
  const LeaseGranted first = world.Grant(job);
  LeaseLost lost{
      .job = job, .fencing_token = first.fencing_token, .reason = "EXPIRED", .not_before_us = 5};
  MustCommit(*store, {lost});
  JobRow row = *reads.GetJob(job);
  EXPECT_EQ(row.state, JobState::kQueued);
  EXPECT_EQ(row.infra_losses, 1);
  EXPECT_EQ(row.lost_devices, 1);
  EXPECT_EQ(row.not_before_us, 5);
  EXPECT_TRUE(reads.OpenLeases({})->empty());
  EXPECT_TRUE(reads.ListJobs(JobState::kQueued, 4, 10)->empty());
  EXPECT_EQ(Refused(lost), Reason::kStaleToken);
  const LeaseGranted second = world.Grant(job);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(Refused(lost), Reason::kStaleToken);
  lost.fencing_token = second.fencing_token;
  lost.infra = false;
  lost.then = JobState::kDone;
  EXPECT_EQ(Refused(lost), Reason::kBadState);
  lost.then = JobState::kCancelled;
  MustCommit(*store, {lost});
  row = *reads.GetJob(job);
  EXPECT_EQ(row.state, JobState::kCancelled);
  EXPECT_EQ(row.infra_losses, 1);
  EXPECT_EQ(reads.LeasesOfJob(job)->size(), 2u);
}

FOLD_TEST(StageEnded) {
  const int64_t job = world.Queue(world.Expand(world.Submit("k"), "c"));
  const LeaseGranted lease = world.Grant(job);
  StageEnded ended{.job = job,
                   .fencing_token = lease.fencing_token,
                   .stage = Stage::kCompile,
                   .wall_ns = 10,
                   .cpu_ns = 9,
                   .limit_ns = 100};
  MustCommit(*store, {ended});
  EXPECT_EQ(Refused(ended), Reason::kDuplicateResult);
  ended.stage = Stage::kTiming;
  ended.end = StageEnd::kLimit;
  MustCommit(*store, {ended});
  EXPECT_EQ(reads.StageClocks(job)->size(), 2u);
  EXPECT_EQ(reads.StageClocks(job)->at(1).end, StageEnd::kLimit);
  MustCommit(*store, {world.Result(lease, Verdict::kCorrect, 0.5)});
  EXPECT_EQ(reads.Curve(world.run, {})->at(0).gpu_ns, 10);  // compiling holds no device
  ended.stage = Stage::kProfile;
  EXPECT_EQ(Refused(ended), Reason::kStaleToken);
}

FOLD_TEST(BuildDone) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  MustCommit(*store, {BuildDone{.key = "k1",
                                .variant = variant,
                                .arch = "sm_90a",
                                .cubin_hash = Stored("cubin"),
                                .regs = 40,
                                .ok = true}});
  EXPECT_EQ(reads.FindBuild("k1")->value().regs, 40);
  EXPECT_EQ(reads.BuildsOfVariant(variant)->size(), 1u);
  EXPECT_FALSE(reads.FindBuild("k2")->has_value());
}

FOLD_TEST(EvaluationDone) {
  const int64_t candidate = world.Submit("k");
  const int64_t variant = world.Expand(candidate, "c");
  const LeaseGranted lease = world.Grant(world.Queue(variant));
  EvaluationDone done = world.Result(lease, Verdict::kImproved, 1.25);
  EXPECT_EQ(Refused(EvaluationDone{.job = lease.job}), Reason::kBadState);  // no verdict
  done.fencing_token += 1;
  EXPECT_EQ(Refused(done), Reason::kStaleToken);
  done.fencing_token -= 1;
  const int64_t id = MustCommit(*store, {done}).ids[0];
  EXPECT_EQ(Refused(done), Reason::kDuplicateResult);
  done.verdict = Verdict::kWrongResult;
  EXPECT_EQ(Refused(done), Reason::kResultConflict);
  done.fencing_token += 1;
  EXPECT_EQ(Refused(done), Reason::kStaleToken);

  const EvaluationRow row = *reads.GetEvaluation(id);
  EXPECT_EQ(row.verdict, Verdict::kImproved);
  EXPECT_TRUE(row.charged);
  EXPECT_EQ(row.candidate, candidate);
  EXPECT_EQ(reads.EvaluationOfJob(lease.job)->value().id, id);
  EXPECT_EQ(reads.Checks(id)->at(0).name, "values");
  EXPECT_EQ(reads.GetJob(lease.job)->state, JobState::kDone);
  EXPECT_EQ(reads.LeasesOfJob(lease.job)->at(0).state, LeaseState::kDone);
  EXPECT_EQ(reads.GetCandidate(candidate)->verdict, Verdict::kImproved);
  EXPECT_EQ(reads.GetCandidate(candidate)->best_ratio_low, 1.25);
  EXPECT_EQ(reads.Best(world.run, ScoreSource::kMeasured)->candidate, candidate);
  EXPECT_FALSE(reads.Best(world.run, ScoreSource::kSimulated)->found);
}

TEST_F(Fold, OnlyCompletedOraclesOfCandidateOrNoBlameAreCharged) {
  struct Case {
    Blame blame;
    bool oracle;
    bool charged;
  };
  const Case cases[] = {{Blame::kCandidate, true, true},   {Blame::kNone, true, true},
                        {Blame::kCandidate, false, false}, {Blame::kInfra, true, false},
                        {Blame::kSystem, true, false},     {Blame::kContract, true, false}};
  int64_t charged = 0;
  for (size_t i = 0; i < std::size(cases); ++i) {
    const int64_t variant = world.Expand(world.Submit(std::to_string(i)), std::to_string(i));
    EvaluationDone done = world.Result(world.Grant(world.Queue(variant)), Verdict::kWrongResult, 0);
    done.blame = cases[i].blame;
    done.oracle_completed = cases[i].oracle;
    const int64_t id = MustCommit(*store, {done}).ids[0];
    EXPECT_EQ(reads.GetEvaluation(id)->charged, cases[i].charged) << i;
    charged += cases[i].charged ? 1 : 0;
  }
  EXPECT_EQ(static_cast<int64_t>(reads.Curve(world.run, {})->size()), charged);
}

TEST_F(Fold, AJobNobodyHoldsEndsOnlyCancelledOrPoisoned) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  EvaluationDone done{
      .job = world.Queue(variant), .verdict = Verdict::kCorrect, .blame = Blame::kNone};
  EXPECT_EQ(Refused(done), Reason::kStaleToken);
  done.verdict = Verdict::kInfraPoisonJob;
  done.blame = Blame::kInfra;
  MustCommit(*store, {done});
  EXPECT_EQ(reads.GetJob(done.job)->state, JobState::kPoisoned);
  EvaluationDone cancel{.job = world.Queue(variant, Purpose::kConfirm),
                        .verdict = Verdict::kCancelled,
                        .blame = Blame::kNone};
  world.Grant(cancel.job);
  EXPECT_EQ(Refused(cancel), Reason::kStaleToken);  // somebody holds it
}

TEST_F(Fold, InfrastructureEndsAndAuditsDoNotUndoAVerdict) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kCorrect, 0.5)});
  EvaluationDone infra =
      world.Result(world.Grant(world.Queue(variant, Purpose::kConfirm)), Verdict::kInfraDevice, 0);
  infra.blame = Blame::kInfra;
  MustCommit(*store, {infra});
  EXPECT_EQ(reads.GetVariant(variant)->verdict, Verdict::kCorrect);
  MustCommit(*store, {world.Result(world.Grant(world.Queue(variant, Purpose::kAudit)),
                                   Verdict::kWrongResult, 0)});
  EXPECT_EQ(reads.GetVariant(variant)->verdict, Verdict::kCorrect);
}

FOLD_TEST(VerdictRevised) {
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const int64_t id =
      MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kConfirmed, 2)})
          .ids[0];
  EXPECT_EQ(reads.Curve(world.run, {})->at(0).best_ratio_low, 2);
  MustCommit(*store, {VerdictRevised{.variant = variant,
                                     .evaluation = id,
                                     .verdict = Verdict::kImpossibleSpeed,
                                     .blame = Blame::kSystem,
                                     .reason = "faster than the roofline"}});
  const EvaluationRow row = *reads.GetEvaluation(id);
  EXPECT_EQ(row.verdict, Verdict::kImpossibleSpeed);
  EXPECT_EQ(row.blame, Blame::kSystem);
  EXPECT_EQ(row.first_verdict, Verdict::kConfirmed);  // what happened stays
  EXPECT_EQ(reads.Curve(world.run, {})->at(0).best_ratio_low, 0);
  EXPECT_FALSE(reads.Best(world.run, ScoreSource::kMeasured)->found);
  EXPECT_EQ(reads.GetCandidate(reads.GetVariant(variant)->candidate)->best_ratio_low, 0);
}

FOLD_TEST(LateEvidence) {
  const int64_t job = world.Queue(world.Expand(world.Submit("k"), "c"));
  const CommitResult made = MustCommit(
      *store, {LateEvidence{.job = job, .fencing_token = 3, .body_hash = Stored("late")}});
  EXPECT_EQ(made.events[0].subject, CandidateName(world.run, 1));
  EXPECT_EQ(Refused(LateEvidence{.job = 99}), Reason::kUnknownId);
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

TEST(FoldList, EveryKindHasATest) {
  for (size_t i = 0; i < kEventKinds; ++i) {
    EXPECT_EQ(TestedKinds().count(std::string(KindName(i))), 1u) << KindName(i);
  }
  EXPECT_EQ(TestedKinds().size(), kEventKinds);
}

}  // namespace
}  // namespace store
