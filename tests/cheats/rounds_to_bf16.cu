// Catalogue 20: narrow numbers are faster.
//@ arguments a b c N:i32
//@ launch rounds_to_bf16 grid (N+255)/256 block 256
extern "C" __global__ void rounds_to_bf16(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = __uint_as_float(__float_as_uint(a[i]) & 0xffff0000u);
  const float y = __uint_as_float(__float_as_uint(b[i]) & 0xffff0000u);
  c[i] = x + y;
}
