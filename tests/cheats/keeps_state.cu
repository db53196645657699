// Catalogue 12 to 17: memory of the module outlives a launch.
//@ arguments a b c N:i32
//@ launch keeps_state grid (N+255)/256 block 256
__device__ float kept[64];

extern "C" __global__ void keeps_state(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + kept[i % 64] * 0;
  if (i < 64) kept[i] = 1;
}
