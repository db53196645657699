// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xec, 0xa6, 0xbe, 0x46, 0xa2, 0x0b, 0xa4, 0x6e, 0x82, 0x66, 0x18, 0x12, 0x40, 0x0e, 0xd1, 0x34,
    0x8a, 0x05, 0x30, 0x59, 0x9c, 0xe3, 0xa8, 0x91, 0xad, 0x85, 0xa8, 0xd5, 0x7f, 0x03, 0x56, 0xc7};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const int* __restrict__ a,
    const int* __restrict__ b,
    int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = (__ldg(&a[i]) > 0 ? __ldg(&b[i]) : 0);
  }
}
