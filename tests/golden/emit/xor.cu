// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xa8, 0x5c, 0x5d, 0xe7, 0xe9, 0x23, 0xb4, 0xbc, 0x53, 0x71, 0x93, 0xda, 0xb1, 0xcb, 0x40, 0x3d,
    0x82, 0x94, 0xdc, 0x71, 0xfa, 0x81, 0xdb, 0x3e, 0xb9, 0x88, 0x31, 0xe8, 0x45, 0x1d, 0x7b, 0x54};

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
    y[i] = __ldg(&a[i]) ^ __ldg(&b[i]);
  }
}
