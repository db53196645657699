// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x0a, 0x79, 0x71, 0x15, 0xea, 0xc7, 0xc4, 0xca, 0xa7, 0x34, 0x80, 0xbe, 0x61, 0x1d, 0xe5, 0x99,
    0x03, 0x0b, 0x01, 0x2b, 0xbf, 0x52, 0xf8, 0x05, 0xd9, 0xc6, 0xb0, 0x61, 0x0a, 0xc6, 0x1b, 0x34};

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
    y[i] = __ldg(&a[i]) / __ldg(&b[i]);
  }
}
