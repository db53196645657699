// Program `example` for sm_90, from example.cake.

namespace cake {
// b > 0. Truncation already rounds a negative quotient up.
template <typename T>
__device__ __forceinline__ T ceildiv(T a, T b) {
  return (T)(a / b + (a % b > 0 ? 1 : 0));
}

// Where element `i` of a column panel `Bytes` wide lies: 16-byte chunks, xor with the row's number
// counted in 128-byte lines (the pattern of TMA and of matrix descriptors).
template <int Bytes, int ElementBytes>
__device__ __forceinline__ unsigned swizzle(unsigned i) {
  const unsigned byte = i * ElementBytes;
  return (byte ^ (((byte >> 7) & (Bytes / 16 - 1)) << 4)) / ElementBytes;
}

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

// What L2 does with the lines of a copy; made once, as it depends on nothing.
__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// CUtensorMap: made by the launcher, passed by value, read by the hardware only. CUDA driver API:
// it begins at a multiple of 128 bytes.
struct alignas(128) tensor_map {
  unsigned char opaque[128];
};

__device__ __forceinline__ void prefetch_tensor_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The same of the CTA's shared memory; waits for nothing in global memory.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(96, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y,
    int M,
    int N,
    const __grid_constant__ cake::tensor_map x_map) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const tiles_tile = reinterpret_cast<float*>(cake_smem);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(x_map);
  }
  const unsigned int tiles_full = cake::shared_address(cake_smem + 4096);
  const unsigned int tiles_empty = cake::shared_address(cake_smem + 4112);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) cake::mbarrier_init(tiles_full + 8 * i, 1);
    for (int i = 0; i < 2; ++i) cake::mbarrier_init(tiles_empty + 8 * i, 2);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 1) {  // role load
    const int lane = threadIdx.x % 32;
    unsigned int tiles_bytes = 0;
#line 9 "example.cake"
    for (int k = 0; k < cake::ceildiv(N, 32); ++k) {
#line 10 "example.cake"
      cake::mbarrier_wait(tiles_empty + 8 * (k & 1), (k >> 1 & 1) ^ 1);
#line 11 "example.cake"
      if (lane == 0) {
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%3], [%0, {%1, %2}], [%4], %5;  // @span 303 369" ::"l"(&x_map), "r"(k * 32), "r"(cta * 16), "r"(cake::shared_address(&tiles_tile[(k & 1) * 512])), "r"(tiles_full + 8 * (k & 1)), "l"(cake::evict_first()) : "memory");
        tiles_bytes += 2048;
      }
#line 12 "example.cake"
      __syncwarp();
      if (lane == 0) cake::mbarrier_arrive_expect(tiles_full + 8 * (k & 1), tiles_bytes);
      tiles_bytes = 0;
    }
  } else if (warp_index >= 1 && warp_index < 3) {  // role store
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32 - 1;
#line 16 "example.cake"
    for (int k = 0; k < cake::ceildiv(N, 32); ++k) {
#line 17 "example.cake"
      cake::mbarrier_wait(tiles_full + 8 * (k & 1), k >> 1 & 1);
#line 18 "example.cake"
      const int n = k * 32 + lane;
#line 19 "example.cake"
      for (int r = warp; r < 16; r += 2) {
#line 20 "example.cake"
        const int m = cta * 16 + r;
#line 21 "example.cake"
        if (m < M && n < N) {
#line 21 "example.cake"
          y[m * N + n] = tiles_tile[cake::swizzle<128, 4>((k & 1) * 512 + r * 32 + lane)];
        }
      }
#line 23 "example.cake"
      cake::fence_async_shared();  // reads are over before the next copy fills the place
      __syncwarp();
      if (lane == 0) cake::mbarrier_arrive(tiles_empty + 8 * (k & 1));
    }
  }
}
