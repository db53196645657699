#include <cstdio>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

// A stream that the daemon's restart or a lag ended is taken up again this often in a row.
constexpr int kReconnects = 20;

bool IsRun(const std::string& subject) { return subject.rfind("r-", 0) == 0; }

void PrintEvent(const cake::v1::Event& event, bool json) {
  if (json) {
    std::printf("%s\n", Json(event, true).c_str());
  } else {
    std::printf("%s\n", EventWords(event).c_str());
  }
  std::fflush(stdout);
}

struct Cursor {
  uint64_t seq = 0;
  cake::v1::Progress progress;
  bool ended = false;
};

grpc::Status Follow(const Client& client, const WatchOptions& options, Cursor& cursor) {
  cake::v1::WatchRequest request;
  if (IsRun(options.subject)) {
    request.mutable_meta()->set_run(options.subject);
  } else {
    request.set_candidate(options.subject);
  }
  request.set_from_seq(cursor.seq);
  grpc::ClientContext context;
  ShowToken(context);
  auto stream = client.agent->Watch(&context, request);
  cake::v1::WatchReply reply;
  while (stream->Read(&reply)) {
    if (reply.has_event()) {
      cursor.seq = reply.event().seq();
      PrintEvent(reply.event(), options.json);
    }
    if (reply.has_progress()) cursor.progress = reply.progress();
  }
  return stream->Finish();
}

// How the candidate ended, in one line; the exit code says whose fault a failure is.
int PrintVerdict(const Client& client, const WatchOptions& options) {
  cake::v1::GetCandidateRequest request;
  request.set_candidate(options.subject);
  cake::v1::Candidate reply;
  const grpc::Status status = client.history->GetCandidate(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  const int code = ExitCodeOf(reply.blame());
  if (!options.json) {
    std::printf("verdict %s\n",
                Paint(Word(reply.verdict()), code == kFine ? Style::kGood : Style::kBad).c_str());
  }
  return code;
}

}  // namespace

int Watch(const WatchOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  Cursor cursor{.seq = options.from_seq};
  grpc::Status status;
  for (int attempt = 0; attempt < kReconnects; ++attempt) {
    status = Follow(*client, options, cursor);
    const bool again =
        status.error_code() == grpc::StatusCode::OUT_OF_RANGE ||
        (status.error_code() == grpc::StatusCode::UNAVAILABLE && cursor.seq > options.from_seq);
    if (!again) break;
    ShowProgress("the stream ended; resuming");
    if (auto fresh = Connect(options.connect); fresh.ok()) client = std::move(fresh);
    gpr_sleep_until(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(500, GPR_TIMESPAN)));
  }
  if (!status.ok()) return FailCall(status, client->address);
  const int code = IsRun(options.subject) ? kFine : PrintVerdict(*client, options);
  if (!options.json) {
    if (cursor.progress.members() > 0) std::printf("%s\n", ProgressText(cursor.progress).c_str());
    PrintNextCall(absl::StrCat(IsRun(options.subject) ? "cake history --run " : "cake diagnose ",
                               options.subject),
                  options.connect);
  }
  return code;
}

}  // namespace clients::cli::remote
