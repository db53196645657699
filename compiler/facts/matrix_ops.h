// What products and matrix copies stand for, for `cake explain`.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::facts {

// One statement: `count` warp-wide instructions of this name, such as "ldmatrix.x4.trans" or
// "mma.m16n8k16.f32.bf16".
struct MatrixOp {
  int64_t line = 0;  // of the source, from 1
  std::string instruction;
  int64_t count = 0;
};

// Those of one role in source order; a statement that an inlined fn makes several times counts
// once.
std::vector<MatrixOp> MatrixOps(const ir::Program& program, const ir::Kernel& kernel,
                                const ir::Role& role);

}  // namespace compiler::facts
