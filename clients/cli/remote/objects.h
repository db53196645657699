// Objects of the daemon's store, by their hashes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/remote/connect.h"

namespace clients::cli::remote {

std::string Sha256Hex(const std::string& bytes);

// The bytes, which have the hash. NOT_FOUND where the daemon has none such.
absl::StatusOr<std::string> FetchObject(const Client& client, const std::string& hash);

}  // namespace clients::cli::remote
