// Variables of a loop that run alike in every CTA: what one is at the head of trip k follows from
// the launch and from k alone. Numbers of tiles counted up over groups are such: where two CTAs are
// known to be in trips of one number, they start from one number of tiles.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

// What is known where a loop is entered.
struct AlikeEntry {
  // Whether a local has a value there that the launch decides.
  std::function<bool(compiler::ir::LocalId)> uniform;
  // Whether nothing in a launch writes the tensor.
  std::function<bool(compiler::ir::TensorId)> constant;
};

// By LocalId, of a counted loop whose bounds the launch decides.
std::vector<bool> AlikeLocals(const compiler::ir::Program& program,
                              const compiler::ir::Kernel& kernel, const compiler::ir::Stmt& loop,
                              const AlikeEntry& entry);

}  // namespace verifier
