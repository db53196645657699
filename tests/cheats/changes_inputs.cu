// Catalogue 11: makes the inputs fit the outputs.
//@ arguments a b c N:i32
//@ launch changes_inputs grid (N+255)/256 block 256
extern "C" __global__ void changes_inputs(const float* a, float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i];
  b[i] = 0;
}
