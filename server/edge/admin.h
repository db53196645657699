// An operator's long calls: one at a time, on a thread of their own, beside everything else. The
// same functions serve `caked --admin`, where no daemon has the folder.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "server/edge/core_thread.h"
#include "server/edge/translate.h"
#include "store/store.h"
#include "store/upkeep.h"

namespace server::edge {

class Admin {
 public:
  // Whether the caller still waits.
  using Gone = std::function<bool()>;
  using Done = std::function<void(absl::Status)>;
  struct Call {
    int64_t who = 0;  // the principal that the log names
    Gone gone;
    Done done;  // called once, from the admin thread or, refused, at once
  };

  Admin(CoreThread& core, store::Store& store) : core_(core), store_(store) {}
  // Ends what is running and waits for it.
  ~Admin() { Stop(); }
  void Stop();

  // `in` and `out` live until `call.done`.
  void Doctor(const wire::DoctorRequest* in, wire::DoctorReply* out, const Call& call);
  void Fsck(const wire::FsckRequest* in, wire::FsckReply* out, const Call& call);
  void Backup(const wire::BackupRequest* in, wire::BackupReply* out, const Call& call);
  void CollectGarbage(const wire::CollectGarbageRequest* in, wire::CollectGarbageReply* out,
                      const Call& call);

 private:
  using Work = std::function<absl::Status(const store::Cancelled&)>;
  void Start(Work work, const Call& call);
  // What the request was answered before, into `out`; false: it is new.
  template <typename Out>
  absl::StatusOr<bool> Known(int64_t who, const char* method, const core::Meta& meta, Out* out);
  // The note of what was done, with the answer under the request's id.
  template <typename Out>
  absl::Status Note(int64_t who, const char* method, const core::Meta& meta,
                    const std::string& subject, const std::string& reason, Out* out);

  CoreThread& core_;
  store::Store& store_;
  std::mutex mutex_;
  std::thread thread_;  // guarded by mutex_, as is busy_
  bool busy_ = false;
  std::atomic<bool> stopping_ = false;
};

// `caked --admin VERB`: takes the folder's lock, but for doctor and fsck, which only look;
// `request` is the call's message as JSON, its answer is printed as JSON. The exit code.
int RunAdmin(const std::string& data_dir, const std::string& verb, const std::string& request);

// What the machine and the folder are like; `live`: the daemon's own store, or null.
void Examine(const std::string& data_dir, store::Store* live, wire::DoctorReply* out);

}  // namespace server::edge
