// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x9a, 0x9d, 0xf4, 0x0e, 0x91, 0x60, 0xb9, 0xdb, 0x5e, 0xed, 0x11, 0x53, 0xa5, 0x5c, 0x33, 0xeb,
    0xbb, 0x2b, 0xdb, 0x7a, 0xc5, 0xdd, 0x9b, 0x11, 0x97, 0x5a, 0xff, 0xcb, 0xbd, 0x64, 0xcd, 0x18};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = (__ldg(&a[i]) <= __ldg(&b[i]) ? 1.0f : 0.0f);
  }
}
