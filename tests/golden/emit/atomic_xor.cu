// Program `example` for sm_80, from example.cake.

namespace cake {
__device__ __forceinline__ int global_atomic_xor_relaxed_gpu(int* p, int x) {
  int old;
  asm volatile("atom.relaxed.gpu.global.xor.b32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(p)), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int global_atomic_xor_relaxed_gpu(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.relaxed.gpu.global.xor.b32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(p)), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long global_atomic_xor_relaxed_gpu(long long* p, long long x) {
  long long old;
  asm volatile("atom.relaxed.gpu.global.xor.b64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(p)), "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long global_atomic_xor_relaxed_gpu(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.relaxed.gpu.global.xor.b64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(p)), "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned int* __restrict__ x,
    unsigned int* n,
    unsigned int* y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    const unsigned int n_value = cake::global_atomic_xor_relaxed_gpu(&n[i], __ldg(&x[i]));
#line 8 "example.cake"
    y[i] = n_value;
  }
}
