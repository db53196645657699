// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x86, 0x73, 0x46, 0x7d, 0x01, 0x05, 0xdf, 0x06, 0xbf, 0x22, 0x2e, 0xed, 0x47, 0xdd, 0x97, 0x6c,
    0xd7, 0x11, 0x7e, 0xbd, 0x46, 0x53, 0x36, 0x7f, 0x5f, 0x1e, 0x2c, 0xdb, 0x3e, 0x18, 0x15, 0x66};

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
    y[i] = -__ldg(&a[i]);
  }
}
