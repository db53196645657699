// Arithmetic on the two halves of a packed value, each as its own operation with one rounding.
#pragma once

#include "compiler/ops/meaning.h"

namespace compiler::ops {

// The bits of a + b of one 16-bit float type, rounded to nearest even, subnormals kept.
uint64_t AddHalves(ir::DType element, uint64_t a, uint64_t b);

std::string_view PackedAdd(const MeaningArgs& args);
std::string_view PackedSubtract(const MeaningArgs& args);
std::string_view PackedMultiply(const MeaningArgs& args);
std::string_view PackedFma(const MeaningArgs& args);
// `.nan`: NaN wins.
std::string_view PackedMin(const MeaningArgs& args);
std::string_view PackedMax(const MeaningArgs& args);
// On the bits: the sign of NaN too.
std::string_view PackedNegate(const MeaningArgs& args);
std::string_view PackedAbsolute(const MeaningArgs& args);
// f of each half in double, rounded once; bf16 halves take and give subnormals as zero if
// `flushes_bf16`, as the approximations with `.ftz` do.
std::string_view PackedApproximate(const MeaningArgs& args, double (*f)(double), bool flushes_bf16);

}  // namespace compiler::ops
