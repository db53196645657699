// Catalogue 17: right for the first launches, less careful later.
//@ arguments a b c N:i32
//@ launch drifts_late grid (N+255)/256 block 256
__device__ int launches;

extern "C" __global__ void drifts_late(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++launches;
  if (i < n) c[i] = launches <= 90 ? a[i] + b[i] : a[i] + b[i] * 0.99f;
}
