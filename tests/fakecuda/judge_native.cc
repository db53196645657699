// The worker's own kernels on the fake device, compiled as C++.
#include "tests/fakecuda/judge_native.h"

#include "runner/device/judge.h"
#include "runner/device/reference.h"
#include "tests/fakecuda/cuda_as_cpp.h"
// The device's code; it needs what stands above.
#include "runner/device/judge.cu"
#include "runner/device/reference.cu"
#include "runner/device/reference_rows.cu"

static_assert(sizeof(CakeParts) == sizeof(runner::device::Parts));
static_assert(sizeof(CakeOutput) == sizeof(runner::device::Output));
static_assert(sizeof(CakeTensor) == sizeof(runner::device::View));
static_assert(sizeof(CakePiece) == sizeof(runner::device::PieceView));
static_assert(sizeof(CakeShape) == sizeof(runner::device::Shape));
static_assert(CAKE_PARTS_MAX == runner::device::kPartsMax);

// X(name): every kernel of ours.
#define CAKE_OWN_KERNELS(X)   \
  X(cake_judge_parts)         \
  X(cake_judge_output)        \
  X(cake_judge_poison)        \
  X(cake_reference_attention) \
  X(cake_reference_packed)    \
  X(cake_reference_gemm)      \
  X(cake_reference_blockwise) \
  X(cake_reference_swiglu)    \
  X(cake_reference_nearest)   \
  X(cake_reference_knn)       \
  X(cake_reference_layernorm) \
  X(cake_reference_paged)     \
  X(cake_reference_rmsnorm)   \
  X(cake_reference_softmax)

CAKE_OWN_KERNELS(CAKE_NATIVE_KERNEL)

namespace fakecuda {

NativeEntry OwnKernel(std::string_view name) {
#define CAKE_OWN_ENTRY(kernel) \
  if (name == #kernel) return cake_native_##kernel;
  CAKE_OWN_KERNELS(CAKE_OWN_ENTRY)
#undef CAKE_OWN_ENTRY
  return nullptr;
}

}  // namespace fakecuda
