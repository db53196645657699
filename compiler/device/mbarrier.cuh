// Mbarriers: one instruction each (PTX ISA, mbarrier). Addresses are of the shared window, 32 bits.
// Before sm_90 there is neither try_wait nor a byte count; test_wait has the same meaning.

//@ mbarrier_init
namespace cake {
__device__ __forceinline__ void mbarrier_init(unsigned int address, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(count) : "memory");
}
}  // namespace cake

//@ mbarrier_init_fence
namespace cake {
// Makes the initialised mbarriers visible to asynchronous engines and other CTAs.
__device__ __forceinline__ void mbarrier_init_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
}  // namespace cake

//@ mbarrier_arrive
namespace cake {
__device__ __forceinline__ void mbarrier_arrive(unsigned int address) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
}
}  // namespace cake

//@ mbarrier_arrive_expect
namespace cake {
__device__ __forceinline__ void mbarrier_arrive_expect(unsigned int address, unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
               : "memory");
}
}  // namespace cake

//@ mbarrier_test
namespace cake {
// Whether the generation of this parity is complete; if so, acquires what its arrivals released.
__device__ __forceinline__ bool mbarrier_test(unsigned int address, unsigned int parity) {
  unsigned int complete;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
      "  selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(complete)
      : "r"(address), "r"(parity)
      : "memory");
  return complete != 0;
}
}  // namespace cake

//@ mbarrier_wait: mbarrier_test
namespace cake {
__device__ __forceinline__ void mbarrier_wait(unsigned int address, unsigned int parity) {
#if __CUDA_ARCH__ >= 900
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
#else
  while (!mbarrier_test(address, parity)) {
  }
#endif
}
}  // namespace cake

//@ mbarrier_wait_cluster
namespace cake {
// Acquires what other CTAs of the cluster released.
__device__ __forceinline__ void mbarrier_wait_cluster(unsigned int address, unsigned int parity) {
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
}
}  // namespace cake

//@ mbarrier_wait_relaxed
namespace cake {
// Acquires nothing.
__device__ __forceinline__ void mbarrier_wait_relaxed(unsigned int address, unsigned int parity) {
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
}
}  // namespace cake

//@ mbarrier_wait_cluster_relaxed
namespace cake {
__device__ __forceinline__ void mbarrier_wait_cluster_relaxed(unsigned int address,
                                                              unsigned int parity) {
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
}
}  // namespace cake
