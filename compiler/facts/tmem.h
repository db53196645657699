// Where buffers of tensor memory lie, and how much of it a CTA allocates.
#pragma once

#include <string>

#include "compiler/facts/derived.h"

namespace compiler::facts {

// Fills `tmem` and `tmem_columns`: buffers in the order of their declaration, alternatives of an
// `either` from one column on, all of it rounded up to what one allocation may be (PTX ISA,
// tcgen05.alloc: a power of two of at least 32 columns). More than the device has is reported.
void PlaceTmem(const ir::Kernel& kernel, const arch::Device& device, KernelFacts& facts,
               diag::Report& report);

// Statements of tcgen05: those that a fence at the hand-over orders.
bool UsesTensorMemory(const ir::OpDef& op);
bool UsesTensorMemory(const ir::Program& program, const ir::Role& role);

// Whether its products are those of pairs of CTAs: then all of tcgen05 in it is (PTX ISA,
// .cta_group).
bool MultipliesInPairs(const ir::Program& program, const ir::Kernel& kernel);

// For `cake explain`: the columns, and who shares them.
std::string TmemLines(const ir::Kernel& kernel, const KernelFacts& facts);

}  // namespace compiler::facts
