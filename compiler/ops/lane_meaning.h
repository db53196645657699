// Meanings of lanes.* and shfl.*; the table's entries are in lanes.cc.
#pragma once

#include "compiler/ops/meaning.h"

namespace compiler::ops {

// Reductions over aligned groups of args.width lanes: x := x op x[lane xor m] for m = 1, 2, 4, ...
// Emitted code does the same shuffles, so results are equal bit by bit.
std::string_view LanesSum(const MeaningArgs& args);
std::string_view LanesMax(const MeaningArgs& args);
std::string_view LanesMin(const MeaningArgs& args);
// out[0] the value, out[1] its index; ties go to the lowest index.
std::string_view LanesArgMax(const MeaningArgs& args);
std::string_view LanesArgMin(const MeaningArgs& args);
std::string_view LanesAny(const MeaningArgs& args);
std::string_view LanesAll(const MeaningArgs& args);
std::string_view LanesBallot(const MeaningArgs& args);
std::string_view LanesFirst(const MeaningArgs& args);
// x := x[lane - m] + x for m = 1, 2, 4, .. where lane - m is in the group.
std::string_view LanesScanSum(const MeaningArgs& args);
std::string_view LanesExclusiveScanSum(const MeaningArgs& args);

std::string_view ShuffleIndex(const MeaningArgs& args);
std::string_view ShuffleUp(const MeaningArgs& args);
std::string_view ShuffleDown(const MeaningArgs& args);
std::string_view ShuffleXor(const MeaningArgs& args);

}  // namespace compiler::ops
