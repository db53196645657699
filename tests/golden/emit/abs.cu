// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x93, 0xfa, 0x29, 0x0f, 0x42, 0x75, 0x19, 0x39, 0x23, 0x79, 0xe8, 0xe6, 0xd7, 0xbe, 0x08, 0x2a,
    0x5e, 0x6b, 0x0b, 0x0e, 0x4a, 0x7e, 0xf6, 0x1f, 0x31, 0xc1, 0xcd, 0x6e, 0xcc, 0xd2, 0x5a, 0xa8};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ a,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = fabsf(__ldg(&a[i]));
  }
}
