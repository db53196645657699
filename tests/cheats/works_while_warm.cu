// Catalogue 14, 15, 16: computes while it is looked at and rests from then on.
//@ arguments a b c N:i32
//@ launch works_while_warm grid (N+255)/256 block 256
__device__ int launches;

extern "C" __global__ void works_while_warm(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++launches;
  if (i < n && launches <= 90) c[i] = a[i] + b[i];
}
