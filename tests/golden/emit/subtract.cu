// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x19, 0xcb, 0x5a, 0xd0, 0xf2, 0x1f, 0xd2, 0x7e, 0x25, 0xf6, 0xe3, 0x9d, 0x67, 0x63, 0x08, 0xd7,
    0xaa, 0x18, 0x92, 0x75, 0x85, 0x37, 0x3b, 0x2c, 0xb0, 0xb2, 0x31, 0x0a, 0x21, 0xf4, 0x8a, 0x78};

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
    y[i] = __ldg(&a[i]) - __ldg(&b[i]);
  }
}
