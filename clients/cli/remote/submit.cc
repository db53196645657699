#include <unistd.h>

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/input.h"
#include "clients/cli/place.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"
#include "compiler/ir/types.h"

namespace clients::cli::remote {
namespace {

constexpr uint32_t kMaxWaitMs = 40'000;

absl::StatusOr<cake::v1::WaitFor> ParseWait(const std::string& word) {
  if (word == "ack") return cake::v1::WAIT_FOR_ACK;
  if (word == "gates") return cake::v1::WAIT_FOR_GATES;
  if (word == "verdict") return cake::v1::WAIT_FOR_VERDICT;
  return absl::InvalidArgumentError(absl::StrCat("--wait ", word, ": write ack, gates or verdict"));
}

absl::Status AddDomains(const std::vector<std::string>& words, cake::v1::SubmitRequest& request) {
  for (const std::string& word : words) {
    const std::vector<std::string> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", word, "` is not NAME=V1,V2; write for example BN=64,128"));
    }
    auto* domain = request.add_params();
    domain->set_name(parts[0]);
    for (absl::string_view value : absl::StrSplit(parts[1], ','))
      domain->add_values(std::string(value));
  }
  return absl::OkStatus();
}

// What a message of the daemon cannot carry is refused by `cake check` with the same code.
bool CannotTravel(const std::string& source) {
  return source.empty() || !IsUtf8(source) ||
         source.size() > static_cast<size_t>(compiler::ir::Limits{}.source_bytes);
}

int ReportLocally(const SubmitOptions& options) {
  const std::string program = FolderOfThisProgram() + "/cake";
  if (options.file != "-") {
    execl(program.c_str(), program.c_str(), "check", options.file.c_str(),
          options.json ? "--json" : nullptr, static_cast<char*>(nullptr));
  }
  std::fprintf(stderr, "cake: %s: empty, too long or not UTF-8; see cake check\n",
               Printable(options.file).c_str());
  return kCandidateAtFault;
}

absl::StatusOr<cake::v1::SubmitRequest> MakeRequest(const SubmitOptions& options,
                                                    const absl::StatusOr<ProgramFile>& file) {
  if (!file.ok()) return file.status();
  if (!IsUtf8(options.intent) || !IsUtf8(options.tactic))
    return absl::InvalidArgumentError("--intent and --tactic are UTF-8 text");
  if (!file->program.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.file, ": a candidate is a file of one program; name the file alone"));
  }
  absl::StatusOr<cake::v1::WaitFor> wait = ParseWait(options.wait);
  if (!wait.ok()) return wait.status();
  cake::v1::SubmitRequest request;
  auto* meta = request.mutable_meta();
  meta->set_request_id(options.request_id.empty() ? NewRequestId() : options.request_id);
  meta->set_experiment(options.experiment);
  meta->set_run(options.run);
  if (absl::EndsWith(options.file, ".cu"))
    request.mutable_source()->mutable_cuda()->set_source(file->source);
  else
    request.mutable_source()->set_cake_ir(file->source);
  request.set_workload(options.workload);
  request.set_intent(options.intent);
  request.set_tactic(options.tactic);
  for (const std::string& parent : options.parents) request.add_parent(parent);
  request.set_wait_for(*wait);
  request.set_wait_ms(*wait == cake::v1::WAIT_FOR_ACK ? 0 : kMaxWaitMs);
  if (absl::Status domains = AddDomains(options.params, request); !domains.ok()) return domains;
  return request;
}

bool IsRejection(cake::v1::Verdict verdict) { return Word(verdict).rfind("REJECTED_", 0) == 0; }

}  // namespace

int Submit(const SubmitOptions& options) {
  const absl::StatusOr<ProgramFile> file = ReadProgram(options.file);
  absl::StatusOr<cake::v1::SubmitRequest> request = MakeRequest(options, file);
  if (!request.ok()) return Fail(request.status());
  if (CannotTravel(file->source)) return ReportLocally(options);
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::SubmitReply reply;
  auto context = Deadline(60);
  const grpc::Status status = client->agent->Submit(context.get(), *request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  const bool rejected = IsRejection(reply.report().verdict());
  if (options.json) {
    std::printf("%s\n", Json(reply, options.watch).c_str());
  } else {
    std::printf("candidate %s%s\n", Paint(reply.candidate(), Style::kBold).c_str(),
                reply.duplicate_of_existing()
                    ? absl::StrCat(", duplicate of ", reply.duplicate_of()).c_str()
                    : "");
    std::fputs(ReportText(reply.report()).c_str(), stdout);
    if (reply.progress().members() > 0) std::printf("%s\n", ProgressText(reply.progress()).c_str());
  }
  if (options.watch && !rejected) {
    return Watch({{options.connect, options.json}, reply.candidate(), reply.event_seq()});
  }
  if (!options.json) {
    const bool ended = rejected || reply.progress().terminal();
    PrintNextCall(absl::StrCat("cake ", ended ? "diagnose " : "watch ", reply.candidate()),
                  options.connect);
  }
  return ExitCodeOf(reply.report().blame());
}

}  // namespace clients::cli::remote
