// Catalogue 18: asks for its lines to stay when others go.
//@ arguments a b c N:i32
//@ launch keeps_the_cache grid (N+255)/256 block 256
extern "C" __global__ void keeps_the_cache(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x;
  asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(x) : "l"(a + i));
  c[i] = x + b[i];
}
