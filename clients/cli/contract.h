// Finding and reading a workload contract for a local verb.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"

namespace clients::cli {

// `workload` is a path, a name looked up as NAME.workload.textproto here, beside the program and in
// tests/corpus/NAME, or empty: then the contract beside `program_path` whose name the program's
// begins with, or the only one there.
// InvalidArgument: none found (places or names are listed), or what is wrong with its text.
absl::StatusOr<runner::contract::Workload> LoadContract(const std::string& workload,
                                                        const std::string& program_path);

// The same, and InvalidArgument where the contract is not whole: what a worker would refuse.
absl::StatusOr<runner::contract::Workload> LoadWholeContract(const std::string& workload,
                                                             const std::string& program_path);

// "" unless the contract at `path` names a baseline program that is not beside it.
std::string MissingBaseline(const runner::contract::Workload& contract, const std::string& path);

// The file that LoadContract reads.
absl::StatusOr<std::string> FindContract(const std::string& workload,
                                         const std::string& program_path);

// Gives args of the contract other values in every case: NAME=VALUE, or NAME=VALUE,VALUE,.. with a
// value for each element of an array. InvalidArgument names what does not fit the contract.
absl::Status OverrideArgs(const std::vector<std::string>& words,
                          runner::contract::Workload& contract);

}  // namespace clients::cli
