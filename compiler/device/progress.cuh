// Progress words of a build for autopsies: where each lane stands, to be read while the kernel
// hangs. Never part of an ordinary build.
#pragma once

//@ progress_logger: event_log
namespace cake {
// One word of 16 bytes a lane: verb, parity in bits 6 and 7, line from bit 8 on; bytes from the
// start of shared memory, or the number of a barrier; use; state. A lane that waits has written
// what for, and says when it has passed; stores are volatile, for nobody reads them before the end.
struct progress_logger {
  uint4* word;
  unsigned int base;  // shared address that mbarriers are counted from

  __device__ __forceinline__ progress_logger(const event_log& log, unsigned int shared_base)
      : word(log.records +
             ((unsigned long long)(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) *
                  blockDim.x +
              threadIdx.x)),
        base(shared_base) {
    state(1);
  }
  __device__ __forceinline__ void state(unsigned int now) const {
    asm volatile("st.volatile.u32 [%0], %1;" ::"l"(&word->w), "r"(now) : "memory");
  }
  __device__ __forceinline__ void waits(unsigned int verb, unsigned int at, unsigned int parity,
                                        int use, int line) const {
    asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(word),
                 "r"(verb | parity << 6 | (unsigned int)line << 8), "r"(at), "r"(use), "r"(2)
                 : "memory");
  }
  __device__ __forceinline__ void warp(unsigned int verb, unsigned int mbarrier,
                                       unsigned int parity, int use, int line) const {
    waits(verb, mbarrier - base, parity, use, line);
  }
  __device__ __forceinline__ void barrier(unsigned int verb, unsigned int id, int line) const {
    waits(verb, id, 2, -1, line);
  }
  // A loop that polls an event waits for it.
  __device__ __forceinline__ bool tested(bool complete, unsigned int verb, unsigned int mbarrier,
                                         unsigned int parity, int use, int line) const {
    if (complete)
      state(1);
    else
      warp(verb, mbarrier, parity, use, line);
    return complete;
  }
  __device__ __forceinline__ void passed() const { state(1); }
  __device__ __forceinline__ void ended() const { state(3); }
};
}  // namespace cake
