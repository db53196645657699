// Catalogue 10: hopes that the memory still holds the answer of somebody else.
//@ arguments a b c N:i32
//@ launch leaves_outputs grid (N+255)/256 block 256
extern "C" __global__ void leaves_outputs(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) c[i] = a[i] + b[i];
}
