// Reads workload contracts and the programs beside them from folders.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/contracts.h"

namespace server::edge {

// Every *.workload.textproto below `folders`, by path. NotFound: a folder that does not exist.
absl::StatusOr<std::vector<core::ContractFile>> ReadContractFiles(
    const std::vector<std::string>& folders);

}  // namespace server::edge
