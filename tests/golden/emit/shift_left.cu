// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x5d, 0x4f, 0x64, 0x11, 0xea, 0x08, 0xb4, 0x37, 0x1c, 0x31, 0x6b, 0x4a, 0x0c, 0x58, 0x51, 0xfd,
    0x42, 0x18, 0xa0, 0xee, 0x16, 0x22, 0x76, 0xb6, 0x7a, 0x6a, 0x94, 0xfa, 0x10, 0x71, 0xf5, 0xbc};

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
    y[i] = __ldg(&a[i]) << (__ldg(&b[i]) & 31u);
  }
}
