// The barrier of a cooperative grid.
#pragma once

//@ grid_sync
namespace cake {
// The arrivals of one generation add up to 2^31, so the top bit of the word flips when the last CTA
// arrives and the rest of it is zero again: the word serves any number of generations and kernels.
// The release and acquire of one thread cover its CTA, whose threads meet it at the CTA's barriers.
__device__ __forceinline__ void grid_sync(unsigned int* word, bool first, int ctas) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned int arrival = first ? 0x80000000u - (unsigned int)(ctas - 1) : 1u;
    unsigned int before, now;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(word)), "r"(arrival)
                 : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(now)
                   : "l"(__cvta_generic_to_global(word))
                   : "memory");
    } while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}
}  // namespace cake
