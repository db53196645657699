// Which workers there are and whether they live.
#include <algorithm>
#include <map>

#include "runner/contract/kernel_class.h"
#include "server/core/leasing.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

using store::RunState;

constexpr int64_t kNsPerMs = 1'000'000;
constexpr size_t kWorkerNameMax = 64;
// A worker that said nothing for so long has no claim to its name: longer than a report and a long
// poll take together.
constexpr int64_t kNameFreeAfterNs = 30'000'000'000;
constexpr int kTwinsMax = 64;
constexpr std::string_view kReported = "reported: ";
constexpr size_t kHealthReasonMax = 256;

absl::Status Stale(std::string_view what) { return state::Error(state::Reason::kStaleToken, what); }

// At most kHealthReasonMax bytes, and no part of a character at the end.
std::string Short(const std::string& reason) {
  if (reason.size() <= kHealthReasonMax) return reason;
  size_t end = kHealthReasonMax;
  while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;
  return reason.substr(0, end);
}

bool SameNoise(const state::Device& device, const std::map<std::string, double>& measured) {
  return std::all_of(measured.begin(), measured.end(), [&](const auto& of) {
    const auto known = device.noise.find(of.first);
    return known != device.noise.end() && known->second == of.second;
  });
}

// The device's id; an event only where something about it is new. A quarantined device gets another
// chance from a worker that was started again, unless that start itself showed it ill or an
// operator put it there.
int64_t NoteDevice(const state::State& state, const RegisterRequest& request, bool started_again,
                   std::vector<store::EventBody>& events) {
  const state::Device* device = nullptr;
  for (const auto& [id, row] : state.devices) {
    if (row.uuid == request.uuid) device = &row;
  }
  const bool stays =
      device != nullptr && (!started_again || device->reason.starts_with(kByOperator));
  const bool quarantined = stays && device->state == "QUARANTINED";
  const bool same = device != nullptr && device->arch == request.arch &&
                    device->driver == request.driver && device->simulated == request.simulated &&
                    SameNoise(*device, request.noise) &&
                    (device->state == "HEALTHY" || quarantined);
  const bool ill_now = std::any_of(events.begin(), events.end(), [](const auto& event) {
    return std::holds_alternative<store::DeviceState>(event);
  });
  if (same || (device != nullptr && ill_now)) return device->id;
  const int64_t next = state.devices.empty() ? 1 : state.devices.rbegin()->first + 1;
  const int64_t id = device != nullptr ? device->id : next;
  store::DeviceState now{.device = id,
                         .uuid = request.uuid,
                         .name = request.device_name,
                         .arch = request.arch,
                         .driver = request.driver,
                         .state = quarantined ? device->state : "HEALTHY",
                         .simulated = request.simulated,
                         .reason = quarantined ? device->reason : ""};
  for (const auto& [kernel_class, floor] : request.noise)
    now.noise.push_back({kernel_class, floor});
  events.push_back(std::move(now));
  return id;
}

// A floor is part of every promotion on that device: one that is no number would promote all.
absl::Status CheckNoise(const std::map<std::string, double>& noise) {
  if (noise.size() > kNoiseMax) return state::BadField("device.noise", "has more than 8 classes");
  for (const auto& [kernel_class, floor] : noise) {
    const auto& known = runner::contract::kKernelClasses;
    if (std::find(known.begin(), known.end(), kernel_class) == known.end())
      return state::BadField("device.noise", "names an unknown class of kernels");
    if (!(floor >= 0 && floor <= 1))
      return state::BadField("device.noise", "has a floor outside 0 to 1");
  }
  return absl::OkStatus();
}

}  // namespace

// The name that a registering worker gets. Two processes may come with one name, for the default
// name says only host and device. The one that was started later is the worker of that name; an
// older one that is still there serves under a name of its own, and waits where both would share a
// device that measures.
absl::StatusOr<std::string> Leasing::NameFor(const RegisterRequest& request) const {
  const state::State& state = c_.state();
  std::string name = request.name;
  for (int twin = 2; twin <= kTwinsMax; ++twin) {
    const state::Worker* known = state.FindWorker(name);
    if (known == nullptr || request.incarnation >= known->incarnation) return name;
    const auto seen = seen_ns_.find(known->id);
    const bool there = known->state != "GONE" && seen != seen_ns_.end() &&
                       c_.ledger.NowNs() - seen->second < kNameFreeAfterNs;
    if (!there) return name;
    if (!request.arch.empty()) {
      return absl::UnavailableError(absl::StrCat("worker ", name, " was started later and serves ",
                                                 "this device; it is waited for"));
    }
    name = absl::StrCat(request.name.substr(0, kWorkerNameMax - 4), "#", twin);
  }
  return absl::ResourceExhaustedError("too many workers of one name");
}

absl::StatusOr<RegisterReply> Leasing::Register(const RegisterRequest& request) {
  if (auto status = CheckServing(c_); !status.ok()) return status;
  if (request.name.empty() || request.name.size() > kWorkerNameMax) {
    return state::BadField("name", "must have 1..64 bytes");
  }
  if (request.uuid.empty()) return state::BadField("device.uuid", "is empty");
  if (auto status = CheckNoise(request.noise); !status.ok()) return status;
  const state::State& state = c_.state();
  auto name = NameFor(request);
  if (!name.ok()) return name.status();
  const state::Worker* known = state.FindWorker(*name);
  std::vector<store::EventBody> events;
  RegisterReply reply;
  reply.report_every_ms = c_.limits.report_hold_ms;
  reply.lease_ttl_ms = c_.limits.lease_ttl_ms;
  if (known != nullptr && request.incarnation != known->incarnation) {
    for (const int64_t id : state.open_leases) {
      const state::Lease& lease = state.leases.at(id);
      if (lease.worker != known->id) continue;
      reply.fenced_leases.push_back(store::RowName('l', id));
      for (auto& event : LostEvents(state, state.jobs.at(lease.job), "INCARNATION", true, 0)) {
        events.push_back(std::move(event));
      }
    }
  }
  const int64_t device_id = NoteDevice(
      state, request, known == nullptr || known->incarnation != request.incarnation, events);
  // A worker that registers again while it drains drains on; one that was started again serves.
  const bool same_process = known != nullptr && known->incarnation == request.incarnation;
  const std::string wanted = same_process && known->state == "DRAIN" ? "DRAIN" : "SERVE";
  const bool same_worker = same_process && known->device == device_id && known->state == wanted &&
                           known->capabilities == request.capabilities;
  if (!same_worker) {
    events.push_back(store::WorkerState{.worker = known != nullptr ? known->id : 0,
                                        .name = *name,
                                        .incarnation = request.incarnation,
                                        .state = wanted,
                                        .device = device_id,
                                        .capabilities = request.capabilities});
  }
  if (!reply.fenced_leases.empty()) CAKE_FAILPOINT("server.lost.before_commit");
  if (!events.empty()) {
    if (auto done = c_.ledger.Commit(std::move(events)); !done.ok()) return done.status();
  }
  if (!reply.fenced_leases.empty()) CAKE_FAILPOINT("server.lost.after_commit");
  const state::Worker* worker = c_.state().FindWorker(*name);
  seen_ns_[worker->id] = c_.ledger.NowNs();
  reply.worker = worker->name;
  return reply;
}

absl::StatusOr<int64_t> Leasing::Live(const std::string& name, uint64_t incarnation) {
  const state::Worker* worker = c_.state().FindWorker(name);
  if (worker == nullptr) return state::NotFound("worker", name);
  if (worker->incarnation != incarnation) {
    return Stale("another incarnation of this worker is registered");
  }
  const int64_t id = worker->id;
  seen_ns_[id] = c_.ledger.NowNs();
  if (worker->state == "GONE") {
    store::WorkerState back{.worker = id,
                            .name = worker->name,
                            .incarnation = incarnation,
                            .state = "SERVE",
                            .device = worker->device,
                            .capabilities = worker->capabilities};
    if (auto done = c_.ledger.Commit({back}); !done.ok()) return done.status();
  }
  return id;
}

absl::Status Leasing::HeedHealth(const ReportRequest& request) {
  const state::Worker* worker = c_.state().FindWorker(request.worker);
  const auto device = c_.state().devices.find(worker->device);
  if (device == c_.state().devices.end()) return absl::OkStatus();
  const state::Device& now = device->second;
  std::vector<store::EventBody> events;
  if (!request.healthy && now.state == "HEALTHY") {
    events.push_back(DeviceEvent(
        now, "QUARANTINED", absl::StrCat(std::string(kReported), Short(request.unhealthy_reason))));
  } else if (request.healthy && now.state == "QUARANTINED" && now.reason.starts_with(kReported)) {
    events.push_back(DeviceEvent(now, "HEALTHY", ""));
  }
  if (events.empty()) return absl::OkStatus();
  return c_.ledger.Commit(std::move(events)).status();
}

bool Leasing::NoteGoneWorkers() {
  const int64_t now = c_.ledger.NowNs();
  std::vector<store::EventBody> events;
  for (const auto& [id, worker] : c_.state().workers) {
    if (worker.state == "GONE" || now - seen_ns_[id] < kGoneAfterNs) continue;
    events.push_back(store::WorkerState{.worker = id,
                                        .name = worker.name,
                                        .incarnation = worker.incarnation,
                                        .state = "GONE",
                                        .device = worker.device,
                                        .capabilities = worker.capabilities});
  }
  if (events.empty()) return false;
  return c_.ledger.Commit(std::move(events)).ok();
}

// A run whose queued work no machine can take is paused with its reason after a while, and goes on
// when one is there again.
bool Leasing::WatchInfrastructure() {
  const int64_t now = c_.ledger.NowNs();
  std::map<int64_t, bool> stuck;                    // by run with queued work
  std::map<std::vector<std::string>, bool> served;  // jobs want few different things
  for (const int64_t id : c_.state().queued_jobs) {
    const state::Job& job = c_.state().jobs.at(id);
    const auto [known, unknown] = served.try_emplace(job.needs, false);
    if (unknown) known->second = AnyWorkerFor(c_.state(), job.needs);
    auto [entry, fresh] = stuck.try_emplace(job.run, true);
    entry->second = entry->second && !known->second;
  }
  std::vector<store::EventBody> events;
  for (const auto& [id, run] : c_.state().runs) {
    const auto it = stuck.find(id);
    const bool is_stuck = it != stuck.end() && it->second;
    if (!is_stuck) idle_since_ns_.erase(id);
    const bool live = run.state == RunState::kRunning || run.state == RunState::kConfirming;
    if (live && is_stuck) {
      const int64_t since = idle_since_ns_.try_emplace(id, now).first->second;
      if (now - since < c_.limits.infra_down_ms * kNsPerMs) continue;
      events.push_back(
          store::RunStateChanged{.run = id, .state = RunState::kPaused, .reason = "INFRA_DOWN"});
    } else if (run.state == RunState::kPaused && run.reason == "INFRA_DOWN" && !is_stuck) {
      events.push_back(store::RunStateChanged{.run = id, .state = RunState::kRunning});
    }
  }
  if (events.empty()) return false;
  return c_.ledger.Commit(std::move(events)).ok();
}

}  // namespace server::core
