// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x06, 0x91, 0xb7, 0xaa, 0x47, 0x3f, 0xb7, 0xe9, 0xa5, 0x7b, 0xd8, 0x5c, 0xf6, 0x0d, 0x9b, 0xcd,
    0x42, 0x22, 0x0a, 0xd6, 0x10, 0xba, 0x9b, 0xfb, 0xe0, 0x1b, 0x15, 0x7d, 0xb9, 0x1d, 0x63, 0xf9};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned int* __restrict__ a,
    unsigned int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = ~__ldg(&a[i]);
  }
}
