#include <cstdio>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/evidence_file.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr int kObjectSeconds = 120;
constexpr int kImportSeconds = 300;

grpc::Status PutObject(const Client& client, const std::string& hash, const std::string& kind,
                       const std::string& bytes) {
  auto context = Deadline(kObjectSeconds);
  cake::v1::PutObjectReply reply;
  auto writer = client.worker->PutObject(context.get(), &reply);
  cake::v1::PutObjectRequest part;
  part.mutable_header()->set_hash(hash);
  part.mutable_header()->set_kind(kind);
  part.mutable_header()->set_size(bytes.size());
  bool open = writer->Write(part);
  for (size_t at = 0; open && at < bytes.size(); at += kPieceBytes) {
    part.set_data(bytes.substr(at, kPieceBytes));
    open = writer->Write(part);
  }
  writer->WritesDone();
  return writer->Finish();
}

// Everything that the daemon needs to see before it can judge the log. Sent again it changes
// nothing.
grpc::Status PutAll(const Client& client, const EvidenceFile& file) {
  grpc::Status failed;
  size_t sent = 0;
  const absl::Status walked = ForEachObject(
      file, [&](const std::string& hash, const std::string& kind, const std::string& bytes) {
        ShowProgress(absl::StrCat("object ", ++sent, " of ", file.objects.size()));
        failed = PutObject(client, hash, kind, bytes);
        return failed.ok() ? absl::OkStatus() : absl::CancelledError("the daemon refused it");
      });
  ClearProgress();
  if (!failed.ok()) return failed;
  if (!walked.ok()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "the file changed while it was read"};
  }
  failed = PutObject(client, file.manifest_hash, "other", file.manifest);
  if (failed.ok()) failed = PutObject(client, file.log_hash, "other", file.log);
  return failed;
}

void Print(const cake::v1::ImportEvidenceReply& reply) {
  const auto& evidence = reply.evidence();
  std::printf("%s%s: campaign %s, device %s, driver %s%s; git %s\n", evidence.import().c_str(),
              reply.already() ? " (imported before, nothing changed)" : "",
              Printable(evidence.campaign()).c_str(), Printable(evidence.device()).c_str(),
              Printable(evidence.driver()).c_str(), evidence.simulated() ? ", simulated" : "",
              Printable(evidence.git()).substr(0, 12).c_str());
  if (!reply.already()) {
    std::printf("%llu events, %llu of them left out: they are about that machine only\n",
                static_cast<unsigned long long>(reply.events()),
                static_cast<unsigned long long>(reply.left_out()));
  }
  if (reply.runs_size() == 0) return;
  Table table({"run", "there", "experiment", "workload", "state", "reason", "objective",
               "candidates", "evaluated", "best"});
  for (const auto& run : reply.runs()) {
    table.Add({run.run(), run.imported().source_run(), Printable(run.experiment()),
               Printable(run.workload()), Word(run.state()), Printable(run.reason()),
               Word(run.objective_source()), absl::StrCat(run.candidates()),
               absl::StrCat(run.progress().evaluated()),
               run.best().candidate().empty() ? "none" : run.best().candidate()});
  }
  std::fputs(table.Text().c_str(), stdout);
}

}  // namespace

int Import(const ImportOptions& options) {
  absl::StatusOr<EvidenceFile> file = ReadEvidence(options.file);
  if (!file.ok()) return Fail(file.status());
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  grpc::Status status = PutAll(*client, *file);
  if (!status.ok()) return FailCall(status, client->address);
  cake::v1::ImportEvidenceRequest request;
  request.mutable_meta()->set_request_id(FixedRequestId({"import", file->manifest_hash}));
  request.set_manifest(file->manifest_hash);
  request.set_log(file->log_hash);
  cake::v1::ImportEvidenceReply reply;
  auto context = Deadline(kImportSeconds);
  status = client->operators->ImportEvidence(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  Print(reply);
  PrintNextCall(reply.runs_size() == 0 ? "cake history runs"
                                       : absl::StrCat("cake history --run ", reply.runs(0).run()),
                options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
