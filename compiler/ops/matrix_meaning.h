// What products of tiles compute. Only compiler/ops includes this.
#pragma once

#include "compiler/ir/op_def.h"

namespace compiler::ops {

// d = (accumulate ? d : 0) + a * b of floats or 8-bit integers. Products are exact; f32 sums are
// rounded after each of them, in the order of k; an f16 accumulator is rounded once, at the end of
// the call; i32 sums wrap. Of tf32 operands the low 13 bits count as zero (PTX ISA, mma: they are
// not part of the format). Of e2m1x2 operands an element is two neighbours along K, the first in
// its low half; they have scales (PTX ISA, tcgen05 block scaling).
void MultiplyTiles(const ir::TileArgs& args);

}  // namespace compiler::ops
