#include "proto/dial/dial.h"

#include <arpa/inet.h>
#include <grpcpp/security/credentials.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace proto::dial {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

absl::StatusOr<std::string> Pem(const char* variable) {
  if (!IsSet(variable)) return std::string();
  const char* path = std::getenv(variable);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (file && !text.str().empty()) return text.str();
  return absl::InvalidArgumentError(absl::StrCat(variable, ": ", path, " cannot be read"));
}

bool IsUnix(std::string_view target) {
  return target.starts_with("unix:") || target.starts_with("unix-abstract:");
}

}  // namespace

bool StaysHere(std::string_view target) {
  if (IsUnix(target)) return true;
  for (const std::string_view scheme : {"dns:///", "dns:", "ipv4:", "ipv6:"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    break;
  }
  // One colon parts host and port; more of them are an address of IPv6, which has brackets then.
  std::string host(target);
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else if (host.find(':') == host.rfind(':')) {
    host = host.substr(0, host.find(':'));
  }
  // A number, not a name that begins like one: 127.0.0.1.example.org is somebody else's.
  in_addr address{};
  const bool number = inet_pton(AF_INET, host.c_str(), &address) == 1;
  return host == "localhost" || host == "::1" || (number && ntohl(address.s_addr) >> 24 == 127);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsFor(
    const std::string& target) {
  const auto authority = Pem("CAKE_CA"), certificate = Pem("CAKE_CERT"), key = Pem("CAKE_KEY");
  for (const auto* text : {&authority, &certificate, &key}) {
    if (!text->ok()) return text->status();
  }
  if (!authority->empty() && !IsUnix(target)) {
    return grpc::SslCredentials({*authority, *key, *certificate});
  }
  if (IsSet("CAKE_TOKEN") && !StaysHere(target)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the token would go to ", target,
                     " in clear: set CAKE_CA to the certificate of its authority"));
  }
  return grpc::InsecureChannelCredentials();
}

}  // namespace proto::dial
