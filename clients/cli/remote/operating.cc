// What an operator decides about callers and machines: quotas, drain, quarantine.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/upkeep.h"

namespace clients::cli::remote {
namespace {

using Stub = cake::v1::Operator::Stub;

// Calls `method`, prints the answer as JSON or in the words that `say` finds, and what comes next.
template <typename Request, typename Reply, typename Say>
int Decide(const AdminOptions& options, Request& request,
           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*), Say say) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_reason(options.reason);
  Reply reply;
  const grpc::Status status =
      (client->operators.get()->*method)(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("%s\n", say(reply).c_str());
  PrintNextCall("cake history devices", options.connect);
  return kFine;
}

}  // namespace

int SetQuota(const AdminOptions& options) {
  cake::v1::SetQuotaRequest request;
  request.set_name(options.path);
  request.set_weight(options.weight);
  request.set_checks_max(options.checks_max);
  request.set_open_max(options.open_max);
  return Decide(options, request, &Stub::SetQuota, [](const cake::v1::SetQuotaReply& reply) {
    return absl::StrCat(Printable(reply.name()), ": weight ", reply.weight(), ", ",
                        reply.checks_max(), " checks and ", reply.open_max(),
                        " open candidates at a time");
  });
}

int DrainWorker(const AdminOptions& options) {
  cake::v1::DrainWorkerRequest request;
  request.set_worker(options.path);
  request.set_undo(options.undo);
  return Decide(options, request, &Stub::DrainWorker, [](const cake::v1::DrainWorkerReply& reply) {
    return absl::StrCat(Printable(reply.worker()), ": ", reply.state());
  });
}

int QuarantineDevice(const AdminOptions& options) {
  cake::v1::QuarantineDeviceRequest request;
  request.set_device(options.path);
  request.set_undo(options.undo);
  return Decide(options, request, &Stub::QuarantineDevice,
                [](const cake::v1::QuarantineDeviceReply& reply) {
                  return absl::StrCat(Printable(reply.device()), ": ", reply.state());
                });
}

}  // namespace clients::cli::remote
