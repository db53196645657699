// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xa1, 0x1f, 0x0c, 0x4c, 0xcb, 0xc8, 0x04, 0x87, 0x5c, 0xb6, 0x36, 0x57, 0x69, 0x4e, 0x70, 0x71,
    0xe9, 0x39, 0xed, 0x3e, 0xfe, 0x70, 0xad, 0x79, 0x87, 0x9d, 0x5e, 0xba, 0x19, 0x27, 0x6d, 0xb1};

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
    if (__ldg(&a[i]) > 0 && __ldg(&b[i]) > 0) {
#line 8 "example.cake"
      y[i] = 1;
    } else {
#line 8 "example.cake"
      y[i] = 0;
    }
  }
}
