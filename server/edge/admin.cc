#include "server/edge/admin.h"

#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <filesystem>
#include <future>

#include "absl/strings/str_cat.h"
#include "server/edge/api.h"
#include "server/edge/daemon.h"
#include "server/state/error.h"
#include "store/clock.h"

namespace server::edge {
namespace {

constexpr size_t kPathBytesMax = 4096;

void Add(const char* place, const std::string& key, const std::string& expected,
         const std::string& found, google::protobuf::RepeatedPtrField<wire::StoreFault>* out) {
  wire::StoreFault* fault = out->Add();
  fault->set_place(absl::StrCat(place, key));
  fault->set_expected(expected);
  fault->set_found(found);
}

void Differences(const store::RebuildReport& fold,
                 google::protobuf::RepeatedPtrField<wire::StoreFault>* out) {
  for (const store::RebuildDifference& d : fold.differences) {
    Add("", absl::StrCat(d.table, " ", d.key), d.expected, d.found, out);
  }
}

absl::Status FsckOf(const std::string& dir, const store::Cancelled& cancelled,
                    wire::FsckReply* out) {
  auto report = store::Fsck(dir, cancelled);
  if (!report.ok()) return state::FromStore(report.status());
  out->set_sound(report->sound());
  out->set_schema(report->schema);
  out->set_last_seq(report->last_seq);
  out->set_events(report->fold.events);
  out->set_rows(report->fold.rows);
  out->set_integrity(report->fold.integrity);
  out->set_objects(report->objects);
  out->set_object_bytes(report->object_bytes);
  out->set_let_go(report->let_go);
  out->set_named(report->named);
  out->set_stray_files(report->stray_files);
  out->set_fault_count(report->fault_count);
  Differences(report->fold, out->mutable_faults());
  for (const store::ObjectFault& fault : report->faults) {
    Add("object ", fault.hash.hex, "", fault.what, out->mutable_faults());
  }
  return absl::OkStatus();
}

void ToWire(const store::BackupReport& in, wire::BackupReply* out) {
  out->set_path(in.path);
  out->set_schema(in.schema);
  out->set_last_seq(in.last_seq);
  out->set_database_hash(in.database_hash);
  out->set_database_bytes(in.database_bytes);
  out->set_objects(in.objects);
  out->set_object_bytes(in.object_bytes);
}

absl::Status CheckPath(const std::string& path) {
  if (path.empty() || path.front() != '/' || path.size() > kPathBytesMax) {
    return state::BadField("path", "must be an absolute path of at most 4096 bytes");
  }
  return absl::OkStatus();
}

absl::Status BackupOf(const std::string& dir, const wire::BackupRequest& in,
                      const store::Cancelled& cancelled, wire::BackupReply* out) {
  if (auto status = CheckPath(in.path()); !status.ok()) return status;
  auto report = store::Backup(dir, in.path(), cancelled);
  if (!report.ok()) return state::FromStore(report.status());
  ToWire(*report, out);
  return absl::OkStatus();
}

absl::Status RestoreOf(const std::string& dir, const wire::RestoreRequest& in,
                       wire::RestoreReply* out) {
  if (auto status = CheckPath(in.path()); !status.ok()) return status;
  auto report = store::Restore(in.path(), dir, [] { return false; });
  if (!report.ok()) return report.status();
  ToWire(report->from, out->mutable_backup());
  out->set_equal(report->fold.equal());
  out->set_events(report->fold.events);
  out->set_rows(report->fold.rows);
  out->set_integrity(report->fold.integrity);
  Differences(report->fold, out->mutable_faults());
  return absl::OkStatus();
}

void ToWire(const store::GarbageCount& in, wire::GarbageCount* out) {
  out->set_count(in.count);
  out->set_bytes(in.bytes);
}

absl::Status GarbageOf(store::Store& store, const wire::CollectGarbageRequest& in,
                       const store::Cancelled& cancelled, wire::CollectGarbageReply* out) {
  store::GarbagePolicy policy;
  policy.apply = in.apply();
  if (in.has_unnamed_hours()) policy.unnamed_hours = in.unnamed_hours();
  if (in.has_log_hours()) policy.log_hours = in.log_hours();
  if (in.has_cubin_hours()) policy.cubin_hours = in.cubin_hours();
  if (in.has_trash_hours()) policy.trash_hours = in.trash_hours();
  if (in.objects_max() > 0) policy.objects_max = in.objects_max();
  auto report = store::CollectGarbage(store, store::SystemClock(), policy, cancelled);
  if (!report.ok()) return state::FromStore(report.status());
  ToWire(report->unnamed, out->mutable_unnamed());
  ToWire(report->logs, out->mutable_logs());
  ToWire(report->cubins, out->mutable_cubins());
  ToWire(report->files, out->mutable_files());
  ToWire(report->trash, out->mutable_trash());
  out->set_kept(report->kept);
  out->set_limited(report->limited);
  out->set_applied(report->applied);
  return absl::OkStatus();
}

absl::Status CheckReason(const wire::CollectGarbageRequest& in) {
  if (!in.apply() || !in.reason().empty()) return absl::OkStatus();
  return state::BadField("reason", "is needed for what cannot be undone");
}

core::Meta MetaOf(const wire::RequestMeta& meta, const google::protobuf::Message& request) {
  return FromWire(meta, request);
}

// Runs `call` as the principal `who` and waits for the core: the admin thread may.
template <typename T>
T OnCore(CoreThread& core, int64_t who, T refused, std::function<T(core::Core&)> call) {
  auto answer = std::make_shared<std::promise<T>>();
  auto future = answer->get_future();
  const absl::Status posted = core.Post([answer, call, who](core::Core& core) {
    const core::Core::Acting acting(core, who);
    answer->set_value(call(core));
  });
  if (!posted.ok()) {
    refused = posted;
    return refused;
  }
  return future.get();
}

}  // namespace

void Admin::Start(Work work, const Call& call) {
  {
    std::lock_guard lock(mutex_);
    if (!busy_ && !stopping_) {
      if (thread_.joinable()) thread_.join();
      busy_ = true;
      thread_ = std::thread([this, work = std::move(work), gone = call.gone, done = call.done] {
        const absl::Status status = work([&] { return stopping_.load() || gone(); });
        // Free before it is answered: the caller's next call finds it so.
        {
          std::lock_guard lock(mutex_);
          busy_ = false;
        }
        done(status);
      });
      return;
    }
  }
  call.done(stopping_ ? state::Error(state::Reason::kDraining, "the daemon is stopping")
                      : state::Error(state::Reason::kRate, "another admin action is running"));
}

void Admin::Stop() {
  stopping_ = true;
  std::thread last;
  {
    std::lock_guard lock(mutex_);
    last.swap(thread_);
  }
  if (last.joinable()) last.join();
}

template <typename Out>
absl::StatusOr<bool> Admin::Known(int64_t who, const char* method, const core::Meta& meta,
                                  Out* out) {
  using Answer = absl::StatusOr<std::optional<std::string>>;
  auto answered = OnCore<Answer>(core_, who, absl::UnknownError(""), [&](core::Core& core) {
    return core.AdminAnswered(method, meta);
  });
  if (!answered.ok()) return answered.status();
  return answered->has_value() && out->ParseFromString(**answered);
}

template <typename Out>
absl::Status Admin::Note(int64_t who, const char* method, const core::Meta& meta,
                         const std::string& subject, const std::string& reason, Out* out) {
  // The note's own number is not part of the stored answer: it is known only with it.
  const std::string reply = out->SerializeAsString();
  auto seq = OnCore<absl::StatusOr<int64_t>>(
      core_, who, absl::UnknownError(""),
      [&](core::Core& core) { return core.NoteAdmin(method, meta, subject, reason, reply); });
  if (!seq.ok()) return seq.status();
  out->set_event_seq(*seq);
  return absl::OkStatus();
}

void Admin::Doctor(const wire::DoctorRequest*, wire::DoctorReply* out, const Call& call) {
  Start(
      [this, out](const store::Cancelled&) {
        Examine(store_.dir(), &store_, out);
        return absl::OkStatus();
      },
      call);
}

void Admin::Fsck(const wire::FsckRequest*, wire::FsckReply* out, const Call& call) {
  Start([this, out](const store::Cancelled& c) { return FsckOf(store_.dir(), c, out); }, call);
}

void Admin::Backup(const wire::BackupRequest* in, wire::BackupReply* out, const Call& call) {
  const auto work = [this, in, out, who = call.who](const store::Cancelled& cancelled) {
    const core::Meta meta = MetaOf(in->meta(), *in);
    auto known = Known(who, "Backup", meta, out);
    if (!known.ok() || *known) return known.status();
    if (auto status = BackupOf(store_.dir(), *in, cancelled, out); !status.ok()) return status;
    return Note(who, "Backup", meta, in->path(), in->reason(), out);
  };
  Start(work, call);
}

void Admin::CollectGarbage(const wire::CollectGarbageRequest* in, wire::CollectGarbageReply* out,
                           const Call& call) {
  const auto work = [this, in, out, who = call.who](const store::Cancelled& cancelled) {
    const core::Meta meta = MetaOf(in->meta(), *in);
    if (auto status = CheckReason(*in); !status.ok()) return status;
    auto known = Known(who, "CollectGarbage", meta, out);
    if (!known.ok() || *known) return known.status();
    if (auto status = GarbageOf(store_, *in, cancelled, out); !status.ok()) return status;
    if (!in->apply()) return absl::OkStatus();
    return Note(who, "CollectGarbage", meta, absl::StrCat(out->unnamed().count(), " objects"),
                in->reason(), out);
  };
  Start(work, call);
}

namespace {

int Failed(const absl::Status& status) {
  std::fprintf(stderr, "caked: %s\n", std::string(status.message()).c_str());
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitWorld;
}

template <typename In>
absl::Status Read(const std::string& json, In* in) {
  if (json.empty()) return absl::OkStatus();
  const auto status = google::protobuf::util::JsonStringToMessage(json, in);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--request: ", status.ToString()));
}

// Holds the folder while it works.
absl::StatusOr<std::unique_ptr<store::Store>> OpenFolder(const std::string& dir) {
  if (!std::filesystem::exists(dir + "/cake.db")) {
    return absl::NotFoundError(absl::StrCat("no store in ", dir));
  }
  return store::Store::Open({.dir = dir, .threads = false, .disk_reserve_bytes = 0});
}

template <typename Out>
absl::Status NoteHere(store::Store& store, const char* action, const std::string& subject,
                      const std::string& reason, Out* out) {
  store::Batch batch;
  batch.events = {store::AdminAction{
      .who = store.local_principal(), .action = action, .subject = subject, .reason = reason}};
  auto done = store.Commit(std::move(batch));
  if (done.ok()) out->set_event_seq(done->last_seq);
  return done.status();
}

absl::Status BackupHere(const std::string& dir, const wire::BackupRequest& in,
                        wire::BackupReply* out) {
  auto store = OpenFolder(dir);
  if (!store.ok()) return store.status();
  auto status = BackupOf(
      dir, in, [] { return false; }, out);
  if (!status.ok()) return status;
  return NoteHere(**store, "Backup", in.path(), in.reason(), out);
}

absl::Status GarbageHere(const std::string& dir, const wire::CollectGarbageRequest& in,
                         wire::CollectGarbageReply* out) {
  if (auto status = CheckReason(in); !status.ok()) return status;
  auto store = OpenFolder(dir);
  if (!store.ok()) return store.status();
  auto status = GarbageOf(
      **store, in, [] { return false; }, out);
  if (!status.ok() || !in.apply()) return status;
  return NoteHere(**store, "CollectGarbage", absl::StrCat(out->unnamed().count(), " objects"),
                  in.reason(), out);
}

template <typename In, typename Out, typename Call>
int Answer(const std::string& request, Call call) {
  In in;
  Out out;
  absl::Status status = Read(request, &in);
  if (status.ok()) status = call(in, &out);
  if (!status.ok()) return Failed(status);
  std::printf("%s\n", Json(out).c_str());
  return kExitFine;
}

}  // namespace

int RunAdmin(const std::string& dir, const std::string& verb, const std::string& request) {
  if (verb == "doctor") {
    return Answer<wire::DoctorRequest, wire::DoctorReply>(request, [&](const auto&, auto* out) {
      Examine(dir, nullptr, out);
      return absl::OkStatus();
    });
  }
  if (verb == "fsck") {
    return Answer<wire::FsckRequest, wire::FsckReply>(request, [&](const auto&, auto* out) {
      return FsckOf(
          dir, [] { return false; }, out);
    });
  }
  if (verb == "backup") {
    return Answer<wire::BackupRequest, wire::BackupReply>(
        request, [&](const auto& in, auto* out) { return BackupHere(dir, in, out); });
  }
  if (verb == "restore") {
    return Answer<wire::RestoreRequest, wire::RestoreReply>(
        request, [&](const auto& in, auto* out) { return RestoreOf(dir, in, out); });
  }
  return Answer<wire::CollectGarbageRequest, wire::CollectGarbageReply>(
      request, [&](const auto& in, auto* out) { return GarbageHere(dir, in, out); });
}

}  // namespace server::edge
