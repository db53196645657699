// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xea, 0x3c, 0x6a, 0xe6, 0x11, 0xc3, 0x5a, 0xc9, 0xdd, 0x8a, 0x00, 0x4a, 0xeb, 0x5c, 0xbc, 0x8d,
    0x4a, 0x14, 0x60, 0x37, 0x72, 0xdf, 0xd0, 0xd3, 0x08, 0x66, 0x37, 0xfc, 0x85, 0x69, 0x44, 0x49};

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
    y[i] = __brev(__ldg(&a[i]));
  }
}
