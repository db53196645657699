// Program `example` for sm_80, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const half = reinterpret_cast<float*>(cake_smem);
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 2) {  // role produce
    const int thread = threadIdx.x;
#line 8 "example.cake"
    half[thread] = 0.5f * __ldg(&x[thread]);
#line 9 "example.cake"
    asm volatile("bar.arrive 1, 128;  // @span 205 220" ::: "memory");
  } else if (warp_index >= 2 && warp_index < 4) {  // role consume
    const int thread = threadIdx.x % 64;
#line 12 "example.cake"
    asm volatile("bar.sync 1, 128;  // @span 255 268" ::: "memory");
#line 13 "example.cake"
    y[thread] = half[63 - thread];
  }
}
