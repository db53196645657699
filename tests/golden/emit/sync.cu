// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

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
