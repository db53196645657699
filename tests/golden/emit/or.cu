// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x03, 0x9d, 0x19, 0x35, 0x84, 0xb7, 0xe8, 0xe6, 0x79, 0x02, 0x09, 0xbc, 0x10, 0x9f, 0xc4, 0xff,
    0x86, 0xb3, 0x19, 0x29, 0x2e, 0xc7, 0x0f, 0xd2, 0xf2, 0x6e, 0xde, 0xd1, 0x1f, 0x7c, 0xd2, 0x96};

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
    y[i] = __ldg(&a[i]) | __ldg(&b[i]);
  }
}
