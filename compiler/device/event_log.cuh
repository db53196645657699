// The log of an instrumented build: what each warp passes to the instructions of rings, events and
// barriers, and delays in front of them, other ones for each seed. Never part of an ordinary build.
#pragma once

//@ event_log
namespace cake {
// The kernel's last parameter: of each warp of the grid, `limit` records and how many there were.
struct event_log {
  uint4* records;
  unsigned int* counts;
  unsigned int limit;
  unsigned int seed;  // 0: no delays
};
}  // namespace cake

//@ event_logger: event_log
namespace cake {
struct event_logger {
  event_log to;
  unsigned int slot;  // of the warp: warps of a CTA side by side, CTAs in linear order
  unsigned int base;  // shared address that mbarriers are counted from

  __device__ __forceinline__ event_logger(const event_log& log, unsigned int shared_base)
      : to(log),
        slot((blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * (blockDim.x / 32) +
             threadIdx.x / 32),
        base(shared_base) {}

  // Half of the operations wait, most of them shortly, some for microseconds; of these a part in
  // one lane only. The clock tells them apart: a counter would take a register of kernels that
  // have none to spare.
  __device__ __forceinline__ void jitter() {
    if (to.seed == 0) return;
    const unsigned int now = (unsigned int)clock();
    unsigned int h = to.seed * 0x9e3779b9u ^ slot * 0x85ebca6bu ^ now * 0xc2b2ae35u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h ^= h >> 16;
    if ((h & 1) != 0) return;
    if ((h >> 1 & 3) == 0 && threadIdx.x % 32 != (h >> 3 & 31)) return;
    __nanosleep((h >> 8 & 4095) >> (h >> 20 & 7));
  }
  // A record beyond the limit is counted, so that a reader sees that it is missing.
  __device__ __forceinline__ void append(unsigned int verb, unsigned int lanes, unsigned int at,
                                         unsigned int parity, int use, int line) const {
    const unsigned int n = atomicAdd(to.counts + slot, 1u);
    if (n >= to.limit) return;
    to.records[(unsigned long long)slot * to.limit + n] =
        make_uint4(verb | parity << 6 | (unsigned int)line << 8, at, (unsigned int)use, lanes);
  }
  // A warp that has come apart leaves a record of each part. Lanes that stand at one instruction
  // may be in different turns of a loop: a part is those that pass the same. Its first lane writes
  // the record, and all stay until it is written: a lane's records stand in the lane's own order.
  __device__ __forceinline__ void together(unsigned int verb, unsigned int at, unsigned int parity,
                                           int use, int line) {
    const unsigned int active = __activemask();
    const unsigned int part =
        __match_any_sync(active, (unsigned long long)(unsigned int)use << 32 | at) &
        __match_any_sync(active, parity);
    if (threadIdx.x % 32 == __ffs(part) - 1) append(verb, part, at, parity, use, line);
    __syncwarp(active);
    jitter();
  }
  // By a whole warp, by one thread, by any threads of a warp.
  __device__ __forceinline__ void warp(unsigned int verb, unsigned int mbarrier,
                                       unsigned int parity, int use, int line) {
    together(verb, mbarrier - base, parity, use, line);
  }
  __device__ __forceinline__ void thread(unsigned int verb, unsigned int mbarrier,
                                         unsigned int parity, int use, int line) {
    append(verb, 1u << threadIdx.x % 32, mbarrier - base, parity, use, line);
    jitter();
  }
  __device__ __forceinline__ void threads(unsigned int verb, unsigned int mbarrier,
                                          unsigned int parity, int use, int line) {
    together(verb, mbarrier - base, parity, use, line);
  }
  // A test that finds its generation incomplete leaves nothing.
  __device__ __forceinline__ bool tested(bool complete, unsigned int verb, unsigned int mbarrier,
                                         unsigned int parity, int use, int line) {
    if (complete) warp(verb, mbarrier, parity, use, line);
    return complete;
  }
  // What an atomic gave this lane.
  template <typename T>
  __device__ __forceinline__ T ticket(unsigned int verb, T value, int line) {
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof(T));
    append(verb, 1u << threadIdx.x % 32, (unsigned int)bits, 2, (int)(bits >> 32), line);
    jitter();
    return value;
  }
  // Of a vector each element is a record.
  template <template <typename, int> class A, typename T, int N>
  __device__ __forceinline__ A<T, N> ticket(unsigned int verb, A<T, N> value, int line) {
#pragma unroll
    for (int i = 0; i < N; ++i) ticket(verb, value[i], line);
    return value;
  }
  __device__ __forceinline__ void barrier(unsigned int verb, unsigned int id, int line) {
    together(verb, id, 2, -1, line);
  }
};
}  // namespace cake
