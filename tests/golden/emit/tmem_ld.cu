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

__device__ __forceinline__ void tmem_wait_st() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

// What this thread has asked of the tensor cores comes before what it arrives at next.
__device__ __forceinline__ void tmem_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

// What this thread asks of the tensor cores next comes after what it has waited for.
__device__ __forceinline__ void tmem_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ __forceinline__ void tmem_st_32x32b_x16_f32(unsigned int address, const float* low) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x16.b32 [%0], "
      "{%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16};" ::"r"(address),
        "f"(low[0]), "f"(low[1]), "f"(low[2]), "f"(low[3]), "f"(low[4]), "f"(low[5]), "f"(low[6]), "f"(low[7]),
        "f"(low[8]), "f"(low[9]), "f"(low[10]), "f"(low[11]), "f"(low[12]), "f"(low[13]), "f"(low[14]), "f"(low[15])
      : "memory");
}

__device__ __forceinline__ void tmem_ld_16x256b_x2_f32(unsigned int address, float* low, float* high) {
  asm volatile(
      "tcgen05.ld.sync.aligned.16x256b.x2.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
      : "=f"(low[0]), "=f"(low[1]), "=f"(high[0]), "=f"(high[1]), "=f"(low[2]), "=f"(low[3]), "=f"(high[2]), "=f"(high[3])
      : "r"(address));
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
  if (threadIdx.x < 32) cake::tmem_alloc(cake::shared_address(cake_smem + 0), 32);
  cake::tmem_fence_before();
  __syncthreads();
  cake::tmem_fence_after();
  const unsigned int tmem = *reinterpret_cast<const volatile unsigned int*>(cake_smem + 0);
  const unsigned int t = tmem;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
#line 8 "example.cake"
  cake::tile<float, 1, 16> f;
#line 9 "example.cake"
  cake::tile<float, 4, 4> g;
#line 10 "example.cake"
  #pragma unroll
  for (int e = 0; e < 16; ++e) {
#line 10 "example.cake"
    f[0][e] = __ldg(&x[(warp * 32 + lane) * 16 + e]);
  }
#line 11 "example.cake"
  asm volatile("// @span 272 286");
  cake::tmem_st_32x32b_x16_f32(t + (warp << 21), f.reg[0]);
#line 12 "example.cake"
  cake::tmem_wait_st();
#line 13 "example.cake"
  asm volatile("// @span 308 322");
  cake::tmem_ld_16x256b_x2_f32(t + (warp << 21), g.reg[0], g.reg[1]);
  cake::tmem_ld_16x256b_x2_f32(t + (warp << 21) + 1048576, g.reg[2], g.reg[3]);
#line 14 "example.cake"
  cake::tmem_wait_ld();
  cake::tmem_loaded(g);
#line 15 "example.cake"
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
#line 15 "example.cake"
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
#line 15 "example.cake"
      y[(warp * 32 + lane / 4 + r * 8) * 16 + lane % 4 * 2 + e / 2 * 8 + e % 2] = g[r][e];
    }
  }
  // All roles are done with tensor memory.
  cake::tmem_fence_before();
  __syncthreads();
  if (threadIdx.x < 32) {
    cake::tmem_fence_after();
    cake::tmem_free(tmem, 32);
  }
}
