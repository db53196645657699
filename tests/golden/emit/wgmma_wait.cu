// Program `example` for sm_90a, from example.cake.

namespace cake {
struct bf16 {
  unsigned short bits;
};

// A thread's part of an accumulator of 32-bit elements.
template <typename T, int Rows, int Columns>
struct tile {
  T reg[Rows][Columns];
  __device__ __forceinline__ T* operator[](int r) { return reg[r]; }
  __device__ __forceinline__ const T* operator[](int r) const { return reg[r]; }
};

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

// CUtensorMap: made by the launcher, passed by value, read by the hardware only. CUDA driver API:
// it begins at a multiple of 128 bytes.
struct alignas(128) tensor_map {
  unsigned char opaque[128];
};

__device__ __forceinline__ void prefetch_tensor_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// PTX ISA, wgmma.mma_async, matrix descriptor format: start address, distances in bytes along the
// two dimensions of core matrices, swizzling mode. Addresses are of multiples of 16 bytes.
template <int Swizzle, int Leading, int Stride>
__device__ __forceinline__ unsigned long long matrix_descriptor(unsigned int address) {
  constexpr unsigned long long kMode = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : 3;
  constexpr unsigned long long kFixed =
      kMode << 62 | (unsigned long long)(Stride >> 4) << 32 | (Leading >> 4 & 0x3fff) << 16;
  return kFixed | (address & 0x3ffff) >> 4;
}

// Orders register accesses before it with products after it.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ void pin_register(float& x) { asm volatile("" : "+f"(x)::"memory"); }
__device__ __forceinline__ void pin_register(int& x) { asm volatile("" : "+r"(x)::"memory"); }
__device__ __forceinline__ void pin_register(unsigned& x) { asm volatile("" : "+r"(x)::"memory"); }
// No access of these registers moves across: the compiler does not know who else uses them.
template <typename Fragment>
__device__ __forceinline__ void pin(Fragment& f) {
#pragma unroll
  for (int r = 0; r < sizeof(f.reg) / sizeof(f.reg[0]); ++r) {
#pragma unroll
    for (int e = 0; e < sizeof(f.reg[0]) / sizeof(f.reg[0][0]); ++e) pin_register(f.reg[r][e]);
  }
}

template <typename Tile>
__device__ __forceinline__ void wgmma_m64n32k16_f32_bf16_bf16(Tile& d, int row, int column, unsigned long long a, unsigned long long b, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %18, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "%16, %17, p, 1, 1, 0, 0;\n"
      "}"
      : "+f"(d.reg[row][column + 0]), "+f"(d.reg[row][column + 1]), "+f"(d.reg[row + 1][column + 0]), "+f"(d.reg[row + 1][column + 1]),
        "+f"(d.reg[row][column + 2]), "+f"(d.reg[row][column + 3]), "+f"(d.reg[row + 1][column + 2]), "+f"(d.reg[row + 1][column + 3]),
        "+f"(d.reg[row][column + 4]), "+f"(d.reg[row][column + 5]), "+f"(d.reg[row + 1][column + 4]), "+f"(d.reg[row + 1][column + 5]),
        "+f"(d.reg[row][column + 6]), "+f"(d.reg[row][column + 7]), "+f"(d.reg[row + 1][column + 6]), "+f"(d.reg[row + 1][column + 7])
      : "l"(a), "l"(b), "r"((int)accumulate));
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const cake::bf16* __restrict__ a,
    const cake::bf16* __restrict__ b,
    float* __restrict__ y,
    const __grid_constant__ cake::tensor_map a_map,
    const __grid_constant__ cake::tensor_map b_map) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  cake::bf16* const sa = reinterpret_cast<cake::bf16*>(cake_smem);
  cake::bf16* const sb = reinterpret_cast<cake::bf16*>(cake_smem + 8192);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(a_map);
    cake::prefetch_tensor_map(b_map);
  }
  const unsigned int full = cake::shared_address(cake_smem + 12288);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  unsigned int full_bytes = 0;
#line 10 "example.cake"
  if (warp == 0) {
#line 11 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%3], [%0, {%1, %2}], [%4];  // @span 253 279" ::"l"(&a_map), "r"(0), "r"(0), "r"(cake::shared_address(sa)), "r"(full) : "memory");
      full_bytes += 8192;
    }
#line 12 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%3], [%0, {%1, %2}], [%4];  // @span 286 312" ::"l"(&b_map), "r"(0), "r"(0), "r"(cake::shared_address(sb)), "r"(full) : "memory");
      full_bytes += 4096;
    }
#line 13 "example.cake"
    __syncwarp();
    if (lane == 0) cake::mbarrier_arrive_expect(full, full_bytes);
    full_bytes = 0;
  }
#line 15 "example.cake"
  cake::mbarrier_wait(full, 0);
#line 16 "example.cake"
  cake::tile<float, 2, 8> acc;
#line 17 "example.cake"
  {
    const unsigned long long left = cake::matrix_descriptor<128, 16, 1024>(cake::shared_address(sa));
    const unsigned long long right = cake::matrix_descriptor<128, 16, 1024>(cake::shared_address(sb));
    cake::pin(acc);
    cake::wgmma_fence();
    asm volatile("// @span 390 411");
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      cake::wgmma_m64n32k16_f32_bf16_bf16(acc, 0, 0, left + k * 2, right + k * 2, k > 0);
    }
  }
#line 18 "example.cake"
  cake::wgmma_commit();
#line 19 "example.cake"
  asm volatile("// @span 433 445");
  cake::wgmma_wait<0>();
  cake::pin(acc);
#line 20 "example.cake"
  #pragma unroll
  for (int r = 0; r < 2; ++r) {
#line 20 "example.cake"
    #pragma unroll
    for (int e = 0; e < 8; ++e) {
#line 20 "example.cake"
      y[(lane / 4 + warp % 4 * 16 + r * 8) * 32 + lane % 4 * 2 + e / 2 * 8 + e % 2] = acc[r][e];
    }
  }
}
