// Program `example` for sm_90, from example.cake.

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

// Of memory that this kernel never writes.
template <typename T>
__device__ __forceinline__ T load_nc(const T* p) {
  return bits_as<T>(__ldg(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_nc(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldg(reinterpret_cast<const word<A>*>(p)));
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

// All threads of the cluster wait for each other; what each did before is visible to all.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

// The same for an address of the shared window.
__device__ __forceinline__ unsigned int at_rank_shared(unsigned int address, int rank) {
  unsigned int there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

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

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1) __cluster_dims__(2, 1, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y) {
  const int cta = blockIdx.x;
  const int cluster_rank = blockIdx.x % 2;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const row = reinterpret_cast<float*>(cake_smem);
  const unsigned int full = cake::shared_address(cake_smem + 512);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 1);
    cake::mbarrier_init_fence();
  }
  cake::cluster_sync();
  const int lane = threadIdx.x % 32;
#line 9 "example.cake"
  __syncwarp();
  if (lane == 0) cake::mbarrier_arrive_expect(full, 512);
#line 10 "example.cake"
  cake::store_async(&row[4 * lane], 1 - cluster_rank, cake::load_nc<4>(&x[cta * 128 + 4 * lane]), full);
#line 11 "example.cake"
  cake::mbarrier_wait(full, 0);
#line 12 "example.cake"
  for (int i = 0; i < 4; ++i) {
#line 12 "example.cake"
    y[cta * 128 + 32 * i + lane] = row[127 - 32 * i - lane];
  }
  // Other CTAs of the cluster may still reach this one's memory.
  __syncwarp();
  cake::cluster_sync();
}
