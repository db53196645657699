// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x9f, 0x40, 0x15, 0xd6, 0xd7, 0xda, 0x0f, 0x11, 0xbf, 0xc0, 0x88, 0xe4, 0xf9, 0x38, 0xe1, 0x09,
    0x29, 0x09, 0x3d, 0x69, 0x7f, 0xb9, 0xf9, 0xef, 0x2a, 0x6f, 0xf3, 0x14, 0x7c, 0xeb, 0x19, 0xd7};

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
    y[i] = __ldg(&a[i]) & __ldg(&b[i]);
  }
}
