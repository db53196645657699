// Tensor memory (PTX ISA, tcgen05): one instruction each. Addresses are lane << 16 | column. The
// loads, stores and products, of which there are many, are made in tensor_parts.cc.

//@ tmem_alloc
namespace cake {
// By one whole warp. The address of the columns goes to the shared word.
__device__ __forceinline__ void tmem_alloc(unsigned int word, unsigned int columns) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(word),
               "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
}  // namespace cake

//@ tmem_free
namespace cake {
__device__ __forceinline__ void tmem_free(unsigned int address, unsigned int columns) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
               "r"(columns));
}
}  // namespace cake

//@ tmem_alloc_pair
namespace cake {
// The same in both CTAs of a pair, by one warp of each.
__device__ __forceinline__ void tmem_alloc_pair(unsigned int word, unsigned int columns) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(word),
               "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
}
}  // namespace cake

//@ tmem_free_pair
namespace cake {
__device__ __forceinline__ void tmem_free_pair(unsigned int address, unsigned int columns) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address),
               "r"(columns));
}
}  // namespace cake

//@ tmem_wait_ld
namespace cake {
__device__ __forceinline__ void tmem_wait_ld() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
}  // namespace cake

//@ tmem_loaded
namespace cake {
// No instruction: the compiler may use the registers of loads only behind this, which it may not
// move before the wait.
__device__ __forceinline__ void tmem_loaded(float& word) { asm volatile("" : "+f"(word)); }
__device__ __forceinline__ void tmem_loaded(int& word) { asm volatile("" : "+r"(word)); }
__device__ __forceinline__ void tmem_loaded(unsigned& word) { asm volatile("" : "+r"(word)); }
template <typename Fragment>
__device__ __forceinline__ void tmem_loaded(Fragment& f) {
#pragma unroll
  for (auto& row : f.reg) {
#pragma unroll
    for (auto& word : row) tmem_loaded(word);
  }
}
}  // namespace cake

//@ tmem_wait_st
namespace cake {
__device__ __forceinline__ void tmem_wait_st() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
}  // namespace cake

//@ tmem_fence_before
namespace cake {
// What this thread has asked of the tensor cores comes before what it arrives at next.
__device__ __forceinline__ void tmem_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
}  // namespace cake

//@ tmem_fence_after
namespace cake {
// What this thread asks of the tensor cores next comes after what it has waited for.
__device__ __forceinline__ void tmem_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
}  // namespace cake

//@ umma_commit
namespace cake {
// One arrival when the products that this thread has issued are complete.
__device__ __forceinline__ void umma_commit(unsigned int mbarrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(mbarrier)
      : "memory");
}
}  // namespace cake

//@ umma_commit_pair
namespace cake {
// The same of products of a pair, in this CTA.
__device__ __forceinline__ void umma_commit_pair(unsigned int mbarrier) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(mbarrier)
      : "memory");
}
}  // namespace cake

//@ umma_commit_both
namespace cake {
// The same in all CTAs whose rank is a bit of the mask.
__device__ __forceinline__ void umma_commit_both(unsigned int mbarrier, int ranks) {
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
      "[%0], %1;" ::"r"(mbarrier),
      "h"((unsigned short)ranks)
      : "memory");
}
}  // namespace cake

//@ tmem_block: shared_address
namespace cake {
// The descriptor of blocks of scales in shared memory: 32 rows of 16 bytes, no swizzle, eight rows
// after the other (PTX ISA, tcgen05 shared memory descriptor).
__device__ __forceinline__ unsigned long long tmem_block(const void* block) {
  constexpr unsigned long long kVersion = 1, kEightRows = 8 * 16 / 16;
  constexpr unsigned long long kForm = kVersion << 46 | kEightRows << 32 | kEightRows << 16;
  return kForm | (shared_address(block) & 0x3ffff) >> 4;
}
}  // namespace cake

//@ tmem_fill
namespace cake {
// 512 bytes to four columns, the same for the lanes of all four warps.
__device__ __forceinline__ void tmem_fill(unsigned int address, unsigned long long block) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(address), "l"(block)
               : "memory");
}
}  // namespace cake

//@ tmem_fill_pair
namespace cake {
// The same in both CTAs of a pair, each from the same place of its own shared memory.
__device__ __forceinline__ void tmem_fill_pair(unsigned int address, unsigned long long block) {
  asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(address), "l"(block)
               : "memory");
}
}  // namespace cake

//@ umma_tile: shared_address
namespace cake {
// The descriptor of a swizzled tile of shared memory (PTX ISA, tcgen05 shared memory descriptor):
// bytes of the swizzle, from one panel to the next, and from eight rows to the next eight.
template <int Swizzle, int Panel>
__device__ __forceinline__ unsigned long long umma_tile(const void* tile) {
  constexpr unsigned long long kMode = Swizzle == 128 ? 2 : Swizzle == 64 ? 4 : 6;
  constexpr unsigned long long kVersion = 1;
  constexpr unsigned long long kForm = kMode << 61 | kVersion << 46 |
                                       (unsigned long long)(8 * Swizzle / 16) << 32 |
                                       (unsigned long long)(Panel / 16) << 16;
  return kForm | (shared_address(tile) & 0x3ffff) >> 4;
}
}  // namespace cake
