// The instruction table: one list per family, joined here. No registration, no globals but the one
// const table.
#pragma once

#include "compiler/ir/op_def.h"

namespace compiler::ops {

std::vector<ir::OpDef> Arithmetic();    // + - * / .. fma min max exp2 .. cvt bitcast select
std::vector<ir::OpDef> Lanes();         // lanes.*, shfl.*, redux, match
std::vector<ir::OpDef> MemoryAccess();  // ld st atomic red prefetch ldmatrix ..
std::vector<ir::OpDef> AsyncCopies();   // cp.async tma.* bulk.*
std::vector<ir::OpDef> Matrix();        // mma wgmma umma tmem.*
std::vector<ir::OpDef>
Synchronise();  // sync bar.* acquire commit wait release arrive expect fence pdl grid cluster

const ir::OpTable& Table();

// The manual (compiler/instructions/): a page an instruction and the index, in Markdown, made from
// the entries alone. File names are without their ending; operators are named in words.
std::string ManualFileName(const ir::OpDef& op);
std::string ManualPage(const ir::OpDef& op);
std::string ManualIndex();

}  // namespace compiler::ops
