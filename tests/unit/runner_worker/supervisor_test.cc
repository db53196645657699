// The worker's state machine, single-stepped on a clock, a link and a spawner of the test's own.
#include "runner/worker/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

using contract::Verdict;
using State = Supervisor::State;

constexpr char kSource[] = "program x";

class FakeClock : public Clock {
 public:
  int64_t NowMs() override { return now; }
  int64_t now = 1'000'000;
};

// Keeps what was sent; the test answers.
class FakeLink : public Link {
 public:
  void Send(Lane lane, Call call) override {
    auto& slot = sent[static_cast<size_t>(lane)];
    EXPECT_FALSE(slot.has_value()) << "two outstanding calls on one lane";
    slot = std::move(call);
  }
  std::optional<absl::StatusOr<Answer>> Poll(Lane lane) override {
    auto& answer = answers[static_cast<size_t>(lane)];
    auto out = std::move(answer);
    answer.reset();
    return out;
  }
  // Answers the outstanding call of a lane, which must be of type T.
  template <typename T>
  T Reply(Lane lane, absl::StatusOr<Answer> answer) {
    auto& slot = sent[static_cast<size_t>(lane)];
    EXPECT_TRUE(slot.has_value());
    const T* call = slot ? std::get_if<T>(&*slot) : nullptr;
    EXPECT_NE(call, nullptr);
    T out = call ? *call : T{};
    slot.reset();
    answers[static_cast<size_t>(lane)] = std::move(answer);
    return out;
  }
  template <typename T>
  bool Waits(Lane lane) const {
    const auto& slot = sent[static_cast<size_t>(lane)];
    return slot && std::holds_alternative<T>(*slot);
  }
  std::optional<Call> sent[kLanes];
  std::optional<absl::StatusOr<Answer>> answers[kLanes];
};

class FakeSpawner : public Spawner {
 public:
  absl::Status Start(const Job& job) override {
    EXPECT_FALSE(running) << "one job at a time";
    if (!start_status.ok()) return start_status;
    running = true;
    jobs.push_back(job);
    return absl::OkStatus();
  }
  std::optional<JobEvent> Poll() override {
    auto out = std::move(event);
    event.reset();
    if (out && out->kind != JobEvent::Kind::kProgress) running = false;
    return out;
  }
  void Kill() override {
    kills += running;
    running = false;
  }
  absl::Status Probe() override { return start_status; }
  bool running = false;
  absl::Status start_status;
  int kills = 0;
  std::optional<JobEvent> event;
  std::vector<Job> jobs;
};

std::string ContractJson() {
  std::ifstream file("tests/corpus/vector_add/vector_add.workload.textproto");
  std::stringstream text;
  text << file.rdbuf();
  return contract::ToCanonicalJson(contract::ParseTextproto(text.str()).value());
}

class SupervisorTest : public ::testing::Test {
 protected:
  SupervisorTest() : contract_(ContractJson()) {
    lease_ = {.id = "l-1", .job = "j-1", .token = 7, .ttl_ms = 30'000};
    lease_.spec.candidate = "c-1-1";
    lease_.spec.canonical_ir = contract::Sha256Hex(kSource);
    lease_.spec.contract = contract::Sha256Hex(contract_);
    lease_.spec.contract_hash = lease_.spec.contract;
    lease_.spec.binding = {{"WARPS", "4"}};
    lease_.spec.cases = {"tile"};
    lease_.spec.seed = 99;
  }
  void Register() {
    worker_.Step();
    const auto call =
        link_.Reply<RegisterCall>(Lane::kControl, Answer(RegisterAnswer{.worker = "w-1"}));
    EXPECT_EQ(call.name, "box");
    worker_.Step();
    EXPECT_EQ(worker_.state(), State::kIdle);
  }
  void Grant() {
    link_.Reply<AcquireCall>(Lane::kControl,
                             Answer(AcquireAnswer{.granted = true, .lease = lease_}));
    worker_.Step();
    EXPECT_EQ(worker_.state(), State::kFetching);
  }
  void Fetch() {
    EXPECT_EQ(link_.Reply<GetCall>(Lane::kData, Answer(GetAnswer{kSource})).hash,
              lease_.spec.canonical_ir);
    worker_.Step();
    EXPECT_EQ(link_.Reply<GetCall>(Lane::kData, Answer(GetAnswer{contract_})).hash,
              lease_.spec.contract);
    worker_.Step();
    EXPECT_EQ(worker_.state(), State::kRunning);
  }
  void Run() { Register(), Grant(), Fetch(); }
  JobEvent Done(Verdict verdict = Verdict::kCorrect) {
    JobEvent event{.kind = JobEvent::Kind::kResult, .receipt_json = "{}"};
    event.result.verdict = verdict;
    event.result.objects = {{"cubin", "bytes"}};
    return event;
  }
  const std::string contract_;
  Lease lease_;
  FakeClock clock_;
  FakeLink link_;
  FakeSpawner spawner_;
  std::vector<std::string> log_;
  Supervisor worker_{clock_,
                     link_,
                     spawner_,
                     {.name = "box",
                      .incarnation = 3,
                      .target = "unix:/nowhere",
                      .log = [this](const std::string& line) { log_.push_back(line); }}};
};

TEST_F(SupervisorTest, OneLeaseFromGrantToComplete) {
  Run();
  ASSERT_EQ(spawner_.jobs.size(), 1u);
  const Job& job = spawner_.jobs[0];
  EXPECT_EQ(job.program.source, kSource);
  EXPECT_EQ(job.program.binding.at("WARPS"), 4);
  EXPECT_EQ(job.seed, 99u);
  EXPECT_EQ(job.attempts, 1);
  spawner_.event = Done();
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kUploading);
  const auto put = link_.Reply<PutCall>(Lane::kData, Answer(PutAnswer{}));
  EXPECT_EQ(put.kind, "cubin");
  EXPECT_EQ(put.hash, contract::Sha256Hex("bytes"));
  worker_.Step();
  const auto complete = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  EXPECT_EQ(complete.token, 7u);
  EXPECT_EQ(complete.incarnation, 3u);
  EXPECT_EQ(complete.result.verdict, Verdict::kCorrect);
  EXPECT_THAT(complete.objects, ::testing::ElementsAre(put.hash));
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kIdle);
  EXPECT_EQ(worker_.leases_completed(), 1);
}

TEST_F(SupervisorTest, ReportsWhatItHoldsAndCancelsOnDesire) {
  Run();
  spawner_.event = JobEvent{.stage = "ORACLE", .percent = 40};
  worker_.Step();
  auto report = link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  EXPECT_TRUE(report.holds);
  EXPECT_EQ(report.token, 7u);
  clock_.now += 5000;
  worker_.Step();
  worker_.Step();
  report =
      link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.desired = Desired::kCancel}));
  EXPECT_EQ(report.stage, "ORACLE");
  EXPECT_EQ(report.percent, 40);
  worker_.Step();
  EXPECT_EQ(spawner_.kills, 1);
  const auto complete = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  EXPECT_EQ(complete.result.verdict, Verdict::kCancelled);
}

TEST_F(SupervisorTest, LostLeaseIsDroppedWithoutAWord) {
  Run();
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.desired = Desired::kLost}));
  worker_.Step();
  EXPECT_EQ(spawner_.kills, 1);
  EXPECT_FALSE(worker_.holds_lease());
  EXPECT_FALSE(link_.Waits<CompleteCall>(Lane::kData));
}

TEST_F(SupervisorTest, FencesItselfBeforeTheLeaseEnds) {
  Run();
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  worker_.Step();
  const int64_t confirmed = clock_.now;
  clock_.now += 5000;
  worker_.Step();  // a report that nobody answers
  EXPECT_TRUE(link_.Waits<ReportCall>(Lane::kControl));
  clock_.now = confirmed + 30'000 - kFenceMarginMs - 1;
  worker_.Step();
  EXPECT_TRUE(worker_.holds_lease());
  clock_.now += 1;
  worker_.Step();
  EXPECT_FALSE(worker_.holds_lease());
  EXPECT_EQ(spawner_.kills, 1);
  EXPECT_EQ(worker_.leases_fenced(), 1);
  // The late answer concerns a lease that is gone; life goes on.
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  worker_.Step();
  EXPECT_TRUE(link_.Waits<AcquireCall>(Lane::kControl));
}

TEST_F(SupervisorTest, AnAnswerCountsFromWhenItsCallWasSent) {
  Run();
  const int64_t sent = clock_.now;
  clock_.now += 15'000;
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  worker_.Step();
  clock_.now = sent + 30'000 - kFenceMarginMs;
  worker_.Step();
  EXPECT_FALSE(worker_.holds_lease()) << "trusting the answer's arrival would run 15 s too long";
}

TEST_F(SupervisorTest, CompleteIsRetriedThroughAnOutage) {
  Run();
  spawner_.event = Done();
  spawner_.event->result.objects.clear();
  worker_.Step();
  for (int i = 0; i < 3; ++i) {
    link_.Reply<CompleteCall>(Lane::kData, absl::UnavailableError("no daemon"));
    worker_.Step();
    EXPECT_FALSE(link_.Waits<CompleteCall>(Lane::kData)) << "it backs off";
    clock_.now += kBackoffMaxMs / 5;
    worker_.Step();
  }
  link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  worker_.Step();
  EXPECT_EQ(worker_.leases_completed(), 1);
}

TEST_F(SupervisorTest, StaleTokenEndsTheLeaseWithoutRetry) {
  Run();
  spawner_.event = Done();
  spawner_.event->result.objects.clear();
  worker_.Step();
  link_.Reply<CompleteCall>(Lane::kData, absl::AbortedError("STALE_TOKEN"));
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kIdle);
  EXPECT_EQ(worker_.leases_completed(), 0);
}

TEST_F(SupervisorTest, AnUnknownWorkerRegistersAgain) {
  Register();
  link_.Reply<AcquireCall>(Lane::kControl, absl::NotFoundError("worker"));
  worker_.Step();
  clock_.now += kBackoffMaxMs;
  worker_.Step();
  EXPECT_TRUE(link_.Waits<RegisterCall>(Lane::kControl));
}

TEST_F(SupervisorTest, AnObjectWithOtherBytesIsRefused) {
  Register(), Grant();
  link_.Reply<GetCall>(Lane::kData, Answer(GetAnswer{"tampered"}));
  worker_.Step();
  const auto complete = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  EXPECT_EQ(contract::DefaultBlame(complete.result.verdict), contract::Blame::kInfra);
  EXPECT_TRUE(spawner_.jobs.empty());
}

TEST_F(SupervisorTest, ADeadJobProcessIsInfra) {
  Run();
  spawner_.event = JobEvent{.kind = JobEvent::Kind::kDied, .reason = "signal 9"};
  worker_.Step();
  const auto complete = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{}));
  EXPECT_EQ(complete.result.verdict, Verdict::kInfraDevice);
  EXPECT_EQ(complete.result.detail, "signal 9");
}

TEST_F(SupervisorTest, DrainFinishesTheLeaseThenStops) {
  Run();
  worker_.Drain();
  spawner_.event = Done();
  worker_.Step();
  link_.Reply<PutCall>(Lane::kData, absl::InvalidArgumentError("refused"));
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kCompleting) << "a refused object does not lose the result";
  link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  worker_.Step();
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kStopped);
}

TEST_F(SupervisorTest, QuarantineAsksForNoWorkUntilItIsLifted) {
  Register();
  link_.Reply<AcquireCall>(Lane::kControl,
                           Answer(AcquireAnswer{.desired = WorkerDesired::kQuarantine}));
  worker_.Step();
  clock_.now += 5000;
  worker_.Step();
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.worker = WorkerDesired::kServe}));
  worker_.Step();
  EXPECT_TRUE(link_.Waits<AcquireCall>(Lane::kControl));
}

// Another look at the device waits for the lease that is held, and registers what it found.
TEST_F(SupervisorTest, HeldItFinishesItsLeaseAndRegistersTheNewNoise) {
  Run();
  worker_.Hold();
  worker_.Step();
  EXPECT_FALSE(worker_.resting());
  spawner_.event = Done(Verdict::kMeasurementFault);
  worker_.Step();
  EXPECT_EQ(worker_.measurement_faults(), 1);
  link_.Reply<PutCall>(Lane::kData, Answer(PutAnswer{}));
  worker_.Step();
  link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  worker_.Step();
  if (link_.Waits<ReportCall>(Lane::kControl))
    link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  worker_.Step();
  EXPECT_TRUE(worker_.resting());
  EXPECT_FALSE(link_.sent[0].has_value());  // no lease is asked for meanwhile
  worker_.Resume({{"under_10us", 0.01}}, false);
  worker_.Step();
  const auto again =
      link_.Reply<RegisterCall>(Lane::kControl, Answer(RegisterAnswer{.worker = "w-1"}));
  EXPECT_EQ(again.device.noise.at("under_10us"), 0.01);
  worker_.Step();
  EXPECT_TRUE(link_.Waits<AcquireCall>(Lane::kControl));
}

// A quarantined device that passed its look comes back as one that was started again.
TEST_F(SupervisorTest, AReadmittedDeviceHasANewIncarnation) {
  Register();
  link_.Reply<AcquireCall>(Lane::kControl,
                           Answer(AcquireAnswer{.desired = WorkerDesired::kQuarantine}));
  worker_.Step();
  EXPECT_TRUE(worker_.quarantined());
  worker_.Hold();
  if (link_.Waits<ReportCall>(Lane::kControl)) {
    link_.Reply<ReportCall>(Lane::kControl,
                            Answer(ReportAnswer{.worker = WorkerDesired::kQuarantine}));
    worker_.Step();
  }
  ASSERT_TRUE(worker_.resting());
  worker_.Resume({}, true);
  EXPECT_FALSE(worker_.quarantined());
  worker_.Step();
  const auto again =
      link_.Reply<RegisterCall>(Lane::kControl, Answer(RegisterAnswer{.worker = "w-1"}));
  EXPECT_GT(again.incarnation, 3u);
}

TEST_F(SupervisorTest, ADeviceOnWhichNoJobStartsIsReportedUntilOneDoes) {
  Register(), Grant();
  spawner_.start_status = absl::UnavailableError("no context");
  for (int i = 0; i < 20 && worker_.state() != State::kIdle; ++i) {
    worker_.Step();
    if (link_.Waits<ReportCall>(Lane::kControl)) {
      link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.desired = Desired::kContinue}));
    }
    if (link_.Waits<GetCall>(Lane::kData)) {
      const bool source = std::get<GetCall>(*link_.sent[1]).hash == lease_.spec.canonical_ir;
      link_.Reply<GetCall>(Lane::kData, Answer(GetAnswer{source ? kSource : contract_}));
    } else if (link_.Waits<CompleteCall>(Lane::kData)) {
      const auto call = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{}));
      EXPECT_EQ(call.result.verdict, Verdict::kInfraDevice);
    }
  }
  ASSERT_EQ(worker_.state(), State::kIdle);
  clock_.now += 5000;
  worker_.Step();
  const auto call = link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{}));
  EXPECT_FALSE(call.healthy);
  EXPECT_EQ(call.health_reason, "no context");
  clock_.now += kProbeEveryMs;
  spawner_.start_status = absl::OkStatus();
  worker_.Step();
  EXPECT_TRUE(link_.Waits<AcquireCall>(Lane::kControl));
}

TEST_F(SupervisorTest, WithoutADaemonItSaysWhereItLooksAndGoesOn) {
  for (int i = 0; i < 3; ++i) {
    worker_.Step();
    link_.Reply<RegisterCall>(Lane::kControl, absl::UnavailableError("connection refused"));
    worker_.Step();
    clock_.now += kBackoffMaxMs;
  }
  EXPECT_EQ(log_.size(), 1u);  // once, not at each try
  EXPECT_NE(log_.front().find("no daemon answers at unix:/nowhere"), std::string::npos);
  EXPECT_NE(log_.front().find("start one with"), std::string::npos);
  Register();
  EXPECT_TRUE(link_.Waits<AcquireCall>(Lane::kControl));
}

TEST_F(SupervisorTest, AFetchThatAnswersAfterTheCancelIsNobodysBusiness) {
  Register(), Grant();
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.desired = Desired::kCancel}));
  worker_.Step();
  EXPECT_EQ(worker_.state(), State::kUploading);
  link_.Reply<GetCall>(Lane::kData, Answer(GetAnswer{kSource}));
  worker_.Step();
  const auto complete = link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  EXPECT_EQ(complete.result.verdict, Verdict::kCancelled);
}

TEST_F(SupervisorTest, ALeaseThatIsClosedByItsResultIsNotLost) {
  Run();
  spawner_.event = Done();
  spawner_.event->result.objects.clear();
  worker_.Step();
  EXPECT_TRUE(link_.Waits<CompleteCall>(Lane::kData));
  link_.Reply<ReportCall>(Lane::kControl, Answer(ReportAnswer{.desired = Desired::kLost}));
  worker_.Step();
  EXPECT_TRUE(worker_.holds_lease());
  link_.Reply<CompleteCall>(Lane::kData, Answer(CompleteAnswer{true}));
  worker_.Step();
  EXPECT_EQ(worker_.leases_completed(), 1);
}

// Random answers, delays and deaths: never two jobs at once, never a job without a lease, never a
// job running past the fence.
TEST_F(SupervisorTest, HoldsItsInvariantsUnderRandomEvents) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    FakeClock clock;
    FakeLink link;
    FakeSpawner spawner;
    Supervisor worker(clock, link, spawner, {.name = "box", .incarnation = seed});
    int64_t last_answer_sent = clock.now;
    int64_t sent_at = -1;
    const auto status = [&]() -> absl::Status {
      return random() % 2 ? absl::UnavailableError("x") : absl::AbortedError("y");
    };
    for (int i = 0; i < 400; ++i) {
      clock.now += random() % 3000;
      worker.Step();
      if (link.sent[0] && sent_at < 0) sent_at = clock.now;
      if (spawner.running) {
        ASSERT_TRUE(worker.holds_lease()) << "seed " << seed;
        ASSERT_LT(clock.now - last_answer_sent, 30'000) << "seed " << seed;
        if (random() % 6 == 0)
          spawner.event = random() % 4 ? Done() : JobEvent{.kind = JobEvent::Kind::kDied};
      }
      if (link.sent[0] && random() % 3 == 0) {
        const Call call = *link.sent[0];
        link.sent[0].reset();
        absl::StatusOr<Answer> answer = status();
        if (random() % 5 != 0) {
          if (std::holds_alternative<RegisterCall>(call))
            answer = Answer(RegisterAnswer{});
          else if (std::holds_alternative<AcquireCall>(call))
            answer = Answer(AcquireAnswer{.granted = random() % 2 == 0, .lease = lease_});
          else
            answer = Answer(ReportAnswer{
                .desired = static_cast<Desired>(random() % 8 < 6 ? 0 : 1 + random() % 2)});
          last_answer_sent = std::holds_alternative<AcquireCall>(call) ? clock.now : sent_at;
        }
        link.answers[0] = std::move(answer);
        sent_at = -1;
      }
      if (link.sent[1] && random() % 3 == 0) {
        const Call call = *link.sent[1];
        link.sent[1].reset();
        absl::StatusOr<Answer> answer = status();
        if (const auto* get = std::get_if<GetCall>(&call); get && random() % 5 != 0) {
          answer = Answer(GetAnswer{get->hash == lease_.spec.contract ? contract_ : kSource});
        } else if (random() % 5 != 0) {
          answer = std::holds_alternative<PutCall>(call) ? Answer(PutAnswer{})
                                                         : Answer(CompleteAnswer{true});
        }
        link.answers[1] = std::move(answer);
      }
    }
  }
}

}  // namespace
}  // namespace runner::worker
