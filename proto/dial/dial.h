// How a program of this repository reaches a daemon: TLS or not, and whom its token is shown to.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace grpc {
class ChannelCredentials;
}

namespace proto::dial {

// A UNIX socket or a loopback address: what is sent there does not leave this machine.
bool StaysHere(std::string_view target);

// TLS where $CAKE_CA says whom to trust; $CAKE_CERT and $CAKE_KEY are the caller's own; all three
// are PEM files. INVALID_ARGUMENT: one of them is set and cannot be read, or $CAKE_TOKEN would go
// in clear to another machine.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsFor(const std::string& target);

}  // namespace proto::dial
