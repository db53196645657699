// How a program is built, for the archive and for distances (server/state/features.h says what of
// it makes a cell).
#pragma once

#include <string>

#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace server::generators {

// One JSON object: "roles", "ring" (the deepest staging), "form" (how products and copies are
// made), "tile" (elements that a CTA holds at once), "persistent" (the grid is sized by the
// device), "split" (CTAs add into one output), "cluster", "warps", "access" (elements of the widest
// access of a thread), "shared" (bytes), "params".
std::string FeaturesJson(const compiler::ir::Program& program, const compiler::facts::Facts& facts);

}  // namespace server::generators
