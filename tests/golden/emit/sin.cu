// Program `example` for sm_80, from example.cake.

namespace cake {
__device__ __forceinline__ float sin_approx(float x) {
  float y;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xcc, 0xd8, 0xe5, 0x23, 0x1e, 0x60, 0xad, 0xc4, 0x82, 0x87, 0x66, 0x91, 0xc5, 0x3d, 0x3f, 0x89,
    0x58, 0x37, 0xa3, 0xbc, 0x3f, 0x5c, 0xc6, 0xc8, 0xed, 0x41, 0xda, 0x3c, 0xce, 0xb6, 0xe9, 0xa8};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ a,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = sinf(__ldg(&a[i])) + cake::sin_approx(__ldg(&a[i]));
  }
}
