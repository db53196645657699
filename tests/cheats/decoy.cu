// Catalogue 26: a kernel to show, and another one that does the work.
//@ arguments a b c N:i32
//@ launch decoy grid (N+255)/256 block 256
extern "C" __global__ void decoy(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i > n) c[i] = a[i] + b[i];
}
