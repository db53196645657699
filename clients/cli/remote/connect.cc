#include "clients/cli/remote/connect.h"

#include <google/protobuf/util/json_util.h>
#include <openssl/evp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "proto/dial/dial.h"

namespace clients::cli::remote {
namespace {

std::vector<std::string> Homes() {
  std::vector<std::string> homes;
  if (const char* home = std::getenv("CAKE_HOME"); home != nullptr && *home != '\0') return {home};
  homes.push_back(".cake");
  if (const char* home = std::getenv("HOME"))
    homes.push_back(absl::StrCat(home, "/.local/share/cake"));
  return homes;
}

absl::StatusOr<Address> ReadAddress(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto json = nlohmann::json::parse(text.str(), nullptr, false);
  if (!json.is_object()) return absl::UnavailableError(absl::StrCat(path, ": is no JSON object"));
  Address out;
  out.grpc = json.value("unix", json.value("grpc", ""));
  if (!out.grpc.empty() && out.grpc[0] == '/') out.grpc = "unix:" + out.grpc;
  out.http = json.value("http", "");
  out.pid = json.value("pid", int64_t{0});
  return out;
}

std::string Remedy(const std::string& reason) {
  if (reason == "QUEUE_FULL" || reason == "RATE") return "; wait and send the same command again";
  if (reason == "UNKNOWN_WORKLOAD") return "; start caked with --workloads DIR that holds it";
  if (reason == "DISK_FULL" || reason == "READ_ONLY") return "; free disk space, then try again";
  if (reason == "DRAINING") return "; the daemon is stopping, start it again";
  if (reason == "BUDGET_SPENT") return "; start a new experiment with a larger --budget";
  if (reason == "IDEMPOTENCY_REUSE")
    return "; its experiment was made with other options: repeat those, or choose another "
           "--experiment";
  return "";
}

}  // namespace

absl::StatusOr<Address> FindDaemon(const std::string& connect) {
  if (!connect.empty()) return Address{.grpc = connect};
  std::string looked;
  for (const std::string& home : Homes()) {
    const std::string path = home + "/address.json";
    absl::StatusOr<Address> address = ReadAddress(path);
    if (address.ok() || !absl::IsNotFound(address.status())) return address;
    absl::StrAppend(&looked, looked.empty() ? "" : ", ", path);
  }
  return absl::UnavailableError(absl::StrCat(
      "no daemon: ", looked, " not found; start one with deploy/quickstart.sh or caked"));
}

absl::StatusOr<Client> Connect(const std::string& connect) {
  absl::StatusOr<Address> address = FindDaemon(connect);
  if (!address.ok()) return address.status();
  auto credentials = proto::dial::CredentialsFor(address->grpc);
  if (!credentials.ok()) return credentials.status();
  auto channel = grpc::CreateChannel(address->grpc, *credentials);
  Client client;
  client.address = *std::move(address);
  client.agent = cake::v1::Agent::NewStub(channel);
  client.operators = cake::v1::Operator::NewStub(channel);
  client.history = cake::v1::History::NewStub(channel);
  client.worker = cake::v1::Worker::NewStub(channel);
  return client;
}

void PrintNextCall(std::string_view command, const std::string& connect, Stream stream) {
  std::string line(command);
  if (!connect.empty()) absl::StrAppend(&line, " --connect ", ShellWord(connect));
  PrintNext(line, stream);
}

std::string NewRequestId() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&bytes, absl::Hex(random(), absl::kZeroPad8));
  return "cli-" + bytes;
}

std::string FixedRequestId(std::initializer_list<std::string_view> words) {
  std::string text;
  for (std::string_view word : words)
    absl::StrAppend(&text, word.size(), ":", std::string(word), ";");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha256(), nullptr);
  const std::string hex =
      absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
  return "cli-" + hex.substr(0, 32);
}

void ShowToken(grpc::ClientContext& context) {
  const char* token = std::getenv("CAKE_TOKEN");
  if (token == nullptr || *token == '\0') return;
  context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
}

std::unique_ptr<grpc::ClientContext> Deadline(int seconds) {
  auto context = std::make_unique<grpc::ClientContext>();
  ShowToken(*context);
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
  return context;
}

int FailCall(const grpc::Status& status, const Address& address) {
  google::rpc::Status rich;
  google::rpc::ErrorInfo info;
  rich.ParseFromString(status.error_details());
  for (const auto& detail : rich.details()) detail.UnpackTo(&info);
  std::string message = status.error_message();
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE && info.reason().empty()) {
    message = absl::StrCat("the daemon at ", address.grpc, " does not answer (", message,
                           "); start it with deploy/quickstart.sh or caked");
  }
  ClearProgress();
  std::fprintf(stderr, "cake: %s%s%s\n",
               info.reason().empty() ? "" : (info.reason() + ": ").c_str(),
               Printable(message).c_str(), Remedy(info.reason()).c_str());
  if (info.reason() == "SOURCE_TOO_LARGE") return kCandidateAtFault;
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::PERMISSION_DENIED: return kUsage;
    default: return kWorldAtFault;
  }
}

int ExitCodeOf(cake::v1::Blame blame) {
  switch (blame) {
    case cake::v1::BLAME_CANDIDATE: return kCandidateAtFault;
    case cake::v1::BLAME_SYSTEM:
    case cake::v1::BLAME_CONTRACT:
    case cake::v1::BLAME_INFRA: return kWorldAtFault;
    default: return kFine;
  }
}

std::string Json(const google::protobuf::Message& message, bool one_line) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = !one_line;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string out;
  (void)google::protobuf::util::MessageToJsonString(message, &out, options);
  return out;
}

}  // namespace clients::cli::remote
