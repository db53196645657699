// What the events of candidates, jobs, leases and evaluations do to the tables, and what they are
// refused for.
#include "tests/unit/store/fold.h"

namespace store {
namespace {

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

}  // namespace
}  // namespace store
