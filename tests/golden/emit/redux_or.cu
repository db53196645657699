// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const unsigned int* __restrict__ x,
    unsigned int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  const unsigned int v = i < N ? __ldg(&x[i]) : 0u;
#line 9 "example.cake"
  const unsigned int r = __reduce_or_sync(0xffffffffu, v);
#line 10 "example.cake"
  if (i < N) {
#line 10 "example.cake"
    y[i] = r;
  }
}
