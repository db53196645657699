// The judge's own kernels on the fake device, compiled as C++.
#include "tests/fakecuda/judge_native.h"

#include "runner/device/judge.h"
#include "tests/fakecuda/cuda_as_cpp.h"
// The device's code; it needs what stands above.
#include "runner/device/judge.cu"

static_assert(sizeof(CakeParts) == sizeof(runner::device::Parts));
static_assert(sizeof(CakeOutput) == sizeof(runner::device::Output));
static_assert(CAKE_PARTS_MAX == runner::device::kPartsMax);

CAKE_NATIVE_KERNEL(cake_judge_parts)
CAKE_NATIVE_KERNEL(cake_judge_output)

namespace fakecuda {

NativeEntry JudgeKernel(std::string_view name) {
  if (name == runner::device::kPartsKernel) return cake_native_cake_judge_parts;
  if (name == runner::device::kOutputKernel) return cake_native_cake_judge_output;
  return nullptr;
}

}  // namespace fakecuda
