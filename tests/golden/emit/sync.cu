// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x0b, 0x74, 0xb4, 0x36, 0x1f, 0xba, 0x73, 0x14, 0xf2, 0xe0, 0x4c, 0xc1, 0xe9, 0x83, 0x04, 0xdf,
    0x08, 0x56, 0xa8, 0xaf, 0xc3, 0xed, 0x5a, 0xaa, 0xed, 0x35, 0x78, 0x1e, 0x83, 0x30, 0xdb, 0xdb};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const turn = reinterpret_cast<float*>(cake_smem);
  const int thread = threadIdx.x;
#line 7 "example.cake"
  turn[thread] = __ldg(&x[thread]);
#line 8 "example.cake"
  __syncthreads();
#line 9 "example.cake"
  y[thread] = turn[127 - thread];
}
