// Of two findings of one mistake the one that says what is missing: where CTAs race, a barrier
// inside a CTA is no answer, though a shape of one CTA asks for it.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace verifier {

// Whether threads of one CTA are found to race in global memory, and no CTAs.
bool RacesInsideCtasOnly(const compiler::ir::Program& program,
                         const compiler::diag::Report& report);

// Leaves out races inside a CTA at places where CTAs race too, and undefined values of lines where
// something is read too early.
compiler::diag::Report ClearestRaces(const compiler::ir::Program& program,
                                     const compiler::diag::Report& report);

}  // namespace verifier
