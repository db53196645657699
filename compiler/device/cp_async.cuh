// Copies of a thread from global to shared memory beside it (PTX ISA, cp.async). Device functions
// that emitted kernels call: one instruction each. No include: NVRTC runs without an include path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ evict_first
namespace cake {
// What L2 does with the lines of a copy; made once, as it depends on nothing.
__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
}  // namespace cake

//@ evict_last
namespace cake {
__device__ __forceinline__ unsigned long long evict_last() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
}  // namespace cake

//@ cp_async: shared_address
namespace cake {
// 16 bytes go past L1, smaller copies through it: the only forms there are.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(Bytes)
                 : "memory");
  }
}
// Reads `bytes` of them and fills the rest with zeros.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes)
                 : "memory");
  }
}
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes,
                                         unsigned long long policy) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "l"(policy)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3, %4;" ::"r"(
                     shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes), "l"(policy)
                 : "memory");
  }
}
}  // namespace cake

//@ cp_async_cached: shared_address
namespace cake {
// The line stays in L1 too.
template <int Bytes>
__device__ __forceinline__ void cp_async_cached(void* to, const void* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from),
               "n"(Bytes), "r"(bytes)
               : "memory");
}
}  // namespace cake

//@ cp_async_commit
namespace cake {
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
}  // namespace cake

//@ cp_async_wait
namespace cake {
template <int Pending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
}  // namespace cake

//@ cp_async_arrive
namespace cake {
// One arrival when this thread's copies until here are complete.
__device__ __forceinline__ void cp_async_arrive(unsigned int mbarrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(mbarrier) : "memory");
}
}  // namespace cake
