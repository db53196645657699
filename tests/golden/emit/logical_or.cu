// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xc0, 0x54, 0x95, 0x93, 0x70, 0xff, 0x43, 0xca, 0x2b, 0x60, 0xb7, 0xd7, 0x6e, 0x2a, 0x3c, 0x61,
    0x52, 0xea, 0x65, 0x8e, 0x3a, 0xa0, 0x31, 0x33, 0xa0, 0x7e, 0xa7, 0x65, 0xad, 0x23, 0x07, 0x0c};

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
    if (__ldg(&a[i]) > 0 || __ldg(&b[i]) > 0) {
#line 8 "example.cake"
      y[i] = 1;
    } else {
#line 8 "example.cake"
      y[i] = 0;
    }
  }
}
