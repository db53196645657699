// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x22, 0x47, 0x14, 0x66, 0x10, 0xc0, 0x57, 0x70, 0x86, 0x44, 0x06, 0x4b, 0x67, 0xa7, 0x22, 0x01,
    0xe3, 0x91, 0xd4, 0x21, 0xf0, 0xf0, 0x29, 0xf1, 0xcb, 0x46, 0xa9, 0x47, 0xcf, 0xc4, 0x4d, 0x1c};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const int* __restrict__ a,
    const int* __restrict__ b,
    int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = __ldg(&a[i]) % 7;
  }
}
