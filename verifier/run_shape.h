// One run of one shape on the machine, as a variant says (explore.cc).
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/facts/derived.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/values.h"
#include "verifier/instances.h"
#include "verifier/variants.h"
#include "verifier/verify.h"

namespace verifier {

// FailedPrecondition where no contents satisfy the contracts at this shape.
absl::StatusOr<compiler::machine::Result> RunShape(const ir::Program& program,
                                                   const compiler::facts::Facts& facts,
                                                   const compiler::machine::Values& values,
                                                   const Shape& shape, int64_t max_statements,
                                                   const Variant& variant, const Policy& policy,
                                                   compiler::machine::Scratch& scratch);

}  // namespace verifier
