// Catalogue 16: looks at the clock to know when it is timed.
//@ arguments a b c N:i32
//@ launch reads_the_clock grid (N+255)/256 block 256
extern "C" __global__ void reads_the_clock(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + (clock64() == 1 ? 1.0f : 0.0f);
}
