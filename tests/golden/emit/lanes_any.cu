// Program `example` for sm_80, from example.cake.

namespace cake {
// The lanes of the aligned group of `Width` that this thread belongs to, as a mask.
template <int Width>
__device__ __forceinline__ unsigned int lane_group() {
  if constexpr (Width == 32) {
    return 0xffffffffu;
  } else {
    return ((1u << Width) - 1u) << (threadIdx.x % 32 / Width * Width);
  }
}

template <int Width>
__device__ __forceinline__ bool lanes_any(bool c) {
  if constexpr (Width == 32) return __any_sync(0xffffffffu, c);
  return (__ballot_sync(0xffffffffu, c) & lane_group<Width>()) != 0;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const int* __restrict__ x,
    int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  const int v = i < N ? __ldg(&x[i]) : 0;
#line 9 "example.cake"
  const int r = (cake::lanes_any<16>(v > 0) ? 1 : 0);
#line 10 "example.cake"
  if (i < N) {
#line 10 "example.cake"
    y[i] = r;
  }
}
