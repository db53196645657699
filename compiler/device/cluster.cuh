// Clusters: barriers over their CTAs, and the addresses by which a CTA names what lies in another
// one's shared memory (PTX ISA, barrier.cluster, mapa, mbarrier.arrive, st.async).
#pragma once

//@ cluster_sync
namespace cake {
// All threads of the cluster wait for each other; what each did before is visible to all.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}
}  // namespace cake

//@ at_rank
namespace cake {
// The same place in the shared memory of the CTA of this rank, as a generic address.
template <typename T>
__device__ __forceinline__ T* at_rank(T* p, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
  return there;
}
}  // namespace cake

//@ at_rank_shared
namespace cake {
// The same for an address of the shared window.
__device__ __forceinline__ unsigned int at_rank_shared(unsigned int address, int rank) {
  unsigned int there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
}  // namespace cake

//@ mbarrier_arrive_at: at_rank_shared
namespace cake {
// Arrives in another CTA and publishes there what this thread knows.
__device__ __forceinline__ void mbarrier_arrive_at(unsigned int address, int rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   at_rank_shared(address, rank))
               : "memory");
}
}  // namespace cake

//@ mbarrier_arrive_expect_at: at_rank_shared
namespace cake {
__device__ __forceinline__ void mbarrier_arrive_expect_at(unsigned int address, int rank,
                                                          unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                   at_rank_shared(address, rank)),
               "r"(bytes)
               : "memory");
}
}  // namespace cake

//@ mbarrier_release_at: at_rank_shared
namespace cake {
// Gives a slot back to a CTA that fills it. What it says is that reads are over: no data goes with
// it, so the arrival needs no release beyond the CTA, which would wait for all of its stores.
__device__ __forceinline__ void mbarrier_release_at(unsigned int address, int rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(at_rank_shared(address, rank))
               : "memory");
}
}  // namespace cake

//@ store_async: at_rank_shared word bits_as shared_address
namespace cake {
// Stores to shared memory of another CTA and completes the bytes on its mbarrier.
template <typename T>
__device__ __forceinline__ void store_async(const void* p, int rank, const T& x,
                                            unsigned int mbarrier) {
  const unsigned int there = at_rank_shared(shared_address(p), rank);
  const unsigned int event = at_rank_shared(mbarrier, rank);
  const word<T> w = bits_as<word<T>>(x);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     there),
                 "r"(w), "r"(event)
                 : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
            there),
        "r"(w.x), "r"(w.y), "r"(event)
        : "memory");
  } else {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(there),
        "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w), "r"(event)
        : "memory");
  }
}
}  // namespace cake

//@ bulk_load_multicast: shared_address
namespace cake {
__device__ __forceinline__ void bulk_load_multicast(void* to, const void* from, int bytes,
                                                    unsigned int mbarrier, int ranks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier), "h"((unsigned short)ranks)
      : "memory");
}
__device__ __forceinline__ void bulk_load_multicast(void* to, const void* from, int bytes,
                                                    unsigned int mbarrier, int ranks,
                                                    unsigned long long policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      ".L2::cache_hint [%0], [%1], %2, [%3], %4, %5;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(mbarrier), "h"((unsigned short)ranks), "l"(policy)
      : "memory");
}
}  // namespace cake
