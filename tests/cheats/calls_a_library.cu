// Catalogue 25: a function of a library does the work.
//@ arguments a b c N:i32
//@ launch calls_a_library grid (N+255)/256 block 256
extern "C" __device__ float library_add(float x, float y);
extern "C" __global__ void calls_a_library(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = library_add(a[i], b[i]);
}
