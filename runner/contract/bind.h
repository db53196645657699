// A program and a contract meet by name: tensors and args first by name, then by dtype, rank and
// direction; the program's dims are solved from the contract's shapes case by case. What does not
// fit is a finding about the program (category data), naming both declarations.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "runner/contract/workload.h"

namespace runner::contract {

// Multiprocessors of the reference machine where a case does not say otherwise.
inline constexpr int64_t kMachineSms = 4;
// The same for one program: two clusters at least, where it has clusters.
int64_t MachineSms(const compiler::ir::Program& program);

// Reports CK91xx for every tensor or arg that is missing, extra or in conflict, and for every case
// whose numbers the program's ranges or `where` guards refuse (held-out cases only where the
// contract does not let programs specialise for the search cases).
void CheckBinding(const Workload& workload, const compiler::ir::Program& program,
                  compiler::diag::Report& report);

// The numbers of one case for facts::BindLaunch: dims by the program's names, args (f32 by their
// bits), "SMS". FailedPrecondition: the shapes do not fit the program's dims.
absl::StatusOr<std::map<std::string, int64_t>> CaseValues(const Workload& workload, const Case& at,
                                                          const compiler::ir::Program& program,
                                                          int64_t sms);

}  // namespace runner::contract
