// From the elaborated tree of one kernel to the code the machine runs.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/program.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/values.h"

namespace compiler::machine {

// Strides in elements of every tensor (by TensorId) and of this kernel's shared buffers (by
// SharedId).
struct Layouts {
  std::vector<std::vector<int64_t>> tensors, shared;
};

// `values` are the launch values that symbols read; what does not `matter` is not computed, null:
// everything does. Unimplemented names a construct this build's
// machine has no instruction for; the table keeps such programs from being elaborated.
absl::StatusOr<KernelCode> Compile(const ir::Program& program, const ir::Kernel& kernel,
                                   const ir::LaunchValues& values, const Layouts& layouts,
                                   const Values* matter = nullptr);

// Makes the code of another launch of the same program that of this one; false, and the code as it
// was, where it has to be compiled again.
bool Relaunch(const ir::LaunchValues& values, const Layouts& layouts, KernelCode& code);

// Raw bits of a literal in the register form of ir::LaneVector. `value` is already rounded to
// `type`.
uint64_t LiteralBits(ir::DType type, double value);
uint64_t IntegerBits(ir::DType type, int64_t value);

}  // namespace compiler::machine
