// c = a + b, as the contract asks.
//@ arguments a b c N:i32
//@ launch honest_add grid (N+255)/256 block 256
extern "C" __global__ void honest_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
