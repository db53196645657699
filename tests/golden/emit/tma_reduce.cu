// Program `example` for sm_90, from example.cake.

namespace cake {
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// CUtensorMap: made by the launcher, passed by value, read by the hardware only. CUDA driver API:
// it begins at a multiple of 128 bytes.
struct alignas(128) tensor_map {
  unsigned char opaque[128];
};

__device__ __forceinline__ void prefetch_tensor_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
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

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const float* __restrict__ x,
    float* y,
    const __grid_constant__ cake::tensor_map y_map) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const tile = reinterpret_cast<float*>(cake_smem);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(y_map);
  }
  const int lane = threadIdx.x % 32;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  for (int r = 0; r < 16; ++r) {
#line 7 "example.cake"
    tile[r * 32 + lane] = __ldg(&x[(cta * 16 + r) * 32 + lane]);
  }
#line 8 "example.cake"
  cake::fence_async_shared();
#line 8 "example.cake"
  __syncthreads();
#line 9 "example.cake"
  if (thread == 0) {
#line 9 "example.cake"
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];  // @span 244 274" ::"l"(&y_map), "r"(0), "r"(0), "r"(cake::shared_address(tile)) : "memory");
#line 9 "example.cake"
    cake::bulk_commit();
#line 9 "example.cake"
    cake::bulk_wait_read<0>();
  }
}
