// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xb3, 0x3b, 0xed, 0xd1, 0x64, 0x10, 0xab, 0x31, 0x8c, 0x05, 0x8b, 0x8f, 0x80, 0x74, 0x4d, 0xec,
    0x95, 0x69, 0xda, 0x12, 0xf4, 0x71, 0x30, 0x8c, 0xba, 0xb6, 0xc6, 0x17, 0xa9, 0x6f, 0x2f, 0x89};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = (__ldg(&a[i]) >= __ldg(&b[i]) ? 1.0f : 0.0f);
  }
}
