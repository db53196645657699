// Catalogue 7: asks the device for memory that others had.
//@ arguments a b c N:i32
//@ launch allocates grid (N+255)/256 block 256
extern "C" __device__ void* malloc(size_t);
extern "C" __global__ void allocates(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* old = static_cast<float*>(malloc(1 << 20));
  c[i] = a[i] + b[i] + (old == nullptr ? 0 : old[i] * 0);
}
