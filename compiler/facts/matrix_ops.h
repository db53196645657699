// What products and matrix copies stand for, for `cake explain`.
#pragma once

#include <string>
#include <vector>

#include "compiler/arch/device.h"
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

// Instructions of the routine that stands for a product of 16 x 8 x 32 bytes of K with `a` on the
// left, `differ` where bits are compared by xor; 0: the device multiplies these types itself.
int64_t MmaRoutine(const arch::Device& device, ir::DType a, bool differ);

}  // namespace compiler::facts
