// The lists that reference.cc joins, one function a file.
#pragma once

#include <vector>

#include "runner/reference/reference.h"

namespace runner::reference {

std::vector<Builtin> AttentionReferences();
std::vector<Builtin> DeltaReferences();
std::vector<Builtin> ElementReferences();
std::vector<Builtin> LloydReferences();
std::vector<Builtin> MatrixReferences();
std::vector<Builtin> NearestReferences();
std::vector<Builtin> RowReferences();
std::vector<Builtin> ScatterReferences();
std::vector<Builtin> SelectReferences();
std::vector<Builtin> StateReferences();

}  // namespace runner::reference
