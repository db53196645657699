// References that are programs of their own, in any language: `{inputs}` of the command is a
// safetensors file with every input by its name and every arg as an F64 without a shape,
// `{outputs}` the file that it has to write. An output is given in any type, F64 at best; beside
// NAME there may be NAME.scale, what errors are relative to (else the value itself).
#pragma once

#include "absl/status/status.h"
#include "runner/contract/workload.h"
#include "runner/reference/reference.h"

namespace runner::worker {

inline constexpr int64_t kReferenceSecondsDefault = 60, kReferenceSecondsMax = 3'600;
inline constexpr int64_t kReferenceBytesMax = int64_t{1} << 32;  // of either file

// Runs the contract's command in a folder and process group of its own, with limits on time,
// memory, files and, where we are root, without a network; fills inputs.given.
// FailedPrecondition: it failed, or its outputs are not those of the contract, in words.
// Every input and arg of a case, as a safetensors file.
std::string InputsFile(const reference::Inputs& inputs);

absl::Status RunReferenceCommand(const contract::Workload& workload, reference::Inputs& inputs);

}  // namespace runner::worker
