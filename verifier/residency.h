// Whether all CTAs of a kernel are on the device at once.
#pragma once

#include "verifier/analysis.h"

namespace verifier {

// For every shape that the guard admits and every number of SMs that the launch may name.
bool SurelyResident(const ir::Program& program, const compiler::facts::Facts& facts,
                    const KernelAnalysis& analysis);

}  // namespace verifier
