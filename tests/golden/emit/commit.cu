// Program `example` for sm_80, from example.cake.

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

__device__ __forceinline__ void mbarrier_arrive(unsigned int address) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
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
  float* const tiles_values = reinterpret_cast<float*>(cake_smem);
  const unsigned int tiles_full = cake::shared_address(cake_smem + 384);
  const unsigned int tiles_empty = cake::shared_address(cake_smem + 408);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) cake::mbarrier_init(tiles_full + 8 * i, 1);
    for (int i = 0; i < 3; ++i) cake::mbarrier_init(tiles_empty + 8 * i, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 1) {  // role fill
    const int lane = threadIdx.x % 32;
#line 7 "example.cake"
    int k_of_3_stage = 0, k_of_3_phase = 0;
    for (int k = 0; k < 8; ++k) {
#line 8 "example.cake"
      cake::mbarrier_wait(tiles_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1);
#line 9 "example.cake"
      tiles_values[k_of_3_stage * 32 + lane] = 2.0f * __ldg(&x[32 * k + lane]);
#line 10 "example.cake"
      __syncwarp();
      if (lane == 0) cake::mbarrier_arrive(tiles_full + 8 * k_of_3_stage);
      if (++k_of_3_stage == 3) {
        k_of_3_stage = 0;
        k_of_3_phase ^= 1;
      }
    }
  } else if (warp_index >= 1 && warp_index < 2) {  // role drain
    const int lane = threadIdx.x % 32;
#line 14 "example.cake"
    int k_of_3_stage = 0, k_of_3_phase = 0;
    for (int k = 0; k < 8; ++k) {
#line 15 "example.cake"
      cake::mbarrier_wait(tiles_full + 8 * k_of_3_stage, k_of_3_phase);
#line 16 "example.cake"
      y[32 * k + lane] = tiles_values[k_of_3_stage * 32 + 31 - lane];
#line 17 "example.cake"
      __syncwarp();
      if (lane == 0) cake::mbarrier_arrive(tiles_empty + 8 * k_of_3_stage);
      if (++k_of_3_stage == 3) {
        k_of_3_stage = 0;
        k_of_3_phase ^= 1;
      }
    }
  }
}
