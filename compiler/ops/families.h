// The lists that Arithmetic() and MemoryAccess() are joined from, one file each.
#pragma once

#include "compiler/ops/rows.h"
#include "compiler/ops/table.h"

namespace compiler::ops {

std::vector<OpDef> Operators();       // + - * / % & | ^ << >> == .. && || ! ~
std::vector<OpDef> Functions();       // fma min max abs select cvt bitcast ceildiv ..
std::vector<OpDef> Transcendental();  // exp2 exp log2 log rsqrt sqrt rcp sin cos tanh sigmoid
std::vector<OpDef> BitFunctions();    // clz popc brev lop3 prmt vmin vmax
std::vector<OpDef> WholeWarp();       // redux.* match.*
std::vector<OpDef> Conversions();     // cvt bitcast
std::vector<OpDef> TensorMemory();    // umma umma.commit tmem.*
std::vector<OpDef> LaunchControl();   // clc.try_cancel clc.cta
std::vector<OpDef> OrderedAccess();   // ld.acquire st.release .. atomic.* red.*

}  // namespace compiler::ops
