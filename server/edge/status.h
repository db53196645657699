// A failing call on the wire: the gRPC status with its google.rpc details.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace server::edge {

// Carries ErrorInfo{reason, "cake"} and RetryInfo where the reason has a retry rule, ResourceInfo
// for what was not found, BadRequest for a wrong field.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace server::edge
