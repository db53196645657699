// Program `example` for sm_90, from example.cake.

namespace cake {
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// The sources may be reused; the results need not be visible yet.
template <int Pending>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// The same of the CTA's shared memory; waits for nothing in global memory.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* y) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const row = reinterpret_cast<float*>(cake_smem);
  const int thread = threadIdx.x;
#line 7 "example.cake"
  row[thread] = __ldg(&x[cta * 128 + thread]);
#line 8 "example.cake"
  cake::fence_async_shared();
#line 8 "example.cake"
  __syncthreads();
#line 9 "example.cake"
  if (thread == 0) {
#line 9 "example.cake"
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;  // @span 214 241" ::"l"(&y[0]), "r"(cake::shared_address(row)), "r"(512) : "memory");
#line 9 "example.cake"
    cake::bulk_commit();
#line 9 "example.cake"
    cake::bulk_wait_read<0>();
  }
}
