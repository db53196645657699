// What products of tiles compute. Only compiler/ops includes this.
#pragma once

#include "compiler/ir/op_def.h"

namespace compiler::ops {

// d = (accumulate ? d : 0) + a * b of floats or integers of 8, 4 or 1 bits. Products are exact; f32
// sums are rounded after each of them, in the order of k; an f16 accumulator is rounded once, at
// the end of the call; i32 sums wrap. Of tf32 operands the low 13 bits count as zero (PTX ISA, mma:
// they are not part of the format). Elements of several numbers hold neighbours along K, the first
// in the lowest bits; those of e2m1x2 have scales (PTX ISA, tcgen05 block scaling). Of b1x8 it adds
// up where both bits are set, or where they differ.
void MultiplyTiles(const ir::TileArgs& args);

}  // namespace compiler::ops
