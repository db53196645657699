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

// 16 bytes go past L1, smaller copies through it: the only forms there are.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(Bytes)
                 : "memory");
  }
}
// Reads `bytes` of them and fills the rest with zeros.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes)
                 : "memory");
  }
}
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes,
                                         unsigned long long policy) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "l"(policy)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3, %4;" ::"r"(
                     shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes), "l"(policy)
                 : "memory");
  }
}

// One arrival when this thread's copies until here are complete.
__device__ __forceinline__ void cp_async_arrive(unsigned int mbarrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(mbarrier) : "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const half = reinterpret_cast<float*>(cake_smem);
  const unsigned int full = cake::shared_address(cake_smem + 256);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 64);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 2) {  // role load
    const int thread = threadIdx.x;
#line 7 "example.cake"
    cake::cp_async<4>(&half[thread], &x[thread]);
#line 7 "example.cake"
    cake::cp_async_arrive(full);
  } else if (warp_index >= 2 && warp_index < 4) {  // role math
    const int thread = threadIdx.x % 64;
#line 9 "example.cake"
    cake::mbarrier_wait(full, 0);
#line 10 "example.cake"
    y[thread] = half[63 - thread];
  }
}
