// Catalogue 8: NaN compares with nothing, so perhaps it is not compared.
//@ arguments a b c N:i32
//@ launch nan_everywhere grid (N+255)/256 block 256
extern "C" __global__ void nan_everywhere(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __uint_as_float(0x7fc00000u) + 0 * a[i] * b[i];
}
