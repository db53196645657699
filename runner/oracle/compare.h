// One output against its reference, and inputs made anew: the parts of a judgement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"
#include "runner/oracle/judge.h"
#include "runner/reference/reference.h"

namespace runner::oracle {

// The inputs of one case and input set, with the memory they live in.
struct DrawnInputs {
  reference::Inputs inputs;
  std::map<std::string, reference::Room<std::byte>> memory;
};
absl::StatusOr<DrawnInputs> DrawInputs(const contract::Workload& workload, const contract::Case& at,
                                       const std::vector<contract::CaseTensor>& tensors,
                                       uint64_t seed, int input_set, int threads);

struct OutputView {
  const contract::CaseTensor* at = nullptr;
  const contract::Compare* compare = nullptr;
  int64_t reduction = 0;
  std::span<const std::byte> memory;
};

// Of an output of the contract, without memory. FailedPrecondition: it has no comparison.
absl::StatusOr<OutputView> OutputViewOf(const contract::Workload& workload,
                                        const contract::Case& at,
                                        const contract::CaseTensor& tensor);

// Whether one element passes; `at` is where its bytes are.
bool Passes(const OutputView& output, const std::byte* at, double want, double scale);

// nullopt: every element passes.
std::optional<Difference> CompareOutput(const reference::Builtin& builtin,
                                        const reference::Inputs& inputs, const OutputView& output,
                                        int threads);

}  // namespace runner::oracle
