// The list of wrong kernels: programs of the corpus with a fault, and what has to find it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tests {

struct WrongKernel {
  std::string name, base, fault, check, says;  // base: "gemm/gemm_bf16"; check: or "none"
  std::string at;                              // a case that shows it; empty: none needed
  std::string form;                            // "short": cheap
  // Of what shows at device sizes alone. `beyond`: the contract has a device-tier case with more.
  // `shows`: a size and a binding at which the machine shows it, e.g. "N=70000 variant=equal with
  // WARPS=4". `small`: "1048576 -> 64 at one_class", a smaller number that shows at that case.
  std::string beyond, shows, small;
  std::string seed;                                        // of the job; empty: any
  std::vector<std::pair<std::string, std::string>> edits;  // each text is in the base once

  bool good() const { return check == "none"; }
  bool missed() const { return check == "missed"; }       // nothing finds it, `says` says why
  bool gated() const { return check.starts_with("CK"); }  // the gates refuse it with that code
};

// A size beyond which a kernel is wrong.
struct Boundary {
  std::map<std::string, int64_t> dims, binding;
  std::string variant;
};
absl::StatusOr<Boundary> ParseBoundary(const std::string& text);

// Reads tests/wrong/kernels.txt. InvalidArgument names the line.
absl::StatusOr<std::vector<WrongKernel>> ReadWrongKernels(const std::string& path);

// The base with its edits. InvalidArgument: a text is not there, or there more than once.
absl::StatusOr<std::string> SourceOf(const WrongKernel& kernel, std::string base);

}  // namespace tests
