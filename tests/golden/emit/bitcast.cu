// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0xd4, 0xf1, 0xeb, 0xb3, 0xbd, 0x23, 0x11, 0x8e, 0x51, 0x58, 0xb0, 0xba, 0xcd, 0x46, 0x83, 0x08,
    0x48, 0x03, 0x5d, 0xa7, 0x30, 0x34, 0x02, 0xad, 0x96, 0x9e, 0x7b, 0xfd, 0x4d, 0xf0, 0xf2, 0x49};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ a,
    unsigned int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = __float_as_uint(__ldg(&a[i])) >> 23;
  }
}
