// Where each structural tactic could change a program. Every list is in the order of the text. A
// site is a proposal, not a promise: the gates judge what comes of it, and the oracle its numbers.
#pragma once

#include "server/generators/program_text.h"

namespace server::generators {

// What a param sizes, told from where its value goes: through constants and arguments of functions.
enum class ParamUse : uint8_t { kOther, kStages, kTile, kVector, kWarps };
ParamUse UseOf(const ProgramText& program, std::string_view param);

// Values beyond the domain of params of this use: the next smaller and larger ones. For kStages
// also deeper rings and constants that size stages.
Sites WidenSites(const ProgramText& program, ParamUse use);

// `unroll` of loops over ranges: added, changed, taken away.
Sites UnrollSites(const ProgramText& program);

// Other forms of the same data path: layouts of shared buffers, how loads of tensors are cached.
Sites FormSites(const ProgramText& program);

// Neighbouring loops over one range made one, where neither needs what the other makes.
Sites FuseSites(const ProgramText& program);
// A loop made two, where its second half needs nothing of the first half's of later trips.
Sites UnfuseSites(const ProgramText& program);

// Which tile a CTA takes: the axes of a two-dimensional grid exchanged, or grouped so that CTAs
// side by side share operands.
Sites RasterSites(const ProgramText& program);

// A grid of tiles made a grid of CTAs that loop over tiles.
Sites PersistentSites(const ProgramText& program);

// The warps of a role given to two roles.
Sites RoleSites(const ProgramText& program);

}  // namespace server::generators
