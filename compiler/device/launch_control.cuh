// Cluster launch control (PTX ISA, clusterlaunchcontrol).
#pragma once

//@ clc_try_cancel: shared_address
namespace cake {
// By one thread: asks that a cluster of the grid that has not begun never does. The answer goes to
// these 16 bytes, and completes as many on the mbarrier.
__device__ __forceinline__ void clc_try_cancel(const void* answer, unsigned int mbarrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], "
      "[%1];" ::"r"(shared_address(answer)),
      "r"(mbarrier)
      : "memory");
}
}  // namespace cake

//@ clc_try_cancel_all: shared_address
namespace cake {
// The same, with the answer in every CTA of the cluster.
__device__ __forceinline__ void clc_try_cancel_all(const void* answer, unsigned int mbarrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
      "multicast::cluster::all.b128 [%0], [%1];" ::"r"(shared_address(answer)),
      "r"(mbarrier)
      : "memory");
}
}  // namespace cake

//@ clc_cta
namespace cake {
// The linear number of the first CTA of the cluster that will not begin; -1: there is none.
__device__ __forceinline__ int clc_cta(unsigned long long low, unsigned long long high) {
  int taken, x, y, z;
  asm("{\n"
      "  .reg .b128 answer;\n"
      "  .reg .pred p;\n"
      "  mov.b128 answer, {%4, %5};\n"
      "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n"
      "  selp.b32 %0, 1, 0, p;\n"
      "  mov.b32 %1, 0;\n"
      "  mov.b32 %2, 0;\n"
      "  mov.b32 %3, 0;\n"
      "  @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, "
      "answer;\n"
      "}"
      : "=&r"(taken), "=&r"(x), "=&r"(y), "=&r"(z)
      : "l"(low), "l"(high));
  return taken != 0 ? x + ((int)gridDim.x) * (y + ((int)gridDim.y) * z) : -1;
}
}  // namespace cake
