// The list of wrong kernels: programs of the corpus with a fault, and what has to find it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tests {

struct WrongKernel {
  std::string name, base, fault, check, says;  // base: "gemm/gemm_bf16"; check: or "none"
  std::string at;                              // a case that shows it; empty: none needed
  std::string form;                            // "short": cheap
  std::vector<std::pair<std::string, std::string>> edits;  // each text is in the base once

  bool good() const { return check == "none"; }
  bool missed() const { return check == "missed"; }       // nothing finds it, `says` says why
  bool gated() const { return check.starts_with("CK"); }  // the gates refuse it with that code
};

// Reads tests/wrong/kernels.txt. InvalidArgument names the line.
absl::StatusOr<std::vector<WrongKernel>> ReadWrongKernels(const std::string& path);

// The base with its edits. InvalidArgument: a text is not there, or there more than once.
absl::StatusOr<std::string> SourceOf(const WrongKernel& kernel, std::string base);

}  // namespace tests
