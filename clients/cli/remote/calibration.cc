// admin calibration: rates of the cost model, tried, put in force, taken back.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/upkeep.h"

namespace clients::cli::remote {
namespace {

void PrintTrials(const cake::v1::ActivateCalibrationReply& reply) {
  if (reply.trials_size() == 0) {
    std::puts("nothing was measured on this architecture: what it claims of time is not known");
    return;
  }
  Table table({"workload", "members", "rank_correlation", "regret_of_top_3", ""});
  for (const auto& one : reply.trials()) {
    table.Add({Printable(one.workload()), absl::StrCat(one.members()),
               absl::StrFormat("%.3f -> %.3f", one.spearman_before(), one.spearman_after()),
               absl::StrFormat("%.3f -> %.3f", one.regret_before(), one.regret_after()),
               one.judged() ? "" : "too few to judge"});
  }
  std::fputs(table.Text().c_str(), stdout);
  std::printf("within the interval: %.2f -> %.2f of %llu measured members\n",
              reply.covered_before(), reply.covered_after(),
              static_cast<unsigned long long>(reply.members()));
}

}  // namespace

int ActivateCalibration(const AdminOptions& options) {
  cake::v1::ActivateCalibrationRequest request;
  if (options.undo) {
    request.set_undo(options.path);
  } else {
    std::ifstream file(options.path, std::ios::binary);
    if (!file.good()) {
      return Fail(absl::NotFoundError(
          absl::StrCat(options.path.empty() ? "calibration" : options.path,
                       ": no such file; write a TOML file, ", "or an architecture with --undo")));
    }
    std::stringstream text;
    text << file.rdbuf();
    request.set_calibration(text.str());
  }
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_reason(options.reason);
  request.set_dry_run(options.dry_run);
  cake::v1::ActivateCalibrationReply reply;
  const grpc::Status status =
      client->operators->ActivateCalibration(Deadline(600).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  if (!options.undo) PrintTrials(reply);
  if (!reply.refused_because().empty()) {
    std::printf("it would be refused: %s\n", Printable(reply.refused_because()).c_str());
  }
  std::printf("%s: %s in force%s%s\n", reply.arch().c_str(), reply.in_force().c_str(),
              reply.activated() ? absl::StrCat(", before ", reply.before()).c_str()
                                : ", nothing was changed",
              reply.claims_time() ? "; its nanoseconds are a claim" : "");
  PrintNextCall("cake history events --kind CalibrationActivated", options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
