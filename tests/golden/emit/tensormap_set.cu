// Program `example` for sm_90a, from example.cake.

namespace cake {
// Where element `i` of a column panel `Bytes` wide lies: 16-byte chunks, xor with the row's number
// counted in 128-byte lines (the pattern of TMA and of matrix descriptors).
template <int Bytes, int ElementBytes>
__device__ __forceinline__ unsigned swizzle(unsigned i) {
  const unsigned byte = i * ElementBytes;
  return (byte ^ (((byte >> 7) & (Bytes / 16 - 1)) << 4)) / ElementBytes;
}

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

// By a whole warp: a map in global memory like this one, but that the tensor ends at `end` in
// dimension `Ordinal`, counted from the innermost; for the tensor copies of this warp from here on.
template <int Ordinal>
__device__ __forceinline__ void tensor_map_set(unsigned int* to, const tensor_map& from, int lane,
                                               int end) {
  __syncwarp();
  to[lane] = reinterpret_cast<const unsigned int*>(&from)[lane];
  __syncwarp();
  if (lane == 0) {
    asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], %1, %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "n"(Ordinal), "r"(end)
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
  }
  __syncwarp();
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(to) : "memory");
}

__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int Pending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
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
    const int* __restrict__ from,
    float* y,
    unsigned int* run_maps,
    int B,
    int T,
    const __grid_constant__ cake::tensor_map y_map) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const tile = reinterpret_cast<float*>(cake_smem);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(y_map);
  }
  const int lane = threadIdx.x % 32;
  const int thread = threadIdx.x;
#line 11 "example.cake"
  for (int r = 0; r < 64; ++r) {
#line 11 "example.cake"
    tile[cake::swizzle<128, 4>(r * 32 + lane)] = (float)cta;
  }
#line 12 "example.cake"
  const int first = __ldg(&from[cta]);
#line 13 "example.cake"
  const int end = __ldg(&from[cta + 1]);
#line 14 "example.cake"
  if (first < end) {
#line 15 "example.cake"
    const int y_end = end;
#line 15 "example.cake"
    asm volatile("// @span 409 432");
    cake::tensor_map_set<1>(run_maps + (unsigned long long)((unsigned int)cta * 1) * 32, y_map, lane, y_end);
#line 16 "example.cake"
    cake::fence_async_shared();
#line 16 "example.cake"
    __syncthreads();
#line 17 "example.cake"
    if (thread == 0) {
#line 17 "example.cake"
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];  // @span 475 508" ::"l"(run_maps + (unsigned long long)((unsigned int)cta * 1) * 32), "r"(0), "r"(first), "r"(cake::shared_address(tile)) : "memory");
#line 17 "example.cake"
      cake::bulk_commit();
#line 17 "example.cake"
      cake::bulk_wait<0>();
    }
  }
}
