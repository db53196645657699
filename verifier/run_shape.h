// One run of one shape on the machine, as a variant says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/derived.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/values.h"
#include "verifier/filling.h"
#include "verifier/instances.h"
#include "verifier/variants.h"
#include "verifier/verify.h"

namespace verifier {

// What of a program's values runs compute: all that matters, or without the conditions that decide
// nothing but what is undefined, as long as nothing is.
struct RunValues {
  RunValues(const ir::Program& program, std::vector<compiler::machine::Watch> watched);
  compiler::machine::Values all, fewer;
};

// What runs of one program one after the other share.
struct SharedRuns {
  compiler::machine::ScratchPtr scratch = compiler::machine::MakeScratch();
  bool all_values = false;  // a run with fewer could not tell
  Fillings fillings;
  std::vector<std::vector<std::byte>> storage;  // of tensors, by number
  uint64_t contents = 0;  // of the last run with the first contents, where contracts decide on them
};

// FailedPrecondition where no contents satisfy the contracts at this shape; AlreadyExists where
// contents of another choice are those that the last run had.
absl::StatusOr<compiler::machine::Result> RunShape(const ir::Program& program,
                                                   const compiler::facts::Facts& facts,
                                                   const RunValues& values,
                                                   const Shape& shape, int64_t max_statements,
                                                   const Variant& variant, const Policy& policy,
                                                   SharedRuns& shared);

}  // namespace verifier
