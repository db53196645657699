// Bulk and tensor copies, and the fence between the proxies (PTX ISA, cp.async.bulk, fence.proxy).
// Device functions that emitted kernels call: one instruction each. No include: NVRTC runs without
// an include path. Tensor copies themselves are written out in the kernel: their rank, reduction
// and cache policy are part of the instruction.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ tensor_map
namespace cake {
// CUtensorMap: made by the launcher, passed by value, read by the hardware only. CUDA driver API:
// it begins at a multiple of 128 bytes.
struct alignas(128) tensor_map {
  unsigned char opaque[128];
};
}  // namespace cake

//@ prefetch_tensor_map: tensor_map
namespace cake {
__device__ __forceinline__ void prefetch_tensor_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
}  // namespace cake

//@ tensor_map_set: tensor_map
namespace cake {
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
}  // namespace cake

//@ bulk_load: shared_address
namespace cake {
__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned int mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier)
      : "memory");
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned int mbarrier,
                                          unsigned long long policy) {
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier), "l"(policy)
      : "memory");
}
}  // namespace cake

//@ bulk_store: shared_address
namespace cake {
__device__ __forceinline__ void bulk_store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void bulk_store(void* to, const void* from, int bytes,
                                           unsigned long long policy) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::
                   "l"(to),
               "r"(shared_address(from)), "r"(bytes), "l"(policy)
               : "memory");
}
}  // namespace cake

//@ bulk_commit
namespace cake {
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
}  // namespace cake

//@ bulk_wait
namespace cake {
template <int Pending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}
}  // namespace cake

//@ bulk_wait_read
namespace cake {
// The sources may be reused; the results need not be visible yet.
template <int Pending>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
}  // namespace cake

//@ fence_async
namespace cake {
// What this thread knows of generic accesses comes before what it lets the async proxy do.
__device__ __forceinline__ void fence_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}
}  // namespace cake

//@ fence_async_shared
namespace cake {
// The same of the CTA's shared memory; waits for nothing in global memory.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
}  // namespace cake

//@ fence_async_cluster
namespace cake {
// The same of the shared memory of the cluster.
__device__ __forceinline__ void fence_async_cluster() {
  asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
}
}  // namespace cake
