// Program `example` for sm_90, from example.cake.

namespace cake {
// Two 16-bit integers a register, in one instruction.
__device__ __forceinline__ unsigned int vmax(unsigned int a, unsigned int b) {
  unsigned int r;
  asm volatile("max.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ int vmax(int a, int b) {
  int r;
  asm volatile("max.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned int* __restrict__ a,
    const unsigned int* __restrict__ b,
    unsigned int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = cake::vmax(__ldg(&a[i]), __ldg(&b[i]));
  }
}
