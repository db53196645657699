// A fix is offered as edits only where the edited text has passed every gate. What has not, but is
// a step on the way, stays as words; what leaves the finding there, or leaves out what the program
// has to store, is no fix.
#pragma once

#include "server/pipeline/pipeline.h"

namespace server::pipeline {

constexpr size_t kFixesTriedMax = 8;  // of one report, each by itself

// Of one member's report. Edits of several findings count together too: a program with two faults
// passes when both are mended.
void KeepFixesThatPass(const Candidate& candidate, Member& member);

}  // namespace server::pipeline
