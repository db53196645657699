// Program `example` for sm_90, from example.cake.

namespace cake {
// All threads of the cluster wait for each other; what each did before is visible to all.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

// The same place in the shared memory of the CTA of this rank, as a generic address.
template <typename T>
__device__ __forceinline__ T* at_rank(T* p, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
  return there;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(64, 1) __cluster_dims__(2, 1, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  const int cta = blockIdx.x;
  const int cluster_rank = blockIdx.x % 2;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const half = reinterpret_cast<float*>(cake_smem);
  cake::cluster_sync();
  const int thread = threadIdx.x;
#line 8 "example.cake"
  half[thread] = 0.5f * __ldg(&x[cta * 64 + thread]);
#line 9 "example.cake"
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;  // @span 198 212" ::: "memory");
#line 10 "example.cake"
  const float mine = __ldg(&x[cta * 64 + thread]);
#line 11 "example.cake"
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;  // @span 254 266" ::: "memory");
#line 12 "example.cake"
  y[cta * 64 + thread] = mine + *cake::at_rank(&half[63 - thread], 1 - cluster_rank);
  // Other CTAs of the cluster may still reach this one's memory.
  __syncwarp();
  cake::cluster_sync();
}
