// Program `example` for sm_80, from example.cake.

namespace cake {
__device__ __forceinline__ void global_red_add_relaxed_gpu(int* p, int x) {
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}
__device__ __forceinline__ void global_red_add_relaxed_gpu(unsigned int* p, unsigned int x) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}
__device__ __forceinline__ void global_red_add_relaxed_gpu(long long* p, long long x) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}
__device__ __forceinline__ void global_red_add_relaxed_gpu(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}
__device__ __forceinline__ void global_red_add_relaxed_gpu(float* p, float x) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(x) : "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const int* __restrict__ x,
    int* n,
    int* y,
    int N) {
  const int cta = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 9 "example.cake"
    cake::global_red_add_relaxed_gpu(&n[lane], __ldg(&x[i]));
#line 10 "example.cake"
    y[i] = __ldg(&x[i]);
  }
}
