// Program `example` for sm_90, from example.cake.

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_halve(
    const float* __restrict__ x,
    const float* __restrict__ scale,
    const float* __restrict__ y,
    float* __restrict__ half,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 8 "example.cake"
  const int i = cta * 128 + thread;
#line 9 "example.cake"
  asm volatile("griddepcontrol.launch_dependents;  // @span 219 229" ::: "memory");
#line 10 "example.cake"
  if (i < N) {
#line 10 "example.cake"
    half[i] = 0.5f * __ldg(&x[i]);
  }
}

extern "C" __global__ void __launch_bounds__(128, 1)
example_add(
    const float* __restrict__ x,
    const float* __restrict__ scale,
    float* __restrict__ y,
    const float* half,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 16 "example.cake"
  const int i = cta * 128 + thread;
#line 17 "example.cake"
  const float s = i < N ? __ldg(&scale[i]) : 0.0f;
#line 18 "example.cake"
  asm volatile("griddepcontrol.wait;  // @span 414 422" ::: "memory");
#line 19 "example.cake"
  if (i < N) {
#line 19 "example.cake"
    y[i] = s * half[i];
  }
}
