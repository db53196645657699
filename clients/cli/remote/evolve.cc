#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

// Ctrl-C pauses the run instead of losing it: the handler only notes that it was pressed.
volatile std::sig_atomic_t interrupted = 0;

constexpr int kPollMs = 300;
constexpr auto kTellEvery = std::chrono::seconds(2);

struct Session {
  const EvolveOptions& options;
  Client client;
  std::string experiment;
  std::string run;
};

absl::Status SetBudget(const std::vector<std::string>& words, cake::v1::Budget& budget) {
  constexpr uint64_t kNsPerSecond = 1'000'000'000, kSecondsMax = 1'000'000'000;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string kind = word.substr(0, equals);
    uint64_t value = 0;
    const bool read = equals != std::string::npos &&
                      absl::SimpleAtoi(word.substr(equals + 1), &value) && value > 0;
    if (!read || value > kSecondsMax) {
      return absl::InvalidArgumentError(
          absl::StrCat("--budget ", word,
                       ": write evals=N, tokens=N, active=SECONDS or gpu=SECONDS, N at least 1"));
    }
    if (kind == "evals") {
      budget.set_evaluations(value);
    } else if (kind == "tokens") {
      budget.set_tokens(value);
    } else if (kind == "active") {
      budget.set_active_ns(value * kNsPerSecond);
    } else if (kind == "gpu") {
      budget.set_gpu_ns(value * kNsPerSecond);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "--budget ", word, ": write evals=N, tokens=N, active=SECONDS or ", "gpu=SECONDS"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<cake::v1::CreateExperimentRequest> MakeExperiment(const EvolveOptions& options) {
  cake::v1::CreateExperimentRequest request;
  const std::string name = options.experiment.empty()
                               ? absl::StrCat(options.workload, "-", std::time(nullptr))
                               : options.experiment;
  request.set_name(name);
  request.set_workload(options.workload);
  request.set_seed(options.seed);
  request.add_arms(options.arm);
  request.mutable_stop()->set_plateau(options.stop == "plateau");
  request.mutable_stop()->set_target_time_ratio(options.target);
  if (!options.stop.empty() && options.stop != "plateau") {
    return absl::InvalidArgumentError(absl::StrCat("--stop ", options.stop, ": write plateau"));
  }
  if (absl::Status budget = SetBudget(options.budgets, *request.mutable_budget()); !budget.ok())
    return budget;
  request.mutable_meta()->set_request_id(FixedRequestId({"create", name}));
  return request;
}

// Creates the experiment (or finds it again: the request id depends on its name), hands the family
// in, starts the run. Nothing of this happens twice when the command is repeated.
grpc::Status Begin(Session& session, const cake::v1::CreateExperimentRequest& create,
                   const std::string& source) {
  cake::v1::ExperimentReply reply;
  grpc::Status status =
      session.client.operators->CreateExperiment(Deadline(20).get(), create, &reply);
  if (!status.ok()) return status;
  session.experiment = reply.experiment();
  session.run = reply.runs_size() > 0 ? reply.runs(0).run() : "";
  if (!source.empty()) {
    cake::v1::SubmitRequest submit;
    submit.mutable_meta()->set_request_id(FixedRequestId({"submit", session.experiment, source}));
    submit.mutable_meta()->set_experiment(session.experiment);
    submit.mutable_meta()->set_run(session.run);
    submit.mutable_source()->set_cake_ir(source);
    submit.set_workload(create.workload());
    submit.set_intent("seed of the search");
    submit.set_wait_for(cake::v1::WAIT_FOR_ACK);
    cake::v1::SubmitReply submitted;
    status = session.client.agent->Submit(Deadline(60).get(), submit, &submitted);
    if (!status.ok()) return status;
  }
  cake::v1::ExperimentRequest start;
  start.mutable_meta()->set_request_id(FixedRequestId({"start", session.experiment}));
  start.set_experiment(session.experiment);
  return session.client.operators->StartExperiment(Deadline(20).get(), start, &reply);
}

grpc::Status Control(Session& session, bool resume) {
  cake::v1::ExperimentRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_experiment(session.experiment);
  request.set_run(session.run);
  request.set_reason(resume ? "resumed from the command line" : "interrupted at the command line");
  cake::v1::ExperimentReply reply;
  return resume ? session.client.operators->ResumeExperiment(Deadline(20).get(), request, &reply)
                : session.client.operators->PauseExperiment(Deadline(20).get(), request, &reply);
}

grpc::Status GetRun(Session& session, cake::v1::RunSummary& summary) {
  cake::v1::GetExperimentRequest request;
  request.set_experiment(session.experiment);
  request.set_run(session.run);
  cake::v1::ExperimentReply reply;
  const grpc::Status status =
      session.client.operators->GetExperiment(Deadline(20).get(), request, &reply);
  if (!status.ok()) return status;
  if (reply.runs_size() == 0) return {grpc::StatusCode::NOT_FOUND, "no such run: " + session.run};
  summary = reply.runs(0);
  session.experiment = reply.experiment();
  return status;
}

// On a terminal one line that is overwritten; elsewhere a line whenever there is something new to
// tell, seldom enough for a log.
void Tell(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) return ShowProgress(text);
  static std::string told;
  static auto next = std::chrono::steady_clock::time_point();
  const auto now = std::chrono::steady_clock::now();
  if (text == told || now < next) return;
  std::fprintf(stderr, "%s\n", Printable(text).c_str());
  told = text;
  next = now + kTellEvery;
}

// The best so far, after what it took.
std::string BestText(const cake::v1::RunSummary& run) {
  if (run.best().candidate().empty()) return "";
  const bool predicted = run.objective_source() == cake::v1::OBJECTIVE_SOURCE_ESTIMATED;
  return absl::StrCat("; best ", run.best().candidate(), predicted ? " predicted " : " ",
                      Duration(run.best().objective_ns()), " after ", run.score_curve_size(),
                      " evaluations, ", run.cells(), " cells");
}

// Shows progress until the run stops or Ctrl-C; a daemon that restarts is waited for.
grpc::Status Follow(Session& session, cake::v1::RunSummary& summary) {
  int unanswered = 0;
  while (true) {
    const grpc::Status status = GetRun(session, summary);
    if (status.ok()) {
      unanswered = 0;
      Tell(absl::StrCat(Word(summary.state()),
                        summary.reason().empty() ? "" : absl::StrCat(" ", summary.reason()), ": ",
                        ProgressText(summary.progress()), BestText(summary)));
      if (summary.state() == cake::v1::RUN_STATE_STOPPED || interrupted != 0) return status;
    } else if (status.error_code() != grpc::StatusCode::UNAVAILABLE || ++unanswered > 100) {
      return status;
    } else if (auto fresh = Connect(session.options.connect); fresh.ok()) {
      session.client = *std::move(fresh);
    }
    gpr_sleep_until(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(kPollMs, GPR_TIMESPAN)));
  }
}

int PrintEnd(const Session& session, const cake::v1::RunSummary& summary) {
  ClearProgress();
  if (session.options.json) {
    std::printf("%s\n", Json(summary).c_str());
    return kFine;
  }
  std::fputs(RunTable(summary).c_str(), stdout);
  if (!session.client.address.http.empty())
    std::printf("live page: %s/\n", session.client.address.http.c_str());
  const std::string& best = summary.best().candidate();
  PrintNextCall(best.empty() ? absl::StrCat("cake history --run ", session.run)
                             : absl::StrCat("cake diagnose ", best),
                session.options.connect);
  return kFine;
}

int PrintPaused(Session& session, cake::v1::RunSummary& summary) {
  ClearProgress();
  if (session.options.json) {
    // The state after the pause, if the daemon still says it.
    (void)GetRun(session, summary);
    std::printf("%s\n", Json(summary).c_str());
    return kFine;
  }
  std::printf("paused %s: %s\n", session.run.c_str(), ProgressText(summary.progress()).c_str());
  PrintNextCall(absl::StrCat("cake evolve --resume ", session.run), session.options.connect);
  return kFine;
}

grpc::Status BeginOrResume(Session& session,
                           const absl::StatusOr<cake::v1::CreateExperimentRequest>& create,
                           const std::string& source) {
  if (session.options.resume.empty()) return Begin(session, *create, source);
  session.run = session.options.resume;
  cake::v1::RunSummary summary;
  if (grpc::Status found = GetRun(session, summary); !found.ok()) return found;
  if (summary.state() == cake::v1::RUN_STATE_STOPPED) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            absl::StrCat("run ", session.run, " has stopped: ", summary.reason(),
                         "; see cake history --run ", session.run)};
  }
  return summary.state() == cake::v1::RUN_STATE_PAUSED ? Control(session, true) : grpc::Status::OK;
}

}  // namespace

int Evolve(const EvolveOptions& options) {
  absl::StatusOr<cake::v1::CreateExperimentRequest> create = MakeExperiment(options);
  if (options.resume.empty() && !create.ok()) return Fail(create.status());
  std::string source;
  if (!options.source.empty()) {
    absl::StatusOr<ProgramFile> file = ReadProgram(options.source);
    if (!file.ok()) return Fail(file.status());
    if (file->source.empty() || !IsUtf8(file->source)) {
      return Fail(absl::InvalidArgumentError(
          absl::StrCat(options.source, ": empty or not UTF-8; see cake check")));
    }
    source = file->source;
  }
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  Session session{options, *std::move(client), "", ""};
  std::signal(SIGINT, [](int) { interrupted = 1; });
  grpc::Status status = BeginOrResume(session, create, source);
  if (!status.ok()) return FailCall(status, session.client.address);

  cake::v1::RunSummary summary;
  status = Follow(session, summary);
  if (!status.ok()) return FailCall(status, session.client.address);
  if (summary.state() == cake::v1::RUN_STATE_STOPPED) return PrintEnd(session, summary);
  status = Control(session, false);
  if (!status.ok()) return FailCall(status, session.client.address);
  return PrintPaused(session, summary);
}

}  // namespace clients::cli::remote
