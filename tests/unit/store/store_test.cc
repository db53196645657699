// Commit: atomicity, idempotency, bounds, assigned numbers, objects, views, pages.
#include "store/store.h"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "store/error.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

using testing::HasSubstr;

TEST(Commit, ARefusedEventRefusesTheWholeCommandAndNothingElse) {
  auto store = OpenStepped("");
  World world(*store);
  auto view = *store->Snapshot();
  const int64_t before = *view->reads().LastSeq();
  std::vector<absl::StatusOr<CommitResult>> answers(3);
  for (int i = 0; i < 3; ++i) {
    Batch batch;
    batch.events.push_back(FindingOpened{.fingerprint = "f" + std::to_string(i), .route = "x"});
    if (i == 1) batch.events.push_back(GatesDone{.candidate = 99});
    store->Enqueue(std::move(batch),
                   [&answers, i](absl::StatusOr<CommitResult> r) { answers[i] = std::move(r); });
  }
  EXPECT_EQ(store->WriterStep(), 3u);  // one group
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(ReasonOf(answers[1].status()), Reason::kUnknownId);
  EXPECT_TRUE(answers[2].ok());
  EXPECT_EQ(*view->reads().LastSeq(), before + 2);  // sequence numbers stay dense
  EXPECT_FALSE(view->reads().FindFinding("f1")->has_value());
  EXPECT_EQ(store->stats().refused, 1);
}

TEST(Commit, NumbersOfCandidatesAreDenseInEachRun) {
  auto store = OpenStepped("");
  World world(*store);
  for (int i = 0; i < 5; ++i) {
    world.Submit("k" + std::to_string(i));
    EXPECT_EQ(ReasonOf(TryCommit(*store, {CandidateSubmitted{.run = world.run,
                                                             .source_hash = HashOf("k0"),
                                                             .arm_kind = "nonsense"}})),
              Reason::kBadState);
  }
  auto view = *store->Snapshot();
  for (int n = 1; n <= 5; ++n) EXPECT_EQ(view->reads().GetCandidate(world.run, n)->n, n);
}

TEST(Commit, TheSameRequestIsAnsweredFromTheFirstOne) {
  auto store = OpenStepped("");
  World world(*store);
  const auto send = [&](const std::string& body) {
    Batch batch;
    batch.objects = {{ObjectKind::kSource, body}};
    batch.events = {
        CandidateSubmitted{.run = world.run, .source_hash = HashOf(body), .arm_kind = "cake-ir"}};
    batch.idem = Idempotency{store->local_principal(), "Submit", "request-1", HashOf(body).hex};
    batch.make_reply = [](const CommitResult& r) { return "reply to " + r.events[0].subject; };
    return store->Commit(std::move(batch));
  };
  const auto first = send("a");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->replayed);
  const auto again = send("a");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->reply, first->reply);
  EXPECT_EQ(first->reply, "reply to " + CandidateName(world.run, 1));
  EXPECT_EQ(again->first_seq, 0);
  EXPECT_EQ(ReasonOf(send("b").status()), Reason::kIdempotencyReuse);
  auto view = *store->Snapshot();
  EXPECT_EQ(view->reads().GetRun(world.run)->candidates, 1);
  EXPECT_FALSE(*view->reads().HasObject(HashOf("b")));
}

TEST(Commit, ARefusedRequestKeepsNoReply) {
  auto store = OpenStepped("");
  Batch batch;
  batch.idem = Idempotency{store->local_principal(), "M", "request-1", "h"};
  batch.events = {GatesDone{.candidate = 5}};
  EXPECT_FALSE(store->Commit(std::move(batch)).ok());
  auto view = *store->Snapshot();
  EXPECT_FALSE(view->reads().FindReply(store->local_principal(), "M", "request-1")->has_value());
}

TEST(Commit, PrepareDecidesInsideTheTransaction) {
  auto store = OpenStepped("");
  World world(*store);
  const int64_t job = world.Queue(world.Expand(world.Submit("k"), "c"));
  // Two acquirers race for one job: both are queued before either runs.
  std::vector<absl::StatusOr<CommitResult>> answers;
  for (int i = 0; i < 2; ++i) {
    Batch batch;
    batch.prepare = [&](Reads& reads, std::vector<EventBody>& events) {
      auto jobs = reads.ListJobs(JobState::kQueued, 0, 1);
      if (!jobs.ok()) return jobs.status();
      if (jobs->empty()) return absl::NotFoundError("no work");
      events.push_back(
          LeaseGranted{.job = jobs->at(0).id, .worker = world.worker, .incarnation = 7});
      return absl::OkStatus();
    };
    store->Enqueue(std::move(batch),
                   [&](absl::StatusOr<CommitResult> r) { answers.push_back(std::move(r)); });
  }
  store->WriterStep();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ((*store->Snapshot())->reads().GetJob(job)->state, JobState::kLeased);
}

TEST(Commit, TheQueueIsBoundedInCommandsAndBytes) {
  auto store = OpenStepped("");
  size_t refused = 0;
  const auto done = [&](absl::StatusOr<CommitResult> r) {
    refused += ReasonOf(r.status()) == Reason::kQueueFull ? 1 : 0;
  };
  for (size_t i = 0; i < kMaxQueuedCommands + 3; ++i) store->Enqueue(Batch(), done);
  EXPECT_EQ(refused, 3u);
  EXPECT_EQ(store->stats().queued_commands, kMaxQueuedCommands);
  size_t steps = 0, answered = 0;
  while (const size_t n = store->WriterStep()) {
    EXPECT_LE(n, kMaxCommandsPerBatch);
    answered += n;
    ++steps;
  }
  EXPECT_EQ(answered, kMaxQueuedCommands);
  EXPECT_EQ(steps, kMaxQueuedCommands / kMaxCommandsPerBatch);
  EXPECT_EQ(store->stats().queued_bytes, 0u);

  refused = 0;
  const size_t fit = kMaxQueuedBytes / (kMaxSourceBytes + 512);
  for (size_t i = 0; i < fit + 2; ++i) {
    Batch batch;
    batch.objects = {{ObjectKind::kSource, std::string(kMaxSourceBytes, 'x')}};
    store->Enqueue(std::move(batch), done);
  }
  EXPECT_EQ(refused, 2u);
}

TEST(Commit, SizesAreBounded) {
  auto store = OpenStepped("");
  const auto put = store->Put(ObjectKind::kSource, std::string(kMaxSourceBytes + 1, 'x'));
  EXPECT_EQ(ReasonOf(put.status()), Reason::kTooLarge);
  EXPECT_THAT(std::string(put.status().message()), HasSubstr("262145 bytes; the limit is 262144"));
  Batch batch;
  batch.events.resize(kMaxEventsPerCommand + 1, EventBody(AdminAction{}));
  EXPECT_EQ(ReasonOf(store->Commit(std::move(batch)).status()), Reason::kTooLarge);
  World world(*store);
  EXPECT_EQ(ReasonOf(TryCommit(
                *store, {CandidateSubmitted{.run = world.run, .intent = std::string(2049, 'x')}})),
            Reason::kTooLarge);
}

TEST(Commit, ThreadsAnswerEveryCommandOnce) {
  TempDir dir;
  auto store = MustOpen({.dir = dir.path(), .disk_reserve_bytes = kTestReserveBytes});
  World world(*store);
  constexpr int kClients = 4, kEach = 50;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < kEach; ++i) world.Submit(std::to_string(c * kEach + i));
    });
  }
  for (std::thread& client : clients) client.join();
  auto view = *store->Snapshot();
  EXPECT_EQ(view->reads().GetRun(world.run)->candidates, kClients * kEach);
  EXPECT_TRUE(view->reads().GetCandidate(world.run, kClients * kEach).ok());
}

TEST(Commit, WhatIsQueuedWhenTheStoreClosesIsStillWritten) {
  TempDir dir;
  int answered = 0;
  {
    auto store = OpenStepped(dir.path());
    for (int i = 0; i < 300; ++i) {
      Batch batch;
      batch.events = {FindingOpened{.fingerprint = std::to_string(i), .route = "x"}};
      store->Enqueue(std::move(batch), [&](const auto& r) { answered += r.ok() ? 1 : 0; });
    }
  }
  EXPECT_EQ(answered, 300);
  auto store = OpenStepped(dir.path());
  EXPECT_TRUE((*store->Snapshot())->reads().FindFinding("299")->has_value());
}

TEST(Objects, SourcesAndSmallOnesAreInlineLargeOnesAreFiles) {
  TempDir dir;
  auto store = OpenStepped(dir.path());
  const std::string source(kMaxSourceBytes, 's');
  const std::string small(kMaxInlineObjectBytes, 'a'), large(kMaxInlineObjectBytes + 1, 'b');
  for (const auto& [kind, bytes, is_file] :
       {std::tuple(ObjectKind::kSource, source, false), std::tuple(ObjectKind::kLog, small, false),
        std::tuple(ObjectKind::kLog, large, true),
        std::tuple(ObjectKind::kLog, std::string(), false)}) {
    const auto hash = store->Put(kind, bytes);
    ASSERT_TRUE(hash.ok()) << hash.status();
    const std::string path =
        dir.path() + "/objects/" + hash->hex.substr(0, 2) + "/" + hash->hex.substr(2);
    EXPECT_EQ(std::filesystem::exists(path), is_file);
    EXPECT_EQ(*(*store->Snapshot())->reads().GetObject(*hash), bytes);
    EXPECT_TRUE(store->Put(kind, bytes).ok());  // again is the same object
  }
  EXPECT_EQ(MustCheck(dir.path()).fault_count, 0);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path() + "/objects")) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();  // no temporary file is left
  }
}

TEST(Objects, AnObjectFileThatWasChangedIsFound) {
  TempDir dir;
  auto store = OpenStepped(dir.path());
  const ObjectHash hash =
      *store->Put(ObjectKind::kLog, std::string(kMaxInlineObjectBytes + 1, 'b'));
  const std::string path =
      dir.path() + "/objects/" + hash.hex.substr(0, 2) + "/" + hash.hex.substr(2);
  std::fstream(path, std::ios::in | std::ios::out) << 'x';
  auto view = *store->Snapshot();
  EXPECT_EQ(ReasonOf(view->reads().GetObject(hash).status()), Reason::kCorrupt);
  ASSERT_EQ(MustCheck(dir.path()).fault_count, 1);
  EXPECT_EQ(MustCheck(dir.path()).faults[0].hash, hash);
  std::filesystem::remove(path);
  EXPECT_EQ(ReasonOf(view->reads().GetObject(hash).status()), Reason::kCorrupt);
  EXPECT_EQ(ReasonOf(view->reads().GetObject(HashOf("?")).status()), Reason::kUnknownId);
}

TEST(Views, ASnapshotDoesNotSeeLaterCommits) {
  TempDir dir;
  auto store = OpenStepped(dir.path());
  World world(*store);
  auto before = *store->Snapshot();
  const int64_t id = world.Submit("k");
  EXPECT_EQ(ReasonOf(before->reads().GetCandidate(id).status()), Reason::kUnknownId);
  EXPECT_TRUE((*store->Snapshot())->reads().GetCandidate(id).ok());
}

TEST(Views, AViewIsNoUseOnceItIsTooOld) {
  TempDir dir;
  TestClock clock;
  auto store = OpenStepped(dir.path(), &clock);
  auto view = *store->Snapshot();
  EXPECT_TRUE(view->reads().LastSeq().ok());
  clock.monotonic_ns += kReaderLimitNs + 1;
  EXPECT_EQ(view->reads().LastSeq().status().code(), absl::StatusCode::kDeadlineExceeded);
  view = *store->Snapshot();
  EXPECT_TRUE(view->reads().LastSeq().ok());
}

TEST(Views, EveryDocumentedViewAnswers) {
  TempDir dir;
  auto store = OpenStepped(dir.path());
  World world(*store);
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  MustCommit(*store, {world.Result(world.Grant(world.Queue(variant)), Verdict::kConfirmed, 1.5)});
  auto db = OpenRaw(dir.path());
  std::string names;
  {
    Statement s = db->Use("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name");
    while (*s.Step()) names += s.Text(0) + " ";
  }
  EXPECT_EQ(names,
            "v_arm_summary v_best v_candidate v_cost_per_percent v_curve v_device_noise "
            "v_estimate_error v_evaluation v_event v_failure v_gate_confusion v_import v_lineage "
            "v_proposal v_queue v_stage_time v_tactic_return ");
  std::istringstream list(names);
  for (std::string name; list >> name;) {
    EXPECT_TRUE(db->Once("SELECT * FROM " + name).Run().ok()) << name;
  }
  Statement best = db->Once("SELECT candidate, ratio_low FROM v_best");
  ASSERT_TRUE(*best.Step());
  EXPECT_EQ(best.Text(0), "c-1-1");
  EXPECT_EQ(best.Real(1), 1.5);
  Statement cost = db->Once("SELECT evaluations_per_percent FROM v_cost_per_percent");
  ASSERT_TRUE(*cost.Step());
  EXPECT_NEAR(cost.Real(0), 1 / 50.0, 1e-12);
}

TEST(Pages, RowsThatArriveDoNotShiftThem) {
  auto store = OpenStepped("");
  World world(*store);
  for (int i = 0; i < 7; ++i) world.Submit("k" + std::to_string(i));
  auto view = *store->Snapshot();
  const CandidateFilter filter{.run = world.run};
  std::vector<int64_t> seen;
  std::string token;
  int pages = 0;
  do {
    const auto page = view->reads().ListCandidates(filter, 3, token);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const CandidateRow& row : page->rows) seen.push_back(row.n);
    token = page->next_token;
    world.Submit("late" + std::to_string(pages++));
  } while (!token.empty());
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(pages, 3);
}

TEST(Pages, ATokenIsOnlyGoodForItsFilterAndUnchanged) {
  auto store = OpenStepped("");
  World world(*store);
  for (int i = 0; i < 4; ++i) world.Submit("k" + std::to_string(i));
  auto view = *store->Snapshot();
  const std::string token = view->reads().ListCandidates({}, 2, "")->next_token;
  ASSERT_FALSE(token.empty());
  const auto reason = [&](const CandidateFilter& filter, const std::string& t) {
    return ReasonOf(view->reads().ListCandidates(filter, 2, t).status());
  };
  EXPECT_EQ(reason({}, token), Reason::kNone);
  EXPECT_EQ(reason({.run = 1}, token), Reason::kPageTokenStale);
  std::string forged = token;
  forged[0] = forged[0] == '9' ? '8' : '9';
  EXPECT_EQ(reason({}, forged), Reason::kPageTokenStale);
  for (const char* bad : {".", "1", "1.", "1.2", "1.2.", "x"}) {
    EXPECT_EQ(reason({}, bad), Reason::kPageTokenStale) << bad;
  }
  for (const int64_t size : {0, 501, -1}) {
    EXPECT_EQ(ReasonOf(view->reads().ListCandidates({}, size, "").status()), Reason::kTooLarge);
  }
}

TEST(Pages, FiltersSelect) {
  auto store = OpenStepped("");
  World world(*store);
  const int64_t a = world.Submit("a"), b = world.Submit("b");
  MustCommit(*store, {GatesDone{.candidate = a,
                                .verdict = Verdict::kRejectedData,
                                .blame = Blame::kCandidate,
                                .canon_hash = "ca",
                                .struct_hash = "sa",
                                .diagnostics = {{.code = "CK4001", .category = "data"}}}});
  auto view = *store->Snapshot();
  const auto ids = [&](const CandidateFilter& filter) {
    std::vector<int64_t> out;
    const auto page = *view->reads().ListCandidates(filter, 10, "");
    for (const CandidateRow& row : page.rows) out.push_back(row.id);
    return out;
  };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(ids({}), (Ids{a, b}));
  EXPECT_EQ(ids({.verdict = "REJECTED_DATA"}), Ids{a});
  EXPECT_EQ(ids({.verdict = "PENDING"}), Ids{b});
  EXPECT_EQ(ids({.struct_hash = "sa"}), Ids{a});
  EXPECT_EQ(ids({.canon_hash = "cb"}), Ids{});
  EXPECT_EQ(ids({.diagnostic_code = "CK4001"}), Ids{a});
  EXPECT_EQ(ids({.experiment = world.experiment + 1}), Ids{});
  EXPECT_EQ(ids({.author = store->local_principal()}), (Ids{a, b}));
}

TEST(Log, EventsComeBackByRunAndBySubject) {
  auto store = OpenStepped("");
  World world(*store);
  const int64_t job = world.Queue(world.Expand(world.Submit("k"), "c"));
  MustCommit(*store, {world.Result(world.Grant(job), Verdict::kCorrect, 1)});
  auto view = *store->Snapshot();
  std::string kinds;
  const auto of_candidate = *view->reads().EventsOfSubject("c-1-1", 0, 100);
  for (const Event& e : of_candidate) {
    EXPECT_EQ(e.run, world.run);
    kinds += std::string(KindOf(e.body)) + " ";
  }
  EXPECT_EQ(kinds,
            "CandidateSubmitted GatesDone VariantsExpanded JobQueued LeaseGranted EvaluationDone ");
  const auto all = *view->reads().EventsAfter(0, 0, 500);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].seq, static_cast<int64_t>(i) + 1);
  const auto some = *view->reads().EventsAfter(all[2].seq, 0, 2);
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].seq, all[2].seq + 1);
  EXPECT_LT(view->reads().EventsAfter(0, world.run, 500)->size(), all.size());
}

}  // namespace
}  // namespace store
