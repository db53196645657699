// Looks for launches in which the state of a loop comes again, and for the few trip counts that
// have then to be run.
#pragma once

#include <functional>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/facts/derived.h"
#include "verifier/closure.h"
#include "verifier/instances.h"

namespace verifier {

// Of all kernels with a plan, by runs without data; `note` takes what they find.
void SearchClosures(const ir::Program& program, const compiler::facts::Facts& facts,
                    const Selection& selection, const Policy& policy,
                    const std::function<void(const compiler::diag::Report&)>& note,
                    std::vector<KernelClosure>& closures);

}  // namespace verifier
