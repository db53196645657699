// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xb7, 0x48, 0x8a, 0xc2, 0x7d, 0x70, 0x19, 0x86, 0x46, 0x58, 0xf2, 0x87, 0x75, 0x28, 0xaa, 0x48,
    0x33, 0x42, 0x05, 0xf1, 0x2f, 0xf0, 0x01, 0xe1, 0x10, 0x49, 0x30, 0xc7, 0xee, 0xa0, 0x97, 0x6e};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned int* __restrict__ a,
    int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = __popc(__ldg(&a[i]));
  }
}
