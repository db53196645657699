// Program `example` for sm_100, from example.cake.

namespace cake {
// Registers. What moves as one word is aligned like it, and pairs of elements as a pair.
__device__ constexpr int array_alignment(int bytes, int element) {
  if (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32) return bytes;
  return bytes % (2 * element) == 0 && element < 8 ? 2 * element : element;
}
template <typename T, int N>
struct alignas(array_alignment(sizeof(T) * N, sizeof(T))) array {
  T value[N];
  __device__ __forceinline__ T& operator[](int i) { return value[i]; }
  __device__ __forceinline__ const T& operator[](int i) const { return value[i]; }
};

template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return *reinterpret_cast<const To*>(&from);
}

// The type that moves 1, 2, 4, 8, 16 or 32 bytes in one access.
template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = unsigned char;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<4> {
  using type = unsigned int;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<16> {
  using type = uint4;
};
struct alignas(32) uint8 {
  uint4 low, high;
};
template <>
struct word_of<32> {
  using type = uint8;
};
template <typename T>
using word = typename word_of<sizeof(T)>::type;

template <int N, typename T>
__device__ __forceinline__ array<T, N> load(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(*reinterpret_cast<const word<A>*>(p));
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void mbarrier_init(unsigned int address, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(count) : "memory");
}

// Makes the initialised mbarriers visible to asynchronous engines and other CTAs.
__device__ __forceinline__ void mbarrier_init_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive_expect(unsigned int address, unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
               : "memory");
}

// Whether the generation of this parity is complete; if so, acquires what its arrivals released.
__device__ __forceinline__ bool mbarrier_test(unsigned int address, unsigned int parity) {
  unsigned int complete;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
      "  selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(complete)
      : "r"(address), "r"(parity)
      : "memory");
  return complete != 0;
}

__device__ __forceinline__ void mbarrier_wait(unsigned int address, unsigned int parity) {
#if __CUDA_ARCH__ >= 900
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
#else
  while (!mbarrier_test(address, parity)) {
  }
#endif
}

// The same of the CTA's shared memory; waits for nothing in global memory.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// By one thread: asks that a cluster of the grid that has not begun never does. The answer goes to
// these 16 bytes, and completes as many on the mbarrier.
__device__ __forceinline__ void clc_try_cancel(const void* answer, unsigned int mbarrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], "
      "[%1];" ::"r"(shared_address(answer)),
      "r"(mbarrier)
      : "memory");
}

// The linear number of the first CTA of the cluster that will not begin; -1: there is none.
__device__ __forceinline__ int clc_cta(unsigned long long low, unsigned long long high) {
  int taken, x, y, z;
  asm("{\n"
      "  .reg .b128 answer;\n"
      "  .reg .pred p;\n"
      "  mov.b128 answer, {%4, %5};\n"
      "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n"
      "  selp.b32 %0, 1, 0, p;\n"
      "  mov.b32 %1, 0;\n"
      "  mov.b32 %2, 0;\n"
      "  mov.b32 %3, 0;\n"
      "  @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, "
      "answer;\n"
      "}"
      : "=&r"(taken), "=&r"(x), "=&r"(y), "=&r"(z)
      : "l"(low), "l"(high));
  return taken != 0 ? x + ((int)gridDim.x) * (y + ((int)gridDim.y) * z) : -1;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  unsigned long long* const answer = reinterpret_cast<unsigned long long*>(cake_smem);
  const unsigned int told = cake::shared_address(cake_smem + 32);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) cake::mbarrier_init(told + 8 * i, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  unsigned int told_bytes = 0;
#line 10 "example.cake"
  int t = cta;
#line 11 "example.cake"
  int k = 0;
#line 12 "example.cake"
  while (t >= 0 && t < N && k < 1000) {
#line 13 "example.cake"
    cake::fence_async_shared();  // reads are over before the next copy fills the place
    if (lane == 0) {
      cake::clc_try_cancel(&answer[(k & 1) * 2], told + 8 * (k & 1));
      told_bytes += 16;
    }
#line 14 "example.cake"
    cake::fence_async_shared();  // reads are over before the next copy fills the place
    __syncwarp();
    if (lane == 0) cake::mbarrier_arrive_expect(told + 8 * (k & 1), told_bytes);
    told_bytes = 0;
#line 15 "example.cake"
    y[t * 32 + lane] = 2.0f * __ldg(&x[t * 32 + lane]);
#line 16 "example.cake"
    cake::mbarrier_wait(told + 8 * (k & 1), k >> 1 & 1);
#line 17 "example.cake"
    const cake::array<unsigned long long, 2> a = cake::load<2>(&answer[(k & 1) * 2]);
#line 18 "example.cake"
    t = cake::clc_cta(a[0], a[1]);
#line 19 "example.cake"
    k += 1;
  }
}
