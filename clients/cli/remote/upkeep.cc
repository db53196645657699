#include "clients/cli/remote/upkeep.h"

#include <google/protobuf/util/json_util.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "clients/cli/place.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

using cake::v1::CheckState;

constexpr int kLongSeconds = 24 * 3600;  // reading every byte of a store takes its time

// `caked --admin VERB` on this machine's folder; its message, or the exit code.
template <typename In, typename Out>
std::optional<int> AskFolder(const char* verb, const std::string& dir, const In& in, Out* out) {
  const std::string command =
      absl::StrCat(ShellWord(FolderOfThisProgram() + "/caked"), " --data-dir ", ShellWord(dir),
                   " --admin ", verb, " --request ", ShellWord(Json(in, /*one_line=*/true)));
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return Fail(absl::UnavailableError("cannot start caked"));
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kWorldAtFault;
  if (code != kFine) return code;
  if (google::protobuf::util::JsonStringToMessage(text, out).ok()) return std::nullopt;
  return Fail(absl::InternalError("caked: answered no JSON"));
}

template <typename In, typename Out>
using Method = grpc::Status (cake::v1::Operator::Stub::*)(grpc::ClientContext*, const In&, Out*);

// The daemon answers where there is one; else the folder itself is looked at. The exit code of what
// failed.
template <typename In, typename Out>
std::optional<int> Ask(const AdminOptions& options, const char* verb, Method<In, Out> method,
                       const In& in, Out* out) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (client.ok()) {
    auto context = Deadline(kLongSeconds);
    const grpc::Status status = ((*client->operators).*method)(context.get(), in, out);
    if (status.ok()) return std::nullopt;
    // An address that nobody answers is what a killed daemon leaves behind.
    const bool nobody = status.error_code() == grpc::StatusCode::UNAVAILABLE &&
                        status.error_details().empty() && options.connect.empty();
    if (!nobody) return FailCall(status, client->address);
  } else if (!options.connect.empty()) {
    return Fail(client.status());
  }
  return AskFolder(verb, DataFolder(), in, out);
}

std::string Megabytes(uint64_t bytes) { return absl::StrCat((bytes + (1 << 19)) >> 20, " MiB"); }

std::string Absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

const char* StateWord(CheckState state) {
  switch (state) {
    case cake::v1::CHECK_STATE_OK: return "ok";
    case cake::v1::CHECK_STATE_WARN: return "warn";
    default: return "FAIL";
  }
}

void PrintFaults(const google::protobuf::RepeatedPtrField<cake::v1::StoreFault>& faults) {
  for (const auto& fault : faults) {
    std::printf("  %s\n", Printable(fault.place()).c_str());
    if (!fault.expected().empty())
      std::printf("    log:  %s\n", Printable(fault.expected()).c_str());
    std::printf("    here: %s\n", Printable(fault.found()).c_str());
  }
}

int PrintDoctor(const cake::v1::DoctorReply& reply, const AdminOptions& options) {
  Table table({"check", "state", "detail"});
  bool fails = false;
  std::string remedies;
  for (const auto& check : reply.checks()) {
    fails = fails || check.state() == cake::v1::CHECK_STATE_FAIL;
    table.Add({check.name(), StateWord(check.state()), Printable(check.detail())});
    if (!check.remedy().empty()) {
      absl::StrAppend(&remedies, check.name(), ": ", Printable(check.remedy()), "\n");
    }
  }
  std::printf("%s%s", table.Text().c_str(), remedies.c_str());
  PrintNextCall(fails          ? "cake admin fsck"
                : reply.live() ? "cake history runs"
                               : "cake admin fsck",
                options.connect);
  return fails ? kWorldAtFault : kFine;
}

}  // namespace

int Doctor(const AdminOptions& options, const std::vector<int64_t>& workers) {
  cake::v1::DoctorReply reply;
  if (const auto code = Ask(options, "doctor", &cake::v1::Operator::Stub::Doctor,
                            cake::v1::DoctorRequest(), &reply)) {
    return *code;
  }
  Address address;
  cake::v1::ListRunsReply runs;
  if (reply.live()) {
    absl::StatusOr<Client> client = Connect(options.connect);
    if (!client.ok()) return Fail(client.status());
    address = client->address;
    auto context = Deadline(10);
    const grpc::Status status = client->history->ListRuns(context.get(), {}, &runs);
    if (!status.ok()) return FailCall(status, address);
  }
  if (!options.json) {
    if (reply.live()) {
      std::printf("daemon answers at %s, event %llu, %d runs\n", address.grpc.c_str(),
                  static_cast<unsigned long long>(runs.as_of_seq()), runs.runs_size());
      if (!address.http.empty()) std::printf("live page: %s/\n", address.http.c_str());
    } else {
      std::printf("no daemon; the folder %s\n", Printable(DataFolder()).c_str());
    }
    std::printf("worker of this folder: %s\n", workers.empty() ? "not running" : "running");
    for (const int64_t pid : workers) {
      std::printf("  cake-worker, pid %lld\n", static_cast<long long>(pid));
    }
    return PrintDoctor(reply, options);
  }
  auto json = nlohmann::ordered_json::parse(Json(reply));
  json.update({{"daemon", address.grpc},
               {"pid", address.pid},
               {"http", address.http},
               {"event_seq", runs.as_of_seq()},
               {"runs", runs.runs_size()},
               {"worker_pid", workers.empty() ? 0 : workers.front()},
               {"worker_pids", workers}});
  std::printf("%s\n", json.dump(2).c_str());
  bool fails = false;
  for (const auto& check : reply.checks()) {
    fails = fails || check.state() == cake::v1::CHECK_STATE_FAIL;
  }
  return fails ? kWorldAtFault : kFine;
}

int Fsck(const AdminOptions& options) {
  cake::v1::FsckReply reply;
  if (const auto code =
          Ask(options, "fsck", &cake::v1::Operator::Stub::Fsck, cake::v1::FsckRequest(), &reply)) {
    return *code;
  }
  const int code = reply.sound() ? kFine : kWorldAtFault;
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return code;
  }
  std::printf("%s: %llu events folded, %llu rows compared, %llu objects (%s) read; integrity %s\n",
              reply.sound() ? "sound" : "NOT SOUND",
              static_cast<unsigned long long>(reply.events()),
              static_cast<unsigned long long>(reply.rows()),
              static_cast<unsigned long long>(reply.objects()),
              Megabytes(reply.object_bytes()).c_str(), reply.integrity().c_str());
  if (reply.stray_files() > 0) {
    std::printf("%llu files without a row: cake admin gc takes them\n",
                static_cast<unsigned long long>(reply.stray_files()));
  }
  PrintFaults(reply.faults());
  PrintNextCall(reply.sound() ? "cake admin backup DIR" : "cake admin restore BACKUP --into DIR",
                options.connect);
  return code;
}

int Backup(const AdminOptions& options) {
  if (options.path.empty()) {
    return Fail(absl::InvalidArgumentError("admin backup DIR: where to? a folder that is empty"));
  }
  cake::v1::BackupRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_path(Absolute(options.path));
  request.set_reason(options.reason);
  cake::v1::BackupReply reply;
  if (const auto code =
          Ask(options, "backup", &cake::v1::Operator::Stub::Backup, request, &reply)) {
    return *code;
  }
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("backup of event %llu in %s: database %s, %llu object files %s\n",
              static_cast<unsigned long long>(reply.last_seq()), Printable(reply.path()).c_str(),
              Megabytes(reply.database_bytes()).c_str(),
              static_cast<unsigned long long>(reply.objects()),
              Megabytes(reply.object_bytes()).c_str());
  PrintNext(absl::StrCat("cake admin restore ", ShellWord(reply.path()), " --into NEW_FOLDER"));
  return kFine;
}

int Restore(const AdminOptions& options) {
  if (options.path.empty() || options.into.empty()) {
    return Fail(absl::InvalidArgumentError(
        "admin restore BACKUP --into DIR: names a backup and a folder that is empty"));
  }
  cake::v1::RestoreRequest request;
  request.set_path(Absolute(options.path));
  cake::v1::RestoreReply reply;
  const std::string into = Absolute(options.into);
  if (const auto code = AskFolder("restore", into, request, &reply)) return *code;
  const int code = reply.equal() ? kFine : kWorldAtFault;
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return code;
  }
  std::printf("%s restored: %llu events, %llu rows %s the fold of the log, integrity %s\n",
              Printable(into).c_str(), static_cast<unsigned long long>(reply.events()),
              static_cast<unsigned long long>(reply.rows()),
              reply.equal() ? "equal" : "DIFFER from", reply.integrity().c_str());
  PrintFaults(reply.faults());
  PrintNext(absl::StrCat("caked --data-dir ", ShellWord(into)));
  return code;
}

int CollectGarbage(const AdminOptions& options) {
  cake::v1::CollectGarbageRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_apply(options.apply);
  request.set_reason(options.reason);
  request.set_objects_max(options.objects_max);
  if (options.unnamed_hours) request.set_unnamed_hours(*options.unnamed_hours);
  if (options.log_hours) request.set_log_hours(*options.log_hours);
  if (options.cubin_hours) request.set_cubin_hours(*options.cubin_hours);
  if (options.trash_hours) request.set_trash_hours(*options.trash_hours);
  cake::v1::CollectGarbageReply reply;
  if (const auto code =
          Ask(options, "gc", &cake::v1::Operator::Stub::CollectGarbage, request, &reply)) {
    return *code;
  }
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  Table table({"what", "count", "size"});
  const std::pair<const char*, const cake::v1::GarbageCount*> rows[] = {
      {"objects that nothing names", &reply.unnamed()},
      {"logs past their time", &reply.logs()},
      {"cubins past their time", &reply.cubins()},
      {"files without a row", &reply.files()},
      {"files that leave the trash", &reply.trash()}};
  for (const auto& [name, count] : rows) {
    table.Add({name, absl::StrCat(count->count()), Megabytes(count->bytes())});
  }
  std::printf("%s%s; %llu objects are kept%s\n", table.Text().c_str(),
              reply.applied() ? "gone" : "nothing changed: a dry run",
              static_cast<unsigned long long>(reply.kept()),
              reply.limited() ? "; the limit was reached, run it again" : "");
  PrintNextCall(reply.applied() ? "cake admin fsck" : "cake admin gc --apply --reason WHY",
                options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
