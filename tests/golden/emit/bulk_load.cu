// Program `example` for sm_90, from example.cake.

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

__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned int mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier)
      : "memory");
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned int mbarrier,
                                          unsigned long long policy) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier), "l"(policy)
      : "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(160, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const row = reinterpret_cast<float*>(cake_smem);
  const unsigned int full = cake::shared_address(cake_smem + 512);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 1) {  // role load
    const int lane = threadIdx.x % 32;
    unsigned int full_bytes = 0;
#line 7 "example.cake"
    if (lane == 0) {
      cake::bulk_load(row, &x[cta * 128], 512, full);
      full_bytes += 512;
    }
#line 7 "example.cake"
    __syncwarp();
    if (lane == 0) cake::mbarrier_arrive_expect(full, full_bytes);
    full_bytes = 0;
  } else if (warp_index >= 1 && warp_index < 5) {  // role store
    const int thread = threadIdx.x - 32;
#line 9 "example.cake"
    cake::mbarrier_wait(full, 0);
#line 10 "example.cake"
    y[cta * 128 + thread] = row[127 - thread];
  }
}
