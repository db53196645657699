// The worker's own kernels on the fake device, compiled as C++.
#include "tests/fakecuda/judge_native.h"

#include "runner/device/judge.h"
#include "runner/device/reference.h"
#include "tests/fakecuda/cuda_as_cpp.h"
// The device's code; it needs what stands above.
#include "runner/device/judge.cu"
#include "runner/device/reference.cu"

static_assert(sizeof(CakeParts) == sizeof(runner::device::Parts));
static_assert(sizeof(CakeOutput) == sizeof(runner::device::Output));
static_assert(sizeof(CakeTensor) == sizeof(runner::device::View));
static_assert(sizeof(CakePiece) == sizeof(runner::device::PieceView));
static_assert(sizeof(CakeHeads) == sizeof(runner::device::Heads));
static_assert(CAKE_PARTS_MAX == runner::device::kPartsMax);

CAKE_NATIVE_KERNEL(cake_judge_parts)
CAKE_NATIVE_KERNEL(cake_judge_output)
CAKE_NATIVE_KERNEL(cake_judge_poison)
CAKE_NATIVE_KERNEL(cake_reference_gemm)
CAKE_NATIVE_KERNEL(cake_reference_attention)

namespace fakecuda {

NativeEntry OwnKernel(std::string_view name) {
  if (name == runner::device::kPartsKernel) return cake_native_cake_judge_parts;
  if (name == runner::device::kOutputKernel) return cake_native_cake_judge_output;
  if (name == runner::device::kPoisonKernel) return cake_native_cake_judge_poison;
  if (name == "cake_reference_gemm") return cake_native_cake_reference_gemm;
  if (name == "cake_reference_attention") return cake_native_cake_reference_attention;
  return nullptr;
}

}  // namespace fakecuda
