// Tools of the CUDA toolkit, found when they are wanted and never needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace runner::evidence {

inline constexpr int64_t kToolOutputBytesMax = int64_t{64} << 20;

// $CAKE_TOOLS, $PATH, the toolkit's and Nsight Compute's folders, in this order; empty: none.
// `folders`: searched before all others.
std::string FindTool(const std::string& name, const std::vector<std::string>& folders = {});

// Where FindTool looks, for messages.
std::string ToolFolders();

// Runs a tool in an empty environment and returns what it writes to its standard output and error.
// Unavailable: it does not start, is killed for its time, or ends with another code than 0; the
// message holds its last words.
absl::StatusOr<std::string> RunTool(const std::vector<std::string>& argv, int64_t timeout_ms);

// The listing of a cubin by cuobjdump or nvdisasm. Unavailable: neither is here, or it fails.
absl::StatusOr<std::string> Disassemble(const std::string& cubin,
                                        const std::vector<std::string>& folders = {});

}  // namespace runner::evidence
