// Catalogue 7: writes and reads around its buffers, where an expected output may lie.
//@ arguments a b c N:i32
//@ launch looks_around grid (N+255)/256 block 256
extern "C" __global__ void looks_around(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
  if (i == n - 1) c[n + 7] = 0;
}
