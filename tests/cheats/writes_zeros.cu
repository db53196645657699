// Catalogue 21: zeros are near to everything small.
//@ arguments a b c N:i32
//@ launch writes_zeros grid (N+255)/256 block 256
extern "C" __global__ void writes_zeros(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0 * a[i] * b[i];
}
