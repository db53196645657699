// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x17, 0xaf, 0x4a, 0x65, 0x49, 0xad, 0x88, 0xb1, 0xf2, 0xad, 0xa0, 0x87, 0xc9, 0x37, 0x58, 0x48,
    0xfb, 0x00, 0xef, 0xbc, 0x98, 0xd6, 0x10, 0x71, 0x4f, 0x05, 0x94, 0xb6, 0xfb, 0x6d, 0x68, 0xe6};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const int* __restrict__ x,
    unsigned int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  const int v = i < N ? __ldg(&x[i]) : 0;
#line 9 "example.cake"
  const unsigned int r = __ballot_sync(0xffffffffu, v > 0);
#line 10 "example.cake"
  if (i < N) {
#line 10 "example.cake"
    y[i] = r;
  }
}
