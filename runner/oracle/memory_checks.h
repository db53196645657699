// The checks of a judgement that need no reference: where runs wrote, and where they did not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/contract/workload.h"
#include "runner/oracle/judge.h"

namespace runner::oracle {

struct CaseView {
  const std::vector<contract::CaseTensor>& tensors;
  const std::vector<Run>& runs;
  int threads = 0;
};

// -1: the run has no such buffer.
int BufferIndex(const Run& run, const std::string& name);
std::span<const std::byte> DataOf(const Run& run, const std::string& name);

// Whether the runs of some input set all left their own poison in an element of an output.
bool Unwritten(const CaseView& view, const contract::CaseTensor& tensor, int64_t element);

// Both sides of each buffer, and what lies between the elements of strided outputs.
Check CheckCanaries(const CaseView& view);
// What it says when it finds nothing.
Check CanariesIntact(const CaseView& view);
Check CheckWritten(const CaseView& view);
// Runs of the first input set, which are neither shifted nor jittered, bit by bit.
Check CheckRepeat(const CaseView& view);
// What it says when they are alike.
Check Repeated(const CaseView& view);

// Whether two runs left the same outputs.
bool SameOutputs(const CaseView& view, const Run& a, const Run& b);

}  // namespace runner::oracle
