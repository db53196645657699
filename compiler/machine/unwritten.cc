// Which elements of the caller's outputs a run has left as they were.
#include <algorithm>

#include "compiler/machine/run_state.h"

namespace compiler::machine {
namespace {

// The offset of the first element of the dimensions from `d` on, behind `offset`, that nothing was
// stored to; -1: there is none.
int64_t FirstUnwritten(const TensorState& tensor, size_t d, int64_t offset) {
  const facts::TensorPlan& plan = *tensor.plan;
  if (d == plan.shape.size()) {
    return (tensor.elements[static_cast<size_t>(offset)] & kWrittenHere) != 0 ? -1 : offset;
  }
  if (d + 1 == plan.shape.size() && plan.strides[d] == 1) {
    const auto begin = tensor.elements.begin() + offset, end = begin + plan.shape[d];
    const auto at =
        std::find_if(begin, end, [](uint8_t flags) { return (flags & kWrittenHere) == 0; });
    return at == end ? -1 : at - tensor.elements.begin();
  }
  for (int64_t i = 0; i < plan.shape[d]; ++i) {
    const int64_t at = FirstUnwritten(tensor, d + 1, offset + i * plan.strides[d]);
    if (at >= 0) return at;
  }
  return -1;
}

}  // namespace

void NoteUnwritten(RunState& run) {
  run.result.unwritten.assign(run.plan.tensors.size(), -1);
  if (run.result.outcome != Outcome::kFinished || !run.options.ctas.empty()) return;
  for (const TensorState& tensor : run.tensors) {
    const facts::TensorPlan& plan = *tensor.plan;
    if (plan.direction != ir::Direction::kOut) continue;
    const bool empty = std::any_of(plan.shape.begin(), plan.shape.end(),
                                   [](int64_t extent) { return extent == 0; });
    if (!empty) run.result.unwritten[tensor.plan_index] = FirstUnwritten(tensor, 0, 0);
  }
}

}  // namespace compiler::machine
