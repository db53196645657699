// Program `example` for sm_100a, from example.cake.

namespace cake {
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

// By one whole warp. The address of the columns goes to the shared word.
__device__ __forceinline__ void tmem_alloc(unsigned int word, unsigned int columns) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(word),
               "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}

__device__ __forceinline__ void tmem_free(unsigned int address, unsigned int columns) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
               "r"(columns));
}

__device__ __forceinline__ void tmem_wait_ld() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// No instruction: the compiler may use the registers of loads only behind this, which it may not
// move before the wait.
__device__ __forceinline__ void tmem_loaded(float& word) { asm volatile("" : "+f"(word)); }
__device__ __forceinline__ void tmem_loaded(int& word) { asm volatile("" : "+r"(word)); }
__device__ __forceinline__ void tmem_loaded(unsigned& word) { asm volatile("" : "+r"(word)); }
template <typename Fragment>
__device__ __forceinline__ void tmem_loaded(Fragment& f) {
#pragma unroll
  for (auto& row : f.reg) {
#pragma unroll
    for (auto& word : row) tmem_loaded(word);
  }
}

// What this thread has asked of the tensor cores comes before what it arrives at next.
__device__ __forceinline__ void tmem_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

// What this thread asks of the tensor cores next comes after what it has waited for.
__device__ __forceinline__ void tmem_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// One arrival when the products that this thread has issued are complete.
__device__ __forceinline__ void umma_commit(unsigned int mbarrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(mbarrier)
      : "memory");
}

// The descriptor of blocks of scales in shared memory: 32 rows of 16 bytes, no swizzle, eight rows
// after the other (PTX ISA, tcgen05 shared memory descriptor).
__device__ __forceinline__ unsigned long long tmem_block(const void* block) {
  constexpr unsigned long long kVersion = 1, kEightRows = 8 * 16 / 16;
  constexpr unsigned long long kForm = kVersion << 46 | kEightRows << 32 | kEightRows << 16;
  return kForm | (shared_address(block) & 0x3ffff) >> 4;
}

// 512 bytes to four columns, the same for the lanes of all four warps.
__device__ __forceinline__ void tmem_fill(unsigned int address, unsigned long long block) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(address), "l"(block)
               : "memory");
}

// The descriptor of a swizzled tile of shared memory (PTX ISA, tcgen05 shared memory descriptor):
// bytes of the swizzle, from one panel to the next, and from eight rows to the next eight.
template <int Swizzle, int Panel>
__device__ __forceinline__ unsigned long long umma_tile(const void* tile) {
  constexpr unsigned long long kMode = Swizzle == 128 ? 2 : Swizzle == 64 ? 4 : 6;
  constexpr unsigned long long kVersion = 1;
  constexpr unsigned long long kForm = kMode << 61 | kVersion << 46 |
                                       (unsigned long long)(8 * Swizzle / 16) << 32 |
                                       (unsigned long long)(Panel / 16) << 16;
  return kForm | (shared_address(tile) & 0x3ffff) >> 4;
}

__device__ __forceinline__ void umma_mxf4nvf4_ss(unsigned int d, unsigned long long a,
    unsigned long long b, unsigned int shape, unsigned int a_scale, unsigned int b_scale,
    bool accumulate) {
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %4, 0;\n"
      "  tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%5], [%6], p;\n"
      "}" ::"r"(d), "l"(a), "l"(b), "r"(shape), "r"((int)accumulate), "r"(a_scale), "r"(b_scale)
      : "memory");
}

__device__ __forceinline__ void tmem_ld_32x32b_x32_f32(unsigned int address, float* low) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=f"(low[0]), "=f"(low[1]), "=f"(low[2]), "=f"(low[3]), "=f"(low[4]), "=f"(low[5]), "=f"(low[6]), "=f"(low[7]),
        "=f"(low[8]), "=f"(low[9]), "=f"(low[10]), "=f"(low[11]), "=f"(low[12]), "=f"(low[13]), "=f"(low[14]), "=f"(low[15]),
        "=f"(low[16]), "=f"(low[17]), "=f"(low[18]), "=f"(low[19]), "=f"(low[20]), "=f"(low[21]), "=f"(low[22]), "=f"(low[23]),
        "=f"(low[24]), "=f"(low[25]), "=f"(low[26]), "=f"(low[27]), "=f"(low[28]), "=f"(low[29]), "=f"(low[30]), "=f"(low[31])
      : "r"(address));
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned char* __restrict__ a,
    const unsigned char* __restrict__ b,
    const unsigned char* __restrict__ sa,
    const unsigned char* __restrict__ sb,
    float* __restrict__ y,
    const __grid_constant__ cake::tensor_map a_map,
    const __grid_constant__ cake::tensor_map b_map,
    const __grid_constant__ cake::tensor_map sa_map,
    const __grid_constant__ cake::tensor_map sb_map) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  unsigned char* const ta = reinterpret_cast<unsigned char*>(cake_smem);
  unsigned char* const tb = reinterpret_cast<unsigned char*>(cake_smem + 8192);
  unsigned char* const ua = reinterpret_cast<unsigned char*>(cake_smem + 10240);
  unsigned char* const ub = reinterpret_cast<unsigned char*>(cake_smem + 11264);
  if (threadIdx.x < 32) cake::tmem_alloc(cake::shared_address(cake_smem + 12304), 64);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(a_map);
    cake::prefetch_tensor_map(b_map);
    cake::prefetch_tensor_map(sa_map);
    cake::prefetch_tensor_map(sb_map);
  }
  const unsigned int loaded = cake::shared_address(cake_smem + 12288);
  const unsigned int done = cake::shared_address(cake_smem + 12296);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(loaded, 1);
    cake::mbarrier_init(done, 1);
    cake::mbarrier_init_fence();
  }
  cake::tmem_fence_before();
  __syncthreads();
  cake::tmem_fence_after();
  const unsigned int tmem = *reinterpret_cast<const volatile unsigned int*>(cake_smem + 12304);
  const unsigned int acc = tmem;
  const unsigned int va = tmem + 32;
  const unsigned int vb = tmem + 40;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  unsigned int loaded_bytes = 0;
#line 16 "example.cake"
  cake::tile<float, 1, 32> f;
#line 17 "example.cake"
  if (warp == 0) {
#line 18 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%3], [%0, {%1, %2}], [%4];  // @span 500 534" ::"l"(&a_map), "r"(0), "r"(0), "r"(cake::shared_address(ta)), "r"(loaded) : "memory");
      loaded_bytes += 8192;
    }
#line 19 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%3], [%0, {%1, %2}], [%4];  // @span 541 575" ::"l"(&b_map), "r"(0), "r"(0), "r"(cake::shared_address(tb)), "r"(loaded) : "memory");
      loaded_bytes += 2048;
    }
#line 20 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [%4], [%0, {%1, %2, %3}], [%5];  // @span 582 620" ::"l"(&sa_map), "r"(0), "r"(0), "r"(0), "r"(cake::shared_address(ua)), "r"(loaded) : "memory");
      loaded_bytes += 1024;
    }
#line 21 "example.cake"
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [%4], [%0, {%1, %2, %3}], [%5];  // @span 627 665" ::"l"(&sb_map), "r"(0), "r"(0), "r"(0), "r"(cake::shared_address(ub)), "r"(loaded) : "memory");
      loaded_bytes += 1024;
    }
#line 22 "example.cake"
    cake::tmem_fence_before();
    __syncwarp();
    if (lane == 0) cake::mbarrier_arrive_expect(loaded, loaded_bytes);
    loaded_bytes = 0;
#line 23 "example.cake"
    cake::mbarrier_wait(loaded, 0);
    cake::tmem_fence_after();
#line 24 "example.cake"
    asm volatile("// @span 714 730");
    if (lane == 0) {
      const unsigned long long scales = cake::tmem_block(ua);
      #pragma unroll
      for (int block = 0; block < 2; ++block) cake::tmem_fill(va + block * 4, scales + block * 32);
    }
#line 25 "example.cake"
    asm volatile("// @span 737 753");
    if (lane == 0) {
      const unsigned long long scales = cake::tmem_block(ub);
      #pragma unroll
      for (int block = 0; block < 2; ++block) cake::tmem_fill(vb + block * 4, scales + block * 32);
    }
#line 26 "example.cake"
    asm volatile("// @span 760 793");
    if (lane == 0) {
      const unsigned long long left = cake::umma_tile<64, 16>(ta);
      const unsigned long long right = cake::umma_tile<64, 16>(tb);
      // m128n32k64, e2m1x2 by e2m1x2
      #pragma unroll
      for (int k = 0; k < 2; ++k) {
        cake::umma_mxf4nvf4_ss(acc, left + k * 2, right + k * 2, 0x8080480, va + k * 4, vb + k * 4, k > 0);
      }
    }
#line 27 "example.cake"
    if (lane == 0) cake::umma_commit(done);
  }
#line 29 "example.cake"
  cake::mbarrier_wait(done, 0);
  cake::tmem_fence_after();
#line 30 "example.cake"
  asm volatile("// @span 845 861");
  cake::tmem_ld_32x32b_x32_f32(acc + (warp << 21), f.reg[0]);
#line 31 "example.cake"
  cake::tmem_wait_ld();
  cake::tmem_loaded(f);
#line 32 "example.cake"
  #pragma unroll
  for (int e = 0; e < 32; ++e) {
#line 32 "example.cake"
    y[(warp * 32 + lane) * 32 + e] = f[0][e];
  }
  // All roles are done with tensor memory.
  cake::tmem_fence_before();
  __syncthreads();
  if (threadIdx.x < 32) {
    cake::tmem_fence_after();
    cake::tmem_free(tmem, 64);
  }
}
