#include "runner/device/judge.h"

#include "runner/oracle/accepted.h"
#include "runner/oracle/generate.h"
#include "runner/reference/numbers.h"

namespace runner::device {

std::optional<Output> OutputOf(compiler::ir::DType dtype, uint64_t poison, int index) {
  const auto form = oracle::PoisonFormOf(dtype);
  const int64_t width = reference::ElementBytes(dtype);
  if (!form || (width != 1 && width != 2 && width != 4 && width != 8)) return std::nullopt;
  return Output{.poison = oracle::PoisonStart(poison, index),
                .poison_add = form->add,
                .poison_modulo = form->modulo,
                .poison_mask = form->mask,
                .largest = oracle::LargestMagnitude(dtype),
                .width = static_cast<uint32_t>(width),
                .order = static_cast<uint32_t>(oracle::OrderOf(dtype))};
}

}  // namespace runner::device
