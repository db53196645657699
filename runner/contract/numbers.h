// The numbers of a generator: whether contents can be drawn by them.
#pragma once

#include <string>

#include "runner/contract/workload.h"

namespace runner::contract {

// Of a float dtype; the largest double for all others.
double LargestFinite(compiler::ir::DType dtype);

// What is wrong with them, for a tensor of this dtype; "" if nothing is.
std::string NumbersFault(const Generator& generator, compiler::ir::DType dtype);

}  // namespace runner::contract
