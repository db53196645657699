// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xc6, 0x28, 0xe0, 0xdb, 0x41, 0x68, 0x45, 0x14, 0x1e, 0xa1, 0x0a, 0x47, 0xb0, 0x7e, 0xc3, 0x90,
    0x73, 0x70, 0x0e, 0xa0, 0xe6, 0x8b, 0xbf, 0xc1, 0x00, 0x10, 0x88, 0xaf, 0x7d, 0x9d, 0x71, 0x34};

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
    y[i] = __ldg(&a[i]) >> (__ldg(&b[i]) & 31u);
  }
}
