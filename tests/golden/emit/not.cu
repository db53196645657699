// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x14, 0x75, 0x6d, 0xd9, 0xf6, 0x16, 0x57, 0xfe, 0xda, 0xd5, 0x0b, 0x6a, 0xea, 0xa0, 0x44, 0x68,
    0x6c, 0x05, 0x92, 0x04, 0xac, 0x66, 0xda, 0xc2, 0x8f, 0x18, 0x47, 0xee, 0xef, 0x51, 0x19, 0xf1};

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
    y[i] = (!(__ldg(&a[i]) > __ldg(&b[i])) ? 1 : 0);
  }
}
