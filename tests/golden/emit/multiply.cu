// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x62, 0xde, 0xa0, 0x0c, 0xd0, 0xbb, 0x44, 0x4f, 0x91, 0x82, 0x6f, 0x19, 0xed, 0x43, 0x63, 0x0b,
    0x97, 0xeb, 0x0e, 0x3b, 0xb5, 0xc2, 0x1a, 0xd6, 0x9d, 0xf7, 0x20, 0x8f, 0x37, 0xf5, 0x28, 0x23};

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
    y[i] = __ldg(&a[i]) * __ldg(&b[i]);
  }
}
