// A `where` that no launch satisfies: everything would hold of it, and nothing of it has run.
#pragma once

#include "verifier/explore.h"

namespace verifier {

// An error that names the conjuncts, where nothing was launched and they are why.
void ReportVacuous(const ir::Program& program, const compiler::facts::Facts& facts,
                   const Exploration& exploration, compiler::diag::Report& report);

}  // namespace verifier
