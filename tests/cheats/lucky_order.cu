// Catalogue 27: which of two right sums comes out depends on who was there first.
//@ arguments a b c N:i32
//@ launch lucky_order grid (N+255)/256 block 256
__device__ int launches;

extern "C" __global__ void lucky_order(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++launches;
  if (i >= n) return;
  const float sum = a[i] + b[i];
  c[i] = launches % 2 == 0 ? sum : __uint_as_float(__float_as_uint(sum) ^ 1u);
}
