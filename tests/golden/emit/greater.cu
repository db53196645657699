// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x20, 0x65, 0xa8, 0x27, 0x06, 0xb1, 0x63, 0xe8, 0x01, 0x52, 0xce, 0x4a, 0xf7, 0x89, 0x97, 0x82,
    0x03, 0xf0, 0xef, 0xad, 0x65, 0x8c, 0x94, 0x85, 0xd4, 0xc5, 0xe5, 0x44, 0x3f, 0x0f, 0xd1, 0xaa};

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
    y[i] = (__ldg(&a[i]) > __ldg(&b[i]) ? 1.0f : 0.0f);
  }
}
