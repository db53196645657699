// What operators say of workers and devices: drain and serve again, quarantine and admit again.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/core/core.h"

namespace server::core {
namespace {

// The request again gets the answer as things stand; else the batch that carries it out.
absl::StatusOr<std::optional<store::Batch>> BatchFor(Context& context, Ledger& ledger,
                                                     std::string_view method,
                                                     const MachineRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(context); !status.ok()) return status;
  store::Batch batch;
  batch.idem = IdempotencyOf(context, method, request.meta);
  auto answered = ledger.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return std::nullopt;
  if (request.reason.empty()) return state::BadField("reason", "is empty: say why");
  batch.events.push_back(
      store::AdminAction{.who = context.principal,
                         .action = std::string(method) + (request.undo ? " undo" : ""),
                         .subject = request.name,
                         .reason = request.reason.substr(0, kIntentBytesMax)});
  return batch;
}

// By uuid, or by a name that is one device's: cards of one model share theirs.
absl::StatusOr<const state::Device*> FindDevice(const state::State& state,
                                                const std::string& name) {
  std::vector<const state::Device*> found;
  for (const auto& [id, device] : state.devices) {
    if (device.uuid == name) return &device;
    if (device.name == name) found.push_back(&device);
  }
  if (found.empty()) return state::NotFound("device", name);
  if (found.size() == 1) return found.front();
  std::string all;
  for (const state::Device* device : found)
    absl::StrAppend(&all, all.empty() ? "" : ", ", device->uuid);
  return state::BadField("name", absl::StrCat("is that of ", found.size(),
                                              " devices; name one by its uuid: ", all));
}

}  // namespace

absl::StatusOr<MachineReply> Core::DrainWorker(const MachineRequest& request) {
  const state::Worker* worker = state().FindWorker(request.name);
  if (worker == nullptr) return state::NotFound("worker", request.name);
  auto batch = BatchFor(context_, ledger_, "DrainWorker", request);
  if (!batch.ok()) return batch.status();
  const std::string wanted = request.undo ? "SERVE" : "DRAIN";
  if (batch->has_value()) {
    if (worker->state == "GONE") return state::BadField("name", "is gone: it serves nobody");
    if (worker->state != wanted) {
      (*batch)->events.push_back(store::WorkerState{.worker = worker->id,
                                                    .name = worker->name,
                                                    .incarnation = worker->incarnation,
                                                    .state = wanted,
                                                    .device = worker->device,
                                                    .capabilities = worker->capabilities});
    }
    if (auto done = ledger_.Commit(**std::move(batch)); !done.ok()) return done.status();
  }
  return MachineReply{worker->name, worker->state, state().last_seq};
}

absl::StatusOr<MachineReply> Core::QuarantineDevice(const MachineRequest& request) {
  const auto found = FindDevice(state(), request.name);
  if (!found.ok()) return found.status();
  const state::Device* device = *found;
  auto batch = BatchFor(context_, ledger_, "QuarantineDevice", request);
  if (!batch.ok()) return batch.status();
  if (batch->has_value()) {
    const std::string reason =
        absl::StrCat(std::string(kByOperator), request.reason.substr(0, 256));
    (*batch)->events.push_back(request.undo ? DeviceEvent(*device, "HEALTHY", "")
                                            : DeviceEvent(*device, "QUARANTINED", reason));
    if (auto done = ledger_.Commit(**std::move(batch)); !done.ok()) return done.status();
  }
  return MachineReply{device->uuid, device->state, state().last_seq};
}

}  // namespace server::core
