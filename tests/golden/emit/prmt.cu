// Program `example` for sm_80, from example.cake.

namespace cake {
template <typename T>
__device__ __forceinline__ T prmt(T a, T b, T selector) {
  unsigned int r;
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"((unsigned int)a), "r"((unsigned int)b), "r"((unsigned int)selector));
  return (T)r;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x8b, 0xd6, 0x55, 0xe9, 0x41, 0x5e, 0xcf, 0x7e, 0xca, 0x33, 0x9e, 0x74, 0xcc, 0x26, 0x29, 0x19,
    0x32, 0xc4, 0x9c, 0x4f, 0xa8, 0xc3, 0x93, 0xe8, 0x0c, 0x0b, 0xb8, 0xa7, 0xe4, 0x75, 0xee, 0xf4};

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
    y[i] = cake::prmt(__ldg(&a[i]), __ldg(&b[i]), 21520u);
  }
}
