// experiment: arms of a search beside each other, with repeats, and what they came to.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/arms.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/experiment_file.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

volatile std::sig_atomic_t interrupted = 0;

constexpr int kPollMs = 500;

grpc::Status GetAll(Client& client, const std::string& name, cake::v1::ExperimentReply& reply) {
  cake::v1::GetExperimentRequest request;
  request.set_experiment(name);
  reply.Clear();
  return client.operators->GetExperiment(Deadline(20).get(), request, &reply);
}

// Creates, hands the start programs to every run, starts. Repeating it changes nothing: every
// request has a fixed id.
grpc::Status Begin(Client& client, ExperimentFile& file) {
  const std::string& name = file.request.name();
  file.request.mutable_meta()->set_request_id(FixedRequestId({"create", name}));
  cake::v1::ExperimentReply reply;
  grpc::Status status =
      client.operators->CreateExperiment(Deadline(20).get(), file.request, &reply);
  if (!status.ok()) return status;
  for (const auto& run : reply.runs()) {
    for (size_t i = 0; i < file.start.size(); ++i) {
      const StartProgram& start = file.start[i];
      cake::v1::SubmitRequest submit;
      submit.mutable_meta()->set_request_id(
          FixedRequestId({"start", name, run.run(), absl::StrCat(i), start.source}));
      submit.mutable_meta()->set_run(run.run());
      submit.mutable_source()->set_cake_ir(start.source);
      submit.set_workload(file.request.workload());
      submit.set_intent(absl::StrCat("start program ", i + 1));
      for (const auto& [param, value] : start.params) {
        auto* domain = submit.add_params();
        domain->set_name(param);
        domain->add_values(value);
      }
      cake::v1::SubmitReply submitted;
      status = client.agent->Submit(Deadline(60).get(), submit, &submitted);
      if (!status.ok()) return status;
    }
  }
  cake::v1::ExperimentRequest begin;
  begin.mutable_meta()->set_request_id(FixedRequestId({"begin", name}));
  begin.set_experiment(name);
  return client.operators->StartExperiment(Deadline(20).get(), begin, &reply);
}

int64_t Ended(const cake::v1::ExperimentReply& reply) {
  int64_t ended = 0;
  for (const auto& run : reply.runs()) ended += run.state() == cake::v1::RUN_STATE_STOPPED;
  return ended;
}

std::string ProgressOfAll(const cake::v1::ExperimentReply& reply) {
  int64_t evaluations = 0;
  for (const auto& run : reply.runs()) evaluations += run.score_curve_size();
  return absl::StrCat(Ended(reply), " of ", reply.runs_size(), " runs ended, ", evaluations,
                      " evaluations");
}

grpc::Status Follow(Client& client, const std::string& name, cake::v1::ExperimentReply& reply) {
  std::string told;
  while (true) {
    const grpc::Status status = GetAll(client, name, reply);
    if (!status.ok()) return status;
    const std::string text = ProgressOfAll(reply);
    if (isatty(STDERR_FILENO) == 1) {
      ShowProgress(text);
    } else if (text != told) {
      std::fprintf(stderr, "%s\n", text.c_str());
      told = text;
    }
    if (Ended(reply) == reply.runs_size() || interrupted != 0) return status;
    gpr_sleep_until(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(kPollMs, GPR_TIMESPAN)));
  }
}

grpc::Status Control(Client& client, const std::string& name, bool resume) {
  cake::v1::ExperimentRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_experiment(name);
  request.set_reason(resume ? "resumed from the command line" : "interrupted at the command line");
  cake::v1::ExperimentReply reply;
  // Runs that have ended cannot be paused: each one is asked for itself.
  cake::v1::ExperimentReply all;
  if (grpc::Status status = GetAll(client, name, all); !status.ok()) return status;
  for (const auto& run : all.runs()) {
    const bool wanted =
        run.state() == (resume ? cake::v1::RUN_STATE_PAUSED : cake::v1::RUN_STATE_RUNNING);
    if (!wanted) continue;
    request.mutable_meta()->set_request_id(NewRequestId());
    request.set_run(run.run());
    const grpc::Status status =
        resume ? client.operators->ResumeExperiment(Deadline(20).get(), request, &reply)
               : client.operators->PauseExperiment(Deadline(20).get(), request, &reply);
    if (!status.ok()) return status;
  }
  return grpc::Status::OK;
}

int RunExperiment(const ExperimentOptions& options) {
  auto file = ReadExperiment(options.subject);
  if (!file.ok()) return Fail(file.status());
  auto client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const std::string name = file->request.name();
  grpc::Status status = Begin(*client, *file);
  if (status.ok()) status = Control(*client, name, true);
  if (!status.ok()) return FailCall(status, client->address);
  cake::v1::ExperimentReply reply;
  status = Follow(*client, name, reply);
  if (!status.ok()) return FailCall(status, client->address);
  ClearProgress();
  const bool whole = Ended(reply) == reply.runs_size();
  if (!whole) {
    if (status = Control(*client, name, false); !status.ok())
      return FailCall(status, client->address);
  }
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::fputs(TextOf(TableOf(reply)).c_str(), stdout);
  if (!whole) std::printf("paused: %s\n", ProgressOfAll(reply).c_str());
  PrintNextCall(whole ? absl::StrCat("cake experiment report ", name)
                      : absl::StrCat("cake experiment run ", ShellWord(options.subject)),
                options.connect);
  return kFine;
}

int ReportExperiment(const ExperimentOptions& options) {
  auto client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::ExperimentReply reply;
  const grpc::Status status = GetAll(*client, options.subject, reply);
  if (!status.ok()) return FailCall(status, client->address);
  const ExperimentTable table = TableOf(reply);
  if (!options.output.empty()) {
    std::ofstream file(options.output, std::ios::binary);
    file << HtmlOf(table);
    if (!file.good()) {
      return Fail(absl::UnavailableError(absl::StrCat(options.output, ": cannot be written")));
    }
  }
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::fputs(TextOf(table).c_str(), stdout);
  const cake::v1::RunSummary* best = nullptr;
  for (const auto& run : reply.runs()) {
    if (!run.best().candidate().empty() && best == nullptr) best = &run;
  }
  PrintNextCall(best == nullptr ? "cake history runs"
                                : absl::StrCat("cake diagnose ", best->best().candidate()),
                options.connect);
  return kFine;
}

}  // namespace

int Experiment(const ExperimentOptions& options) {
  if (options.action == "run") return RunExperiment(options);
  if (options.action == "report") return ReportExperiment(options);
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("experiment ", options.action, ": write run FILE or report NAME")));
}

}  // namespace clients::cli::remote
