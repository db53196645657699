// Program `example` for sm_90a, from example.cake.

namespace cake {
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void mbarrier_init(unsigned int address, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(count) : "memory");
}

// Makes the initialised mbarriers visible to asynchronous engines and other CTAs.
__device__ __forceinline__ void mbarrier_init_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive_expect(unsigned int address, unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
               : "memory");
}

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

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(64, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const copy = reinterpret_cast<float*>(cake_smem);
  const unsigned int full = cake::shared_address(cake_smem + 128);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 1) {  // role produce
    const int lane = threadIdx.x % 32;
#line 8 "example.cake"
    copy[lane] = __ldg(&x[lane]);
#line 9 "example.cake"
    __syncwarp();
    if (lane == 0) cake::mbarrier_arrive_expect(full, 0);
  } else if (warp_index >= 1 && warp_index < 2) {  // role consume
    const int lane = threadIdx.x % 32;
#line 12 "example.cake"
    cake::mbarrier_wait(full, 0);
#line 13 "example.cake"
    y[lane] = copy[31 - lane];
  }
}
