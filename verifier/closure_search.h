// Looks for launches in which the state of a loop comes again, and for the few trip counts that
// have then to be run.
#pragma once

#include <functional>
#include <optional>

#include "compiler/machine/machine.h"
#include "verifier/closure.h"

namespace verifier {

// A run without data; nothing where the machine did not come to its end. What it finds is noted by
// whoever runs it.
using RunSlim = std::function<std::optional<compiler::machine::Result>(
    const Shape& shape, const compiler::machine::CutPlan* cuts)>;

void SearchClosure(const ir::Program& program, const Selection& selection, const RunSlim& run,
                   KernelClosure& closure);

}  // namespace verifier
