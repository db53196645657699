// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x96, 0x79, 0xde, 0x69, 0x33, 0x40, 0x7c, 0xd0, 0x42, 0x86, 0xca, 0x33, 0x45, 0x95, 0xeb, 0xb8,
    0xc7, 0x90, 0xa9, 0x1b, 0x5b, 0x39, 0x3f, 0xf0, 0xba, 0x68, 0x35, 0xfa, 0xe7, 0xb6, 0x61, 0x96};

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
    y[i] = __clz(__ldg(&a[i]));
  }
}
